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

/// The chain that shows what a drug is, where what is said of it stands in the entry of the drug or of its class `stated`: its class, or what it is
/// given for.
pub(super) fn proof_of_kind(knowledge: &Knowledge, drug: EntityId, stated: EntityId) -> Option<Chain> {
    let facts = knowledge.facts();
    let class = std::iter::once(stated).filter(|stated| *stated != drug).chain(facts.players_of_role(drug, Role::Broader));
    let by_class = class.into_iter().find_map(|class| proof_of(knowledge, drug, class, |role| role == Role::Broader).into_iter().next());
    let mut given_for = [Role::FirstLine, Role::Treatment].into_iter().flat_map(|role| facts.owners_of_role(drug, role));
    by_class.or_else(|| given_for.find_map(|condition| proof_of(knowledge, condition, drug, Role::is_treatment).into_iter().next()))
}
