//! The DKG in memory: a base graph with learned triples laid over it, seen as one graph (WTS, section 3.3: an established
//! graph that evolves, or an empty one).
//!
//! The base graph never changes. New entities and relation types get the numbers after its own, and keep them. A clone
//! shares all its data with the original, so a running question keeps its graph while the next version changes.

mod change;
mod names;
mod order;
mod pages;
mod records;
#[cfg(test)]
mod tests;
mod weights;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use change::{ChangeCounts, LearnedTable};
pub use names::EvolvingNames;
pub use pages::LearnedRows;

use super::chain::Chain;
use super::chain_table::DescribedGraph;
use super::entity::{EntityId, Kind, RelationId};
use super::named::{NamedEntity, NamedTriple};
use super::qualifiers::Qualifiers;
use super::role::{Relation, Role};
use super::store::{Edge, Graph, Triple};
use super::view::{self, Direction, GraphView};
use names::LearnedNames;
use order::NameOrder;
use records::TripleRecords;

/// How many new entities a shared portion holds.
const PORTION: usize = 512;

#[derive(Debug, Clone)]
struct NewEntity {
    name: String,
    kind: Kind,
}

/// A base graph with learned triples over it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EvolvingGraph {
    base: Arc<Graph>,
    /// Portions of new entities; all but the last are full.
    entities: Vec<Arc<Vec<NewEntity>>>,
    /// The relation types of the base graph, then learned ones.
    relations: Arc<Vec<Relation>>,
    entity_order: Arc<NameOrder>,
    relation_order: Arc<NameOrder>,
    names: LearnedNames,
    rows: LearnedRows,
    records: TripleRecords,
    /// How often each triple was learned again after the first time, under the same or another name.
    repeats: Arc<BTreeMap<Triple, u32>>,
    /// The qualifiers of learned triples.
    qualified: Arc<BTreeMap<Triple, Qualifiers>>,
    learned: usize,
    conditions: usize,
}

impl EvolvingGraph {
    /// A graph without learned triples.
    pub fn new(base: Arc<Graph>) -> Self {
        let (entities, relations) = (base.entity_count() as u32, base.relations().len() as u32);
        Self {
            entities: Vec::new(),
            relations: Arc::new(base.relations().to_vec()),
            entity_order: Arc::new(NameOrder::new(entities)),
            relation_order: Arc::new(NameOrder::new(relations)),
            names: LearnedNames::default(),
            rows: LearnedRows::default(),
            records: TripleRecords::default(),
            repeats: Arc::default(),
            qualified: Arc::default(),
            learned: 0,
            conditions: base.condition_count(),
            base,
        }
    }

    /// The base graph.
    pub fn base(&self) -> &Arc<Graph> {
        &self.base
    }

    /// The base graph's name.
    pub fn name(&self) -> &str {
        self.base.name()
    }

    /// How many triples are learned, without those that the base graph states.
    pub fn learned_count(&self) -> usize {
        self.learned
    }

    /// How many entities are described as conditions.
    pub fn condition_count(&self) -> usize {
        self.conditions
    }

    /// How many entities there are, including learned ones.
    pub fn entity_count(&self) -> usize {
        self.base.entity_count() + self.new_count()
    }

    /// How many triples an entity takes part in (a self-loop counts twice).
    pub fn degree(&self, entity: EntityId) -> usize {
        GraphView::degree(self, entity)
    }

    fn new_count(&self) -> usize {
        self.entities.last().map_or(0, |last| (self.entities.len() - 1) * PORTION + last.len())
    }

    /// All entity numbers.
    pub fn entity_ids(&self) -> impl ExactSizeIterator<Item = EntityId> + use<> {
        (0..self.entity_count() as u32).map(EntityId)
    }

    /// Whether an entity is learned, that is, not in the base graph.
    pub fn is_new(&self, entity: EntityId) -> bool {
        entity.index() >= self.base.entity_count()
    }

    /// Whether an entity is in the base graph, or takes part in a triple that is still learned.
    pub fn is_in_use(&self, entity: EntityId) -> bool {
        !self.is_new(entity) || self.has_learned(entity)
    }

    /// Whether an entity takes part in a learned triple.
    pub(crate) fn has_learned(&self, entity: EntityId) -> bool {
        Direction::BOTH.iter().any(|way| self.rows.row(entity, *way).is_some_and(|row| !row.learned.is_empty()))
    }

    fn new_entity(&self, entity: EntityId) -> Option<&NewEntity> {
        let at = entity.index().checked_sub(self.base.entity_count())?;
        self.entities.get(at / PORTION)?.get(at % PORTION)
    }

    /// An entity's preferred name; empty for a number that does not exist.
    pub fn entity_name(&self, entity: EntityId) -> &str {
        if self.is_new(entity) { self.new_entity(entity).map_or("", |new| &new.name) } else { self.base.entity_name(entity) }
    }

    /// An entity's kind, stated or inferred.
    pub fn kind(&self, entity: EntityId) -> &Kind {
        // The base graph handles numbers that do not exist.
        self.new_entity(entity).map_or_else(|| self.base.kind(entity), |new| &new.kind)
    }

    /// An entity's other names; learned entities have none.
    pub fn aliases(&self, entity: EntityId) -> impl Iterator<Item = &str> {
        let base = (!self.is_new(entity)).then(|| self.base.aliases(entity));
        base.into_iter().flatten()
    }

