//! How work is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells a run to stop. Cheap to clone and to ask; asked between stages, per written token, per batch of a model,
/// and per search frontier.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that has not been cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
