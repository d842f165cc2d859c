//! The state of the screen, and nothing but the state: [`update`](super::update) changes it,
//! [`view`](super::view) draws it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;

use super::action::Pane;
use super::chain_list::ChainList;
use super::command::{Command, Learning};
use super::editor::Editor;
use super::form::{Confirm, Form};
use super::highlight;
use super::history::{self, History};
use super::key::Key;
use super::keymap::Keymap;
use super::learned::LessonsSheet;
use super::line_input::Line;
use super::picker::Picker;
use super::playback::Playing;
use super::review::Review;
use super::side_by_side::Beside;
use super::splits::{Seam, Splits};
use super::styled_text::{Block, Wrapped};
use super::theme::{Colours, Theme};
use super::verdicts::Verdicts;
use super::viewport::Camera;
use super::{TuiError, TuiOptions};
use crate::model::CancelToken;
use crate::report::Drawing;
use crate::run::triage::Decisions;
use crate::run::{EngineInfo, Event, Explanation, Marks, Outcome, Trace};

/// What the engine is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Engine {
    Opening,
    Ready,
    /// It could not be opened, and why.
    Failed(String),
    /// There is none: a recording is played.
    Recording,
}

/// The run on the screen.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: Arc<str>,
    pub(crate) cancel: CancelToken,
    /// When it was asked, on [`App::now`]'s clock.
    pub(crate) began: Duration,
    /// Set when the doctor stopped it: from then on its events are not taken.
    pub(crate) stopped: Option<Duration>,
}

/// What lies over the panes.
#[derive(Debug)]
pub(crate) enum Overlay {
    Help,
    Messages,
    /// The settings; which of them is selected.
    Settings(usize),
    /// A list to choose from.
    Picker(Box<Picker>),
    /// Text that someone else made: prompts, JSON.
    Text(Box<TextSheet>),
    /// What is proposed to be learned.
    Review,
    /// What was learned.
    Lessons,
}

/// A text on a sheet.
#[derive(Debug)]
pub(crate) struct TextSheet {
    pub(crate) title: String,
    /// Beside each other where there is room.
    pub(crate) columns: Vec<Vec<Block>>,
}

/// What is typed in the line below the panes.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) line: Line,
    /// Whether rows without the words are left out, rather than gone past.
    pub(crate) filters: bool,
    /// What was searched for before.
    before: String,
}

impl Search {
    pub(crate) fn new(filters: bool, before: &str) -> Self {
        Self { line: Line::new(if filters { before } else { "" }), filters, before: before.to_owned() }
    }

    pub(crate) fn before(&self) -> &str {
        &self.before
    }
}

/// How grave a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Note,
    Warning,
    Error,
}

/// A message to the doctor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) weight: Weight,
    pub(crate) text: String,
}

/// A list's place: what is selected and what is at its top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ListAt {
    pub(crate) selected: usize,
    pub(crate) offset: usize,
}

/// What the latest frame looked like: drawing writes it, scrolling and the mouse read it.
#[derive(Debug, Default)]
pub(crate) struct FrameMemory {
    /// The inside of each pane; empty when it was not drawn.
    pub(crate) panes: [Rect; Pane::ALL.len()],
    /// The heads of the tabs, where there are tabs.
    pub(crate) tabs: Vec<(Rect, Pane)>,
    /// Rows that the overlay or the first screen could show, and has.
    pub(crate) sheet_height: usize,
    pub(crate) sheet_rows: usize,
    pub(crate) hypothesis: Wrapped,
    pub(crate) answer: Wrapped,
    pub(crate) why: Wrapped,
    pub(crate) question: Wrapped,
    /// Rows that each kept chain takes.
    pub(crate) kept_rows: usize,
    /// Rows of the list to choose from, of the review or the records: where each stands, and which item it shows.
    pub(crate) picks: Vec<(Rect, usize)>,
    /// Borders that can be dragged.
    pub(crate) seams: Vec<Seam>,
    pub(crate) beside: BesideMemory,
    /// Names in the graph: their cells, and the entities' numbers in the table.
    pub(crate) graph_nodes: Vec<(Rect, u32)>,
}

/// The same of two runs beside each other.
#[derive(Debug, Default)]
pub(crate) struct BesideMemory {
    pub(crate) question: Wrapped,
    pub(crate) expected: Wrapped,
    pub(crate) sides: [Wrapped; 2],
    /// Rows that there are, and that could be shown.
    pub(crate) rows: usize,
    pub(crate) height: usize,
    /// Where the second run begins, where it stands under the first.
    pub(crate) second: Option<usize>,
}

