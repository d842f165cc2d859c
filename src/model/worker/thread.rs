//! What can be asked of any model's thread, whatever the model does.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::status::{LoadedModel, Shared, WorkerStatus};
use crate::model::ModelError;

/// How long a model that failed is left alone: a batch of questions must not try to load it for each.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Puts an order to load the model anew into the thread's queue; `false` if the thread has ended.
type Restart = Arc<dyn Fn() -> bool + Send + Sync>;

/// The thread that owns a model. All handles lead to one.
#[derive(Clone)]
pub struct ModelThread {
    pub(super) shared: Arc<Shared>,
    restart: Restart,
}

impl fmt::Debug for ModelThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelThread").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

impl ModelThread {
    pub(super) fn new(shared: Arc<Shared>, restart: Restart) -> Self {
        Self { shared, restart }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// What is known of the model; waits for it to be loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn loaded(&self) -> Result<LoadedModel, ModelError> {
        self.shared.wait_loaded()
    }

    /// What is known of the model, if it has been loaded.
    pub fn known(&self) -> Option<LoadedModel> {
        self.shared.known()
    }

    /// What the thread is doing.
    pub fn status(&self) -> WorkerStatus {
        self.shared.status()
    }

    /// Has the model loaded anew once what is under way is done. What waits in the queue is served by the new one.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn restart(&self) -> Result<(), ModelError> {
        self.shared.restarting();
        if (self.restart)() { Ok(()) } else { Err(ModelError::Gone { name: self.shared.name.to_string() }) }
    }

    /// Gives a model that failed another try, unless the last was a moment ago.
    pub fn retry(&self) {
        if self.shared.failed_before(RETRY_AFTER) {
            // A thread that has ended says so when it is asked for something.
            let _ = self.restart();
        }
    }
}
