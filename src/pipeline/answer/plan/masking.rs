//! In an emergency, what somebody wants to take for a harmless cause of the same complaint: a third triptan for a headache that may be a bleed.

use std::collections::BTreeSet;

use super::proof::proof_of;
use super::{PlanInput, PlannedLine, subjects};
use crate::graph::{EntityId, Kind, Role, classes_of, qualifier_keys as keys};
use crate::pipeline::differential::evidence::{explains, urgency_of};
use crate::pipeline::differential::prevalence::Prevalence;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, ConditionStatus, DrugStatus, UrgencyLevel};

/// The lines that such drugs are not to be taken before the patient has been seen. None for what the emergency itself is treated with, and none for
/// what is taken for something else.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let asks = |kind: &AskKind| input.asks(*kind);
    if input.urgency.level != Some(UrgencyLevel::Emergency) || ![AskKind::Safety, AskKind::Dose].iter().any(asks) {
        return Vec::new();
    }
    let is_danger = |condition: &EntityId| urgency_of(input.knowledge, *condition) == Some("emergency");
    let dangers: BTreeSet<EntityId> = input.emergency.into_iter().chain(subjects::leading(input)).filter(is_danger).collect();
    let masks = |drug: EntityId| {
        let of_drug: Vec<EntityId> = std::iter::once(drug).chain(classes_of(&input.knowledge.graph, drug)).collect();
        let is_for = |condition: EntityId, drug: EntityId| input.knowledge.facts().states(condition, drug, Role::is_treatment);
        if dangers.iter().any(|danger| of_drug.iter().any(|drug| is_for(*danger, *drug))) {
            return None;
        }
        let mut alike = of_drug.iter().flat_map(|drug| treated_alike(input, *drug).into_iter().map(|condition| (condition, *drug)));
        let (condition, by) = alike.find(|(condition, _)| !dangers.contains(condition))?;
        let proof = proof_of(input.knowledge, condition, by, Role::is_treatment).into_iter().next()?;
        let text = input.wording.plan.not_before_seen.replace("{drug}", &input.shown(drug)).replace("{condition}", &input.shown(condition));
        Some(PlannedLine { entity: Some(drug), proofs: vec![proof], ..PlannedLine::saying(AnswerPart::Safety, text) })
    };
    asked_drugs(input).into_iter().filter_map(masks).collect()
}

/// The drugs of which it is asked whether they may be taken.
fn asked_drugs(input: &PlanInput<'_>) -> Vec<EntityId> {
    let asks = input.case.asks.iter().filter(|ask| matches!(ask.kind, AskKind::Safety | AskKind::Dose));
    let asked = asks.flat_map(|ask| &ask.of).filter_map(|name| input.entity(name));
    let considered = input.case.drugs.iter().filter(|drug| drug.status == DrugStatus::Proposed);
    let considered = considered.filter_map(|drug| input.entity(drug.entity.as_deref()?));
    let mut seen = BTreeSet::new();
    let is_drug = |entity: &EntityId| matches!(input.knowledge.graph.kind(*entity), Kind::Drug | Kind::DrugClass);
    asked.chain(considered).filter(|entity| is_drug(entity) && seen.insert(*entity)).collect()
}

/// What a drug treats that is no emergency and explains the complaint: a condition that the patient has had, or one that shares a finding, first.
fn treated_alike(input: &PlanInput<'_>, drug: EntityId) -> Vec<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let findings: Vec<EntityId> = input
        .findings()
        .into_iter()
        .flat_map(|finding| std::iter::once(finding).chain(facts.players_of_role(finding, Role::Broader)))
        .collect();
    let is_known = |entity: EntityId| {
        let name = Some(graph.entity_name(entity));
        let has = |status| matches!(status, ConditionStatus::Known | ConditionStatus::Past | ConditionStatus::Suspected);
        input.case.conditions.iter().any(|condition| has(condition.status) && condition.entity.as_deref() == name)
    };
    let shares = |entity: EntityId| findings.iter().any(|finding| explains(input.knowledge, entity, *finding));
    // What is nothing but a value, as a high blood pressure, is treated whatever else there is.
    let is_value = |entity: EntityId| graph.attributes(entity).get(keys::RULED_OUT_BY) == Some("normal");
    let is_harmless =
        |entity: &EntityId| !matches!(urgency_of(input.knowledge, *entity), Some("emergency" | "urgent")) && !is_value(*entity);
    let roles = [Role::FirstLine, Role::Treatment];
    let treated: BTreeSet<EntityId> = roles.into_iter().flat_map(|role| facts.owners_of_role(drug, role)).filter(is_harmless).collect();
    let is_first_line = |entity: EntityId| facts.states(entity, drug, |role| role == Role::FirstLine);
    // Nobody takes something for the moment against a rare illness: warfarin for a thrombophilia is not put off.
    let is_common = |entity: EntityId| Prevalence::of(graph, entity) == Some(Prevalence::VeryCommon);
    let mut alike: Vec<EntityId> = treated.into_iter().filter(|entity| shares(*entity) && is_common(*entity)).collect();
    alike.sort_by_key(|entity| (!is_known(*entity), !is_first_line(*entity), *entity));
    alike
}
