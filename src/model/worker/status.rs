//! What a worker tells of itself: what it is doing, how many wait, what went wrong last.

use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::model::ModelError;

/// What a worker is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkerState {
    /// Its model is being loaded.
    #[default]
    Loading,
    /// It waits for work.
    Idle,
    /// It works.
    Busy,
    /// Its model could not be loaded, or broke; it can be restarted.
    Failed,
}

/// What is known of a model once it has loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedModel {
    /// Its name.
    pub name: String,
    /// `candle` or `http`.
    pub kind: &'static str,
    /// Where it runs: `cpu`, `cuda:0`, `metal:0`, `remote`.
    pub device: String,
    /// Components of an encoder's vectors; 0 for other models.
    pub dim: usize,
    /// An encoder's linking threshold; 0 for other models.
    pub delta: f64,
}

/// A worker at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkerStatus {
    /// What it is doing.
    pub state: WorkerState,
    /// Orders that wait.
    pub queued: usize,
    /// Orders that were served, whatever came of them.
    pub done: u64,
    /// How far the work under way has come, of how much: texts, pairs, tokens (at most).
    pub progress: Option<(usize, usize)>,
    /// Tokens written a second: of the text under way, else of the last.
    pub tokens_per_second: Option<f64>,
    /// What went wrong last, in plain words.
    pub last_error: Option<String>,
    /// How often the model was loaded anew by itself after a fault.
    pub restarts: u32,
}

#[derive(Debug, Default)]
struct Inner {
    status: WorkerStatus,
    loaded: Option<LoadedModel>,
    /// Restarts that were asked for and have not begun.
    awaited: u32,
    failed_at: Option<Instant>,
}

/// What a worker's thread and the ways to it have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) name: Arc<str>,
    queued: AtomicIsize,
    inner: Mutex<Inner>,
    changed: Condvar,
}

impl Shared {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.into(), queued: AtomicIsize::new(0), inner: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn queued(&self, more: isize) {
        self.queued.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn status(&self) -> WorkerStatus {
        let queued = usize::try_from(self.queued.load(Ordering::Relaxed)).unwrap_or(0);
        WorkerStatus { queued, ..self.lock().status.clone() }
    }

    /// What is known of the model; waits while it is being loaded.
    pub(super) fn wait_loaded(&self) -> Result<LoadedModel, ModelError> {
        let loading = |inner: &mut Inner| inner.status.state == WorkerState::Loading || inner.awaited > 0;
        let inner = self.changed.wait_while(self.lock(), loading).unwrap_or_else(PoisonError::into_inner);
        match (&inner.status.state, &inner.loaded) {
            (WorkerState::Idle | WorkerState::Busy, Some(loaded)) => Ok(loaded.clone()),
            _ => {
                let problem = inner.status.last_error.clone().unwrap_or_else(|| "it gave no reason".into());
                Err(ModelError::Load { name: self.name.to_string(), problem })
            }
        }
    }

    /// What is known of the model, if it has been loaded.
    pub(super) fn known(&self) -> Option<LoadedModel> {
        self.lock().loaded.clone()
    }

    /// Whether it failed, longer ago than this, and nobody has asked for another try.
    pub(super) fn failed_before(&self, age: Duration) -> bool {
        let inner = self.lock();
        inner.status.state == WorkerState::Failed && inner.awaited == 0 && inner.failed_at.is_none_or(|when| when.elapsed() >= age)
    }

    pub(super) fn restarting(&self) {
        self.lock().awaited += 1;
    }

    pub(super) fn loading(&self) {
        let mut inner = self.lock();
        inner.status.state = WorkerState::Loading;
        inner.status.progress = None;
        inner.awaited = inner.awaited.saturating_sub(1);
    }

    pub(super) fn loaded(&self, model: LoadedModel) {
        let mut inner = self.lock();
        inner.loaded = Some(model);
        inner.status.state = WorkerState::Idle;
        drop(inner);
        self.changed.notify_all();
    }

    pub(super) fn failed(&self, problem: &str) {
        let mut inner = self.lock();
        inner.status.state = WorkerState::Failed;
        inner.failed_at = Some(Instant::now());
        inner.status.progress = None;
        inner.status.last_error = Some(problem.to_owned());
        drop(inner);
        self.changed.notify_all();
    }

    pub(super) fn restarted_after(&self, problem: &str) {
        let mut inner = self.lock();
        inner.status.restarts += 1;
        inner.status.last_error = Some(problem.to_owned());
    }

    pub(super) fn busy(&self) {
        self.lock().status.state = WorkerState::Busy;
    }

    pub(super) fn progress(&self, done: usize, of: usize) {
        self.lock().status.progress = Some((done, of));
    }

    pub(super) fn speed(&self, tokens_per_second: f64) {
        self.lock().status.tokens_per_second = Some(tokens_per_second);
    }

    pub(super) fn idle(&self, served: usize, error: Option<String>) {
        let mut inner = self.lock();
        inner.status.state = WorkerState::Idle;
        inner.status.progress = None;
        inner.status.done += served as u64;
        if error.is_some() {
            inner.status.last_error = error;
        }
    }
}
