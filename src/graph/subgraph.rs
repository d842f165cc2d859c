//! What lies within some steps of some entities: the k-hop subgraph.

use std::collections::HashMap;

use super::entity::EntityId;
use super::store::Triple;
use super::view::{Direction, GraphView};

/// A part of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subgraph {
    /// The entities with their distance from the nearest seed in triples, nearest first; see [`subgraph`] for the order.
    pub entities: Vec<(EntityId, usize)>,
    /// Every triple between two of the entities, each with whether it was learned, ordered by head, tail, relation as numbers.
    pub triples: Vec<(Triple, bool)>,
    /// Whether the budget left entities out.
    pub cut: bool,
}

/// The entities at most `hops` triples away from a seed, in whichever direction, and all triples among them; at most `budget`
/// entities.
///
/// The order, and so what the budget keeps: nearer first; then fewer triples (a hub says little); then by name. Seeds have
/// distance 0; those that the graph does not have are passed over.
pub fn subgraph<V: GraphView + ?Sized>(view: &V, seeds: &[EntityId], hops: usize, budget: usize) -> Subgraph {
    let mut found = Subgraph::default();
    let mut distance: HashMap<EntityId, usize> = HashMap::new();
    let mut ring: Vec<EntityId> = seeds.iter().copied().filter(|seed| seed.index() < view.entity_count()).collect();
    for hop in 0..=hops {
        ring.sort_by_cached_key(|entity| (view.degree(*entity), view.entity_rank(*entity)));
        ring.dedup();
        let room = budget - found.entities.len();
        found.cut |= ring.len() > room;
        ring.truncate(room);
        distance.extend(ring.iter().map(|entity| (*entity, hop)));
        found.entities.extend(ring.iter().map(|entity| (*entity, hop)));
        // One more ring is only looked for where there is one to come: it also tells a full budget from one that just fits.
        if hop == hops || found.cut || ring.is_empty() {
            break;
        }
        let from = std::mem::take(&mut ring);
        for entity in from {
            for direction in Direction::BOTH {
                let new = view.edges(entity, direction).iter().map(|edge| edge.to).filter(|to| !distance.contains_key(to));
                ring.extend(new);
            }
        }
    }
    for (head, _) in &found.entities {
        for (part, learned) in view.edges(*head, Direction::Out).parts() {
            let among = part.iter().filter(|edge| distance.contains_key(&edge.to));
            found.triples.extend(among.map(|edge| (Triple { head: *head, relation: edge.relation, tail: edge.to }, learned)));
        }
    }
    found.triples.sort_unstable_by_key(|(triple, _)| (triple.head, triple.tail, triple.relation));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, GraphBuilder, RoleRules};
    use proptest::prelude::*;

    fn graph_of(count: u32, edges: &[(u32, u32)]) -> Graph {
        let mut builder = GraphBuilder::new("t");
        let ids: Vec<u32> = (0..count).map(|i| builder.entity(&format!("e{i:03}"))).collect();
        let relation = builder.relation(RoleRules::built_in().expect("rules").guess("r")).expect("room");
        for (a, b) in edges {
            builder.triple(ids[*a as usize], relation, ids[*b as usize]);
        }
        builder.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn distances_order_and_triples_are_those_of_the_definition(
            edges in prop::collection::vec((0u32..14, 0u32..14), 0..30),
            seeds in prop::collection::vec(0u32..16, 0..4),
            hops in 0usize..4,
            budget in 0usize..16,
        ) {
            let graph = graph_of(14, &edges);
            // Distances by relaxing every triple as often as there are entities.
            let mut distance = [usize::MAX; 14];
            for seed in seeds.iter().filter(|seed| **seed < 14) {
                distance[*seed as usize] = 0;
            }
            for _ in 0..14 {
                for (a, b) in &edges {
                    let (a, b) = (*a as usize, *b as usize);
                    distance[a] = distance[a].min(distance[b].saturating_add(1));
                    distance[b] = distance[b].min(distance[a].saturating_add(1));
                }
            }
            let mut expected: Vec<(usize, usize, EntityId)> = (0..14u32)
                .map(EntityId)
                .filter(|entity| distance[entity.index()] <= hops)
                .map(|entity| (distance[entity.index()], graph.degree(entity), entity))
                .collect();
            expected.sort();
            let all = expected.len();
            expected.truncate(budget);
            let entities: Vec<_> = expected.iter().map(|(distance, _, entity)| (*entity, *distance)).collect();
            let inside = |entity: &EntityId| entities.iter().any(|(kept, _)| kept == entity);
            let triples: Vec<_> = graph.triples().filter(|t| inside(&t.head) && inside(&t.tail)).map(|t| (t, false)).collect();

            let seeds: Vec<_> = seeds.into_iter().map(EntityId).collect();
            let found = subgraph(&graph, &seeds, hops, budget);
            prop_assert_eq!(&found.entities, &entities);
            prop_assert_eq!(&found.triples, &triples);
            prop_assert_eq!(found.cut, budget < all);
        }
    }
}
