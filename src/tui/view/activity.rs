//! What a model is doing, in a pane's title: loading, waiting for others, how fast it writes.

use crate::pipeline::{ModelRole, ModelState, Trace};
use crate::tui::ink::Ink;

pub(super) fn of(trace: &Trace, role: ModelRole) -> Vec<(String, Ink)> {
    let Some(activity) = trace.activity.get(&role) else { return Vec::new() };
    let said = match (activity.state, activity.tokens_per_second) {
        (ModelState::Loading, _) => "loading…".to_owned(),
        (ModelState::Failed, _) => "failed".to_owned(),
        (_, _) if activity.queued > 0 => format!("{} waiting", activity.queued),
        (ModelState::Busy, Some(speed)) if activity.done > 0 => format!("{speed:.0} tokens/s"),
        (ModelState::Busy, _) => "reading…".to_owned(),
        (ModelState::Idle, _) => return Vec::new(),
    };
    let ink = if activity.state == ModelState::Failed { Ink::Warning } else { Ink::Busy };
    vec![(" · ".into(), Ink::Dim), (said, ink)]
}
