//! What a model is doing, in a pane's title: loading, queued, how far and how fast, and whether it has fallen silent.

use std::time::Duration;

use crate::run::{ModelRole, Stage, StageState, Trace};
use crate::tui::model_progress::waiting;
use crate::tui::styled_text::SpanStyle;

/// The status of a model while `stage` waits for it. `elapsed_ms`: the run's time now. `since_last_event`: how long the run has
/// said nothing.
pub(super) fn of(trace: &Trace, role: ModelRole, stage: Stage, elapsed_ms: f64, since_last_event: Duration) -> Vec<(String, SpanStyle)> {
    let Some(activity) = trace.activity.get(&role) else { return Vec::new() };
    let StageState::Running { since_ms } = trace.stage(stage) else { return Vec::new() };
    let name = trace.models.as_ref().map_or("", |models| match role {
        ModelRole::Generator => &models.generator.name,
        ModelRole::Encoder => &models.encoder.name,
        ModelRole::Reranker => &models.reranker.name,
    });
    let elapsed = Duration::try_from_secs_f64((elapsed_ms - since_ms) / 1000.0).unwrap_or_default();
    let mut said = waiting(activity, name, since_last_event, elapsed);
    if !said.is_empty() {
        said.insert(0, (" · ".into(), SpanStyle::Dim));
    }
    said
}
