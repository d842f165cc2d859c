//! The entities that occur in a question's chains, numbered from 0.
//!
//! A graph can have millions of entities, of which a question's chains touch some thousands. Arrays with one element for
//! each of those are indexed by the numbers made here. A bit set with one bit for each entity of the graph (160 KB at 1.3
//! million) marks those that occur. The number of an entity is the count of set bits before its own, so numbers follow
//! the graph's order and need no sorting.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::chain::Chain;
use super::entity::EntityId;
use super::view::GraphView;

/// The fewest chains for a thread of its own: below that, waking another thread costs more than it saves.
const PORTION: usize = 4096;

/// 64 bits of the set, and how many bits are set before them.
#[derive(Debug, Clone, Copy)]
struct BitWord {
    bits: u64,
    before: u32,
}

/// The entities that occur in some chains, numbered in the graph's order.
#[derive(Debug, Clone)]
pub(crate) struct ChainEntities {
    words: Vec<BitWord>,
    count: usize,
}

impl ChainEntities {
    /// Collects the entities of the chains that `chain_of` returns for each of `these`. The chains hold the graph's numbers.
    pub(crate) fn of_chains<'a, T: Sync, G: GraphView>(graph: &G, these: &'a [T], chain_of: impl Fn(&'a T) -> &'a Chain + Sync) -> Self {
        let bits: Vec<AtomicU64> = (0..graph.entity_count().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        these.par_iter().with_min_len(PORTION).for_each(|this| {
            for node in chain_of(this).nodes() {
                let (word, bit) = (&bits[*node as usize / 64], 1 << (node % 64));
                // Most bits are set already; reading first keeps the cache line shared between the threads.
                if word.load(Ordering::Relaxed) & bit == 0 {
                    word.fetch_or(bit, Ordering::Relaxed);
                }
            }
        });
        let mut count = 0;
        let words = bits
            .into_iter()
            .map(|bits| {
                let word = BitWord { bits: bits.into_inner(), before: count };
                count += word.bits.count_ones();
                word
            })
            .collect();
        Self { words, count: count as usize }
    }

    /// How many entities occur.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// An entity's number among those that occur; `None` if it does not occur.
    pub(crate) fn number(&self, entity: u32) -> Option<u32> {
        let word = self.words.get(entity as usize / 64)?;
        let bit = 1u64 << (entity % 64);
        (word.bits & bit != 0).then(|| word.before + (word.bits & (bit - 1)).count_ones())
    }

    /// The entities, ordered by number.
    pub(crate) fn entities(&self) -> Vec<EntityId> {
        let mut entities = Vec::with_capacity(self.count);
        for (word, start) in self.words.iter().zip((0u32..).step_by(64)) {
            let mut bits = word.bits;
            while bits != 0 {
                entities.push(EntityId(start + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        entities
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::GraphBuilder;

    proptest! {
        #[test]
        fn numbers_are_places_in_the_sorted_list_of_what_occurs(
            walks in prop::collection::vec(prop::collection::vec(0u32..300, 1..6), 0..40),
        ) {
            let mut builder = GraphBuilder::new("t");
            for i in 0..300 {
                builder.entity(&format!("e{i:03}"));
            }
            let graph = builder.finish();
            let chains: Vec<Chain> = walks
                .iter()
                .map(|walk| {
                    let mut chain = Chain::start(walk[0]);
                    walk[1..].iter().for_each(|node| chain.push(0, true, *node));
                    chain
                })
                .collect();
            let mut sorted: Vec<u32> = walks.into_iter().flatten().collect();
            sorted.sort_unstable();
            sorted.dedup();
            let occurring = ChainEntities::of_chains(&graph, &chains, |chain| chain);
            prop_assert_eq!(occurring.len(), sorted.len());
            prop_assert_eq!(occurring.entities(), sorted.iter().copied().map(EntityId).collect::<Vec<_>>());
            for entity in 0..400 {
                let place = sorted.binary_search(&entity).ok().map(|place| place as u32);
                prop_assert_eq!(occurring.number(entity), place);
            }
        }
    }
}
