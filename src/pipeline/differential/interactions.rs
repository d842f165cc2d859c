//! What the drugs of a case may do to each other: the conditions that stored interactions between them name as their effect.

use std::collections::BTreeSet;

use crate::graph::{EntityId, Role, qualifier_keys as keys, statements_between};
use crate::language::knowledge::{Knowledge, named};
use crate::run::{Case, DrugStatus};
use crate::text::tokenise;

/// The most drugs in use that are compared.
const MOST: usize = 20;

/// Conditions that an interaction between two drugs in use leads to: digoxin with amiodarone, digoxin toxicity.
pub(super) fn effects(knowledge: &Knowledge, case: &Case) -> BTreeSet<EntityId> {
    let graph = &knowledge.graph;
    let in_use = case.drugs.iter().filter(|drug| matches!(drug.status, DrugStatus::Taken | DrugStatus::New));
    let in_use: Vec<EntityId> = in_use.filter_map(|drug| named(graph, drug.entity.as_deref()?, "")).take(MOST).collect();
    let mut effects = BTreeSet::new();
    for (at, first) in in_use.iter().enumerate() {
        for second in in_use.iter().skip(at + 1) {
            for stated in statements_between(graph, *first, *second, |role| role == Role::Interaction) {
                if let Some(effect) = stated.qualifiers.get(keys::EFFECT) {
                    effects.extend(conditions_in(knowledge, effect));
                }
            }
        }
    }
    effects
}

/// The conditions that a text names.
fn conditions_in(knowledge: &Knowledge, text: &str) -> Vec<EntityId> {
    let tokens = tokenise(text);
    let names = knowledge.graph.names();
    let hits = (0..tokens.len()).filter_map(|at| names.longest_at(&tokens, at));
    hits.flat_map(|hit| hit.entities).map(|(entity, _)| entity).filter(|entity| knowledge.is_condition(*entity)).collect()
}
