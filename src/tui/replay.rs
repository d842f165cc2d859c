//! Playback a recording, with no model and no graph: at its own pace, faster, slower, step by step.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::playback::PlaybackControl;
use crate::model::CancelToken;
use crate::run::{Event, EventKind, RunHandle, Stage};

/// A recording with a wild time in it still goes on.
const LONGEST_MS: f64 = 24.0 * 3_600_000.0;
/// A run that took less than this is over before anyone has read a word.
const SHORTEST_MS: f64 = 3000.0;
/// Changes of pace that may wait.
const CHANGES: usize = 32;

/// Starts playing; `None` when there is nothing to play. The pace is changed through the sender.
/// `pace`: seconds for each stage, or none for the recorded speed; and whether it waits for the first step.
pub(crate) fn play(
    recording: Arc<Vec<Event>>,
    (pace, paused): (Option<f64>, bool),
    events: mpsc::Sender<Event>,
) -> Option<(RunHandle, mpsc::Sender<PlaybackControl>)> {
    let handle = RunHandle { id: Arc::clone(&recording.first()?.run), cancel: CancelToken::new() };
    let cancel = handle.cancel.clone();
    let (changes, control) = mpsc::channel(CHANGES);
    tokio::spawn(async move {
        let mut player = RecordingPlayer { pace: control, speed: 1.0, paused, steps: 0, by_stage: false };
        let waits = match pace {
            Some(seconds) => paced(&recording, seconds),
            None => as_recorded(&recording),
        };
        for (at, (event, wait)) in recording.iter().zip(waits).enumerate() {
            // The question is shown at once, also where the rest waits for a step.
            if at > 0 {
                player.wait(wait).await;
            }
            if cancel.is_cancelled() || events.send(event.clone()).await.is_err() {
                return;
            }
            let is_over = if player.by_stage { ends_a_stage } else { ends_a_step };
            if is_over(&event.what) {
                player.steps = player.steps.saturating_sub(1);
            }
        }
    });
    Some((handle, changes))
}

/// Milliseconds before each event, as they were recorded.
fn as_recorded(recording: &[Event]) -> Vec<f64> {
    let mut before = 0.0;
    let wait = |event: &Event| {
        // A revision begins its own time.
        let at = if event.at_ms.is_finite() { event.at_ms.clamp(0.0, LONGEST_MS) } else { before };
        let wait = f64::max(at - before, 0.0);
        before = at;
        wait
    };
    recording.iter().map(wait).collect()
}

/// Milliseconds before each event where every stage takes so many seconds. Within a stage, time passes as it was recorded.
fn paced(recording: &[Event], seconds: f64) -> Vec<f64> {
    let stage_ms = if seconds.is_finite() { seconds.clamp(0.0, LONGEST_MS / 1000.0) * 1000.0 } else { 0.0 };
    let mut waits = as_recorded(recording);
    let mut start = 0;
    for (at, event) in recording.iter().enumerate() {
        if !matches!(event.what, EventKind::StageFinished { .. }) {
            continue;
        }
        let stage = &mut waits[start..=at];
        let recorded: f64 = stage.iter().sum();
        if recorded > 0.0 {
            stage.iter_mut().for_each(|wait| *wait *= stage_ms / recorded);
        } else if let Some(first) = stage.first_mut() {
            *first = stage_ms;
        }
        start = at + 1;
    }
    // What follows the last stage has nothing to wait for.
    waits[start..].fill(0.0);
    waits
}

/// Whether a recording is so short that nobody could follow it at its own speed.
pub fn is_too_fast(recording: &[Event]) -> bool {
    as_recorded(recording).iter().sum::<f64>() < SHORTEST_MS
}

/// Whether something is over with this event that is worth halting at.
fn ends_a_step(what: &EventKind) -> bool {
    use EventKind::{AnswerFinished, ChainsFound, ChainsPruned, Revised, RunFinished, StageFinished};
    matches!(
        what,
        StageFinished { .. } | ChainsFound { .. } | ChainsPruned { .. } | AnswerFinished { .. } | Revised { .. } | RunFinished { .. }
    )
}

/// Whether a stage that the demo shows is over. Recognising and linking are one there, and the answer is there with the end of the run.
fn ends_a_stage(what: &EventKind) -> bool {
    match what {
        EventKind::StageFinished { stage, .. } => !matches!(stage, Stage::Recognise | Stage::Read),
        EventKind::RunFinished { .. } => true,
        _ => false,
    }
}

struct RecordingPlayer {
    pace: mpsc::Receiver<PlaybackControl>,
    speed: f64,
    paused: bool,
    /// Steps still to be played while it is paused.
    steps: u32,
    /// Whether these are whole stages.
    by_stage: bool,
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
                (self.paused, self.by_stage) = (true, false);
                self.steps += 1;
            }
            PlaybackControl::Stage => {
                (self.paused, self.by_stage) = (true, true);
                self.steps += 1;
            }
            PlaybackControl::Speed(speed) => self.speed = speed.clamp(0.01, 1000.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_takes_its_time_and_what_follows_none() {
        let event = |at_ms, what| Event { run: "a".into(), at_ms, what };
        let finished = |stage| EventKind::StageFinished { stage, elapsed_ms: 1.0 };
        let note = || EventKind::Warning { text: String::new() };
        let recording = [
            event(0.0, note()),
            event(1.0, note()),
            event(4.0, finished(Stage::Hypothesis)),
            event(4.0, finished(Stage::Search)),
            event(9.0, note()),
        ];
        assert_eq!(paced(&recording, 1.0), [0.0, 250.0, 750.0, 1000.0, 0.0]);
        assert_eq!(as_recorded(&recording), [0.0, 1.0, 3.0, 0.0, 5.0]);
        assert!(is_too_fast(&recording));
        assert!(paced(&recording, f64::NAN).iter().all(|wait| wait.is_finite()));
    }

    #[tokio::test]
    async fn a_step_by_stage_goes_to_the_next_stage_that_is_shown() {
        let event = |what| Event { run: "a".into(), at_ms: 0.0, what };
        let finished = |stage| event(EventKind::StageFinished { stage, elapsed_ms: 1.0 });
        let note = || event(EventKind::Warning { text: "w".into() });
        let recording = vec![
            note(),
            finished(Stage::Hypothesis),
            finished(Stage::Recognise),
            note(),
            finished(Stage::Link),
            finished(Stage::Search),
            finished(Stage::Prune),
            finished(Stage::Read),
            event(EventKind::RunFinished { outcome: crate::run::Outcome::Answered, total_ms: 1.0 }),
        ];
        let (sender, mut events) = mpsc::channel(64);
        let (_handle, changes) = play(Arc::new(recording), (None, true), sender).expect("something is played");
        events.recv().await.expect("the question is shown at once");
        let mut seen = Vec::new();
        // A name is recognised and linked in one stage, and the end of the run belongs to the answer.
        for count in [1, 3, 1, 1, 2] {
            changes.send(PlaybackControl::Stage).await.expect("it is played");
            for _ in 0..count {
                seen.push(events.recv().await.expect("an event"));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(events.try_recv().is_err(), "it halts after {}", seen.len());
        }
    }
}
