//! Progress reports during a run: which stage takes long, and for how long.

use super::phrases::{counted, duration};
use crate::run::{ModelRole, ModelState, Stage, StageState, Trace};
use crate::words::Language;

/// A stage that takes longer than this, in milliseconds, is reported.
const LONG: f64 = 1000.0;
/// Milliseconds until the same stage is reported again, so that the user knows the run still works.
const AGAIN: f64 = 10_000.0;
/// The least time between two reports, in milliseconds.
const APART: f64 = 1000.0;

/// What has been reported.
#[derive(Debug, Default)]
pub(super) struct StageProgress {
    /// The stage of the last report, and its time in milliseconds.
    last: Option<(Stage, f64)>,
}

impl StageProgress {
    /// The report due at `now_ms`, in milliseconds since the start of the run; mostly none.
    pub(super) fn due(&mut self, trace: &Trace, now_ms: f64) -> Option<String> {
        let long = |stage: &Stage| matches!(trace.stage(*stage), StageState::Running { since_ms } if now_ms - since_ms >= LONG);
        // Stages overlap; report the latest.
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
        Some(format!("{}, for {} so far{}.", activity(stage), duration(now_ms - since_ms, Language::English), detail(trace, stage)))
    }
}

fn activity(stage: Stage) -> &'static str {
    match stage {
        Stage::Hypothesis => "Still writing the hypothesis",
        Stage::Recognise => "Still looking for mentions of entities",
        Stage::Link => "Still linking mentions to the graph",
        Stage::Search => "Still searching for chains",
        Stage::Prune => "Still comparing chains with the question",
        Stage::Read => "Still writing the answer",
    }
}

/// How far the stage is, if known.
fn detail(trace: &Trace, stage: Stage) -> String {
    if stage == Stage::Search && trace.chains_found > 0 {
        return format!("; found {}", counted(trace.chains_found, "chain", "chains"));
    }
    let role = match stage {
        Stage::Hypothesis | Stage::Read => ModelRole::Generator,
        Stage::Prune => ModelRole::Reranker,
        _ => ModelRole::Encoder,
    };
    let Some(activity) = trace.activity.get(&role) else { return String::new() };
    match activity.state {
        ModelState::Loading => "; the model is loading".into(),
        ModelState::Failed => "; the model failed".into(),
        // Before the first token this request waits for others; afterwards, others wait for this one.
        ModelState::Busy if activity.queued > 0 && activity.done == 0 => {
            format!("; {} before this one", counted(activity.queued, "request is", "requests are"))
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
        let mut progress = StageProgress::default();
        let search = running(&[(Stage::Search, 100.0)]);
        assert_eq!(progress.due(&search, 1000.0), None, "not long yet");
        let said = progress.due(&search, 1100.0).expect("long now");
        assert_eq!(said, "Still searching for chains, for 1.0 seconds so far; found 1,200 chains.");
        assert_eq!(progress.due(&search, 5000.0), None, "it was said");
        let read = running(&[(Stage::Search, 100.0), (Stage::Read, 500.0)]);
        assert_eq!(progress.due(&read, 1900.0), None, "within a second of what was said");
        assert!(progress.due(&read, 2200.0).expect("another stage").starts_with("Still writing the answer"));
        assert!(progress.due(&read, 12_200.0).is_some(), "and again after a while");
        assert_eq!(progress.due(&Trace::default(), 99_000.0), None, "nothing runs");
    }
}
