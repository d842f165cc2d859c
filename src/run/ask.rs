//! A run under way: how it is started, followed and stopped.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::event::{Event, KgInfo, Models, Settings, Stage};
use super::method_name::MethodName;
use super::trace::Trace;
use super::triage::{EntityCard, Explanation, Triage};
use crate::model::CancelToken;

/// A run under way.
#[derive(Debug)]
pub struct RunHandle {
    /// Its id, which all of its events carry.
    pub id: Arc<str>,
    /// Stops it.
    pub cancel: CancelToken,
}

/// How a question is to be answered.
#[derive(Debug, Clone, Default)]
pub struct AskOptions {
    /// The run's id; made from the time when there is none.
    pub id: Option<String>,
    /// Settings other than the engine's own.
    pub settings: Option<Settings>,
    /// The method; HyKGE when there is none.
    pub method: Option<MethodName>,
}

/// What an engine works with, for the first screen.
#[derive(Debug, Clone)]
pub struct EngineInfo {
    /// The graph.
    pub kg: KgInfo,
    /// The models.
    pub models: Models,
    /// The settings of a run that asks for none of its own.
    pub settings: Settings,
    /// What went wrong or was left out while opening, in plain words.
    pub notices: Vec<String>,
}

/// Something that answers questions with a stream of events: the engine, or a script in its place.
pub trait Ask: Send + Sync {
    /// Starts a run in the background. Its events go to `events` in order; the last one is
    /// `RunFinished`. A receiver that goes away stops the run.
    fn ask(&self, question: &str, options: AskOptions, events: mpsc::Sender<Event>) -> RunHandle;

    /// What it works with.
    fn info(&self) -> EngineInfo;

    /// Carries a finished run on in the background with what the doctor decided, from the first stage that this
    /// changes. The events carry the same run's id: `Revised`, what the stages say, `RunFinished`. `None` where runs
    /// cannot be carried on.
    fn revise(&self, _trace: Arc<Trace>, _triage: Arc<Triage>, _from: Stage, _events: mpsc::Sender<Event>) -> Option<RunHandle> {
        None
    }

    /// Entities whose names are like what was typed, best first. Takes milliseconds; not to be called where the screen waits.
    fn complete(&self, _typed: &str, _most: usize) -> Vec<EntityCard> {
        Vec::new()
    }

    /// All that is to be said about a chain of a run. Takes milliseconds; not to be called where the screen waits.
    fn explain(&self, _trace: &Trace, _chain: u32) -> Option<Explanation> {
        None
    }
}
