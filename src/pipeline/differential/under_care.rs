//! What belongs to an illness that the patient is known to have and is treated for, or has now: what it usually brings, and values that come of it. It needs no
//! other explanation. A red flag of it does, and so does what is more dangerous than the illness.

use super::besides::{is_mere_value, is_treated};
use super::evidence::{by_frequency, explains, urgency_of};
use crate::graph::{EntityId, Role, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::run::{AskKind, Case, ConditionStatus, FindingStatus};

/// How often an illness brings a finding, as far as it matters here: what it seldom brings may come of something else …
const USUAL: [(&str, f64); 4] = [("very_common", 1.0), ("common", 1.0), ("uncommon", 0.0), ("rare", 0.0)];
/// … and what it nearly always brings.
const ALWAYS: [(&str, f64); 4] = [("very_common", 1.0), ("common", 0.0), ("uncommon", 0.0), ("rare", 0.0)];

/// The illnesses that the patient is known to have, and that are acute or that a drug in use treats.
pub(crate) fn cared_for(knowledge: &Knowledge, case: &Case) -> Vec<EntityId> {
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let known = known.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
    let is_cared_for = |illness: &EntityId| is_acute(knowledge, *illness) || is_treated(knowledge, case, *illness);
    known.filter(|entity| knowledge.is_condition(*entity)).filter(is_cared_for).collect()
}

/// Whether an illness comes and goes within weeks.
pub(crate) fn is_acute(knowledge: &Knowledge, illness: EntityId) -> bool {
    let attributes = knowledge.graph.attributes(illness);
    attributes.get(keys::ONSET) == Some("acute") && attributes.get(keys::LASTING).is_none()
}

/// Whether a finding of the case belongs to one of these illnesses and is no more dangerous than it; or is a value that a drug in use treats: the pressure of
/// somebody on amlodipine, unless a treatment is asked for, which may be of that.
pub(crate) fn belongs(knowledge: &Knowledge, case: &Case, illnesses: &[EntityId], finding: EntityId) -> bool {
    let is_of = |illness: &EntityId| {
        // A child with bronchiolitis has little oxygen: that is how ill it is. What is an emergency in an illness that stays is an attack of it, or another.
        let of_illness = gravity(knowledge, *illness);
        let most = if is_acute(knowledge, *illness) && of_illness > 0 { 2 } else { of_illness.min(1) };
        gravity(knowledge, finding) <= most && is_brought(knowledge, case, *illness, finding)
    };
    let asks_for_treatment = case.asks.iter().any(|ask| ask.kind == AskKind::Treatment);
    let is_under_treatment = || !asks_for_treatment && is_mere_value(knowledge, case, finding) && is_treated(knowledge, case, finding);
    illnesses.iter().any(is_of) || is_under_treatment() || is_value_of_known(knowledge, case, finding)
}

/// Whether nothing is told but values, all of which belong to an illness that is named, and nobody asks what it is.
pub(crate) fn values_are_of_illness(knowledge: &Knowledge, case: &Case, illnesses: &[EntityId]) -> bool {
    let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let tells_more = case.findings.iter().any(|finding| is_told(finding.status));
    let found = case.results.iter().filter_map(|result| named(&knowledge.graph, result.finding.as_deref()?, ""));
    let mut found = found.peekable();
    !tells_more && !case.asks_what_it_is() && found.peek().is_some() && found.all(|finding| belongs(knowledge, case, illnesses, finding))
}

/// Whether a value is what an illness is that the patient is known to have, or usually brings: the platelets of somebody with immune thrombocytopenia.
fn is_value_of_known(knowledge: &Knowledge, case: &Case, finding: EntityId) -> bool {
    let is_it = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, "")) == Some(finding);
    let is_critical = case.results.iter().any(|result| result.critical && is_it(&result.finding));
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let mut known = known.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
    is_value(knowledge, case, finding)
        && known.any(|illness| {
            let is_kind = knowledge.facts().states(illness, finding, |role| role == Role::Broader);
            let is_flag = knowledge.facts().states(illness, finding, |role| role == Role::RedFlag);
            is_kind || !is_critical && !is_flag && knowledge.is_condition(illness) && usually_brings(knowledge, illness, finding)
        })
}

/// Whether an illness has a finding, or causes it, often.
fn usually_brings(knowledge: &Knowledge, illness: EntityId, finding: EntityId) -> bool {
    let is_often = |owner: EntityId, player: EntityId, role: Role| {
        knowledge.facts().states(owner, player, |of| of == role) && by_frequency(knowledge, owner, player, role, &USUAL, 1.0) > 0.5
    };
    is_often(illness, finding, Role::Symptom) || is_often(finding, illness, Role::Cause)
}

/// Whether an illness, or what it is a kind of, usually brings a finding; of values, also what is calm and may come of it, and what a consequence of
/// it nearly always brings: the anaemia of somebody who bleeds from his colitis.
fn is_brought(knowledge: &Knowledge, case: &Case, illness: EntityId, finding: EntityId) -> bool {
    let facts = knowledge.facts();
    if facts.states(illness, finding, |role| role == Role::RedFlag) {
        return illness == finding;
    }
    let classes = || facts.players_of_role(illness, Role::Broader).filter(|class| knowledge.is_condition(*class));
    let brings = |of: EntityId| usually_brings(knowledge, of, finding);
    let is_measured = || is_value(knowledge, case, finding);
    let may_bring = || std::iter::once(illness).chain(classes()).any(|of| explains(knowledge, of, finding));
    let always = |after: EntityId| by_frequency(knowledge, after, finding, Role::Symptom, &ALWAYS, 0.0) > 0.5;
    let follows = || {
        let mut consequences = facts.players_of_role(illness, Role::Complication);
        consequences.any(|after| urgency_of(knowledge, after) != Some("emergency") && always(after))
    };
    illness == finding
        || brings(illness)
        || classes().any(brings)
        || is_measured() && (follows() || gravity(knowledge, finding) == 0 && may_bring())
}

/// Whether only values tell a finding.
fn is_value(knowledge: &Knowledge, case: &Case, finding: EntityId) -> bool {
    let is_it = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, "")) == Some(finding);
    let is_there = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    case.results.iter().any(|result| is_it(&result.finding))
        && !case.findings.iter().any(|told| is_there(told.status) && is_it(&told.entity))
}

/// How soon somebody must act: 2 at once, 1 soon. What is urgent only with something else is not.
fn gravity(knowledge: &Knowledge, entity: EntityId) -> u8 {
    let is_routine_alone = knowledge.graph.attributes(entity).get(keys::ALONE) == Some("routine");
    match urgency_of(knowledge, entity) {
        Some("emergency") => 2,
        Some("urgent") if !is_routine_alone => 1,
        _ => 0,
    }
}
