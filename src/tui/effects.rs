//! Effects and replies: what the event loop is to do outside the screen, and what came of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::highlight::StyledLine;
use super::learned::LearnedOverview;
use super::playback::PlaybackControl;
use super::screen_layout::ScreenLayout;
use super::sources::{EngineChoice, SourceEntry, SourceKind};
use crate::dkg::{CheckOutcome, ProposalId, Waiting};
use crate::feedback::{DecisionResult, GivenRating, RatingResult, TaughtFact};
use crate::graph::NamedTriple;
use crate::report::Format;
use crate::run::{
    Case, CheckedClaim, EntityCard, Event, Explanation, MethodName, QuotedPassage, RunHandle, Stage, StoredDocument, Trace, Triage,
};

/// Something that the event loop is to do outside the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Ask {
        /// The question.
        question: String,
        /// The case that it continues.
        follows: Option<Arc<Case>>,
        /// The method that was chosen on the screen; `None` for the engine's own.
        method: Option<MethodName>,
    },
    /// Write a question to the history file.
    Remember(String),
    /// Continue a run with what the doctor decided.
    Revise {
        /// The run as it stands.
        trace: Arc<Trace>,
        /// Everything that was decided.
        triage: Arc<Triage>,
        /// The first stage that runs again.
        from: Stage,
    },
    /// Explain a chain of a run; an earlier request that still waits is dropped.
    Explain {
        /// The run.
        trace: Arc<Trace>,
        /// The chain's number.
        chain: u32,
    },
    /// Find entities with names similar to what was typed.
    Complete(String),
    /// List the graphs, or the models that write.
    ListSources(SourceKind),
    /// Open an engine with another graph or model.
    Reopen(EngineChoice),
    /// Read the stored document of a passage.
    OpenDocument(Box<QuotedPassage>),
    /// Compare the claims of a text with the graph and the documents.
    CheckText(String),
    /// Append events to the recording of their run.
    Record(Vec<Event>),
    /// Read words with which the case is to be corrected.
    ReadWords(String),
    /// List the recorded runs.
    ListSessions,
    /// Read a recorded run.
    OpenSession {
        /// Its id.
        id: String,
        /// Whether to compare it with the run on the screen, rather than show it instead.
        compare: bool,
    },
    /// Play a run's events again.
    Play {
        /// The events.
        recording: Arc<Vec<Event>>,
        /// Seconds for each stage; `None` for the recorded speed.
        pace: Option<f64>,
        /// Whether it waits for the first step.
        paused: bool,
    },
    /// Remember the layout of the screen.
    RememberLayout(ScreenLayout),
    /// Control the replay.
    Playback(PlaybackControl),
    /// Write a run as a report.
    Export {
        /// The run.
        trace: Arc<Trace>,
        /// In which form.
        format: Format,
        /// The file; if it is there already, the report goes beside it.
        path: PathBuf,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Send a request to the DKG.
    Dkg(DkgRequest),
    /// Highlight a text.
    Highlight {
        /// The sheet that shows it; none where it is the answer.
        title: Option<&'static str>,
        /// The text.
        text: String,
        /// What it is written in.
        grammar: Grammar,
    },
}

/// A request to the DKG. Requests are carried out one after the other, in the background.
#[derive(Debug, Clone, PartialEq)]
pub enum DkgRequest {
    /// Record a rating, with the proposals that follow from it.
    Rate {
        /// The run that was rated.
        trace: Arc<Trace>,
        /// The rating.
        given: GivenRating,
    },
    /// Record a fact that is taught directly.
    Teach(TaughtFact),
    /// Accept proposals.
    Accept(Vec<ProposalId>),
    /// Reject proposals.
    Reject(Vec<ProposalId>),
    /// Edit a proposal.
    Edit {
        /// Which.
        proposal: ProposalId,
        /// The triple as edited.
        triple: Box<NamedTriple>,
        /// Whether the relation has changed: then only its name is known.
        other_relation: bool,
    },
    /// Undo a record.
    Undo(u64),
    /// Read the pending proposals.
    Queue,
    /// Read the learned triples.
    Learned,
}

