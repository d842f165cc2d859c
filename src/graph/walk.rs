//! A random walk with restarts: a cheap, seeded sample of what lies around some entities.

use super::entity::EntityId;
use super::view::{Direction, GraphView};

/// How [`random_walk`] goes.
#[derive(Debug, Clone, Copy)]
pub struct RandomWalk {
    /// Chance of returning to a start at every step; 0 to 1.
    pub restart: f64,
    /// How many steps are taken, returns included.
    pub steps: usize,
    /// The same seed takes the same walk.
    pub seed: u64,
}

/// Walks along triples, in either direction, each triple of the entity as likely as any other; from an entity without triples
/// it returns. Returns begin at each start equally often by chance.
///
/// Gives the entities visited with the number of visits, in the order of their numbers; the first start counts as visited.
/// Starts that the graph does not have are passed over.
pub fn random_walk<V: GraphView + ?Sized>(view: &V, starts: &[EntityId], how: RandomWalk) -> Vec<(EntityId, u64)> {
    let starts: Vec<EntityId> = starts.iter().copied().filter(|start| start.index() < view.entity_count()).collect();
    let mut random = SplitMix(how.seed);
    let Some(first) = random.pick(starts.len()) else { return Vec::new() };
    let mut here = starts[first];
    let mut visits = std::collections::BTreeMap::from([(here, 1)]);
    for _ in 0..how.steps {
        let degree = view.degree(here);
        let go_on = random.unit() >= how.restart;
        here = match random.pick(degree) {
            Some(at) if go_on => neighbour(view, here, at),
            _ => random.pick(starts.len()).map_or(here, |start| starts[start]),
        };
        *visits.entry(here).or_default() += 1;
    }
    visits.into_iter().collect()
}

/// The far end of the `at`-th triple of an entity, outgoing ones first.
fn neighbour<V: GraphView + ?Sized>(view: &V, entity: EntityId, at: usize) -> EntityId {
    let mut at = at;
    for direction in Direction::BOTH {
        for (part, _) in view.edges(entity, direction).parts() {
            match part.get(at) {
                Some(edge) => return edge.to,
                None => at -= part.len(),
            }
        }
    }
    entity
}

/// The generator of random numbers called splitmix64 (Steele, Lea, Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `count`, as good as equally likely; `None` of none.
    fn pick(&mut self, count: usize) -> Option<usize> {
        let random = self.next();
        (count > 0).then(|| ((u128::from(random) * count as u128) >> 64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, GraphBuilder, PageRank, RoleRules, personalised_pagerank};

    fn graph() -> Graph {
        let mut builder = GraphBuilder::new("t");
        let ids: Vec<u32> = (0..7).map(|i| builder.entity(&format!("e{i}"))).collect();
        let relation = builder.relation(RoleRules::built_in().expect("rules").guess("r")).expect("room");
        for (a, b) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 4)] {
            builder.triple(ids[a], relation, ids[b]);
        }
        builder.finish()
    }

    #[test]
    fn visits_are_as_frequent_as_personalised_pagerank_says() {
        let graph = graph();
        let how = RandomWalk { restart: 0.25, steps: 200_000, seed: 3 };
        let visits = random_walk(&graph, &[EntityId(0)], how);
        assert_eq!(visits.iter().map(|(_, times)| times).sum::<u64>(), 200_001);
        let exact = PageRank { restart: 0.25, tolerance: 1e-12, max_pushes: 1_000_000 };
        for (entity, rank) in personalised_pagerank(&graph, &[(EntityId(0), 1.0)], exact) {
            let times = visits.iter().find(|(visited, _)| *visited == entity).map_or(0, |(_, times)| *times);
            assert!((times as f64 / 200_001.0 - rank).abs() < 0.01, "{entity:?}: {times} visits, rank {rank}");
        }
        assert_eq!(visits, random_walk(&graph, &[EntityId(0)], how), "the same seed takes the same walk");
        assert_ne!(visits, random_walk(&graph, &[EntityId(0)], RandomWalk { seed: 4, ..how }));
    }

    #[test]
    fn nowhere_to_go_and_nowhere_to_start() {
        let graph = graph();
        let how = RandomWalk { restart: 0.0, steps: 10, seed: 1 };
        assert_eq!(random_walk(&graph, &[EntityId(5)], how), [(EntityId(5), 11)]);
        assert!(random_walk(&graph, &[EntityId(99)], how).is_empty());
    }
}
