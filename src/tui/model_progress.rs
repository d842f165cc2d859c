//! The status of a model while the user waits: the queue, how far and how fast it is, how long it may still take, and that it has
//! fallen silent.

use std::time::Duration;

use super::styled_text::SpanStyle;
use crate::run::{ModelActivity, ModelRole, ModelState};
use crate::text::sanitise_line;

/// A model that has sent nothing for longer than this may have stalled.
const SILENT: Duration = Duration::from_secs(10);
/// No estimate is made from less than this of the work …
const LEAST_SHARE: f64 = 0.05;
/// … or from less time than this.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The status of a model that works, as spans for one row; empty where it is idle.
///
/// `name` is the model's. `since_last_event`: how long the run has said nothing. `elapsed`: how long the model has been at what it is
/// doing (loading, writing, reading); an estimate is made from it, so a time that is too short makes it too hopeful.
pub(crate) fn waiting(activity: &ModelActivity, name: &str, since_last_event: Duration, elapsed: Duration) -> Vec<(String, SpanStyle)> {
    let name = sanitise_line(name);
    let name = if name.is_empty() { "the model" } else { &name };
    match activity.state {
        ModelState::Failed => return vec![("failed".into(), SpanStyle::Warning)],
        ModelState::Idle => return Vec::new(),
        ModelState::Loading | ModelState::Busy if since_last_event > SILENT => {
            return vec![(format!("no output from {name} for {}; Esc stops", seconds(since_last_event)), SpanStyle::Warning)];
        }
        ModelState::Loading | ModelState::Busy => {}
    }
    let share = share(activity);
    let mut pieces = Vec::new();
    match activity.state {
        ModelState::Loading => pieces.push(share.map_or_else(|| "loading…".into(), |share| format!("loading, {:.0} %", share * 100.0))),
        // Before its first token an order waits, or its prompt is read; afterwards those that wait are behind it.
        _ if activity.done == 0 && activity.queued > 0 => pieces.push(format!("{} before this one", activity.queued)),
        _ if activity.role == ModelRole::Generator => writing(activity, &mut pieces),
        _ if activity.total > 0 => pieces.push(format!("{} of {} {}", activity.done, activity.total, unit(activity.role))),
        _ => pieces.push("reading…".into()),
    }
    if elapsed >= LEAST_TIME {
        pieces.push(seconds(elapsed));
    }
    pieces.extend(left(activity, share, elapsed));
    let mut said: Vec<(String, SpanStyle)> = Vec::new();
    for piece in pieces {
        if !said.is_empty() {
            said.push((" · ".into(), SpanStyle::Dim));
        }
        said.push((piece, SpanStyle::Busy));
    }
    said
}

fn writing(activity: &ModelActivity, pieces: &mut Vec<String>) {
    if activity.done == 0 {
        pieces.push("reading…".into());
        return;
    }
    let most = if activity.total > 0 { format!(" of at most {}", activity.total) } else { String::new() };
    pieces.push(format!("{}{most} tokens", activity.done));
    if let Some(speed) = speed(activity) {
        pieces.push(format!("{speed:.0} tokens/s"));
    }
}

/// How long it may still take, where that can be estimated.
fn left(activity: &ModelActivity, share: Option<f64>, elapsed: Duration) -> Option<String> {
    if activity.role == ModelRole::Generator && activity.state == ModelState::Busy {
        // A text may end before its limit, so this is no more than a bound.
        let tokens = activity.total.checked_sub(activity.done).filter(|left| activity.done > 0 && *left > 0)?;
        return Some(format!("at most {} more", whole_seconds(tokens as f64 / speed(activity)?)));
    }
    let share = share.filter(|share| *share >= LEAST_SHARE && *share < 1.0 && elapsed >= LEAST_TIME)?;
    Some(format!("about {} more", whole_seconds(elapsed.as_secs_f64() * (1.0 - share) / share)))
}

/// Which part of the work is done, 0 to 1.
fn share(activity: &ModelActivity) -> Option<f64> {
    (activity.total > 0).then(|| (activity.done as f64 / activity.total as f64).clamp(0.0, 1.0))
}

/// Tokens a second, where that is a number that can be.
fn speed(activity: &ModelActivity) -> Option<f64> {
    activity.tokens_per_second.filter(|speed| speed.is_finite() && *speed >= 0.05)
}

