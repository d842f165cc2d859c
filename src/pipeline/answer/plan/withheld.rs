//! What must not be given in the condition that leads, where the question asks what not to do and names nothing for it.

use super::proof::proof_of;
use super::together::{StatedItem, StatedTogether};
use super::{PlanInput, PlannedLine, subjects, summary};
use crate::graph::{EntityId, Kind, Role, qualifier_keys as keys};
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseAsk};

/// The most that are named.
const MOST: usize = 5;

/// The lines for what is contraindicated in the leading condition: what is so whatever else holds first, classes before their members.
pub(super) fn lines(input: &PlanInput<'_>, ask: &CaseAsk) -> Vec<PlannedLine> {
    // "Smoker, tearing chest pain. What not to do?" does not ask about smokers.
    let is_state = |name: &String| input.entity(name).is_some_and(|entity| input.evidence.states.contains(&entity));
    let is_open = ask.kind == AskKind::Contraindications && ask.of.iter().all(is_state) && input.case.drugs.is_empty();
    if !is_open || !input.evidence.seeks_diagnosis || !summary::is_led(input) {
        return Vec::new();
    }
    let Some(condition) = subjects::leading(input).first().copied() else { return Vec::new() };
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let is_contraindication = |role: Role| role == Role::Contraindication;
    let is_absolute = |entity: EntityId| {
        let stated = facts.triples(entity, condition).into_iter().filter(|(role, _)| is_contraindication(*role));
        let mut severities =
            stated.filter_map(|(_, t)| graph.qualifiers(t.head, t.relation, t.tail).get(keys::SEVERITY).map(str::to_owned));
        severities.any(|severity| severity == "absolute")
    };
    let mut entities: Vec<EntityId> = facts.owners_of_role(condition, Role::Contraindication).collect();
    entities.sort_by_key(|entity| (!is_absolute(*entity), !matches!(graph.kind(*entity), Kind::DrugClass), *entity));
    entities.dedup();
    let line = |entity: EntityId| {
        let proofs: Vec<_> = proof_of(input.knowledge, entity, condition, is_contraindication).into_iter().take(1).collect();
        let proof = *proofs.first()?;
        let said = input.wording.role_line(Role::Contraindication, &[input.wording.name(graph, condition)]);
        let shown = input.shown(entity);
        let text = format!("{shown}{}{said}", input.wording.colon());
        let items = vec![StatedItem { entity, shown, proof }];
        Some(PlannedLine {
            entity: Some(entity),
            role: Some(Role::Contraindication),
            subject: Some(condition),
            proofs,
            together: Some(StatedTogether { items, said: [said.clone(), said], wording: input.wording }),
            ..PlannedLine::saying(AnswerPart::Cautions, text)
        })
    };
    entities.into_iter().filter_map(line).take(MOST).collect()
}
