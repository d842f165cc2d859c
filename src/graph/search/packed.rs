//! Chains packed into a few words whose numeric order is the defined order of chains of one length.
//!
//! From the highest bit down: cost, names of the entities (as positions in the order of names), names of the relations,
//! shape (kind and directions), and whether a triple was learned. A chain of three relations in a graph of two million
//! entities and sixty-four relation types takes two words. Sorting compares whole words without look-ups; a [`Chain`] is
//! made only once its position is known.

use std::cmp::Ordering;

use crate::graph::chain::{Chain, ChainKind, MAX_HOPS};
use crate::graph::entity::{EntityId, RelationId};
use crate::graph::view::GraphView;

use super::cost::hub_cost;

/// A chain before packing, read from its canonical end.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnpackedChain {
    pub(super) nodes: [u32; MAX_HOPS + 1],
    pub(super) relations: [u16; MAX_HOPS],
    /// The number of its shape among those of its length; see [`SHAPES`].
    pub(super) shape: u8,
    pub(super) learned: bool,
    pub(super) cost: u32,
}

/// The shape that follows from the directions of a chain's relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The position among the shapes of this length in the defined order: by kind, then relations that run forward before
    /// those that run backward. [`Shape::NONE`] if the direction changes more than once.
    pub(super) number: u8,
    /// The shape read from the other end.
    pub(super) reversed: u8,
}

impl Shape {
    pub(super) const NONE: u8 = u8::MAX;

    /// The number of a path that runs backward, which is read from the other end.
    pub(super) const BACKWARD: u8 = u8::MAX - 1;

    /// The kind of the shape of this number.
    pub(super) fn kind(length: usize, number: u8) -> ChainKind {
        match usize::from(number) {
            0 => ChainKind::Path,
            n if n < length => ChainKind::CoAncestor,
            _ => ChainKind::CoOccurrence,
        }
    }

    /// The directions of the shape of this number: bit `i` is set when relation `i` runs forward.
    pub(super) fn directions(length: usize, number: u8) -> u8 {
        let all = (1u8 << length) - 1;
        match usize::from(number) {
            0 => all,
            // Co-ancestors: `length - number` relations forward, the rest backward.
            n if n < length => (1u8 << (length - n)) - 1,
            // Co-occurrences: `number - length + 1` backward, the rest forward.
            n => all & !((1u8 << (n + 1 - length)) - 1),
        }
    }
}

/// The shape of every combination of directions, by length.
pub(super) const SHAPES: [[Shape; 1 << MAX_HOPS]; MAX_HOPS + 1] = shapes();

const fn shapes() -> [[Shape; 1 << MAX_HOPS]; MAX_HOPS + 1] {
    let mut table = [[Shape { number: Shape::NONE, reversed: Shape::NONE }; 1 << MAX_HOPS]; MAX_HOPS + 1];
    let mut length = 1;
    while length <= MAX_HOPS {
        let all = (1usize << length) - 1;
        table[length][all] = Shape { number: 0, reversed: Shape::BACKWARD };
        table[length][0] = Shape { number: Shape::BACKWARD, reversed: 0 };
        let mut first = 1;
        while first < length {
            let low = (1usize << first) - 1;
            // Read from the other end, the kind stays and the two arms change places.
            table[length][low] = Shape { number: (length - first) as u8, reversed: first as u8 };
            table[length][all & !low] = Shape { number: (length + first - 1) as u8, reversed: (length + (length - first) - 1) as u8 };
            first += 1;
        }
        length += 1;
    }
    table
}

/// A packed chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedChain<const W: usize>([u64; W]);

impl<const W: usize> PackedChain<W> {
    /// The first two words as one number.
    #[inline]
    fn pair(&self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}

/// Compares two words as one number, without a branch, because sorting takes a large part of a search.
impl<const W: usize> PartialOrd for PackedChain<W> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        if W == 2 { self.pair() < other.pair() } else { self.0 < other.0 }
    }
}

impl<const W: usize> Ord for PackedChain<W> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if W == 2 { self.pair().cmp(&other.pair()) } else { self.0.cmp(&other.0) }
    }
}

/// How the chains of one length are packed for one graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackingLayout {
    length: usize,
    entity: u32,
    relation: u32,
    total: u32,
}

const SHAPE_BITS: u32 = 4;

impl PackingLayout {
    /// Entities get at least `least_bits` bits (32 at most), however few entities the graph has.
    pub(super) fn new<V: GraphView + ?Sized>(view: &V, length: usize, least_bits: u32) -> Self {
        let bits = |count: usize| (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1);
        let (entity, relation) = (bits(view.entity_count()).max(least_bits), bits(view.relation_count()));
        let highest_cost = u64::from(hub_cost(u32::MAX as usize)) * (length as u64 - 1);
        let cost = u64::BITS - highest_cost.leading_zeros();
        let total = cost + entity * (length as u32 + 1) + relation * length as u32 + SHAPE_BITS + 1;
        Self { length, entity, relation, total }
    }

