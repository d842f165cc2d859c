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
    let mut effects = effects_between(knowledge, case, DrugStatus::is_in_use);
    effects.retain(|entity| knowledge.is_condition(*entity));
    effects
}

/// Whether a stored interaction between two drugs of the case, in use or considered, names one of these findings as its effect: bisoprolol with
/// diltiazem, a slow pulse.
pub(super) fn do_what_is_found(knowledge: &Knowledge, case: &Case, findings: &[EntityId]) -> bool {
    let is_in_play = |status| !matches!(status, DrugStatus::Stopped | DrugStatus::Allergic);
    !findings.is_empty() && effects_between(knowledge, case, is_in_play).iter().any(|effect| findings.contains(effect))
}

/// What the stored interactions between two drugs of such a status do, as the graph names it.
fn effects_between(knowledge: &Knowledge, case: &Case, is_meant: impl Fn(DrugStatus) -> bool) -> BTreeSet<EntityId> {
    let graph = &knowledge.graph;
    let drugs = case.drugs.iter().filter(|drug| is_meant(drug.status));
    let drugs: Vec<EntityId> = drugs.filter_map(|drug| named(graph, drug.entity.as_deref()?, "")).take(MOST).collect();
    let mut effects = BTreeSet::new();
    for (at, first) in drugs.iter().enumerate() {
        for second in drugs.iter().skip(at + 1) {
            let stated = statements_between(graph, *first, *second, |role| role == Role::Interaction);
            stated
                .iter()
                .filter_map(|stated| stated.qualifiers.get(keys::EFFECT))
                .for_each(|effect| effects.extend(named_in(knowledge, effect)));
        }
    }
    effects
}

/// The entities that a text names.
fn named_in(knowledge: &Knowledge, text: &str) -> Vec<EntityId> {
    let tokens = tokenise(text);
    let names = knowledge.graph.names();
    let hits = (0..tokens.len()).filter_map(|at| names.longest_at(&tokens, at));
    hits.flat_map(|hit| hit.entities).map(|(entity, _)| entity).collect()
}
