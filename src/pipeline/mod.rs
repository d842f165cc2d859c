//! The pipeline: a run is a stream of [`Event`]s, a [`Trace`] is their fold, and each stage has a file.

pub(crate) mod assess;
mod confidence;
pub(crate) mod context;
mod decide;
mod decisions;
mod direction;
mod document;
mod event;
pub(crate) mod hints;
pub(crate) mod hypothesis;
pub(crate) mod intent;
pub(crate) mod knowledge;
mod lab;
mod lay;
pub(crate) mod link;
pub(crate) mod llm;
mod marks;
mod matching;
mod method;
mod negation;
pub(crate) mod patient;
pub(crate) mod prompt;
pub(crate) mod prune;
pub(crate) mod read;
pub(crate) mod recognise;
mod recording;
mod run;
pub(crate) mod search;
mod spelling;
pub(crate) mod stance;
pub(crate) mod statements;
pub(crate) mod suspicion;
mod trace;
mod triage;
mod turn;
mod typical;
mod verdict;
pub(crate) mod wording;

pub(crate) use decisions::Decisions;
pub use document::TraceDocument;
pub use event::{
    Anchor, AnchorOrigin, Answer, AnswerLine, Event, EventKind, KgInfo, Mention, MentionOrigin, ModelActivity, ModelInfo, ModelRole,
    ModelState, Models, Outcome, Part, Pruning, ScoredBy, ScoredChain, SentPrompt, Settings, Stage,
};
pub use knowledge::Knowledge;
pub(crate) use llm::{cited_in, is_own, plain_line};
pub use marks::Mark;
pub(crate) use marks::Marks;
pub(crate) use matching::{FoldedNames, Words};
pub use method::{Method, UnknownMethod, Without};
pub use prompt::{PromptError, Prompts};
pub use recording::{RecordingError, read_recording, write_event};
pub use run::{Ask, AskOptions, CancelToken, EngineInfo, RunHandle};
pub use trace::{Evidence, StageState, Trace};
pub use triage::{ChainKey, EntityCard, Explanation, Fate, Triage, TripleOrigin};
pub(crate) use verdict::Decided;
pub use verdict::{MOST_KEPT, Verdict, Verdicts};
