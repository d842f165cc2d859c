//! The pipeline: a run is a stream of [`Event`]s, a [`Trace`] is their fold, and each stage has a file.

pub(crate) mod assess;
pub(crate) mod context;
mod document;
mod event;
pub(crate) mod hypothesis;
pub(crate) mod intent;
pub(crate) mod knowledge;
pub(crate) mod link;
pub(crate) mod prune;
pub(crate) mod read;
pub(crate) mod recognise;
mod recording;
mod run;
pub(crate) mod search;
mod trace;
pub(crate) mod wording;

pub use document::TraceDocument;
pub use event::{
    Anchor, AnchorOrigin, Answer, AnswerLine, Event, EventKind, KgInfo, Mention, MentionOrigin, ModelInfo, Models, Outcome, Part, Pruning,
    ScoredBy, ScoredChain, Settings, Stage,
};
pub use knowledge::Knowledge;
pub use recording::{RecordingError, read_recording, write_event};
pub use run::{Ask, AskOptions, CancelToken, EngineInfo, RunHandle};
pub use trace::{StageState, Trace};