/// The state of the DKG, in the numbers that are always on the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DkgStatus {
    /// Triples that are learned.
    pub learned: u64,
    /// Proposals that wait for the review.
    pub pending: u64,
    /// Why nothing can be recorded; `None` if it can.
    pub read_only: Option<String>,
    /// Warnings from opening it.
    pub notices: Vec<String>,
}

/// The language that a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// JSON.
    Json,
    /// Markdown.
    Markdown,
}

/// A highlighted text.
#[derive(Debug)]
pub struct Highlighted(pub(crate) Vec<StyledLine>);

/// The result of an effect.
#[derive(Debug)]
pub enum Reply {
    /// A message, and whether it reports a failure.
    Note {
        /// In plain words.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
    /// Entities like what was typed.
    Entities {
        /// What was typed.
        typed: String,
        /// The best first.
        cards: Vec<EntityCard>,
    },
    /// What words say with which the case is to be corrected.
    WordsRead {
        /// The words.
        text: String,
        /// What they say; `None` if nobody can read them here.
        told: Option<Box<Case>>,
    },
    /// The graphs, or the models that write.
    Sources {
        /// Which of them.
        kind: SourceKind,
        /// What there is, or why it cannot be said.
        found: Result<Vec<SourceEntry>, String>,
    },
    /// The explanation of a chain.
    Explanation {
        /// The run's id.
        run: String,
        /// How often it had been revised.
        revisions: u32,
        /// The words.
        explanation: Box<Explanation>,
    },
    /// There is no explanation of the chain.
    NoExplanation,
    /// The document of a passage; `None` if it is not among those in use.
    Document {
        /// The passage.
        passage: Box<QuotedPassage>,
        /// The document.
        document: Option<Box<StoredDocument>>,
    },
    /// The claims of a text, with what the sources say of them.
    Checked(Vec<CheckedClaim>),
    /// A highlighted text.
    Highlighted {
        /// The sheet that shows it; none where it is the answer.
        title: Option<&'static str>,
        /// Its lines.
        lines: Highlighted,
    },
    /// The recorded runs.
    Sessions {
        /// The latest first.
        lines: Vec<SessionEntry>,
        /// How many files could not be read.
        unreadable: usize,
    },
    /// The latest recorded runs, for the first screen.
    LatestRuns(Vec<SessionEntry>),
    /// A recorded run.
    Session {
        /// Its events.
        events: Vec<Event>,
        /// Lines at the end that were not whole.
        torn: usize,
        /// Whether to compare it with the run on the screen.
        compare: bool,
    },
    /// A run has begun in the background.
    Began {
        /// The number of the request for it.
        asked: u64,
        /// The run.
        handle: RunHandle,
    },
    /// The state of the DKG now.
    DkgStatus(DkgStatus),
    /// A fact was taught, or could not be.
    Taught {
        /// The fact.
        fact: TaughtFact,
        /// What came of it, or why nothing was recorded.
        result: Result<Box<RatingResult>, String>,
    },
    /// The result of a rating.
    Rated {
        /// The rating.
        given: GivenRating,
        /// What was recorded, or why nothing was.
        result: Result<Box<RatingResult>, String>,
    },
    /// The result of a decision.
    Decided {
        /// Whether they were accepted, rather than rejected.
        accepted: bool,
        /// The proposals.
        proposals: Vec<ProposalId>,
        /// The outcome, or why nothing was recorded.
        result: Result<DecisionResult, String>,
    },
    /// The result of editing a proposal.
    Edited {
        /// Its record and how the proposal stands now, or why nothing was recorded.
        result: Result<(u64, CheckOutcome), String>,
    },
    /// The result of undoing a record.
    Undone {
        /// The record.
        record: u64,
        /// The outcome, or why nothing was recorded.
        result: Result<DecisionResult, String>,
    },
    /// The pending proposals.
    Queue(Box<Waiting>),
    /// What was learned.
    Learned(Box<LearnedOverview>),
}

/// A recorded run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Graph, method, what came of it.
    pub detail: String,
    /// When it was asked.
    pub when: String,
}