/// The state of the screen.
#[derive(Debug)]
pub struct App {
    pub(crate) keymap: Keymap,
    pub(crate) theme: Theme,
    pub(crate) colours: Colours,
    pub(crate) engine: Engine,
    pub(crate) info: Option<EngineInfo>,
    /// A question asked before the engine was open.
    pub(crate) waiting: Option<String>,
    pub(crate) run: Option<Run>,
    pub(crate) trace: Trace,
    pub(crate) marks: Marks,
    /// Counts every change of the trace; texts made from it are made anew when it has changed.
    pub(crate) version: u64,
    pub(crate) marks_stale: bool,
    pub(crate) first_screen: bool,
    pub(crate) focus: Pane,
    pub(crate) zoomed: bool,
    pub(crate) overlay: Option<Overlay>,
    /// What is being typed to teach; it lies over everything but a question.
    pub(crate) form: Option<Form>,
    /// What waits for a yes or no.
    pub(crate) confirm: Option<Confirm>,
    /// How the evolving graph stands; `None` where there is none.
    pub(crate) learning: Option<Learning>,
    /// Runs whose ratings are being recorded, in order.
    pub(crate) ratings: VecDeque<Arc<Trace>>,
    /// The doctor was told that a rating would be lost by leaving.
    pub(crate) warned_of_loss: bool,
    /// A run was asked for and begins in the background: which of the wishes for one.
    pub(crate) starting: Option<u64>,
    pub(crate) review: Review,
    pub(crate) lessons: LessonsSheet,
    pub(crate) editor: Editor,
    pub(crate) messages: Vec<Message>,
    /// Keys that were pressed and wait for another.
    pub(crate) pending: Vec<Key>,
    /// What is being typed to search or filter.
    pub(crate) search: Option<Search>,
    /// What was searched for last.
    pub(crate) sought: String,
    /// The order of the chains.
    pub(crate) list: ChainList,
    /// Words that the anchors are filtered by, and the kept chains.
    pub(crate) anchor_filter: String,
    pub(crate) kept_filter: String,
    /// Where the selection of several chains began: a row of the list.
    pub(crate) range: Option<usize>,
    pub(crate) decisions: Decisions,
    /// How the chains of the table were judged by the doctor.
    pub(crate) verdicts: Verdicts,
    pub(crate) explained: Option<Explanation>,
    /// For each chain that the answer cites, its number in the table as it is now.
    pub(crate) cited: Vec<Option<u32>>,
    /// Whether other chains are kept than the answer was read from.
    pub(crate) stale: bool,
    /// The lines of a language model's answer in the inks of its Markdown.
    pub(crate) highlighted: Vec<highlight::Line>,
    /// When the run was last heard of, on [`App::now`]'s clock.
    pub(crate) heard: Duration,
    /// Where the borders between panes stand.
    pub(crate) splits: Splits,
    /// The border that is being dragged.
    pub(crate) dragged: Option<Seam>,
    pub(crate) camera: Camera,
    /// The kept chains as they are drawn; made anew when the pane is drawn and they have changed.
    pub(crate) picture: Drawing,
    pub(crate) picture_stale: bool,
    /// The events of the run on the screen, to be played again.
    pub(crate) tape: Vec<Event>,
    /// How many of them belong to what is settled; the others to a revision under way.
    pub(crate) settled_tape: usize,
    pub(crate) playing: Option<Playing>,
    /// Questions with two runs each; `None` where there are none.
    pub(crate) beside: Option<Beside>,
    /// The selected chain's number in the table: one selection for all panes.
    pub(crate) chain: Option<u32>,
    pub(crate) anchors: ListAt,
    pub(crate) chains: ListAt,
    pub(crate) kept: ListAt,
    /// `selected` is a line of the answer, `offset` a row.
    pub(crate) answer: ListAt,
    pub(crate) hypothesis_offset: usize,
    pub(crate) why_offset: usize,
    /// Scroll position of help, messages or the first screen.
    pub(crate) sheet_offset: usize,
    pub(crate) next_example: usize,
    /// The digit that ran an example, and when: a second digit right after it means that a text was begun.
    pub(crate) example_key: Option<(char, Duration)>,
    /// Time since the start, as the event loop last told it.
    pub(crate) now: Duration,
    pub(crate) dirty: bool,
    pub(crate) quit: bool,
    pub(crate) commands: VecDeque<Command>,
    pub(crate) memory: FrameMemory,
}