    /// One or two sentences about an entity; empty when the graph has none.
    pub fn description(&self, entity: EntityId) -> &str {
        if self.is_new(entity) { "" } else { self.base.description(entity) }
    }

    /// The learned entities, in the order in which they were learned; their numbers follow the base graph's. Some may no longer take part in
    /// any triple.
    pub fn new_entities(&self) -> impl Iterator<Item = (EntityId, &str, &Kind)> {
        let first = self.base.entity_count() as u32;
        (first..).zip(self.entities.iter().flat_map(|portion| portion.iter())).map(|(id, new)| (EntityId(id), new.name.as_str(), &new.kind))
    }

    /// The relation types, by number: the base graph's, then learned ones.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// One relation type.
    ///
    /// # Panics
    /// If the number is not one of this graph's.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        &self.relations[relation.index()]
    }

    /// The role of a relation type.
    ///
    /// # Panics
    /// As [`Self::relation`].
    pub fn role(&self, relation: RelationId) -> Role {
        self.relation(relation).role
    }

    /// The index over the names of all entities.
    pub fn names(&self) -> EvolvingNames<'_> {
        EvolvingNames::new(self)
    }

    /// The entity with exactly this name or alias after folding; the lowest number when there are several.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.names().lookup_exact(name).first().copied()
    }

    /// Every learned triple, ordered by head, relation, tail.
    pub fn learned(&self) -> impl Iterator<Item = Triple> + '_ {
        self.records.triples()
    }

    /// The number of the record that taught a triple; `None` if it was not learned.
    pub fn record_of(&self, triple: Triple) -> Option<u64> {
        self.records.get(triple)
    }

    /// Whether the base graph or a learned triple states this.
    pub fn states(&self, triple: Triple) -> bool {
        let edge = Edge::new(triple.tail, triple.relation);
        let edges = self.edges(triple.head, Direction::Out);
        edges.parts().iter().any(|(part, _)| part.binary_search(&edge).is_ok())
    }

    /// What a triple states beyond its ends and relation; see [`Graph::qualifiers`]. A triple of the base graph keeps the qualifiers
    /// that it has there, even if it is learned again.
    pub fn qualifiers(&self, head: EntityId, relation: RelationId, tail: EntityId) -> Qualifiers {
        let learned = self.qualified.get(&Triple { head, relation, tail });
        learned.cloned().unwrap_or_else(|| self.base.qualifiers(head, relation, tail))
    }

    /// The attributes of an entity; learned entities have none.
    pub fn attributes(&self, entity: EntityId) -> Qualifiers {
        self.base.attributes(entity)
    }

    /// A chain of this graph as text; see [`super::ChainTable::text`].
    pub fn chain_text(&self, chain: &Chain) -> String {
        DescribedGraph::chain_text(self, chain)
    }

    /// A chain of this graph, marked with whether one of its triples was learned.
    pub(crate) fn marked(&self, chain: Chain) -> Chain {
        let learned = chain.hops().any(|hop| {
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            self.record_of(Triple { head: EntityId(head), relation: RelationId(hop.relation), tail: EntityId(tail) }).is_some()
        });
        chain.with_learned(learned)
    }

    /// A triple by name.
    pub fn named(&self, triple: Triple) -> NamedTriple {
        let entity = |entity| NamedEntity::new(self.entity_name(entity), self.kind(entity));
        let qualifiers = self.qualifiers(triple.head, triple.relation, triple.tail);
        NamedTriple { head: entity(triple.head), relation: self.relation(triple.relation).into(), tail: entity(triple.tail), qualifiers }
    }
}

impl GraphView for EvolvingGraph {
    fn entity_count(&self) -> usize {
        EvolvingGraph::entity_count(self)
    }

    fn rows(&self) -> view::GraphRows<'_> {
        self.base.rows()
    }

    fn learned_rows(&self) -> Option<&LearnedRows> {
        (self.learned > 0).then_some(&self.rows)
    }

    fn relation_count(&self) -> usize {
        self.relations.len()
    }

    #[inline]
    fn entity_rank(&self, entity: EntityId) -> u32 {
        self.entity_order.rank(entity.0)
    }

    #[inline]
    fn entity_at_rank(&self, rank: u32) -> EntityId {
        EntityId(self.entity_order.at_rank(rank))
    }

    #[inline]
    fn relation_rank(&self, relation: RelationId) -> u16 {
        self.relation_order.rank(relation.0.into()) as u16
    }

    #[inline]
    fn relation_at_rank(&self, rank: u16) -> RelationId {
        RelationId(self.relation_order.at_rank(rank.into()) as u16)
    }
}

impl DescribedGraph for EvolvingGraph {
    fn entity_name(&self, entity: EntityId) -> &str {
        self.entity_name(entity)
    }

    fn kind(&self, entity: EntityId) -> &Kind {
        self.kind(entity)
    }

    fn description(&self, entity: EntityId) -> &str {
        self.description(entity)
    }

    fn relations(&self) -> &[Relation] {
        self.relations()
    }

    fn qualifiers(&self, head: EntityId, relation: RelationId, tail: EntityId) -> Qualifiers {
        self.qualifiers(head, relation, tail)
    }

    fn has_qualifiers(&self) -> bool {
        !self.qualified.is_empty() || self.base.qualified_count() > 0
    }

    fn attributes(&self, entity: EntityId) -> Qualifiers {
        self.attributes(entity)
    }
}
