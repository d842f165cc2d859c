//! The interface through which chain search and ranking read a graph. [`Graph`] answers from its own rows; the DKG, a graph
//! with learned triples laid over it, answers with a second, usually empty, part of each row.

use std::cmp::Ordering;

use super::chain_table::DescribedGraph;
use super::entity::{EntityId, Kind, RelationId};
use super::evolving::LearnedRows;
use super::qualifiers::Qualifiers;
use super::role::Relation;
use super::store::{Edge, Graph};

/// Whether triples start or end at an entity.
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

/// The triples of an entity in one direction: those of the base graph, then learned ones. Each part is sorted by
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

    /// Whether both parts are empty.
    pub fn is_empty(&self) -> bool {
        self.base.is_empty() && self.learned.is_empty()
    }

    /// Both parts, each with whether its triples were learned.
    pub fn parts(self) -> [(&'a [Edge], bool); 2] {
        [(self.base, false), (self.learned, true)]
    }

    /// Every triple, base first.
    pub fn iter(self) -> impl Iterator<Item = Edge> + 'a {
        self.base.iter().chain(self.learned).copied()
    }
}

/// The rows of a base graph in memory. For entity `e`, row `2e` holds the triples that start at it and row `2e + 1` those
/// that end at it; each row is sorted by far end, then relation.
#[derive(Debug, Clone, Copy, Default)]
pub struct GraphRows<'a> {
    starts: &'a [u32],
    edges: &'a [Edge],
}

impl<'a> GraphRows<'a> {
    /// `starts`: the offset of each row in `edges`, and last the number of edges.
    pub(super) fn new(starts: &'a [u32], edges: &'a [Edge]) -> Self {
        Self { starts, edges }
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.starts.len() / 2
    }

    /// How many edges there are: two for each triple.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// An entity's triples of one direction; empty for numbers that do not exist.
    #[inline]
    pub fn row(&self, entity: EntityId, direction: Direction) -> &'a [Edge] {
        let at = 2 * entity.index() + usize::from(direction == Direction::In);
        let Some([from, to]) = self.starts.get(at..at + 2) else { return &[] };
        self.edges.get(*from as usize..*to as usize).unwrap_or(&[])
    }

    /// An entity's triples of both directions together, outgoing ones first; empty for numbers that do not exist.
    #[inline]
    pub fn both(&self, entity: EntityId) -> &'a [Edge] {
        let at = 2 * entity.index();
        let Some([from, _, to]) = self.starts.get(at..at + 3) else { return &[] };
        self.edges.get(*from as usize..*to as usize).unwrap_or(&[])
    }
}

/// A graph as the algorithms see it. The rows of numbers that do not exist are empty.
pub trait GraphView: Sync {
    /// How many entities there are; their numbers are `0..entity_count()`.
    fn entity_count(&self) -> usize;

    /// The rows of the base graph.
    fn rows(&self) -> GraphRows<'_>;

    /// The rows that differ from the base graph because triples were learned; `None` if nothing was learned.
    fn learned_rows(&self) -> Option<&LearnedRows> {
        None
    }

    /// An entity's row.
    #[inline]
    fn edges(&self, entity: EntityId, direction: Direction) -> Edges<'_> {
        RowReader::new(self).edges(entity, direction)
    }

    /// How many triples an entity takes part in (a self-loop counts twice).
    #[inline]
    fn degree(&self, entity: EntityId) -> usize {
        RowReader::new(self).degree(entity)
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

/// Reads many rows of a view in a loop; looks up only once whether anything was learned.
#[derive(Debug)]
pub(super) struct RowReader<'a> {
    base: GraphRows<'a>,
    learned: Option<&'a LearnedRows>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new<V: GraphView + ?Sized>(view: &'a V) -> Self {
        Self { base: view.rows(), learned: view.learned_rows() }
    }

    /// See [`GraphView::edges`].
    #[inline]
    pub(super) fn edges(&self, entity: EntityId, direction: Direction) -> Edges<'a> {
        let learned = self.learned.and_then(|rows| rows.row(entity, direction));
        learned.unwrap_or_else(|| Edges { base: self.base.row(entity, direction), learned: &[] })
    }

    /// See [`GraphView::degree`].
    #[inline]
    pub(super) fn degree(&self, entity: EntityId) -> usize {
        self.learned.and_then(|rows| rows.degree(entity)).unwrap_or_else(|| self.base.both(entity).len())
    }

    /// The most triples by which an entity's degree may exceed the `far_degree` that edges to it state.
    pub(super) fn growth(&self) -> usize {
        self.learned.map_or(0, LearnedRows::growth)
    }

    /// Reads the beginning of an entity's rows, so that the processor fetches them into its cache.
    #[inline]
    pub(super) fn prefetch(&self, entity: EntityId) -> u32 {
        let learned = self.learned.and_then(|rows| rows.prefetch(entity));
        learned.unwrap_or_else(|| self.base.both(entity).first().map_or(0, |edge| edge.to.0))
    }
}

impl GraphView for Graph {
    fn entity_count(&self) -> usize {
        Graph::entity_count(self)
    }

    fn rows(&self) -> GraphRows<'_> {
        Graph::rows(self)
    }

    fn relation_count(&self) -> usize {
        self.relations().len()
    }
}

impl DescribedGraph for Graph {
    fn entity_name(&self, entity: EntityId) -> &str {
        Graph::entity_name(self, entity)
    }

    fn kind(&self, entity: EntityId) -> &Kind {
        Graph::kind(self, entity)
    }

    fn description(&self, entity: EntityId) -> &str {
        Graph::description(self, entity)
    }

    fn relations(&self) -> &[Relation] {
        Graph::relations(self)
    }

    fn qualifiers(&self, head: EntityId, relation: RelationId, tail: EntityId) -> Qualifiers {
        Graph::qualifiers(self, head, relation, tail)
    }

    fn has_qualifiers(&self) -> bool {
        self.qualified_count() > 0
    }

    fn attributes(&self, entity: EntityId) -> Qualifiers {
        Graph::attributes(self, entity)
    }
}
