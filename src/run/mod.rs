//! A run: its stream of [`Event`]s, the [`Trace`] into which they fold, and the doctor's decisions about it.
//!
//! Everything that shows, stores or measures a run reads the events or the trace; nothing here knows how a run is made. Recordings are files, so
//! the fold trusts no event: [`Trace::apply`] checks each and cannot panic.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod case;
mod check;
pub(crate) mod claim;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod event_fault;
mod example;
pub(crate) mod marks;
pub(crate) mod method_name;
pub(crate) mod passage;
mod proving;
mod question_kind;
pub(crate) mod reasoned;
mod recording;
pub(crate) mod trace;
pub(crate) mod triage;
pub(crate) mod word_search;

pub use ask::{Ask, AskOptions, EngineInfo, RunHandle};
pub use case::{
    AgeMonths, AskKind, Case, CaseAsk, CaseCondition, CaseCorrection, CaseDrug, CaseFinding, CaseItem, CaseItemKind, CasePatient,
    CaseResult, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, NotUnderstood, OrganFunction, PatientSex, Pregnancy, Refusal,
    ResultDirection, Severity, Side, Smoking,
};
pub use claim::{CheckedClaim, ClaimVerdict};
pub use document::TraceDocument;
pub use event::{
    Anchor, AnchorOrigin, Answer, AnswerLine, AnswerPart, Event, EventKind, KgInfo, Mention, MentionOrigin, ModelActivity, ModelInfo,
    ModelRole, ModelState, Models, Outcome, Pruning, ScoredBy, ScoredChain, SentPrompt, Settings, Stage, Urgency, UrgencyLevel,
    UrgencyReason, UrgencyReasonKind,
};
pub use event_fault::EventFault;
pub use example::Example;
pub(crate) use example::{MOST_EXAMPLES, built_in_examples};
pub use marks::Mark;
pub(crate) use marks::Marks;
pub use method_name::{ByModel, MethodName, Retrieval, UnknownMethod, Without};
pub use passage::{MOST_PASSAGES, NotAPassageId, PassageId, PassageKey, QuotedPassage, StoredDocument, StoredSection};
pub(crate) use proving::proving_steps;
pub(crate) use question_kind::QuestionKind;
pub use reasoned::Reasoned;
pub use recording::{RecordingError, read_recording, write_event};
pub(crate) use trace::BETWEEN_HYPOTHESES;
pub use trace::{Evidence, StageState, Trace};
pub(crate) use triage::Decided;
pub use triage::{ChainKey, EntityCard, Explanation, Fate, MOST_KEPT, Taught, Triage, TripleOrigin, Verdict, Verdicts};
pub(crate) use word_search::{FoldedNames, SearchWords};
