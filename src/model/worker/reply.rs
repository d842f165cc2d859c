//! The reply channel of a request, and whether anyone still waits for the result.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};

use super::wait_for;
use crate::model::{CancelToken, ModelError};

/// The worker's end: sends the result, and tells whether it is still wanted.
#[derive(Debug)]
pub(super) struct Reply<T> {
    results: SyncSender<Result<T, ModelError>>,
    cancel: CancelToken,
    waiting: Weak<()>,
}

impl<T> Reply<T> {
    /// Whether someone still waits for the result and the run is not cancelled.
    pub(super) fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled() && self.waiting.strong_count() > 0
    }

    /// Sends the result, unless the caller has gone or already has one.
    pub(super) fn send(&self, result: Result<T, ModelError>) {
        let _ = self.results.try_send(result);
    }
}

/// A pending result. Dropping it withdraws the request: work that has not begun is skipped, and running work stops
/// at its next batch.
#[derive(Debug)]
pub struct PendingResult<T> {
    results: Receiver<Result<T, ModelError>>,
    cancel: CancelToken,
    name: Arc<str>,
    _waiting: Arc<()>,
}

impl<T> PendingResult<T> {
    /// Waits for the result.
    ///
    /// # Errors
    /// The model's error, or [`ModelError::Cancelled`] as soon as the token is cancelled.
    pub fn wait(self) -> Result<T, ModelError> {
        wait_for(&self.results, &self.cancel, &self.name)?
    }
}

/// Both ends of a reply channel.
pub(super) fn reply<T>(name: &Arc<str>, cancel: &CancelToken) -> (Reply<T>, PendingResult<T>) {
    let (send, results) = sync_channel(1);
    let waiting = Arc::new(());
    let reply = Reply { results: send, cancel: cancel.clone(), waiting: Arc::downgrade(&waiting) };
    (reply, PendingResult { results, cancel: cancel.clone(), name: Arc::clone(name), _waiting: waiting })
}