impl App {
    /// The first screen. A keymap, theme or history that cannot be used is replaced by the built-in one,
    /// and a message says why.
    ///
    /// # Errors
    /// If the built-in keymap cannot be read, which a test rules out.
    pub fn new(options: &TuiOptions) -> Result<Self, TuiError> {
        let mut messages = Vec::new();
        let mut warn = |text: String| messages.push(Message { weight: Weight::Warning, text });
        let keymap = match options.keymap.as_deref().map(Keymap::with_user) {
            Some(Ok(keymap)) => keymap,
            Some(Err(error)) => {
                warn(format!("Your keymap is not used: {error}."));
                Keymap::built_in()?
            }
            None => Keymap::built_in()?,
        };
        let theme = Theme::load(&options.theme, options.colours).unwrap_or_else(|error| {
            warn(format!("Your theme is not used: {error}."));
            Theme::load("dark", options.colours).unwrap_or_else(|_| Theme::bare())
        });
        let past = options.history.as_deref().map_or_else(Vec::new, |path| {
            history::load(path).unwrap_or_else(|error| {
                warn(format!("Earlier questions could not be read from {}: {error}.", path.display()));
                Vec::new()
            })
        });
        let beside = Beside::new(&options.pairs, options.pair);
        let played = options.recording.as_ref().filter(|_| beside.is_none());
        let tape = played.cloned().unwrap_or_default();
        let recording = played.is_some() || beside.is_some();
        Ok(Self {
            keymap,
            theme,
            colours: options.colours,
            engine: if recording { Engine::Recording } else { Engine::Opening },
            info: None,
            waiting: None,
            run: None,
            trace: Trace::default(),
            marks: Marks::default(),
            version: 0,
            marks_stale: false,
            first_screen: !recording,
            focus: if recording { Pane::Answer } else { Pane::Question },
            zoomed: false,
            overlay: None,
            form: None,
            confirm: None,
            learning: None,
            ratings: VecDeque::new(),
            warned_of_loss: false,
            starting: None,
            review: Review::default(),
            lessons: LessonsSheet::default(),
            editor: Editor::new(History::new(past)),
            messages,
            pending: Vec::new(),
            search: None,
            sought: String::new(),
            list: ChainList::default(),
            anchor_filter: String::new(),
            kept_filter: String::new(),
            range: None,
            decisions: Decisions::default(),
            verdicts: Verdicts::default(),
            explained: None,
            cited: Vec::new(),
            stale: false,
            highlighted: Vec::new(),
            heard: Duration::ZERO,
            splits: Splits::default(),
            dragged: None,
            camera: Camera::default(),
            picture: Drawing::default(),
            picture_stale: false,
            settled_tape: tape.len(),
            playing: played.map(|_| Playing::new(tape.len())),
            beside,
            tape,
            chain: None,
            anchors: ListAt::default(),
            chains: ListAt::default(),
            kept: ListAt::default(),
            answer: ListAt::default(),
            hypothesis_offset: 0,
            why_offset: 0,
            sheet_offset: 0,
            next_example: 0,
            example_key: None,
            now: Duration::ZERO,
            dirty: true,
            quit: false,
            commands: VecDeque::new(),
            memory: FrameMemory::default(),
        })
    }

    /// Whether a frame is due.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Whether Catena is to be left.
    pub fn wants_to_quit(&self) -> bool {
        self.quit
    }

    /// The next thing to do outside the screen.
    pub fn next_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// Whether a run goes on that was not stopped.
    pub fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.stopped.is_none()) && self.trace.outcome.is_none()
    }

    /// Whether something on the screen moves by itself.
    pub fn is_animated(&self) -> bool {
        self.is_running() || self.engine == Engine::Opening || !self.ratings.is_empty() || self.starting.is_some()
    }

    /// The run on the screen was stopped by the doctor.
    pub(crate) fn was_stopped(&self) -> bool {
        match self.trace.outcome {
            Some(Outcome::Cancelled) => true,
            Some(_) => false,
            None => self.run.as_ref().is_some_and(|run| run.stopped.is_some()),
        }
    }

    /// Milliseconds that the run has taken so far, or took.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        match (&self.trace.outcome, &self.run) {
            (None, Some(run)) => run.stopped.unwrap_or(self.now).saturating_sub(run.began).as_secs_f64() * 1000.0,
            _ => self.trace.elapsed_ms,
        }
    }

    /// How long the run has said nothing.
    pub(crate) fn silence(&self) -> Duration {
        self.now.saturating_sub(self.heard)
    }

    pub(crate) fn say(&mut self, weight: Weight, text: impl Into<String>) {
        self.messages.push(Message { weight, text: text.into() });
        self.dirty = true;
    }

    /// The rank of the selected chain among the kept ones, from 1.
    pub(crate) fn selected_kept(&self) -> Option<u32> {
        self.chain.and_then(|chain| self.trace.kept_id(chain))
    }
}
