//! What is said while a run goes on: a stage that takes long, with the time.

use super::words::{counted, duration};
use crate::run::{ModelRole, ModelState, Stage, StageState, Trace};

/// A stage that has taken this long is long, in milliseconds.
const LONG: f64 = 1000.0;
/// A long stage is spoken of again after this, so that silence never means that all has stopped.
const AGAIN: f64 = 10_000.0;
/// No two sentences come closer together than this.
const APART: f64 = 1000.0;

/// What was said so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The stage that was last spoken of, and when.
    last: Option<(Stage, f64)>,
}

impl Progress {
    /// What is to be said at a time of the run, in milliseconds since its start; mostly nothing.
    pub(super) fn due(&mut self, trace: &Trace, now_ms: f64) -> Option<String> {
        let long = |stage: &Stage| matches!(trace.stage(*stage), StageState::Running { since_ms } if now_ms - since_ms >= LONG);
        // Stages overlap; the latest is where the run has come to.
        let stage = Stage::ALL.into_iter().rev().find(long)?;
        let StageState::Running { since_ms } = trace.stage(stage) else { return None };
        let wait = match self.last {
            None => 0.0,
            Some((said, _)) if said == stage => AGAIN,
            Some(_) => APART,
        };
        if self.last.is_some_and(|(_, at)| now_ms - at < wait) {
            return None;
        }
        self.last = Some((stage, now_ms));
        Some(format!("{} for {}{}.", doing(stage), duration(now_ms - since_ms), detail(trace, stage)))
    }
}

fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Hypothesis => "Writing the hypothesis has gone on",
        Stage::Recognise => "The search for mentions of entities has gone on",
        Stage::Link => "Linking to the graph has gone on",
        Stage::Search => "The search for chains has gone on",
        Stage::Prune => "The comparison of chains with the question has gone on",
        Stage::Read => "Writing the answer has gone on",
    }
}

/// How far it is, where that is known.
fn detail(trace: &Trace, stage: Stage) -> String {
    if stage == Stage::Search && trace.chains_found > 0 {
        return format!("; {} found so far", counted(trace.chains_found, "chain", "chains"));
    }
    let role = match stage {
        Stage::Hypothesis | Stage::Read => ModelRole::Generator,
        Stage::Prune => ModelRole::Reranker,
        _ => ModelRole::Encoder,
    };
    let Some(activity) = trace.activity.get(&role) else { return String::new() };
    match activity.state {
        ModelState::Loading => "; the model is being loaded".into(),
        ModelState::Failed => "; the model failed".into(),
        // Before its first token an order waits; afterwards those that wait are behind it.
        ModelState::Busy if activity.queued > 0 && activity.done == 0 => {
            format!("; {} before this one", counted(activity.queued, "order", "orders"))
        }
        ModelState::Busy if activity.done > 0 && role == ModelRole::Generator => {
            format!("; the model has written {}", counted(activity.done, "token", "tokens"))
        }
        ModelState::Busy if activity.total > 0 => format!("; {} of {} read", activity.done, activity.total),
        ModelState::Busy | ModelState::Idle => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(stages: &[(Stage, f64)]) -> Trace {
        let mut trace = Trace::default();
        trace.stages = stages.iter().map(|(stage, since)| (*stage, StageState::Running { since_ms: *since })).collect();
        trace.chains_found = 1200;
        trace
    }

    #[test]
    fn only_long_stages_are_spoken_of_and_never_twice_within_a_second() {
        let mut progress = Progress::default();
        let search = running(&[(Stage::Search, 100.0)]);
        assert_eq!(progress.due(&search, 1000.0), None, "not long yet");
        let said = progress.due(&search, 1100.0).expect("long now");
        assert_eq!(said, "The search for chains has gone on for 1.0 seconds; 1,200 chains found so far.");
        assert_eq!(progress.due(&search, 5000.0), None, "it was said");
        let read = running(&[(Stage::Search, 100.0), (Stage::Read, 500.0)]);
        assert_eq!(progress.due(&read, 1900.0), None, "within a second of what was said");
        assert!(progress.due(&read, 2200.0).expect("another stage").starts_with("Writing the answer"));
        assert!(progress.due(&read, 12_200.0).is_some(), "and again after a while");
        assert_eq!(progress.due(&Trace::default(), 99_000.0), None, "nothing runs");
    }
}
