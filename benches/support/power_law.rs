//! A graph of full size with a power law of degrees, and anchors as a question has them.

use catena::graph::{EntityId, Graph, GraphBuilder, RoleRules};

use super::Random;

/// Entities and triples of HyKGE's fused graph.
pub(crate) const FULL_SIZE: (u32, u32) = (1_288_721, 3_569_427);

/// How steeply the chance to be an end of a triple falls from one entity to the next; it makes the largest hub have
/// about 19,000 triples at full size.
const STEEPNESS: f64 = 0.678;

impl Random {
    /// A number in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        f64::from(self.below(1 << 30)) / f64::from(1 << 30)
    }

    /// A number below `bound`, small ones likelier: the chance of `x` falls as `(x + 1)^-STEEPNESS`.
    fn power_law(&mut self, bound: u32) -> u32 {
        let power = 1.0 - STEEPNESS;
        let whole = (f64::from(bound) + 1.0).powf(power) - 1.0;
        let place = (self.unit() * whole + 1.0).powf(1.0 / power) - 1.0;
        (place as u32).min(bound - 1)
    }
}

/// A graph with a power law of degrees.
pub(crate) fn graph(entities: u32, triples: u32) -> Graph {
    let rules = RoleRules::built_in().expect("the built-in rules parse");
    let mut builder = GraphBuilder::new("power law");
    let relations: Vec<u16> = (0..24).map(|i| builder.relation(rules.guess(&format!("relation_{i:02}"))).expect("room for a relation")).collect();
    // Names in another order than degrees, as in real graphs.
    let ids: Vec<u32> = (0..entities).map(|number| builder.entity(&format!("{:08x}", number.wrapping_mul(0x9e37_79b1)))).collect();
    let mut random = Random(7);
    let mut taken = 0;
    while taken < triples {
        let (head, tail) = (random.power_law(entities), random.power_law(entities));
        let relation = relations[random.power_law(relations.len() as u32) as usize];
        if head != tail && builder.triple(ids[head as usize], relation, ids[tail as usize]) {
            taken += 1;
        }
    }
    builder.finish()
}

/// Entities drawn at random among those with so many triples.
pub(crate) fn anchors(graph: &Graph, count: usize, degrees: std::ops::Range<usize>, seed: u64) -> Vec<EntityId> {
    let mut random = Random(seed);
    let mut anchors = Vec::new();
    while anchors.len() < count {
        let entity = EntityId(random.below(graph.entity_count() as u32));
        if degrees.contains(&graph.degree(entity)) && !anchors.contains(&entity) {
            anchors.push(entity);
        }
    }
    anchors
}

/// The entities with the most triples.
pub(crate) fn hubs(graph: &Graph, count: usize) -> Vec<EntityId> {
    let mut entities: Vec<EntityId> = graph.entity_ids().collect();
    entities.sort_by_key(|entity| (std::cmp::Reverse(graph.degree(*entity)), *entity));
    entities.truncate(count);
    entities
}
