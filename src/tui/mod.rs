//! The terminal user interface: it draws the [`Trace`](crate::run::Trace) that a run's events come
//! to, and decides nothing medical.
//!
//! One loop (`event_loop`) owns the state ([`App`]): `update` changes it, `view` draws it.

mod action;
mod alarm_chains;
mod app;
mod case_sheet;
mod chain_list;
mod editor;
mod effect_runner;
mod effects;
mod event_loop;
mod form;
mod highlight;
mod history;
mod key;
mod keymap;
mod learned;
mod line_input;
mod methods;
mod model_progress;
mod passage_sheet;
mod picker;
mod playback;
mod replay;
mod review;
mod screen_layout;
mod sessions;
mod side_by_side;
mod sources;
mod splits;
mod styled_text;
mod teach_form;
mod teaching;
mod terminal;
mod theme;
mod tour;
mod update;
mod verdicts;
mod view;
mod viewport;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::run::Mark;
pub use action::{Action, Pane};
pub use app::App;
pub use effects::{DkgRequest, DkgStatus, Effect, Grammar, Highlighted, Reply, SessionEntry};
pub use event_loop::{run, run_on};
pub use keymap::{Context, Keymap, KeymapError};
pub use learned::{LearnedOverview, LearnedRecord};
pub use playback::PlaybackControl;
pub use replay::is_too_fast;
pub use screen_layout::ScreenLayout;
pub use side_by_side::{Expected, RunPair};
pub use sources::{EngineChoice, EngineSource, SourceEntry, SourceKind};
pub use theme::{Colours, Theme, ThemeError};
pub(crate) use tour::recording as tour_recording;
pub use view::draw;

use crate::config::LanguageChoice;
use crate::feedback::Teacher;
use crate::run::{Ask, Event};

/// The engine and the teacher, once they are open.
pub struct OpenedEngine {
    /// Answers questions.
    pub engine: Arc<dyn Ask>,
    /// Learns from feedback on the answers; `None` when learning is not possible.
    pub teacher: Option<Teacher>,
    /// Warnings from opening them, such as why there is no teacher.
    pub notices: Vec<String>,
}

impl From<Arc<dyn Ask>> for OpenedEngine {
    fn from(engine: Arc<dyn Ask>) -> Self {
        Self { engine, teacher: None, notices: Vec::new() }
    }
}

/// How the screen looks, what it shows, and where it writes.
#[derive(Debug, Clone)]
pub struct TuiOptions {
    /// A built-in theme's name, or the path of a theme file.
    pub theme: String,
    /// Where other graphs and models come from; `None` where none can be chosen.
    pub source: Option<Arc<dyn EngineSource>>,
    /// The language of the interface.
    pub language: LanguageChoice,
    /// How many colours there are; see [`Colours::from_env`].
    pub colours: Colours,
    /// The text of the user's own keymap.
    pub keymap: Option<String>,
    /// A recording to play; then no engine is opened.
    pub recording: Option<Vec<Event>>,
    /// Seconds that each stage of the recording takes; `None` plays it at the recorded speed.
    pub pace: Option<f64>,
    /// The recording is shown as a tour, a step at a time.
    pub tour: bool,
    /// How the panes are arranged at first.
    pub layout: ScreenLayout,
    /// Where the layout is remembered; `None` forgets it.
    pub remembered: Option<PathBuf>,
    /// Questions with two runs each, to show side by side; where there are any, no engine is opened and
    /// `recording` is not played.
    pub pairs: Arc<[RunPair]>,
    /// Which of them is shown first, from 0.
    pub pair: usize,
    /// Where runs are recorded, and how many are kept. `None` records none.
    pub sessions: Option<(PathBuf, usize)>,
    /// Where reports are written.
    pub reports: PathBuf,
    /// Where earlier questions are kept. `None`, the default, keeps them in memory only: questions can hold
    /// patient data.
    pub history: Option<PathBuf>,
}

impl Default for TuiOptions {
    fn default() -> Self {
        Self {
            theme: "dark".into(),
            source: None,
            language: LanguageChoice::Auto,
            colours: Colours::from_env(),
            keymap: None,
            recording: None,
            pace: None,
            tour: false,
            layout: ScreenLayout::default(),
            remembered: None,
            pairs: Arc::default(),
            pair: 0,
            sessions: None,
            reports: PathBuf::from("."),
            history: None,
        }
    }
}

/// Why the screen had to close.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// There is no terminal to draw on.
    #[error("the screen needs a terminal, but standard output is not one; `catena ask QUESTION` works without a terminal")]
    NoTerminal,
    /// The terminal failed.
    #[error("the terminal could not be used: {0}")]
    Terminal(#[from] io::Error),
    /// A frame could not be drawn.
    #[error("the screen could not be drawn: {0}")]
    Draw(String),
    /// The built-in keymap cannot be used.
    #[error(transparent)]
    Keymap(#[from] KeymapError),
}
