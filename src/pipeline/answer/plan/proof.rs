//! Proofs: the chain of one triple that states a fact.

use crate::graph::{Chain, EntityId, Role};
use crate::language::knowledge::Knowledge;

/// The chains of one relation by which `player` plays one of these roles for `owner`; empty if the graph does not state it.
pub(crate) fn proof_of(knowledge: &Knowledge, owner: EntityId, player: EntityId, is_meant: impl Fn(Role) -> bool) -> Vec<Chain> {
    let graph = &knowledge.graph;
    let stated = knowledge.facts().triples(owner, player).into_iter().filter(|(role, _)| is_meant(*role));
    stated
        .map(|(_, triple)| {
            let mut chain = Chain::start(triple.head.0);
            chain.push(triple.relation.0, true, triple.tail.0);
            graph.marked(chain)
        })
        .collect()
}
