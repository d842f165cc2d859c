//! Personalised PageRank by forward push. The cost depends on how far the rank spreads, not on the size of the graph: all pushes
//! together follow at most 1 / (`restart` × `tolerance`) triples.

use std::collections::{HashMap, VecDeque};

use super::entity::EntityId;
use super::view::{Direction, GraphView};

/// Settings of [`personalised_pagerank`].
#[derive(Debug, Clone, Copy)]
pub struct PersonalisedPageRank {
    /// The probability of returning to the seeds at every step, 0 to 1.
    pub restart: f64,
    /// An entity is pushed while its residual exceeds this times its degree.
    pub tolerance: f64,
    /// The most pushes.
    pub max_pushes: usize,
}

impl Default for PersonalisedPageRank {
    fn default() -> Self {
        Self { restart: 0.25, tolerance: 5e-6, max_pushes: 20_000 }
    }
}

/// Personalised PageRank from weighted seeds over the undirected graph (Andersen, Chung, Lang 2006, forward push).
///
/// What is not pushed any more is credited: `restart` of each residual to its own entity, and the rest to the reached entities by their
/// degrees, which is where a walk ends that goes on for long. Without that, entities near the seeds would lead by the order of pushes.
///
/// Returns the reached entities with their ranks, ordered by number. The seeds' weights are normalised to a sum of 1, so
/// the ranks add up to at most 1.
pub fn personalised_pagerank<V: GraphView + ?Sized>(
    graph: &V,
    seeds: &[(EntityId, f64)],
    how: PersonalisedPageRank,
) -> Vec<(EntityId, f64)> {
    let total: f64 = seeds.iter().map(|(_, weight)| weight.max(0.0)).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut rank: HashMap<EntityId, f64> = HashMap::new();
    let mut residual: HashMap<EntityId, f64> = HashMap::new();
    let mut queue = VecDeque::new();
    for (seed, weight) in seeds {
        *residual.entry(*seed).or_default() += weight.max(0.0) / total;
        queue.push_back(*seed);
    }
    let mut pushes = 0;
    while let Some(entity) = queue.pop_front() {
        let degree = graph.degree(entity);
        let mass = residual.get(&entity).copied().unwrap_or(0.0);
        if mass <= how.tolerance * degree.max(1) as f64 {
            continue;
        }
        if pushes == how.max_pushes {
            break;
        }
        pushes += 1;
        residual.insert(entity, 0.0);
        if degree == 0 {
            *rank.entry(entity).or_default() += mass;
            continue;
        }
        *rank.entry(entity).or_default() += how.restart * mass;
        let share = (1.0 - how.restart) * mass / degree as f64;
        for edge in Direction::BOTH.into_iter().flat_map(|direction| graph.edges(entity, direction).iter()) {
            let waiting = residual.entry(edge.to).or_default();
            let threshold = how.tolerance * graph.degree(edge.to).max(1) as f64;
            let was_waiting = *waiting > threshold;
            *waiting += share;
            if !was_waiting && *waiting > threshold {
                queue.push_back(edge.to);
            }
        }
    }
    // Sums are taken in the order of numbers, so that they are the same every time.
    let mut left: Vec<(EntityId, f64)> = residual.into_iter().filter(|(_, mass)| *mass > 0.0).collect();
    left.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, mass) in &left {
        *rank.entry(*entity).or_default() += how.restart * mass;
    }
    let walks_on = (1.0 - how.restart) * left.iter().map(|(_, mass)| mass).sum::<f64>();
    let mut ranked: Vec<_> = rank.into_iter().collect();
    ranked.sort_unstable_by_key(|(entity, _)| *entity);
    let degrees: Vec<usize> = ranked.iter().map(|(entity, _)| graph.degree(*entity)).collect();
    let all = graph.rows().edge_count().max(degrees.iter().sum()).max(1) as f64;
    for ((_, rank), degree) in ranked.iter_mut().zip(degrees) {
        *rank += walks_on * degree as f64 / all;
    }
    ranked
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

    /// The definition, by power iteration over dense vectors.
    fn by_definition(graph: &Graph, seed: EntityId, restart: f64) -> Vec<f64> {
        let n = graph.entity_count();
        let mut p = vec![0.0; n];
        p[seed.index()] = 1.0;
        for _ in 0..400 {
            let mut next = vec![0.0; n];
            next[seed.index()] += restart;
            for entity in graph.entity_ids() {
                let degree = graph.degree(entity) as f64;
                for edge in graph.outgoing(entity).iter().chain(graph.incoming(entity)) {
                    next[edge.to.index()] += (1.0 - restart) * p[entity.index()] / degree;
                }
            }
            p = next;
        }
        p
    }

    /// networkx 3.6.1: `pagerank(MultiGraph, alpha=0.75, personalization=…, tol=1e-14)`.
    #[test]
    fn ranks_are_those_of_networkx() {
        let graph = graph_of(7, &[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 3), (1, 0)]);
        let how = PersonalisedPageRank { tolerance: 1e-12, max_pushes: 1_000_000, ..PersonalisedPageRank::default() };
        for (seeds, reference) in [
            (vec![(EntityId(0), 1.0)], [0.427927928, 0.261261261, 0.189189189, 0.067567568, 0.027027027, 0.027027027]),
            (vec![(EntityId(0), 1.0), (EntityId(4), 2.0)], [0.16966967, 0.114114114, 0.117117117, 0.184684685, 0.267813268, 0.146601147]),
        ] {
            let ranked = personalised_pagerank(&graph, &seeds, how);
            assert_eq!(ranked.len(), 6, "the seventh is out of reach");
            for (entity, rank) in ranked {
                assert!((rank - reference[entity.index()]).abs() < 1e-6, "{entity:?}: {rank}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn forward_push_agrees_with_power_iteration(edges in prop::collection::vec((0u32..8, 0u32..8), 8..30)) {
            // A ring keeps every entity's degree above zero.
            let mut edges = edges;
            edges.extend((0..8).map(|i| (i, (i + 1) % 8)));
            let graph = graph_of(8, &edges);
            let how = PersonalisedPageRank { tolerance: 1e-10, max_pushes: 1_000_000, ..PersonalisedPageRank::default() };
            let pushed = personalised_pagerank(&graph, &[(EntityId(0), 2.0)], how);
            let defined = by_definition(&graph, EntityId(0), how.restart);
            for (entity, rank) in pushed {
                prop_assert!((rank - defined[entity.index()]).abs() < 1e-6);
            }
        }

        #[test]
        fn ranks_add_up_to_one_however_early_it_stops(edges in prop::collection::vec((0u32..8, 0u32..8), 1..30), most in 0usize..20) {
            let graph = graph_of(8, &edges);
            let how = PersonalisedPageRank { max_pushes: most, ..PersonalisedPageRank::default() };
            let ranks: f64 = personalised_pagerank(&graph, &[(EntityId(0), 2.0), (EntityId(3), 1.0)], how).iter().map(|(_, rank)| rank).sum();
            prop_assert!(ranks > 0.2 && ranks < 1.0 + 1e-9, "{ranks}");
        }
    }
}