fn unit(role: ModelRole) -> &'static str {
    match role {
        ModelRole::Generator => "tokens",
        ModelRole::Encoder => "texts",
        ModelRole::Reranker => "pairs",
    }
}

fn seconds(time: Duration) -> String {
    whole_seconds(time.as_secs() as f64)
}

/// `12 s`, `2 min 5 s`.
fn whole_seconds(seconds: f64) -> String {
    // Casts of what is out of range end at the range's ends.
    let seconds = seconds.ceil() as u64;
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(role: ModelRole, done: u64, total: u64, speed: Option<f64>) -> ModelActivity {
        ModelActivity { role, state: ModelState::Busy, queued: 0, done, total, tokens_per_second: speed, spent: None }
    }

    fn said(activity: &ModelActivity, since: u64, elapsed: u64) -> String {
        waiting(activity, "qwen3", Duration::from_secs(since), Duration::from_secs(elapsed)).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn a_text_says_how_far_how_fast_and_how_long_at_most() {
        let writing = busy(ModelRole::Generator, 380, 500, Some(10.0));
        assert_eq!(said(&writing, 0, 40), "380 of at most 500 tokens · 10 tokens/s · 40 s · at most 12 s more");
        assert_eq!(said(&busy(ModelRole::Generator, 7, 0, None), 0, 0), "7 tokens", "no limit and no speed: no estimate");
        assert_eq!(said(&busy(ModelRole::Generator, 500, 500, Some(9.0)), 0, 61), "500 of at most 500 tokens · 9 tokens/s · 1 min 1 s");
        assert_eq!(said(&busy(ModelRole::Generator, 0, 500, Some(30.0)), 0, 3), "reading… · 3 s", "the speed is that of another text");
    }

    #[test]
    fn other_work_is_estimated_from_its_share_alone() {
        assert_eq!(said(&busy(ModelRole::Reranker, 60, 240, None), 0, 4), "60 of 240 pairs · 4 s · about 12 s more");
        assert_eq!(said(&busy(ModelRole::Reranker, 2, 240, None), 0, 4), "2 of 240 pairs · 4 s", "too little is done");
        let loading = |done, total| ModelActivity { state: ModelState::Loading, ..busy(ModelRole::Generator, done, total, Some(30.0)) };
        assert_eq!(said(&loading(0, 0), 0, 0), "loading…");
        assert_eq!(said(&loading(40, 100), 0, 8), "loading, 40 % · 8 s · about 12 s more");
    }

    #[test]
    fn the_queue_is_told_before_the_first_token_only() {
        let queued = |done| ModelActivity { queued: 2, ..busy(ModelRole::Generator, done, 0, None) };
        assert_eq!(said(&queued(0), 0, 3), "2 before this one · 3 s");
        assert_eq!(said(&queued(5), 0, 0), "5 tokens", "they wait behind this one");
    }

    #[test]
    fn a_model_that_falls_silent_is_a_warning() {
        let writing = busy(ModelRole::Generator, 380, 500, Some(10.0));
        assert!(!said(&writing, 10, 40).contains("no word"));
        let silent = waiting(&writing, "qw\u{1b}[31men3", Duration::from_secs(14), Duration::from_secs(40));
        assert_eq!(silent, [("no output from qw[31men3 for 14 s; Esc stops".to_owned(), SpanStyle::Warning)]);
        let idle = ModelActivity { state: ModelState::Idle, ..writing.clone() };
        assert!(said(&idle, 99, 99).is_empty(), "nobody waits for it");
        let failed = ModelActivity { state: ModelState::Failed, ..writing };
        assert_eq!(said(&failed, 99, 99), "failed");
    }

    #[test]
    fn senseless_numbers_make_no_sense_but_no_harm() {
        for speed in [f64::NAN, f64::INFINITY, 0.0, -3.0, f64::MIN_POSITIVE] {
            let shown = said(&busy(ModelRole::Generator, 3, u64::MAX, Some(speed)), 0, 2);
            assert!(!shown.contains("more") && !shown.contains("tokens/s"), "{shown}");
        }
        assert_eq!(said(&busy(ModelRole::Reranker, 9, 3, None), 0, 2), "9 of 3 pairs · 2 s");
        assert!(said(&busy(ModelRole::Generator, 1, u64::MAX, Some(0.1)), 0, 2).contains("at most"));
    }
}
