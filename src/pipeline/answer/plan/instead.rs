//! What may be given instead: where the case rules out a drug that somebody considers, the drugs for what it would have treated.

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, details};
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::run::event::AnswerPart;
use crate::run::{AskKind, ConditionStatus, DrugStatus};

/// The most drugs that are named instead.
const INSTEAD: usize = 3;

/// The drugs for what the case's ruled-out drugs would have treated; none where treatments are listed already, or where
/// nobody asks whether a drug is safe.
pub(super) fn lines(input: &PlanInput<'_>, details: &[PlannedLine]) -> Vec<PlannedLine> {
    let is_about_safety = [AskKind::Safety, AskKind::Interactions, AskKind::Contraindications].into_iter().any(|kind| input.asks(kind));
    if !is_about_safety || input.evidence.seeks_diagnosis || details.iter().any(|line| line.part == AnswerPart::Treatments) {
        return Vec::new();
    }
    let subjects = treated_by_ruled_out(input);
    let graph = &input.knowledge.graph;
    let of_case: BTreeSet<EntityId> = input.case.drugs.iter().filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect();
    let wider: BTreeSet<EntityId> = of_case.iter().flat_map(|drug| classes_of(graph, *drug)).collect();
    let is_drug = |treatment: EntityId| matches!(graph.kind(treatment), Kind::Drug | Kind::DrugClass);
    let is_out = |treatment: EntityId| {
        !is_drug(treatment) || of_case.contains(&treatment) || wider.contains(&treatment) || input.is_forbidden(treatment)
    };
    let roles = [Role::FirstLine, Role::Treatment];
    details::by_role(input, &subjects, AnswerPart::Treatments, &roles, &input.assessment.treatments, INSTEAD, &is_out)
}

/// The conditions and findings of the case that a considered or new drug treats, itself or as one of its class, which the case rules out.
pub(super) fn treated_by_ruled_out(input: &PlanInput<'_>) -> Vec<EntityId> {
    let is_considered = |status| matches!(status, DrugStatus::Proposed | DrugStatus::New);
    let considered = input.case.drugs.iter().filter(|drug| is_considered(drug.status));
    let ruled_out = considered.filter_map(|drug| input.entity(drug.entity.as_deref()?)).filter(|drug| input.is_forbidden(*drug));
    let treating: BTreeSet<EntityId> =
        ruled_out.flat_map(|drug| std::iter::once(drug).chain(classes_of(&input.knowledge.graph, drug))).collect();
    if treating.is_empty() {
        return Vec::new();
    }
    let has = |status| matches!(status, ConditionStatus::Known | ConditionStatus::Suspected);
    let conditions = input.case.conditions.iter().filter(|condition| has(condition.status));
    let conditions = conditions.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let facts = input.knowledge.facts();
    let is_treated = |entity: &EntityId| {
        treating.iter().any(|drug| facts.states(*entity, *drug, |role| matches!(role, Role::FirstLine | Role::Treatment)))
    };
    let mut seen = BTreeSet::new();
    conditions.chain(input.findings()).filter(|entity| is_treated(entity) && seen.insert(*entity)).collect()
}
