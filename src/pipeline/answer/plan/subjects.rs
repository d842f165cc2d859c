//! What each ask is about: the entities that it names, else the conditions of the case, else the leading one.

use super::{PlanInput, conditions as differential, instability};
use crate::graph::{EntityId, Kind, Role, classes_of, qualifier_keys as keys};
use crate::pipeline::differential::evidence::{Standing, explains, urgency_of};
use crate::run::{AskKind, CaseAsk, CaseCondition, ConditionStatus, UrgencyLevel};

/// A condition leads beside the first one if its score is at least this share of the first one's.
const BESIDE: f64 = 0.92;

/// The entities that an ask is about, first the one meant most; empty if there is none.
pub(super) fn of_ask(input: &PlanInput<'_>, ask: Option<&CaseAsk>) -> Vec<EntityId> {
    let asked: Vec<EntityId> = ask.iter().flat_map(|ask| &ask.of).filter_map(|name| input.entity(name)).collect();
    // "Tests for a swollen, painful calf" asks what the findings are a sign of.
    let findings = input.findings();
    let is_beside = |entity: &EntityId| findings.contains(entity) || input.evidence.standing(*entity) == Standing::Context;
    let is_one_of_several = |entity: &EntityId| findings.len() > 1 && is_beside(entity) && input.evidence.seeks_diagnosis;
    let is_subject = |entity: &EntityId| !matches!(input.knowledge.graph.kind(*entity), Kind::Test) && !is_one_of_several(entity);
    let asked: Vec<EntityId> = asked.into_iter().filter(is_subject).collect();
    if !asked.is_empty() {
        return asked;
    }
    conditions(input)
}

/// The conditions that the case is about; first what a shock comes of, where that is treated at once.
pub(super) fn conditions(input: &PlanInput<'_>) -> Vec<EntityId> {
    let mut all = of_case(input);
    if let Some(condition) = instability::treated_at_once(input) {
        all.retain(|other| *other != condition);
        all.insert(0, condition);
    }
    all
}

/// Those that it suspects or names as its subject, else the leading ones of the assessment.
fn of_case(input: &PlanInput<'_>) -> Vec<EntityId> {
    let facts = input.knowledge.facts();
    // A bite is no condition, and is treated.
    let is_treated = |entity: &EntityId| {
        matches!(input.knowledge.graph.kind(*entity), Kind::RiskFactor)
            && [Role::FirstLine, Role::Treatment].iter().any(|role| facts.players_of_role(*entity, *role).next().is_some())
    };
    let is_subject = |entity: &EntityId| {
        input.evidence.standing(*entity) == Standing::Subject
            && (input.knowledge.is_condition(*entity) || is_treated(entity))
            && !input.evidence.excluded.contains(entity)
    };
    let mut named: Vec<EntityId> = input.of_question.iter().copied().filter(is_subject).collect();
    // Of several, the one that fits the case best comes first.
    let rank = |entity: &EntityId| input.assessment.conditions.iter().position(|(known, _)| known == entity).unwrap_or(usize::MAX);
    // What the patient has besides an emergency comes behind it, and under an alarm is beside the point: diabetes, in a septic shock.
    let is_emergency = |entity: &EntityId| is_emergency_to_treat(input, *entity);
    // Where nothing is told that they could fit, what is acute comes before what the patient has long had, and the question's own order decides.
    let place = |entity: &EntityId| {
        let name = input.knowledge.graph.entity_name(*entity);
        let of_case = input.case.conditions.iter().filter(|condition| condition.entity.as_deref() == Some(name));
        of_case.map(|condition| condition.start).min().unwrap_or(usize::MAX)
    };
    if input.findings().is_empty() {
        // What was ruled out for the patient, or is merely feared, comes behind what he is said to have: Bell's palsy, before the stroke that it is not.
        let is_said = |entity: &EntityId| {
            let name = input.knowledge.graph.entity_name(*entity);
            let is_it = |told: &CaseCondition| told.status == ConditionStatus::Known && told.entity.as_deref() == Some(name);
            input.case.conditions.iter().any(is_it)
        };
        named.sort_by_key(|entity| (!is_emergency(entity), !is_said(entity), is_long_term(input, *entity), place(entity)));
    } else {
        let beside = beside_acute(input, &named);
        named.sort_by_key(|entity| (!is_emergency(entity), beside.iter().any(|(of, _)| of == entity), rank(entity)));
        // What nothing is told of is no matter for treatment here: the atrial fibrillation and the pressure of somebody with an attack of gout.
        named.retain(|entity| !beside.contains(&(*entity, false)));
    }
    if input.urgency.level == Some(UrgencyLevel::Emergency) && named.iter().any(is_emergency) {
        named.retain(is_emergency);
    }
    // What the patient is, as somebody whose kidneys work badly, is not cared for where something else is named that does not come of it: gout.
    let graph = &input.knowledge.graph;
    let states = &input.evidence.states;
    let is_state = |entity: EntityId| states.contains(&entity) || classes_of(graph, entity).iter().any(|class| states.contains(class));
    let others: Vec<EntityId> = named.iter().copied().filter(|entity| !is_state(*entity)).collect();
    let brings = |state: EntityId| others.iter().any(|other| explains(input.knowledge, state, *other));
    if !others.is_empty() {
        named.retain(|entity| !is_state(*entity) || brings(*entity));
    }
    if named.is_empty() {
        return leading(input);
    }
    if !input.evidence.seeks_diagnosis || input.findings().is_empty() {
        return named;
    }
    // Where findings are told, tests and treatments are those of what the patient has, and of what explains the findings. What is merely
    // feared counts if it explains them as well.
    let is_known = |entity: &EntityId| {
        let name = input.knowledge.graph.entity_name(*entity);
        let mut of_case = input.case.conditions.iter().filter(|condition| condition.entity.as_deref() == Some(name));
        of_case.any(|condition| condition.status == ConditionStatus::Known) && !input.evidence.only_explain.contains(entity)
    };
    let leading = leading(input);
    let (differential, _) = differential::differential(input);
    let explained =
        |entity: &EntityId| differential.iter().find(|account| account.condition == *entity).map_or(0, |account| account.explains.len());
    let most = leading.iter().map(explained).max().unwrap_or(0).max(1);
    // Beside an emergency or a clear picture, the care of what the patient has long had is beside the point.
    let is_pressing = !leading.is_empty() && (input.urgency.level == Some(UrgencyLevel::Emergency) || input.evidence.is_clear);
    let mut of_case: Vec<EntityId> = leading;
    of_case.extend(named.iter().copied().filter(|entity| is_known(entity) && !is_pressing));
    // What somebody thinks of is cared for beside what leads only if it fits as well, or is dangerous.
    let top = input.assessment.conditions.first().map_or(0.0, |(_, score)| *score);
    let fits = |entity: &EntityId| {
        let score = input.assessment.conditions.iter().find(|(known, _)| known == entity).map_or(0.0, |(_, score)| *score);
        score >= BESIDE * top || urgency_of(input.knowledge, *entity) == Some("emergency")
    };
    of_case.extend(named.iter().copied().filter(|entity| explained(entity) >= most && fits(entity)));
    let mut seen = std::collections::BTreeSet::new();
    of_case.retain(|entity| seen.insert(*entity));
    if of_case.is_empty() { named } else { of_case }
}

