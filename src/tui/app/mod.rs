//! The state of the screen, and nothing but the state: [`update`](super::update) changes it,
//! [`view`](super::view) draws it. Each part has one owner, in a file of its own.

mod input;
mod layout;
mod look;
mod run;
mod selection;
mod sheets;
mod teaching;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use input::InputState;
pub(crate) use layout::{PaneLayout, SideBySideFrame};
pub(crate) use look::Look;
pub(crate) use run::{EngineState, RunState, RunView, Sameness};
pub(crate) use selection::{ListPosition, Selection, TypedSearch};
pub(crate) use sheets::{Overlay, Severity, Sheets, StatusMessage, TextSheet};
pub(crate) use teaching::TeachingState;

use super::action::Pane;
use super::effects::Effect;
use super::screen_layout::ScreenLayout;
use super::side_by_side::SideBySide;
use super::tour::{BeforeTour, Tour};
use super::{TuiError, TuiOptions};
use crate::run::MethodName;
use crate::words::Language;

/// The state of the screen.
#[derive(Debug)]
pub struct App {
    /// Keys, and the question editor.
    pub(crate) input: InputState,
    pub(crate) look: Look,
    pub(crate) engine: EngineState,
    /// The run on the screen.
    pub(crate) run: RunView,
    /// What is selected, scrolled to, searched and filtered.
    pub(crate) selection: Selection,
    /// Ratings, the review, and what was learned.
    pub(crate) teaching: TeachingState,
    /// What lies over the panes, and the messages.
    pub(crate) sheets: Sheets,
    /// Which panes are shown where.
    pub(crate) layout: PaneLayout,
    /// The language of the interface now: as set, or that of the question.
    pub(crate) language: Language,
    /// The folder that a report goes to unless its path says otherwise.
    pub(crate) reports: PathBuf,
    /// The step of the tour, while there is one.
    pub(crate) tour: Option<Tour>,
    /// What was on the screen before a tour that was begun inside the program.
    pub(crate) before_tour: Option<Box<BeforeTour>>,
    /// Questions with two runs each; `None` where there are none.
    pub(crate) side_by_side: Option<SideBySide>,
    /// The method that was chosen for the next question; `None` for the engine's own.
    pub(crate) next_method: Option<MethodName>,
    /// Whether it is to be said what the engine works with, once it is open again.
    pub(crate) announces_engine: bool,
    /// Time since the start, as the event loop last reported it.
    pub(crate) now: Duration,
    /// A frame is due.
    pub(crate) dirty: bool,
    pub(crate) quit: bool,
    /// What the event loop is to do, in order.
    pub(crate) effects: VecDeque<Effect>,
}

impl App {
    /// The first screen. A keymap, theme or history that cannot be used is replaced by the built-in one,
    /// and a message says why.
    ///
    /// # Errors
    /// If the built-in keymap cannot be read, which a test rules out.
    pub fn new(options: &TuiOptions) -> Result<Self, TuiError> {
        let mut sheets = Sheets::default();
        let mut warn = |text: String| sheets.say(Severity::Warning, text);
        let side_by_side = SideBySide::new(&options.pairs, options.pair);
        let recording = options.recording.as_ref().filter(|_| side_by_side.is_none());
        let without_graph = recording.is_some() || side_by_side.is_some();
        let input = InputState::new(options, &mut warn)?;
        let look = Look::new(options, &mut warn);
        Ok(Self {
            input,
            look,
            engine: if without_graph { EngineState::Recording } else { EngineState::Opening },
            run: recording.map(|events| RunView::replaying(events.clone(), options.layout == ScreenLayout::Demo)).unwrap_or_default(),
            selection: Selection::default(),
            teaching: TeachingState::default(),
            sheets,
            layout: PaneLayout::new(if without_graph { Pane::Answer } else { Pane::Question }, !without_graph, options.layout),
            side_by_side,
            tour: None,
            before_tour: None,
            next_method: None,
            announces_engine: false,
            language: Language::of(options.language, ""),
            reports: options.reports.clone(),
            now: Duration::ZERO,
            dirty: true,
            quit: false,
            effects: VecDeque::new(),
        })
    }

    /// Whether a frame is due.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Whether the user asked to leave Catena.
    pub fn wants_to_quit(&self) -> bool {
        self.quit
    }

    /// The next thing to do outside the screen.
    pub fn next_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Whether a run is under way: its events still come.
    pub fn is_running(&self) -> bool {
        self.run.is_running()
    }

    /// Whether something on the screen moves by itself.
    pub fn is_animated(&self) -> bool {
        self.is_running() || self.engine.is_opening() || !self.teaching.ratings.is_empty() || self.run.is_starting()
    }

    /// Whether the first screen is shown. It never hides a run that is coming or under way.
    pub(crate) fn shows_first_screen(&self) -> bool {
        self.layout.first_screen && self.run.is_at_rest()
    }

    /// Whether what is typed goes into the question: the editor has the focus, and is not only shown to an audience.
    pub(crate) fn is_in_editor(&self) -> bool {
        self.layout.focus == Pane::Question && !self.layout.presents_question
    }

    /// How the panes are arranged now; the first screen and two runs side by side have an arrangement of their own.
    pub(crate) fn arrangement(&self) -> ScreenLayout {
        if self.is_side_by_side() || self.shows_first_screen() { ScreenLayout::SideBySide } else { self.layout.arrangement }
    }

    /// Whether the machinery stays out of the way: times, scores, kinds of chains.
    pub(crate) fn is_clinic(&self) -> bool {
        self.arrangement() == ScreenLayout::Clinic
    }

    /// Whether one stage at a time is shown.
    pub(crate) fn is_demo(&self) -> bool {
        self.arrangement() == ScreenLayout::Demo
    }

    /// Finds the language of the interface: as set, or that of the question on the screen.
    pub(crate) fn find_language(&mut self) {
        let asked = &self.run.trace.question;
        self.language = match asked.is_empty() {
            true => Language::of(self.look.language, &self.input.editor.text()),
            false => Language::of(self.look.language, asked),
        };
    }

    /// Milliseconds that the run has taken so far, or took.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        self.run.elapsed_ms(self.now)
    }

    /// How long the run has sent nothing.
    pub(crate) fn silence(&self) -> Duration {
        self.now.saturating_sub(self.run.last_event)
    }

    pub(crate) fn say(&mut self, severity: Severity, text: impl Into<String>) {
        self.sheets.say(severity, text);
        self.dirty = true;
    }

    /// The rank of the selected chain among the kept ones, from 1.
    pub(crate) fn selected_kept(&self) -> Option<u32> {
        self.selection.chain.and_then(|chain| self.run.trace.kept_id(chain))
    }
}
