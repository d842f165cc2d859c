//! What may be given instead: where the case rules out a drug that somebody considers, the drugs for what it would have treated.

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, by_role};
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::run::event::AnswerPart;
use crate::run::{AskKind, ConditionStatus, DrugStatus};

/// The most drugs that are named instead.
const INSTEAD: usize = 3;
/// A class with so many classes among its members is a group by purpose: its members have little in common.
const WIDE: usize = 4;

/// The drugs for what the case's ruled-out drugs would have treated; none where treatments are listed already, or where
/// nobody asks whether a drug is safe.
pub(super) fn lines(input: &PlanInput<'_>, details: &[PlannedLine]) -> Vec<PlannedLine> {
    let is_about_safety = [AskKind::Safety, AskKind::Interactions, AskKind::Contraindications].into_iter().any(|kind| input.asks(kind));
    let is_listed = |line: &PlannedLine| matches!(line.part, AnswerPart::Treatments | AnswerPart::Conditions);
    // In pregnancy the warning itself names what to change to; of a drug without a warning the graph may simply know too little.
    let is_pregnant = input.case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
    if !is_about_safety || is_pregnant || details.iter().any(is_listed) {
        return Vec::new();
    }
    let subjects = treated_by_ruled_out(input);
    let graph = &input.knowledge.graph;
    let of_case: BTreeSet<EntityId> = input.case.drugs.iter().filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect();
    // Another of its class may harm as well, and a second of a class in use is no alternative. Wide groups such as antibiotics say nothing.
    let narrow =
        |drug: EntityId| -> Vec<EntityId> { classes_of(graph, drug).into_iter().filter(|class| is_narrow(input, *class)).collect() };
    let classes: BTreeSet<EntityId> = of_case.iter().flat_map(|drug| narrow(*drug)).chain(of_case.iter().copied()).collect();
    let is_alike = |treatment: EntityId| classes.contains(&treatment) || narrow(treatment).iter().any(|class| classes.contains(class));
    let wider: BTreeSet<EntityId> = of_case.iter().flat_map(|drug| classes_of(graph, *drug)).collect();
    // Oxygen is given beside an antibiotic, not instead of one: where a group has both the drug that is ruled out and others, only these count.
    let groups: BTreeSet<EntityId> =
        ruled_out(input).flat_map(|drug| classes_of(graph, drug)).filter(|class| !is_narrow(input, *class)).collect();
    let is_kin = |treatment: EntityId| classes_of(graph, treatment).iter().any(|class| groups.contains(class));
    let facts = input.knowledge.facts();
    let roles = [Role::FirstLine, Role::Treatment];
    let has_kin = subjects.iter().any(|subject| {
        let mut treating = roles.iter().flat_map(|role| facts.players_of_role(*subject, *role));
        treating.any(|treatment| is_kin(treatment) && !is_alike(treatment))
    });
    let is_drug = |treatment: EntityId| matches!(graph.kind(treatment), Kind::Drug | Kind::DrugClass);
    let is_no_choice = |treatment: EntityId| {
        !is_drug(treatment)
            || wider.contains(&treatment)
            || is_alike(treatment)
            || input.is_forbidden(treatment)
            || (has_kin && !is_kin(treatment))
    };
    let caution = |treatment: EntityId| input.safety.caution.and_then(|caution| caution(treatment)).filter(|caution| !caution.is_of_kinds);
    let lines = |roles: &[Role], is_out: &dyn Fn(EntityId) -> bool| {
        by_role::by_role(input, &subjects, AnswerPart::Treatments, roles, &input.assessment.treatments, INSTEAD, is_out)
    };
    // What needs a caution comes only where nothing else is left, if it is a first choice, and nothing that needs a serious one.
    let without_caution = lines(&roles, &|treatment| is_no_choice(treatment) || caution(treatment).is_some());
    let is_serious = |treatment: EntityId| caution(treatment).is_some_and(|caution| caution.is_serious || caution.is_relative);
    if without_caution.is_empty() {
        return lines(&[Role::FirstLine], &|treatment| is_no_choice(treatment) || is_serious(treatment));
    }
    without_caution
}

/// Whether the members of a class have much in common: it is no group by purpose.
pub(super) fn is_narrow(input: &PlanInput<'_>, class: EntityId) -> bool {
    let kinds = input.knowledge.facts().owners_of_role(class, Role::Broader);
    kinds.filter(|kind| matches!(input.knowledge.graph.kind(*kind), Kind::DrugClass)).take(WIDE).count() < WIDE
}

/// The considered or new drugs that the case rules out.
fn ruled_out<'a>(input: &'a PlanInput<'_>) -> impl Iterator<Item = EntityId> + 'a {
    let is_considered = |status| matches!(status, DrugStatus::Proposed | DrugStatus::New);
    let considered = input.case.drugs.iter().filter(move |drug| is_considered(drug.status));
    considered.filter_map(|drug| input.entity(drug.entity.as_deref()?)).filter(|drug| input.is_forbidden(*drug))
}

/// The conditions and findings of the case that a considered or new drug treats, itself or as one of its class, which the case rules out.
pub(super) fn treated_by_ruled_out(input: &PlanInput<'_>) -> Vec<EntityId> {
    let treating: BTreeSet<EntityId> =
        ruled_out(input).flat_map(|drug| std::iter::once(drug).chain(classes_of(&input.knowledge.graph, drug))).collect();
    if treating.is_empty() {
        return Vec::new();
    }
    let has = ConditionStatus::is_now;
    let conditions = input.case.conditions.iter().filter(|condition| has(condition.status));
    let conditions = conditions.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let facts = input.knowledge.facts();
    let is_treated = |entity: &EntityId| {
        treating.iter().any(|drug| facts.states(*entity, *drug, |role| matches!(role, Role::FirstLine | Role::Treatment)))
    };
    let mut seen = BTreeSet::new();
    conditions.chain(input.findings()).filter(|entity| is_treated(entity) && seen.insert(*entity)).collect()
}
