//! What chain search, ranking and walks ask of a graph. [`Graph`] answers from its own rows; a graph with
//! learned triples laid over it answers with a second, usually empty, part of each row.

use std::cmp::Ordering;

use super::entity::{EntityId, RelationId};
use super::store::{Edge, Graph};

/// Which triples of an entity are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Those that start at it.
    Out,
    /// Those that end at it.
    In,
}

impl Direction {
    /// Both directions, outgoing first.
    pub const BOTH: [Self; 2] = [Self::Out, Self::In];

    /// Whether a step of this direction runs along the relation.
    pub fn is_forward(self) -> bool {
        self == Self::Out
    }
}

/// A row of adjacency: the triples of the base graph, then those that were learned. Each part is sorted by
/// far end, then relation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edges<'a> {
    /// Triples of the base graph.
    pub base: &'a [Edge],
    /// Learned triples.
    pub learned: &'a [Edge],
}

impl<'a> Edges<'a> {
    /// How many triples there are.
    pub fn len(&self) -> usize {
        self.base.len() + self.learned.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.base.is_empty() && self.learned.is_empty()
    }

    /// The parts, each with whether it was learned.
    pub fn parts(self) -> [(&'a [Edge], bool); 2] {
        [(self.base, false), (self.learned, true)]
    }

    /// The edges to one entity, each with whether it was learned; found by binary search.
    pub fn to(self, entity: EntityId) -> impl Iterator<Item = (Edge, bool)> + 'a {
        self.parts().into_iter().flat_map(move |(part, learned)| {
            let from = part.partition_point(|edge| edge.to < entity);
            part[from..].iter().take_while(move |edge| edge.to == entity).map(move |edge| (*edge, learned))
        })
    }

    /// Every triple, base first.
    pub fn iter(self) -> impl Iterator<Item = Edge> + 'a {
        self.base.iter().chain(self.learned).copied()
    }
}

/// A graph as the algorithms see it. Rows of numbers that do not exist are empty.
pub trait GraphView: Sync {
    /// How many entities there are; their numbers are `0..entity_count()`.
    fn entity_count(&self) -> usize;

    /// An entity's row.
    fn edges(&self, entity: EntityId, direction: Direction) -> Edges<'_>;

    /// How many triples an entity takes part in (a self-loop counts twice).
    fn degree(&self, entity: EntityId) -> usize {
        self.edges(entity, Direction::Out).len() + self.edges(entity, Direction::In).len()
    }

    /// How many relation types there are; their numbers are `0..relation_count()`.
    fn relation_count(&self) -> usize;

    /// An entity's place in the order of names, in `0..entity_count()`. A base graph is numbered by name.
    fn entity_rank(&self, entity: EntityId) -> u32 {
        entity.0
    }

    /// The entity at a place in the order of names: the inverse of [`Self::entity_rank`].
    fn entity_at_rank(&self, rank: u32) -> EntityId {
        EntityId(rank)
    }

    /// A relation type's place in the order of names, in `0..relation_count()`.
    fn relation_rank(&self, relation: RelationId) -> u16 {
        relation.0
    }

    /// The relation type at a place in the order of names: the inverse of [`Self::relation_rank`].
    fn relation_at_rank(&self, rank: u16) -> RelationId {
        RelationId(rank)
    }

    /// The order of two entities by name.
    fn entity_order(&self, a: EntityId, b: EntityId) -> Ordering {
        self.entity_rank(a).cmp(&self.entity_rank(b))
    }

    /// The order of two relation types by name.
    fn relation_order(&self, a: RelationId, b: RelationId) -> Ordering {
        self.relation_rank(a).cmp(&self.relation_rank(b))
    }
}

impl GraphView for Graph {
    fn entity_count(&self) -> usize {
        Graph::entity_count(self)
    }

    fn edges(&self, entity: EntityId, direction: Direction) -> Edges<'_> {
        let base = match direction {
            Direction::Out => self.outgoing(entity),
            Direction::In => self.incoming(entity),
        };
        Edges { base, learned: &[] }
    }

    fn relation_count(&self) -> usize {
        self.relations().len()
    }
}
