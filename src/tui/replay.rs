//! Playback a recording, with no model and no graph: at its own pace, faster, slower, step by step.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::playback::PlaybackControl;
use crate::model::CancelToken;
use crate::run::{Event, EventKind, RunHandle};

/// A recording with a wild time in it still goes on.
const LONGEST_MS: f64 = 24.0 * 3_600_000.0;
/// Changes of pace that may wait.
const CHANGES: usize = 32;

/// Starts playing; `None` when there is nothing to play. The pace is changed through the sender.
pub(crate) fn play(recording: Arc<Vec<Event>>, events: mpsc::Sender<Event>) -> Option<(RunHandle, mpsc::Sender<PlaybackControl>)> {
    let handle = RunHandle { id: Arc::clone(&recording.first()?.run), cancel: CancelToken::new() };
    let cancel = handle.cancel.clone();
    let (changes, pace) = mpsc::channel(CHANGES);
    tokio::spawn(async move {
        let mut player = RecordingPlayer { pace, speed: 1.0, paused: false, steps: 0 };
        let mut before = 0.0;
        for event in recording.iter() {
            // A revision begins its own time.
            let at = if event.at_ms.is_finite() { event.at_ms.clamp(0.0, LONGEST_MS) } else { before };
            player.wait((at - before).max(0.0)).await;
            before = at;
            if cancel.is_cancelled() || events.send(event.clone()).await.is_err() {
                return;
            }
            if ends_a_step(&event.what) {
                player.steps = player.steps.saturating_sub(1);
            }
        }
    });
    Some((handle, changes))
}

/// Whether something is over with this event that is worth halting at.
fn ends_a_step(what: &EventKind) -> bool {
    use EventKind::{AnswerFinished, ChainsFound, ChainsPruned, Revised, RunFinished, StageFinished};
    matches!(
        what,
        StageFinished { .. } | ChainsFound { .. } | ChainsPruned { .. } | AnswerFinished { .. } | Revised { .. } | RunFinished { .. }
    )
}

struct RecordingPlayer {
    pace: mpsc::Receiver<PlaybackControl>,
    speed: f64,
    paused: bool,
    /// Steps still to be played while it is paused.
    steps: u32,
}

impl RecordingPlayer {
    /// Waits until so much recorded time has passed, and while it is paused.
    async fn wait(&mut self, recorded_ms: f64) {
        let mut left = recorded_ms;
        loop {
            if self.paused && self.steps == 0 {
                match self.pace.recv().await {
                    Some(pace) => self.take(pace),
                    // Nobody can let it go on; it plays to its end.
                    None => self.paused = false,
                }
                continue;
            }
            // What is stepped over does not take its time.
            if left <= 0.0 || self.paused {
                while let Ok(pace) = self.pace.try_recv() {
                    self.take(pace);
                }
                if self.paused && self.steps == 0 {
                    continue;
                }
                return;
            }
            let began = Instant::now();
            tokio::select! {
                () = sleep(Duration::from_secs_f64(left / self.speed / 1000.0)) => left = 0.0,
                pace = self.pace.recv() => {
                    left -= began.elapsed().as_secs_f64() * 1000.0 * self.speed;
                    if let Some(pace) = pace {
                        self.take(pace);
                    } else {
                        sleep(Duration::from_secs_f64(left.max(0.0) / self.speed / 1000.0)).await;
                        left = 0.0;
                    }
                }
            }
        }
    }

    fn take(&mut self, pace: PlaybackControl) {
        match pace {
            PlaybackControl::Pause => (self.paused, self.steps) = (true, 0),
            PlaybackControl::Resume => (self.paused, self.steps) = (false, 0),
            PlaybackControl::Step => {
                self.paused = true;
                self.steps += 1;
            }
            PlaybackControl::Speed(speed) => self.speed = speed.clamp(0.01, 1000.0),
        }
    }
}
