//! Whether an operation can wait: only then is told what is done with medicines before a planned one.

use super::PlanInput;
use crate::graph::{EntityId, Role};
use crate::pipeline::differential::evidence::{explains, urgency_of};
use crate::pipeline::understand::topics::Timing;
use crate::run::{CaseFinding, ConditionStatus, FindingStatus, UrgencyLevel};

/// What has lasted so many days, and is not urgent by itself, is no acute complaint.
const LASTING: f64 = 42.0;

/// Whether what is told of planned operations may be told of one: it has a date, or nobody complains of anything acute; and there is no emergency for which
/// it is done, such as a broken hip.
pub(super) fn may_wait(input: &PlanInput<'_>, (operation, timing): (EntityId, Timing)) -> bool {
    let is_now = ConditionStatus::is_now;
    let of_case = input.case.conditions.iter().filter(|condition| is_now(condition.status));
    let mut of_case = of_case.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let is_done_for = |condition| is_emergency(input, condition) && is_treated(input, condition, operation);
    let is_open = || input.urgency.level != Some(UrgencyLevel::Urgent) && !is_pressing(input, operation);
    !of_case.any(is_done_for) && (timing == Timing::Ahead || is_open())
}

/// Whether something is complained of that is not what the operation is usually planned for.
pub(super) fn is_pressing(input: &PlanInput<'_>, operation: EntityId) -> bool {
    let told = input.case.findings.iter().filter(|of| matches!(of.status, FindingStatus::Present | FindingStatus::Uncertain));
    told.into_iter().any(|finding| is_acute(input, operation, finding))
}

/// Whether a complaint may be a reason not to wait: it is urgent by itself, a sign of an emergency for which the operation is done, or none of what it is
/// planned for. A knee that hurts is what knees are replaced for; vomiting is not what hernias are repaired for at leisure.
fn is_acute(input: &PlanInput<'_>, operation: EntityId, finding: &CaseFinding) -> bool {
    let Some(entity) = finding.entity.as_deref().and_then(|name| input.entity(name)) else { return false };
    if matches!(urgency_of(input.knowledge, entity), Some("emergency" | "urgent")) {
        return true;
    }
    let is_long = finding.days.is_some_and(|days| days >= LASTING);
    if is_long || input.evidence.states.contains(&entity) || is_treated(input, entity, operation) {
        return false;
    }
    let facts = input.knowledge.facts();
    let done_for = || [Role::FirstLine, Role::Treatment].into_iter().flat_map(|role| facts.owners_of_role(operation, role));
    let is_sign = |of: EntityId| is_emergency(input, of) && explains(input.knowledge, of, entity);
    let is_warning = |of: EntityId| facts.states(of, entity, |role| role == Role::RedFlag);
    let is_usual = |of: EntityId| facts.states(of, entity, |role| role == Role::Symptom);
    done_for().any(|of| is_sign(of) || is_warning(of)) || !done_for().any(is_usual)
}

fn is_treated(input: &PlanInput<'_>, condition: EntityId, operation: EntityId) -> bool {
    input.knowledge.facts().states(condition, operation, |role| matches!(role, Role::FirstLine | Role::Treatment))
}

fn is_emergency(input: &PlanInput<'_>, condition: EntityId) -> bool {
    urgency_of(input.knowledge, condition) == Some("emergency")
}
