//! Playing a recording at its own pace, with no model and no graph.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::pipeline::{CancelToken, Event, RunHandle};

/// A recording with a wild time in it still ends.
const LONGEST_MS: f64 = 24.0 * 3_600_000.0;

/// Starts playing; `None` when there is nothing to play.
pub(crate) fn play(recording: Vec<Event>, events: mpsc::Sender<Event>) -> Option<RunHandle> {
    let handle = RunHandle { id: Arc::clone(&recording.first()?.run), cancel: CancelToken::new() };
    let cancel = handle.cancel.clone();
    tokio::spawn(async move {
        let began = Instant::now();
        for event in recording {
            let at = if event.at_ms.is_finite() { event.at_ms.clamp(0.0, LONGEST_MS) } else { 0.0 };
            sleep_until(began + Duration::from_secs_f64(at / 1000.0)).await;
            if cancel.is_cancelled() || events.send(event).await.is_err() {
                return;
            }
        }
    });
    Some(handle)
}
