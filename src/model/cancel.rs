//! A token that cancels work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels a run. Cheap to clone and to check; checked between stages, for each written token, for each batch of a model
/// and for each search frontier.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that has not been cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the run.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
