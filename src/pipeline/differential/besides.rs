//! What stands besides what a question is about: a picture that its words fit, a value that is no danger, a drug that is taken for it.

use super::evidence::{explains, explains_any, present, urgency_of};
use super::under_care::{belongs, cared_for};
use crate::graph::{EntityId, Kind, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab::is_mild;
use crate::language::pictures::Recognised;
use crate::run::{Case, CaseCondition, CaseResult, ConditionStatus, DrugStatus, FindingStatus, ResultDirection};

/// The test of a pregnancy, by its first name in the list of analytes.
const PREGNANCY_TEST: &str = "hCG";

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
    // What belongs to the illness that the patient is cared for tells of no other: the fast breathing of a child with bronchiolitis.
    let is_new = || !open_of_care(knowledge, case).is_empty();
    !is_named && (unmistakable || present(knowledge, case).len() >= FINDINGS_BESIDES && is_new())
}

/// Whether a condition is no more than a value in the blood that is too high or too low. Others may be there with a normal one: a low calcium is one of what is
/// ionised, and a low glucose comes back.
pub(super) fn is_level(name: &str) -> bool {
    ["Hyperkalaemia", "Hypokalaemia", "Hypernatraemia", "Hyponatraemia"].contains(&name)
}

/// Whether a result rules out for good what it speaks against: nobody has an ectopic pregnancy with a negative test.
pub(super) fn is_settled_by(result: &CaseResult) -> bool {
    result.test == PREGNANCY_TEST && result.direction == ResultDirection::Negative
}

/// Whether an illness is named that the patient has or may have, beside what the words fit, unless that is an emergency that
/// they clearly fit.
pub(super) fn names_illness(knowledge: &Knowledge, case: &Case, fits: Recognised) -> bool {
    if fits.clear && urgency_of(knowledge, fits.condition) == Some("emergency") {
        return false;
    }
    let is_now = ConditionStatus::is_now;
    let mut now = case.conditions.iter().filter(|condition| is_now(condition.status));
    now.any(|condition| {
        let entity = condition.entity.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
        entity.is_some_and(|entity| matches!(knowledge.graph.kind(entity), Kind::Disease))
    })
}

/// The findings of a case that do not belong to an illness for which the patient is cared for.
fn open_of_care(knowledge: &Knowledge, case: &Case) -> Vec<EntityId> {
    let cared_for = cared_for(knowledge, case);
    present(knowledge, case).into_iter().filter(|finding| !belongs(knowledge, case, &cared_for, *finding)).collect()
}

/// Whether what a question's words fit is dangerous, explains something that is told, and is not what it names: flashes that "can wait". Beside an illness
/// that is known, something must be told that does not belong to it and is no mere cause of what the words fit; and what is merely urgent needs a dangerous
/// sign: falls in somebody with atrial fibrillation are no reason to speak of his pressure on standing.
pub(super) fn is_danger_besides(knowledge: &Knowledge, case: &Case, Recognised { condition, .. }: Recognised) -> bool {
    let level = urgency_of(knowledge, condition);
    let is_dangerous = |entity: EntityId| matches!(urgency_of(knowledge, entity), Some("emergency" | "urgent"));
    let has_known = case.conditions.iter().any(|of| of.status == ConditionStatus::Known && of.entity.is_some());
    let is_sign = |finding: &EntityId| {
        explains(knowledge, condition, *finding) && !knowledge.facts().states(condition, *finding, |role| role == Role::Cause)
    };
    let warns = |finding: EntityId| level == Some("emergency") || is_dangerous(finding);
    !case.leaves_open_what_it_is()
        && is_dangerous(condition)
        && explains_any(knowledge, case, condition)
        && (!has_known || open_of_care(knowledge, case).into_iter().any(|finding| is_sign(&finding) && warns(finding)))
        && !is_named_or_kin(knowledge, case, condition, |status| status != ConditionStatus::Excluded)
}

/// Whether a condition of the case is only that a pregnancy is planned, beside a drug or something else that the question is about: it leads no answer.
pub(super) fn is_mere_plan(case: &Case, condition: &CaseCondition) -> bool {
    let is_other = |other: &CaseCondition| other.entity != condition.entity && other.status == ConditionStatus::Known;
    let is_plan = condition.entity.as_deref() == Some("Planning pregnancy");
    is_plan && (!case.drugs.is_empty() || !case.findings.is_empty() || case.conditions.iter().any(is_other))
}

/// Whether a finding is told by nothing but values that are not critical, and is no danger by itself: a low glucose or a haemoglobin of 62 is what
/// is treated, whatever stands beside it.
pub(super) fn is_mere_value(knowledge: &Knowledge, case: &Case, finding: EntityId) -> bool {
    let is_it = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, "")) == Some(finding);
    let mut values = case.results.iter().filter(|result| is_it(&result.finding)).peekable();
    let is_told = case.findings.iter().any(|told| told.status == FindingStatus::Present && is_it(&told.entity));
    let is_danger = matches!(urgency_of(knowledge, finding), Some("emergency" | "urgent"))
        && knowledge.graph.attributes(finding).get(keys::ALONE) != Some("routine");
    !is_told && values.peek().is_some() && values.all(|result| !result.critical && (!is_danger || is_mild(result)))
}

/// Whether the patient takes a drug for a condition: the embolism of somebody on apixaban may be long past.
pub(super) fn is_treated(knowledge: &Knowledge, case: &Case, condition: EntityId) -> bool {
    let taken = case.drugs.iter().filter(|drug| drug.status == DrugStatus::Taken);
    let drugs = taken.filter_map(|drug| named(&knowledge.graph, drug.entity.as_deref()?, ""));
    let treats = |drug: EntityId| knowledge.facts().states(condition, drug, |role| role.is_treatment() || role == Role::Prevention);
    drugs.into_iter().any(|drug| treats(drug) || classes_of(&knowledge.graph, drug).iter().any(|class| treats(*class)))
}
