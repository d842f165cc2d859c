//! The pipeline: a run is a stream of [`Event`]s, a [`Trace`] is their fold, and each stage has a file.

mod document;
mod event;
mod recording;
mod run;
mod trace;

pub use document::TraceDocument;
pub use event::{
    Anchor, AnchorOrigin, Answer, AnswerLine, Event, EventKind, KgInfo, Mention, MentionOrigin, ModelInfo, Models, Outcome, Part, Pruning,
    ScoredBy, ScoredChain, Settings, Stage,
};
pub use recording::{RecordingError, read_recording, write_event};
pub use run::{Ask, AskOptions, CancelToken, EngineInfo, RunHandle};
pub use trace::{StageState, Trace};
