//! Whether "what next?" asks how to go on with what the patient is treated for, and not what he has.
//!
//! "Next step?" may ask either, so both are read. Of somebody with asthma on an inhaler who coughs at night, or with a depression after two drugs that still
//! weighs on him, it asks for the next treatment: a drug for the illness is named, the illness usually brings all that is told, and nothing
//! that is told is more dangerous than it. So does a bare question in an acute illness that is known ("bronchiolitis, sats 89. Admit?"). Otherwise what it is
//! stays asked.

use super::asks::Asked;
use super::intent::AskedAt;
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::evidence::{by_frequency, explains, urgency_of};
use crate::pipeline::differential::under_care::{belongs as belongs_to, is_acute};
use crate::run::{AskKind, Case, CaseDrug, CaseResult, ConditionStatus, FindingStatus};

/// How often an illness brings a finding, as far as it matters here: what it seldom brings may come of something else.
const USUAL: [(&str, f64); 4] = [("very_common", 1.0), ("common", 1.0), ("uncommon", 0.0), ("rare", 0.0)];

/// What it nearly always brings and a result speaks against says that something else is the matter.
const ALWAYS: [(&str, f64); 1] = [("very_common", 1.0)];

/// Takes back that a diagnosis is asked for, where the words for it ask for the next treatment of what the patient has.
pub(super) fn settle_next_step(knowledge: &Knowledge, (asked, cues): (&[Asked], &[AskedAt]), case: &mut Case) {
    let Some(diagnosis) = asked.iter().find(|ask| ask.kind == AskKind::Diagnosis) else { return };
    let is_both = cues.iter().any(|cue| cue.kind == AskKind::Treatment && cue.first == diagnosis.first);
    let asks_for_treatment = case.asks.iter().any(|ask| ask.kind == AskKind::Treatment);
    // Nothing but a question mark asks.
    let is_bare = diagnosis.of.is_empty() && !cues.iter().any(|cue| cue.kind == AskKind::Diagnosis);
    if (is_bare || (is_both && asks_for_treatment)) && is_of_known(knowledge, case, is_bare) {
        case.asks.retain(|ask| ask.kind != AskKind::Diagnosis);
    }
}

/// Whether the patient is treated for what he is known to have, or has it now (where a bare question asks of that), and all that is told belongs to it.
fn is_of_known(knowledge: &Knowledge, case: &Case, is_bare: bool) -> bool {
    let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    let had = |drug: &&CaseDrug| drug.status.was_given();
    let drugs: Vec<EntityId> = case.drugs.iter().filter(had).filter_map(|drug| find(&drug.entity)).collect();
    let treats = |condition: EntityId, drug: EntityId| {
        let is_stated = |of| knowledge.facts().states(condition, of, |role| matches!(role, Role::FirstLine | Role::Treatment));
        std::iter::once(drug).chain(classes_of(&knowledge.graph, drug)).any(is_stated)
    };
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let known = known.filter_map(|condition| find(&condition.entity)).filter(|entity| knowledge.is_condition(*entity));
    let is_treated = |condition: &EntityId| drugs.iter().any(|drug| treats(*condition, *drug));
    let is_now = |condition: &EntityId| is_bare && is_acute(knowledge, *condition);
    let treated: Vec<EntityId> = known.filter(|condition| is_treated(condition) || is_now(condition)).collect();
    let is_there = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let findings = case.findings.iter().filter(|finding| is_there(finding.status)).filter_map(|finding| find(&finding.entity));
    let results = case.results.iter().filter_map(|result| find(&result.finding));
    let told: Vec<EntityId> = findings.chain(results).collect();
    let is_calm = |finding: EntityId| {
        let is_alone = knowledge.graph.attributes(finding).get(keys::ALONE) == Some("routine");
        is_alone || !matches!(urgency_of(knowledge, finding), Some("emergency" | "urgent"))
    };
    let belongs = |finding: EntityId| {
        is_calm(finding) && treated.iter().any(|condition| brings(knowledge, *condition, finding))
            || belongs_to(knowledge, case, &treated, finding)
    };
    // How ill an acute illness makes is told by critical values that it usually brings.
    let acute: Vec<EntityId> = treated.iter().copied().filter(|condition| is_acute(knowledge, *condition)).collect();
    let is_known_danger = |result: &CaseResult| find(&result.finding).is_some_and(|finding| belongs_to(knowledge, case, &acute, finding));
    // Tired on thyroxine with a normal TSH: something else makes him so.
    let against = case.results.iter().flat_map(|result| &result.against).filter_map(|name| named(&knowledge.graph, name, ""));
    let is_well_treated = against.into_iter().any(|finding| {
        let nearly_always = |condition: &EntityId| by_frequency(knowledge, *condition, finding, Role::Symptom, &ALWAYS, 0.0) > 0.5;
        treated.iter().any(nearly_always)
    });
    let is_unread = case.not_understood.iter().any(|word| word.passage);
    !treated.is_empty()
        && !is_unread
        && !is_well_treated
        && case.results.iter().all(|result| !result.critical || is_known_danger(result))
        && told.iter().all(|finding| treated.contains(finding) || belongs(*finding))
}

/// Whether a condition usually brings a finding.
fn brings(knowledge: &Knowledge, condition: EntityId, finding: EntityId) -> bool {
    let facts = knowledge.facts();
    let is_symptom = facts.states(condition, finding, |role| role == Role::Symptom);
    let is_seldom = is_symptom && by_frequency(knowledge, condition, finding, Role::Symptom, &USUAL, 1.0) < 0.5;
    !is_seldom && explains(knowledge, condition, finding)
}
