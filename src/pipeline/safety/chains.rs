//! The stored triples that prove a statement, as a chain: drug → is a → class → interacts with → class ← is a ← drug.

use std::collections::{BTreeMap, VecDeque};

use crate::graph::{Chain, ChainKind, Direction, EntityId, EvolvingGraph, GraphView, Inherited, MAX_HOPS, Player, Role, Triple};

/// The most steps of `is_a` that are followed.
const DEEPEST: usize = 8;
/// The most classes that are looked at.
const MOST_CLASSES: usize = 128;

/// The chain of an inherited statement, from the first or the second of the entities that it was asked about. If it is longer than a chain can be,
/// its ends are the classes next to them.
pub(crate) fn chain_of(graph: &EvolvingGraph, found: &Inherited, from_first: bool) -> Chain {
    let (first, second) = if found.first_is_head { (&found.via_head, &found.via_tail) } else { (&found.via_tail, &found.via_head) };
    let (mut first, mut second) = (first.as_slice(), second.as_slice());
    while first.len() + 1 + second.len() > MAX_HOPS {
        if first.len() >= second.len() { first = rest(first) } else { second = rest(second) }
    }
    let start = if found.first_is_head { found.head } else { found.tail };
    let mut steps: Vec<Triple> = first.to_vec();
    steps.push(found.triple());
    steps.extend(second.iter().rev());
    // The chain begins where the first step away from the stated class begins: walk back from it.
    let begin = first.iter().rev().fold(start, |at, triple| far_end(*triple, at));
    let chain = walk(begin, &steps, first.len(), found.first_is_head);
    let chain = if from_first { chain } else { chain.reversed() };
    finished(graph, chain)
}

/// The chain that goes up from a member to its class, `None` if it belongs to another class or the way is too long.
pub(crate) fn membership(graph: &EvolvingGraph, member: EntityId, class: EntityId) -> Option<Chain> {
    let steps = way_up(graph, member, class)?;
    (steps.len() <= MAX_HOPS && !steps.is_empty()).then(|| finished(graph, walk(member, &steps, usize::MAX, true)))
}

/// The chain with the way from a class to the member where it begins put before it, if it remains one that can be shown.
pub(super) fn from_class(graph: &EvolvingGraph, class: EntityId, chain: Chain) -> Chain {
    let member = chain.nodes().first().copied().map(EntityId);
    let Some(before) = member.and_then(|member| membership(graph, member, class)) else { return chain };
    if before.len() + chain.len() > MAX_HOPS {
        return chain;
    }
    let mut longer = before.reversed();
    for hop in chain.hops() {
        longer.push(hop.relation, hop.forward, hop.to);
    }
    if longer.kind_of_directions().is_some() { finished(graph, longer) } else { chain }
}

fn rest(steps: &[Triple]) -> &[Triple] {
    steps.get(1..).unwrap_or_default()
}

fn far_end(triple: Triple, from: EntityId) -> EntityId {
    if triple.head == from { triple.tail } else { triple.head }
}

/// Walks triples from an entity. A triple between an entity and itself (a class whose members interact) runs in the given direction.
fn walk(begin: EntityId, steps: &[Triple], stated: usize, stated_forward: bool) -> Chain {
    let (mut chain, mut at) = (Chain::start(begin.0), begin);
    for (number, triple) in steps.iter().enumerate().take(MAX_HOPS) {
        let forward = if number == stated { stated_forward } else { triple.head == at };
        at = if forward { triple.tail } else { triple.head };
        chain.push(triple.relation.0, forward, at.0);
    }
    chain
}

fn finished(graph: &EvolvingGraph, chain: Chain) -> Chain {
    let kind = chain.kind_of_directions().unwrap_or(ChainKind::Path);
    graph.marked(chain.of_kind(kind))
}

/// The shortest way from an entity up to one of its classes, by whichever route it is given; empty if they are the same.
pub(super) fn way_up(graph: &EvolvingGraph, entity: EntityId, class: EntityId) -> Option<Vec<Triple>> {
    let mut came: BTreeMap<EntityId, Option<(EntityId, Triple)>> = BTreeMap::from([(entity, None)]);
    let mut open = VecDeque::from([(entity, 0)]);
    while let Some((at, depth)) = open.pop_front() {
        if at == class {
            let mut steps = Vec::new();
            let mut at = at;
            while let Some(Some((before, triple))) = came.get(&at) {
                steps.push(*triple);
                at = *before;
            }
            steps.reverse();
            return Some(steps);
        }
        if depth >= DEEPEST || came.len() >= MOST_CLASSES {
            continue;
        }
        for triple in classes(graph, at) {
            let to = far_end(triple, at);
            came.entry(to).or_insert_with(|| {
                open.push_back((to, depth + 1));
                Some((at, triple))
            });
        }
    }
    None
}

/// The triples that put an entity into a class, in the order of the classes' names.
fn classes(graph: &EvolvingGraph, entity: EntityId) -> Vec<Triple> {
    let mut found = Vec::new();
    for way in Direction::BOTH {
        let class_at = if way.is_forward() { Player::Tail } else { Player::Head };
        for edge in graph.edges(entity, way).iter() {
            let relation = graph.relations().get(edge.relation.index());
            if relation.is_some_and(|relation| relation.role == Role::Broader && relation.player == class_at) && edge.to != entity {
                let (head, tail) = if way.is_forward() { (entity, edge.to) } else { (edge.to, entity) };
                found.push(Triple { head, relation: edge.relation, tail });
            }
        }
    }
    found.sort_by_key(|triple| (graph.entity_rank(far_end(*triple, entity)), *triple));
    found
}
