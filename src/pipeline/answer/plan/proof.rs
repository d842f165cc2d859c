//! Proofs: the chain of one triple that states a fact.

use crate::graph::{Chain, EntityId, EvolvingGraph, Role, classes_of};
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

/// The drug itself, or the nearest of its classes, of which the graph `tells` something, unless the class excepts the drug (`except`: the attribute
/// that lists the members for which it does not hold).
pub(super) fn nearest_told(graph: &EvolvingGraph, drug: EntityId, except: &str, tells: impl Fn(EntityId) -> bool) -> Option<EntityId> {
    let name = graph.entity_name(drug);
    let is_excepted = |of: EntityId| graph.attributes(of).list(except).any(|member| member == name);
    std::iter::once(drug).chain(classes_of(graph, drug)).find(|of| tells(*of) && !is_excepted(*of))
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
