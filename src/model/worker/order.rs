//! What an order carries besides its work: the way back, and whether anybody still waits at its end.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};

use super::wait_for;
use crate::model::{CancelToken, ModelError};

/// The worker's end: where the result goes, and whether it is still wanted.
#[derive(Debug)]
pub(super) struct Reply<T> {
    results: SyncSender<Result<T, ModelError>>,
    cancel: CancelToken,
    waiting: Weak<()>,
}

impl<T> Reply<T> {
    /// Whether somebody waits for the result and has not been told to stop.
    pub(super) fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled() && self.waiting.strong_count() > 0
    }

    /// Sends the result. Whoever has gone away, or has one already, gets none.
    pub(super) fn send(&self, result: Result<T, ModelError>) {
        let _ = self.results.try_send(result);
    }
}

/// A result that will come. Dropping it takes the order back: work that has not begun is not done, and work
/// under way stops at its next batch.
#[derive(Debug)]
pub struct Pending<T> {
    results: Receiver<Result<T, ModelError>>,
    cancel: CancelToken,
    name: Arc<str>,
    _waiting: Arc<()>,
}

impl<T> Pending<T> {
    /// Waits for the result.
    ///
    /// # Errors
    /// What the model says, or [`ModelError::Cancelled`] as soon as the token is.
    pub fn wait(self) -> Result<T, ModelError> {
        wait_for(&self.results, &self.cancel, &self.name)?
    }
}

/// Both ends of an order's way back.
pub(super) fn reply<T>(name: &Arc<str>, cancel: &CancelToken) -> (Reply<T>, Pending<T>) {
    let (send, results) = sync_channel(1);
    let waiting = Arc::new(());
    let reply = Reply { results: send, cancel: cancel.clone(), waiting: Arc::downgrade(&waiting) };
    (reply, Pending { results, cancel: cancel.clone(), name: Arc::clone(name), _waiting: waiting })
}
