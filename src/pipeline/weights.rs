//! Numbers that the assessment weighs entities by: derived from the graph alone, found when they are first
//! asked for, and remembered.
//!
//! What an entity's number costs depends on its triples. All numbers together cost one walk over the graph's
//! triples, so a question cannot cost more than that, and none costs it twice.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::{EntityId, Facts, Role};

/// The roles of a presenting feature, in the order of roles.
const FEATURES: [Role; 2] = [Role::Symptom, Role::RedFlag];

/// The numbers of one graph's entities.
#[derive(Debug)]
pub(super) struct Weights {
    conditions: OnceLock<Conditions>,
    rarity: Numbers,
    features: Numbers,
}

/// Which entities are conditions, a bit each, and how many.
#[derive(Debug)]
struct Conditions {
    bits: Vec<u64>,
    count: u64,
}

impl Weights {
    /// For a graph of so many entities. Computes nothing yet.
    pub(super) fn of(entities: usize) -> Self {
        Self { conditions: OnceLock::new(), rarity: Numbers::of(entities), features: Numbers::of(entities) }
    }

    /// Whether an entity is described as a condition; see [`Facts::is_condition`]. The first call asks it of all
    /// entities, because [`Self::rarity`] needs their number.
    pub(super) fn is_condition(&self, facts: Facts<'_>, entities: usize, entity: EntityId) -> bool {
        let conditions = self.conditions(facts, entities);
        conditions.bits.get(entity.index() / 64).is_some_and(|bits| bits >> (entity.0 % 64) & 1 == 1)
    }

    /// How much the mention of an entity tells: `ln(1 + N / (1 + n))` of N conditions and the n facts by which it is
    /// a feature of one.
    pub(super) fn rarity(&self, facts: Facts<'_>, entities: usize, entity: EntityId) -> f64 {
        self.rarity.get_or(entity, || {
            let conditions = self.conditions(facts, entities).count.max(1) as f64;
            let bearers: usize = FEATURES.iter().map(|role| facts.owners_of_role(entity, *role).count()).sum();
            (1.0 + conditions / (1.0 + bearers as f64)).ln()
        })
    }

    /// The sum of the squared rarities of what an entity has as features; 0 for what has none.
    pub(super) fn features(&self, facts: Facts<'_>, entities: usize, entity: EntityId) -> f64 {
        self.features.get_or(entity, || {
            let features = FEATURES.iter().flat_map(|role| facts.players_of_role(entity, *role));
            features.map(|feature| self.rarity(facts, entities, feature).powi(2)).sum()
        })
    }

    fn conditions(&self, facts: Facts<'_>, entities: usize) -> &Conditions {
        // On one thread: a pool's thread that waited here for the pool could be given a task that waits for this.
        self.conditions.get_or_init(|| {
            let mut bits = vec![0u64; entities.div_ceil(64)];
            for entity in (0..entities as u32).map(EntityId).filter(|entity| facts.is_condition(*entity)) {
                bits[entity.index() / 64] |= 1 << (entity.0 % 64);
            }
            let count = bits.iter().map(|word| u64::from(word.count_ones())).sum();
            Conditions { bits, count }
        })
    }
}

/// Entities that share a block of [`Numbers`].
const BLOCK: usize = 1024;
/// Stands for a number that is not known yet: the bits of a NaN that no computation gives.
const UNKNOWN: u64 = u64::MAX;

/// A number an entity, in blocks that are laid out when one of theirs is asked for.
#[derive(Debug)]
struct Numbers {
    blocks: Vec<OnceLock<Box<[AtomicU64]>>>,
}

impl Numbers {
    fn of(entities: usize) -> Self {
        Self { blocks: (0..entities.div_ceil(BLOCK)).map(|_| OnceLock::new()).collect() }
    }

    /// The entity's number. Threads that compute it at once come to the same.
    fn get_or(&self, entity: EntityId, compute: impl FnOnce() -> f64) -> f64 {
        let Some(block) = self.blocks.get(entity.index() / BLOCK) else { return compute() };
        let place = &block.get_or_init(|| (0..BLOCK).map(|_| AtomicU64::new(UNKNOWN)).collect())[entity.index() % BLOCK];
        match place.load(Ordering::Relaxed) {
            UNKNOWN => {
                let number = compute();
                place.store(number.to_bits(), Ordering::Relaxed);
                number
            }
            bits => f64::from_bits(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn weights_found_on_demand_are_those_of_their_definition() {
        let graph = starter_graph().expect("sound");
        let (facts, entities) = (Facts::of(&graph), graph.entity_count());
        let conditions = graph.entity_ids().filter(|e| facts.is_condition(*e)).count().max(1) as f64;
        let bearers = |entity| facts.owners(entity).iter().filter(|f| f.role.is_feature()).count() as f64;
        let rarity: Vec<f64> = graph.entity_ids().map(|entity| (1.0 + conditions / (1.0 + bearers(entity))).ln()).collect();
        let weights = Weights::of(entities);
        // From the last to the first, and twice: the order of questions must not matter.
        let ids: Vec<EntityId> = graph.entity_ids().collect();
        for entity in ids.iter().rev().chain(&ids).copied() {
            let features: f64 = facts.players(entity).iter().filter(|f| f.role.is_feature()).map(|f| rarity[f.other.index()].powi(2)).sum();
            assert_eq!(weights.features(facts, entities, entity).to_bits(), features.to_bits());
            assert_eq!(weights.rarity(facts, entities, entity).to_bits(), rarity[entity.index()].to_bits());
            assert_eq!(weights.is_condition(facts, entities, entity), facts.is_condition(entity));
        }
        assert!(!weights.is_condition(facts, entities, EntityId(u32::MAX)), "what does not exist is no condition");
    }
}
