//! The status of a worker: what it is doing, how many requests wait, its last error.

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
    /// Its model could not be loaded, or panicked; it can be restarted.
    Failed,
}

/// A description of a loaded model.
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
    /// What the user should know about it although it can be used.
    pub warning: Option<String>,
}

/// The status of a worker at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkerStatus {
    /// What it is doing.
    pub state: WorkerState,
    /// Waiting requests.
    pub queued: usize,
    /// Finished requests, failed ones included.
    pub done: u64,
    /// Progress of the current work: done and total, in texts, pairs or tokens (the total is then the most that can come).
    pub progress: Option<(usize, usize)>,
    /// Tokens written per second: of the current text, else of the last one.
    pub tokens_per_second: Option<f64>,
    /// The last error, in plain words.
    pub last_error: Option<String>,
    /// How often the worker has reloaded the model by itself after a fault.
    pub restarts: u32,
}

#[derive(Debug, Default)]
struct SharedState {
    status: WorkerStatus,
    loaded: Option<LoadedModel>,
    /// Requested restarts that have not begun.
    awaited: u32,
    failed_at: Option<Instant>,
}

/// The state that a worker's thread shares with its handles.
#[derive(Debug)]
pub(super) struct WorkerShared {
    pub(super) name: Arc<str>,
    queued: AtomicIsize,
    inner: Mutex<SharedState>,
    changed: Condvar,
}

impl WorkerShared {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.into(), queued: AtomicIsize::new(0), inner: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, SharedState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn queued(&self, more: isize) {
        self.queued.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn status(&self) -> WorkerStatus {
        let queued = usize::try_from(self.queued.load(Ordering::Relaxed)).unwrap_or(0);
        WorkerStatus { queued, ..self.lock().status.clone() }
    }

    /// The description of the model; waits while it is being loaded.
    pub(super) fn wait_loaded(&self) -> Result<LoadedModel, ModelError> {
        let loading = |inner: &mut SharedState| inner.status.state == WorkerState::Loading || inner.awaited > 0;
        let inner = self.changed.wait_while(self.lock(), loading).unwrap_or_else(PoisonError::into_inner);
        match (&inner.status.state, &inner.loaded) {
            (WorkerState::Idle | WorkerState::Busy, Some(loaded)) => Ok(loaded.clone()),
            _ => {
                let problem = inner.status.last_error.clone().unwrap_or_else(|| "it gave no reason".into());
                Err(ModelError::Load { name: self.name.to_string(), problem })
            }
        }
    }

    /// The description of the model, if it has been loaded.
    pub(super) fn known(&self) -> Option<LoadedModel> {
        self.lock().loaded.clone()
    }

    /// Whether it failed at least `age` ago and no restart is requested.
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
