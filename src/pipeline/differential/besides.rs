//! Whether a condition whose picture the question fits is named besides what the question is about.

use super::evidence::{explains_any, present, urgency_of};
use crate::graph::{EntityId, Role};
use crate::language::knowledge::{Knowledge, named};
use crate::language::pictures::Recognised;
use crate::run::{Case, CaseCondition, ConditionStatus};

/// The fewest findings beside which a clear picture is named although the question is about something else.
const FINDINGS_BESIDES: usize = 2;

/// Whether the case names a condition, a kind of it, what it is a kind of, or, if it is no emergency, another kind of the same, with such a status.
fn is_named_or_kin(knowledge: &Knowledge, case: &Case, condition: EntityId, has: impl Fn(ConditionStatus) -> bool) -> bool {
    let is_kind_of = |a, b| knowledge.facts().states(a, b, |role| role == Role::Broader);
    let is_sibling = |other| knowledge.facts().players_of_role(condition, Role::Broader).any(|class| is_kind_of(other, class));
    let is_calm = urgency_of(knowledge, condition) != Some("emergency");
    let is_kin =
        |other| other == condition || is_kind_of(other, condition) || is_kind_of(condition, other) || (is_calm && is_sibling(other));
    let named_conditions = case.conditions.iter().filter(|named| has(named.status));
    named_conditions.filter_map(|c| c.entity.as_deref()).filter_map(|name| named(&knowledge.graph, name, "")).any(is_kin)
}

/// Whether the question is about what the patient is known to have, as a nodule that a scan has shown: nothing else is told, nobody asks what it
/// is, and the words fit it, or nothing else clearly.
pub(super) fn is_of_known(knowledge: &Knowledge, case: &Case, Recognised { condition, clear, .. }: Recognised) -> bool {
    let is_known = |status| status == ConditionStatus::Known;
    present(knowledge, case).is_empty()
        && !case.asks_what_it_is()
        && case.conditions.iter().any(|named| is_known(named.status) && named.entity.is_some())
        && (!clear || is_named_or_kin(knowledge, case, condition, is_known))
}

/// Whether a condition that the question's words fit clearly is to be named besides what it is about: several findings are told, or the picture is
/// unmistakable, as numbness between the legs in a known sciatica.
pub(super) fn is_told_besides(knowledge: &Knowledge, case: &Case, Recognised { condition, unmistakable, .. }: Recognised) -> bool {
    let is_named = is_named_or_kin(knowledge, case, condition, |status| status != ConditionStatus::Excluded);
    !is_named && (unmistakable || present(knowledge, case).len() >= FINDINGS_BESIDES)
}

/// Whether what a question's words fit is dangerous, explains something that is told, and is not what it names: flashes that "can wait".
pub(super) fn is_danger_besides(knowledge: &Knowledge, case: &Case, Recognised { condition, .. }: Recognised) -> bool {
    !case.leaves_open_what_it_is()
        && matches!(urgency_of(knowledge, condition), Some("emergency" | "urgent"))
        && explains_any(knowledge, case, condition)
        && !is_named_or_kin(knowledge, case, condition, |status| status != ConditionStatus::Excluded)
}

/// Whether a condition of the case is only that a pregnancy is planned, beside a drug or something else that the question is about: it leads no answer.
pub(super) fn is_mere_plan(case: &Case, condition: &CaseCondition) -> bool {
    let is_other = |other: &CaseCondition| other.entity != condition.entity && other.status == ConditionStatus::Known;
    let is_plan = condition.entity.as_deref() == Some("Planning pregnancy");
    is_plan && (!case.drugs.is_empty() || !case.findings.is_empty() || case.conditions.iter().any(is_other))
}
