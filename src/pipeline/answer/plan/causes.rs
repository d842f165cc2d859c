//! What causes something: conditions that it is a finding or consequence of, stated causes, and drugs that may cause it.

use super::proof::proof_of;
use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, Role};
use crate::run::event::AnswerPart;

/// The lines of causes of an entity, at most `most`; what fits the case best comes first, drugs of the case before all.
pub(super) fn lines(input: &PlanInput<'_>, of: EntityId, most: usize) -> Vec<PlannedLine> {
    let facts = input.knowledge.facts();
    let mut causes: Vec<EntityId> = facts.players_of_role(of, Role::Cause).collect();
    for role in [Role::Symptom, Role::RedFlag, Role::Complication] {
        causes.extend(facts.owners_of_role(of, role).filter(|owner| input.knowledge.is_condition(*owner)));
    }
    let drugs: Vec<EntityId> = facts.owners_of_role(of, Role::AdverseEffect).collect();
    causes.extend(drugs.iter().copied());
    let rank = |entity: &EntityId| input.assessment.conditions.iter().position(|(known, _)| known == entity).unwrap_or(usize::MAX);
    let in_case = |entity: &EntityId| input.of_question.contains(entity);
    // A drug that the patient does not take is the least likely answer; there may be dozens.
    causes.sort_by_key(|entity| (!in_case(entity), drugs.contains(entity), rank(entity), *entity));
    causes.dedup();
    let mut seen = std::collections::BTreeSet::new();
    causes.retain(|entity| *entity != of && seen.insert(*entity));
    let name = [input.wording.name(&input.knowledge.graph, of)];
    causes
        .into_iter()
        .take(most)
        .filter_map(|cause| {
            let mut proofs = proof_of(input.knowledge, of, cause, |role| role == Role::Cause);
            let is_consequence = |role| matches!(role, Role::Symptom | Role::RedFlag | Role::Complication | Role::AdverseEffect);
            proofs.extend(proof_of(input.knowledge, cause, of, is_consequence));
            proofs.truncate(1);
            let said = input.wording.fill(&input.wording.plan.causes, &name);
            (!proofs.is_empty()).then(|| PlannedLine {
                part: AnswerPart::Conditions,
                entity: Some(cause),
                other: None,
                role: Some(Role::Cause),
                subject: None,
                text: format!("{}{}{said}", input.shown(cause), input.wording.colon()),
                proofs,
            })
        })
        .collect()
}
