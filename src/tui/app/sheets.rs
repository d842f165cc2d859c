//! What lies over the panes: help, lists, texts, forms, questions; and the messages.

use crate::tui::case_sheet::CaseSheet;
use crate::tui::effects::SessionEntry;
use crate::tui::form::{Confirm, TeachingForm};
use crate::tui::passage_sheet::PassageSheet;
use crate::tui::picker::Picker;
use crate::tui::styled_text::Block;

/// What lies over the panes, and the messages.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    pub(crate) overlay: Option<Overlay>,
    /// What the help lies over: it is there again when the help is closed.
    pub(crate) below_help: Option<Overlay>,
    /// A form that is being filled in; it lies over everything but a question.
    pub(crate) form: Option<TeachingForm>,
    /// A question that waits for a yes or no.
    pub(crate) confirm: Option<Confirm>,
    /// Scroll position of help, messages or the first screen.
    pub(crate) offset: usize,
    /// The latest recorded runs, which the first screen lists.
    pub(crate) latest_runs: Vec<SessionEntry>,
    pub(crate) messages: Vec<StatusMessage>,
    /// Messages from before the question on the screen, the latest last: whoever asks on at once can still read them.
    pub(crate) earlier: Vec<StatusMessage>,
    /// Said until the next key, and not kept: how many matches there are, a key that does nothing.
    pub(crate) passing: Option<String>,
}

/// Messages that are kept from before.
const EARLIER: usize = 50;

impl Sheets {
    /// Another question is asked: what was said before it is not about it.
    pub(crate) fn put_messages_away(&mut self) {
        self.earlier.append(&mut self.messages);
        self.earlier.drain(..self.earlier.len().saturating_sub(EARLIER));
    }

    /// Adds a message.
    pub(crate) fn say(&mut self, severity: Severity, text: impl Into<String>) {
        self.messages.push(StatusMessage { severity, text: text.into() });
    }
}

/// What lies over the panes.
#[derive(Debug)]
pub(crate) enum Overlay {
    Help,
    Messages,
    /// The settings; which of them is selected.
    Settings(usize),
    /// How the question was read, to be corrected.
    Case(Box<CaseSheet>),
    /// The passages of documents.
    Passages(Box<PassageSheet>),
    /// A list to choose from.
    Picker(Box<Picker>),
    /// Text to read: prompts, JSON, a comparison.
    Text(Box<TextSheet>),
    /// What is proposed to be learned.
    Review,
    /// What was learned.
    Learned,
}

/// A text on a sheet.
#[derive(Debug)]
pub(crate) struct TextSheet {
    pub(crate) title: String,
    /// Side by side where there is room.
    pub(crate) columns: Vec<Vec<Block>>,
}

/// How serious a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Note,
    Warning,
    Error,
}

/// A message to the doctor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusMessage {
    pub(crate) severity: Severity,
    pub(crate) text: String,
}