    /// The number of 64-bit words of a packed chain.
    pub(super) fn words(&self) -> usize {
        self.total.div_ceil(64) as usize
    }

    #[inline]
    pub(super) fn pack<const W: usize, V: GraphView + ?Sized>(&self, view: &V, found: &UnpackedChain) -> PackedChain<W> {
        let mut words = [0; W];
        words[W - 1] = u64::from(found.cost);
        for node in &found.nodes[..=self.length] {
            push(&mut words, view.entity_rank(EntityId(*node)).into(), self.entity);
        }
        for relation in &found.relations[..self.length] {
            push(&mut words, view.relation_rank(RelationId(*relation)).into(), self.relation);
        }
        push(&mut words, u64::from(found.shape) << 1 | u64::from(found.learned), SHAPE_BITS + 1);
        PackedChain(words)
    }

    pub(super) fn unpack<const W: usize, V: GraphView + ?Sized>(&self, view: &V, PackedChain(mut words): PackedChain<W>) -> Chain {
        let last = pop(&mut words, SHAPE_BITS + 1);
        let shape = (last >> 1) as u8;
        let mut relations = [0; MAX_HOPS];
        for relation in relations[..self.length].iter_mut().rev() {
            *relation = view.relation_at_rank(pop(&mut words, self.relation) as u16).0;
        }
        let mut nodes = [0; MAX_HOPS + 1];
        for node in nodes[..=self.length].iter_mut().rev() {
            *node = view.entity_at_rank(pop(&mut words, self.entity) as u32).0;
        }
        let directions = Shape::directions(self.length, shape);
        let mut chain = Chain::start(nodes[0]).of_kind(Shape::kind(self.length, shape)).with_learned(last & 1 == 1);
        for i in 0..self.length {
            chain.push(relations[i], directions >> i & 1 == 1, nodes[i + 1]);
        }
        chain
    }

    /// The cost of a packed chain.
    pub(super) fn cost<const W: usize>(&self, PackedChain(mut words): PackedChain<W>) -> u32 {
        let mut below = self.entity * (self.length as u32 + 1) + self.relation * self.length as u32 + SHAPE_BITS + 1;
        while below > 0 {
            let bits = below.min(32);
            pop(&mut words, bits);
            below -= bits;
        }
        words[W - 1] as u32
    }
}

/// Shifts a value of `bits` bits (1 to 32) in at the low end.
#[inline]
fn push<const W: usize>(words: &mut [u64; W], value: u64, bits: u32) {
    for i in 0..W - 1 {
        words[i] = words[i] << bits | words[i + 1] >> (64 - bits);
    }
    words[W - 1] = words[W - 1] << bits | value;
}

/// Shifts a value of `bits` bits (1 to 32) out at the low end.
#[inline]
fn pop<const W: usize>(words: &mut [u64; W], bits: u32) -> u64 {
    let value = words[W - 1] & ((1 << bits) - 1);
    for i in (1..W).rev() {
        words[i] = words[i] >> bits | words[i - 1] << (64 - bits);
    }
    words[0] >>= bits;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_agree_with_chains_and_their_order_is_kind_then_forward_first() {
        for (length, shapes) in SHAPES.iter().enumerate().skip(1) {
            let mut in_order = Vec::new();
            for directions in 0..1u8 << length {
                let mut chain = Chain::start(0);
                for i in 0..length {
                    chain.push(0, directions >> i & 1 == 1, i as u32 + 1);
                }
                let shape = shapes[usize::from(directions)];
                let reversed = (0..length).fold(0u8, |bits, i| bits | u8::from(chain.reversed().is_forward(i)) << i);
                assert_eq!(shape.reversed, shapes[usize::from(reversed)].number);
                match chain.kind_of_directions() {
                    None => assert_eq!(shape.number, Shape::NONE),
                    Some(_) if directions == 0 => assert_eq!(shape.number, Shape::BACKWARD),
                    Some(kind) => {
                        assert_eq!(Shape::kind(length, shape.number), kind);
                        assert_eq!(Shape::directions(length, shape.number), directions);
                        let forward_first: Vec<bool> = (0..length).map(|i| !chain.is_forward(i)).collect();
                        in_order.push((shape.number, kind, forward_first));
                    }
                }
            }
            in_order.sort();
            assert!(in_order.windows(2).all(|w| (w[0].1, &w[0].2) < (w[1].1, &w[1].2)));
        }
    }
}
