//! Reasoning chains: the entities and relations of a path between two anchors, and its shape.

use serde::{Deserialize, Serialize};

/// The longest chain that can be asked for, in relations.
pub const MAX_HOPS: usize = 5;

/// The shape of a chain (HyKGE 2025, §4.2.2: path, co-ancestor, co-occurrence). It follows from the directions of the relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainKind {
    /// Head to tail: `eᵢ → … → eⱼ`.
    Path,
    /// Tail to tail: `eᵢ → … → e ← … ← eⱼ`.
    CoAncestor,
    /// Head to head: `eᵢ ← … ← e → … → eⱼ`.
    CoOccurrence,
    /// A triple around an anchor that no chain connects.
    Neighbour,
}

impl ChainKind {
    /// The kinds, in the order in which screens list them.
    pub const ALL: [Self; 4] = [Self::Path, Self::CoAncestor, Self::CoOccurrence, Self::Neighbour];

    /// The name used in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::CoAncestor => "co_ancestor",
            Self::CoOccurrence => "co_occurrence",
            Self::Neighbour => "neighbour",
        }
    }

    /// The name for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::CoAncestor => "shared result",
            Self::CoOccurrence => "shared cause",
            Self::Neighbour => "neighbour",
        }
    }
}

/// One step of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// Number of the entity before the step.
    pub from: u32,
    /// Number of the relation.
    pub relation: u16,
    /// `true`: `from —relation→ to`; `false`: `from ←relation— to`.
    pub forward: bool,
    /// Number of the entity after the step.
    pub to: u32,
}

/// A chain of 1 to [`MAX_HOPS`] relations, in 40 bytes. Its numbers are those of a [`Graph`](super::Graph) during the
/// search, and those of a [`ChainTable`](super::ChainTable) once it is part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "WireChain", into = "WireChain")]
pub struct Chain {
    nodes: [u32; MAX_HOPS + 1],
    relations: [u16; MAX_HOPS],
    len: u8,
    forward: u8,
    kind: ChainKind,
    learned: bool,
}

/// The recorded form of a chain: short keys, variable length.
#[derive(Debug, Serialize, Deserialize)]
struct WireChain {
    k: ChainKind,
    n: Vec<u32>,
    r: Vec<u16>,
    /// Bit `i` is set when relation `i` runs forward.
    f: u8,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    l: bool,
}

impl From<Chain> for WireChain {
    fn from(chain: Chain) -> Self {
        Self { k: chain.kind, n: chain.nodes().to_vec(), r: chain.relations[..chain.len()].to_vec(), f: chain.forward, l: chain.learned }
    }
}

impl From<WireChain> for Chain {
    /// A recorded chain without relations, with more than [`MAX_HOPS`], or whose number of entities does not fit its relations becomes a
    /// chain without relations; [`ChainTable::is_sound`](super::ChainTable::is_sound) then rejects it.
    fn from(wire: WireChain) -> Self {
        let (first, rest) = wire.n.split_first().map_or((u32::MAX, &[][..]), |(first, rest)| (*first, rest));
        let mut chain = Chain::start(first);
        if rest.len() == wire.r.len() && rest.len() <= MAX_HOPS {
            for (i, (to, relation)) in rest.iter().zip(&wire.r).enumerate() {
                chain.push(*relation, wire.f >> i & 1 == 1, *to);
            }
        }
        chain.kind = wire.k;
        chain.learned = wire.l;
        chain
    }
}

impl Chain {
    /// A chain with one entity and no relation.
    pub fn start(entity: u32) -> Self {
        let mut nodes = [0; MAX_HOPS + 1];
        nodes[0] = entity;
        Self { nodes, relations: [0; MAX_HOPS], len: 0, forward: 0, kind: ChainKind::Path, learned: false }
    }

    /// Appends a step; the kind does not change.
    ///
    /// # Panics
    /// If the chain has [`MAX_HOPS`] relations already.
    pub fn push(&mut self, relation: u16, forward: bool, to: u32) {
        let at = self.len();
        self.relations[at] = relation;
        self.nodes[at + 1] = to;
        self.forward |= u8::from(forward) << at;
        self.len += 1;
    }

    /// The same chain of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ChainKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same chain, marked with whether one of its triples was learned.
    #[must_use]
    pub(super) fn with_learned(mut self, learned: bool) -> Self {
        self.learned = learned;
        self
    }

    /// The kind that follows from the directions: all equal is a path, forward then backward a co-ancestor,
    /// backward then forward a co-occurrence; `None` if the direction changes more than once.
    pub fn kind_of_directions(&self) -> Option<ChainKind> {
        let between = (1u8 << self.len.checked_sub(1)?) - 1;
        // A bit is set where two neighbouring relations run in different directions.
        let turns = ((self.forward ^ (self.forward >> 1)) & between).count_ones();
        match (turns, self.is_forward(0)) {
            (0, _) => Some(ChainKind::Path),
            (1, true) => Some(ChainKind::CoAncestor),
            (1, false) => Some(ChainKind::CoOccurrence),
            _ => None,
        }
    }

    /// The chain read from its other end.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let len = self.len();
        let mut reversed = Self { kind: self.kind, learned: self.learned, ..Self::start(self.nodes[len]) };
        for i in (0..len).rev() {
            reversed.push(self.relations[i], !self.is_forward(i), self.nodes[i]);
        }
        reversed
    }

    /// The same chain with other numbers for its entities and relations.
    #[must_use]
    pub(crate) fn renumbered(mut self, entity: impl Fn(u32) -> u32, relation: impl Fn(u16) -> u16) -> Self {
        let len = self.len();
        for node in &mut self.nodes[..=len] {
            *node = entity(*node);
        }
        for number in &mut self.relations[..len] {
            *number = relation(*number);
        }
        self
    }

    /// How many relations it has.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether it has no relation yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its kind.
    pub fn kind(&self) -> ChainKind {
        self.kind
    }

    /// Whether one of its triples was learned from feedback.
    pub fn learned(&self) -> bool {
        self.learned
    }

    /// Numbers of its entities, first to last.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..=self.len()]
    }

    /// Numbers of its relations, first to last.
    pub fn relations(&self) -> &[u16] {
        &self.relations[..self.len()]
    }

    /// Whether step `i` runs along its relation.
    pub fn is_forward(&self, i: usize) -> bool {
        self.forward >> i & 1 == 1
    }

    /// Its steps.
    pub fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        (0..self.len()).map(|i| Hop {
            from: self.nodes[i],
            relation: self.relations[i],
            forward: self.is_forward(i),
            to: self.nodes[i + 1],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_tell_the_kind_and_reversal_keeps_the_chain() {
        let mut chain = Chain::start(1);
        chain.push(7, true, 2);
        chain.push(8, false, 3);
        assert_eq!(chain.kind_of_directions(), Some(ChainKind::CoAncestor));
        assert_eq!(chain.reversed().kind_of_directions(), Some(ChainKind::CoAncestor));
        assert_eq!(chain.reversed().nodes(), [3, 2, 1]);
        assert_eq!(chain.reversed().reversed(), chain);
        chain.push(9, true, 4);
        assert_eq!(chain.kind_of_directions(), None);
        assert_eq!(std::mem::size_of::<Chain>(), 40);
    }

    #[test]
    fn recorded_chains_come_back_equal() {
        let mut chain = Chain::start(1).of_kind(ChainKind::CoOccurrence);
        chain.push(7, false, 2);
        chain.push(8, true, 3);
        let json = serde_json::to_string(&chain).expect("serialises");
        assert_eq!(serde_json::from_str::<Chain>(&json).expect("parses"), chain);
    }
}
