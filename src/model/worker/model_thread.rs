//! The thread of a model, whatever kind of model it is: description, status, restart.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::status::{LoadedModel, WorkerShared, WorkerStatus};
use crate::model::ModelError;

/// The pause before another attempt to load a failed model: a batch of questions must not try for each of them.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Queues a request to reload the model; `false` if the thread has ended.
type Restart = Arc<dyn Fn() -> bool + Send + Sync>;

/// The thread that owns a model; all handles of a model share it.
#[derive(Clone)]
pub struct ModelThread {
    pub(super) shared: Arc<WorkerShared>,
    restart: Restart,
}

impl fmt::Debug for ModelThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelThread").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

impl ModelThread {
    pub(super) fn new(shared: Arc<WorkerShared>, restart: Restart) -> Self {
        Self { shared, restart }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The description of the model; waits until it is loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn loaded(&self) -> Result<LoadedModel, ModelError> {
        self.shared.wait_loaded()
    }

    /// The description of the model, if it has been loaded.
    pub fn known(&self) -> Option<LoadedModel> {
        self.shared.known()
    }

    /// What the thread is doing.
    pub fn status(&self) -> WorkerStatus {
        self.shared.status()
    }

    /// Reloads the model after the current work. The reloaded model serves the waiting requests.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn restart(&self) -> Result<(), ModelError> {
        self.shared.restarting();
        if (self.restart)() { Ok(()) } else { Err(ModelError::Gone { name: self.shared.name.to_string() }) }
    }

    /// Reloads a model that failed, unless the last attempt was a moment ago.
    pub fn retry(&self) {
        if self.shared.failed_before(RETRY_AFTER) {
            // If the thread has ended, the next request reports it.
            let _ = self.restart();
        }
    }
}
