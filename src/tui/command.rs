//! What is to be done outside the screen, and what came of it. The state asks, the event loop does.

use std::sync::Arc;

use super::highlight::Line;
use super::learned::Lessons;
use super::playback::Pace;
use crate::dkg::{CheckOutcome, ProposalId, Waiting};
use crate::feedback::{DecisionResult, GivenRating, RatingResult};
use crate::graph::NamedTriple;
use crate::report::Format;
use crate::run::{EntityCard, Event, Explanation, RunHandle, Stage, Trace, Triage};

/// What is to be done outside the screen; the event loop does it.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Ask the engine.
    Ask(String),
    /// Write a question to the history file.
    Remember(String),
    /// Carry a run on with what was decided.
    Revise {
        /// The run as it stands.
        trace: Arc<Trace>,
        /// Everything that was decided.
        triage: Arc<Triage>,
        /// The first stage that runs again.
        from: Stage,
    },
    /// Say all there is to say about a chain of a run; an earlier wish that still waits is dropped.
    Explain {
        /// The run.
        trace: Arc<Trace>,
        /// The chain's number.
        chain: u32,
    },
    /// Find entities whose names are like what was typed.
    Complete(String),
    /// Add what happened to the record of its run.
    Record(Vec<Event>),
    /// List the recorded runs.
    ListSessions,
    /// Read a recorded run.
    OpenSession {
        /// Its id.
        id: String,
        /// Whether it is to stand beside the run on the screen rather than in its place.
        beside: bool,
    },
    /// Play a run's events again.
    Play(Arc<Vec<Event>>),
    /// How what is played goes on.
    Pace(Pace),
    /// Write a run as a report.
    Export {
        /// The run.
        trace: Arc<Trace>,
        /// In which form.
        format: Format,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Something is asked of the evolving graph.
    Teach(Teach),
    /// Find the inks of a text.
    Highlight {
        /// The sheet that shows it; none where it is the answer.
        title: Option<&'static str>,
        /// The text.
        text: String,
        /// What it is written in.
        grammar: Grammar,
    },
}

/// What is asked of the evolving graph. One thing is done after the other, in the background.
#[derive(Debug, Clone, PartialEq)]
pub enum Teach {
    /// Record a rating, with what is proposed because of it.
    Rate {
        /// The run that was rated.
        trace: Arc<Trace>,
        /// The rating.
        given: GivenRating,
    },
    /// Accept proposals.
    Accept(Vec<ProposalId>),
    /// Turn proposals down.
    Reject(Vec<ProposalId>),
    /// Word a proposal anew.
    Edit {
        /// Which.
        proposal: ProposalId,
        /// What it is to say.
        triple: Box<NamedTriple>,
        /// Whether the relation is another one than before: then only its name says what it means.
        other_relation: bool,
    },
    /// Take back what a record did.
    Undo(u64),
    /// Read what waits for the review.
    Queue,
    /// Read what was learned.
    Lessons,
}

/// How the evolving graph stands, in the numbers that are always on the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learning {
    /// Triples that are learned.
    pub learned: u64,
    /// Proposals that wait for the review.
    pub pending: u64,
    /// Why nothing can be recorded, if that is so.
    pub read_only: Option<String>,
    /// What was found out when it was opened that the doctor should know.
    pub notices: Vec<String>,
}

/// What a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// JSON.
    Json,
    /// Markdown.
    Markdown,
}

/// A text in its inks.
#[derive(Debug)]
pub struct Highlighted(pub(crate) Vec<Line>);

/// What came of something that was done outside the screen.
#[derive(Debug)]
pub enum Found {
    /// Something to tell, and whether it is bad news.
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
    /// What there is to say about a chain.
    Explanation {
        /// The run's id.
        run: String,
        /// How often it had been revised.
        revisions: u32,
        /// The words.
        explanation: Box<Explanation>,
    },
    /// There is nothing to say about a chain.
    NoExplanation,
    /// A text in its inks.
    Highlighted {
        /// The sheet that shows it; none where it is the answer.
        title: Option<&'static str>,
        /// Its lines.
        lines: Highlighted,
    },
    /// The recorded runs.
    Sessions {
        /// The latest first.
        lines: Vec<SessionLine>,
        /// How many files could not be read.
        unreadable: usize,
    },
    /// A recorded run.
    Session {
        /// Its events.
        events: Vec<Event>,
        /// Lines at the end that were not whole.
        torn: usize,
        /// Whether it is to stand beside the run on the screen.
        beside: bool,
    },
    /// A run has begun in the background.
    Began {
        /// The number of the wish for it.
        asked: u64,
        /// The run.
        handle: RunHandle,
    },
    /// How the evolving graph stands now.
    Learning(Learning),
    /// What came of a rating.
    Rated {
        /// The rating.
        given: GivenRating,
        /// What was recorded, or why nothing was.
        result: Result<Box<RatingResult>, String>,
    },
    /// What came of a decision.
    Decided {
        /// Whether they were accepted, rather than turned down.
        accepted: bool,
        /// The proposals.
        proposals: Vec<ProposalId>,
        /// What followed, or why nothing was recorded.
        result: Result<DecisionResult, String>,
    },
    /// What came of wording a proposal anew.
    Edited {
        /// Its record and how the proposal stands now, or why nothing was recorded.
        result: Result<(u64, CheckOutcome), String>,
    },
    /// What came of taking back a record.
    Undone {
        /// The record.
        record: u64,
        /// What followed, or why nothing was recorded.
        result: Result<DecisionResult, String>,
    },
    /// What waits for the review.
    Queue(Box<Waiting>),
    /// What was learned.
    Lessons(Box<Lessons>),
}

/// A recorded run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Graph, method, what came of it.
    pub detail: String,
    /// When it was asked.
    pub when: String,
}
