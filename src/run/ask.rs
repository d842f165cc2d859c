//! How a run is started, followed and stopped.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::case::Case;
use super::claim::CheckedClaim;
use super::event::{Event, KgInfo, Models, Settings, Stage};
use super::example::Example;
use super::method_name::MethodName;
use super::passage::StoredDocument;
use super::trace::Trace;
use super::triage::{EntityCard, Explanation, Triage};
use crate::model::CancelToken;

/// A run that has been started.
#[derive(Debug)]
pub struct RunHandle {
    /// The id of the run, which all its events carry.
    pub id: Arc<str>,
    /// Stops it.
    pub cancel: CancelToken,
}

/// Options for one question.
#[derive(Debug, Clone, Default)]
pub struct AskOptions {
    /// The id of the run; `None` makes one from the time.
    pub id: Option<String>,
    /// The settings; `None` uses those of the engine.
    pub settings: Option<Settings>,
    /// The method; `None` uses that of the engine ([`EngineInfo::method`]).
    pub method: Option<MethodName>,
    /// Runs the method's paper alone: without safety pass, gates and fixed lines of the answer. For evaluation only.
    pub bare: bool,
    /// The case of an earlier run that the question continues.
    pub follows: Option<Arc<Case>>,
}

/// The graph, models and settings of an engine, for the first screen.
#[derive(Debug, Clone)]
pub struct EngineInfo {
    /// The graph.
    pub kg: KgInfo,
    /// The models.
    pub models: Models,
    /// The settings of a run that has none of its own.
    pub settings: Settings,
    /// The method of a question that names none.
    pub method: MethodName,
    /// Whether documents are in use.
    pub has_documents: bool,
    /// Problems on opening, in plain words.
    pub notices: Vec<String>,
    /// Questions that fit the graph; `None` where that is not known.
    pub examples: Option<Vec<Example>>,
}

/// Answers questions with a stream of events. The engine does; tests use a script in its place.
pub trait Ask: Send + Sync {
    /// Starts a run in the background. Its events go to `events` in order; the last one is
    /// `RunFinished`. The run stops if the receiver is dropped.
    fn ask(&self, question: &str, options: AskOptions, events: mpsc::Sender<Event>) -> RunHandle;

    /// The graph, models and settings in use.
    fn info(&self) -> EngineInfo;

    /// Continues a finished run in the background with the decisions of the doctor, from stage `from` or an earlier one that they change. The
    /// events carry the id of the same run: first `Revised`, then those of the stages, last `RunFinished`. `None` if runs cannot be continued.
    fn revise(&self, _trace: Arc<Trace>, _triage: Arc<Triage>, _from: Stage, _events: mpsc::Sender<Event>) -> Option<RunHandle> {
        None
    }

    /// Entities whose names resemble the typed text, best first. Takes milliseconds: do not call it from the thread that draws.
    fn complete(&self, _typed: &str, _most: usize) -> Vec<EntityCard> {
        Vec::new()
    }

    /// What words say of a patient, as a correction of a case would be read; `None` if nobody can read them here. Takes milliseconds: do not call it
    /// from the thread that draws.
    fn told(&self, _text: &str) -> Option<Case> {
        None
    }

    /// A stored document of a collection in use; `None` if there is none.
    fn document(&self, _collection: &str, _document: &str) -> Option<StoredDocument> {
        None
    }

    /// What graph and documents say of each claim of a text, in order. May take a second: do not call it from the thread that draws.
    fn check_answer(&self, _text: &str) -> Vec<CheckedClaim> {
        Vec::new()
    }

    /// Explains a chain of a run, by its number in the table. Takes milliseconds: do not call it from the thread that draws.
    fn explain(&self, _trace: &Trace, _chain: u32) -> Option<Explanation> {
        None
    }
}
