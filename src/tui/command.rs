//! What is to be done outside the screen, and what came of it. The state asks, the event loop does.

use std::sync::Arc;

use super::highlight::Line;
use super::playing::Pace;
use crate::pipeline::{EntityCard, Event, Explanation, Stage, Trace, Triage};
use crate::report::Format;

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