/// Of these conditions, those that the patient has long had beside an acute one, and that explain no complaint which the acute one leaves open; each with
/// whether a value speaks for it, as a pressure that was measured.
pub(super) fn beside_acute(input: &PlanInput<'_>, named: &[EntityId]) -> Vec<(EntityId, bool)> {
    let graph = &input.knowledge.graph;
    let told: Vec<EntityId> = input.findings().into_iter().filter(|finding| !input.evidence.states.contains(finding)).collect();
    let is_known = |entity: &EntityId| {
        let name = graph.entity_name(*entity);
        input.case.conditions.iter().any(|of| of.status == ConditionStatus::Known && of.entity.as_deref() == Some(name))
    };
    let is_acute = |entity: &EntityId| graph.attributes(*entity).get(keys::ONSET) == Some("acute") && is_known(entity);
    let acute: Vec<EntityId> = named.iter().copied().filter(is_acute).collect();
    if acute.is_empty() {
        return Vec::new();
    }
    let open = |finding: &&EntityId| !acute.iter().any(|of| differential::is_explained(input, *of, **finding));
    let is_value = |finding: &EntityId| {
        let name = Some(graph.entity_name(*finding));
        input.case.results.iter().any(|result| result.finding.as_deref() == name)
    };
    let speaks = |entity: EntityId, of_value: bool| {
        told.iter().filter(open).any(|finding| is_value(finding) == of_value && differential::is_explained(input, entity, *finding))
    };
    let beside = named.iter().copied().filter(|entity| is_known(entity) && is_long_term(input, *entity) && !speaks(*entity, false));
    beside.map(|entity| (entity, speaks(entity, true))).collect()
}

/// Whether a patient lives with a condition for months or years, so that what is acute is treated before it: diabetes, beside a thrombosis.
pub(super) fn is_long_term(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let attributes = input.knowledge.graph.attributes(condition);
    let is_lasting = attributes.get(keys::ONSET) == Some("chronic") || attributes.get(keys::LASTING) == Some("long_term");
    is_lasting && urgency_of(input.knowledge, condition) != Some("emergency")
}

/// Whether a condition is an emergency that the patient is known to have, where the question asks what to give.
pub(super) fn is_emergency_to_treat(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let name = input.knowledge.graph.entity_name(condition);
    let is_it = |known: &CaseCondition| known.status == ConditionStatus::Known && known.entity.as_deref() == Some(name);
    input.asks(AskKind::Treatment) && urgency_of(input.knowledge, condition) == Some("emergency") && input.case.conditions.iter().any(is_it)
}

/// The leading condition, and the one after it where both fit about equally.
pub(super) fn leading(input: &PlanInput<'_>) -> Vec<EntityId> {
    let ranking = differential::leading(input);
    let top = ranking.first().map_or(0.0, |(_, score)| *score);
    let beside = ranking.iter().take(2).filter(|(_, score)| *score >= BESIDE * top);
    // What nothing in the case speaks for is a guess from words that merely resemble names: nobody is treated for it.
    let has_reason = |condition: &EntityId| {
        let findings = input.findings();
        let is_clear = input.evidence.is_clear && input.evidence.recognised == Some(*condition);
        is_clear || findings.iter().any(|finding| differential::is_explained(input, *condition, *finding)) || findings.contains(condition)
    };
    let mut leading: Vec<EntityId> = beside.map(|(condition, _)| *condition).filter(has_reason).collect();
    // What explains less than the first does not lead beside it.
    let explained = |condition: EntityId| {
        let findings = input.findings();
        findings.iter().filter(|finding| differential::is_explained(input, condition, **finding)).count()
    };
    if let Some(first) = leading.first().copied() {
        let most = explained(first);
        // Nor does a class beside one of its kinds, or a kind beside its class: what treats the one may not treat the other.
        let facts = input.knowledge.facts();
        let is_related = |a: EntityId, b: EntityId| facts.states(a, b, |role| role == Role::Broader);
        leading.retain(|condition| {
            *condition == first || (explained(*condition) >= most && !is_related(*condition, first) && !is_related(first, *condition))
        });
    }
    leading
}
