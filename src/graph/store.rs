//! The graph itself: names and texts beside compressed adjacency (CSR) both ways.

use super::entity::{EntityId, Kind, RelationId};
use super::name_index::NameIndex;
use super::role::{Relation, Role};

/// One end of a triple as seen from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The entity at the far end.
    pub to: EntityId,
    /// The relation type.
    pub relation: RelationId,
}

/// A statement: head, relation, tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// Where the relation starts.
    pub head: EntityId,
    /// The relation type.
    pub relation: RelationId,
    /// Where it ends.
    pub tail: EntityId,
}

/// Everything that is known about one entity apart from its triples.
#[derive(Debug, Clone, Default)]
pub(super) struct EntityRecord {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// What its source calls it; empty where the source has names only.
    pub(super) identifier: String,
    pub(super) description: String,
    pub(super) aliases: Vec<String>,
}

/// Adjacency in compressed rows: the edges of entity `i` are `edges[starts[i]..starts[i + 1]]`,
/// sorted by far end, then relation.
#[derive(Debug, Clone, Default)]
pub(super) struct Adjacency {
    pub(super) starts: Vec<u32>,
    pub(super) edges: Vec<Edge>,
}

impl Adjacency {
    fn row(&self, entity: EntityId) -> &[Edge] {
        let (from, to) = (self.starts[entity.index()], self.starts[entity.index() + 1]);
        &self.edges[from as usize..to as usize]
    }
}

/// An immutable knowledge graph. Made by [`super::GraphBuilder`].
#[derive(Debug)]
pub struct Graph {
    pub(super) name: String,
    pub(super) entities: Vec<EntityRecord>,
    pub(super) relations: Vec<Relation>,
    pub(super) out: Adjacency,
    pub(super) incoming: Adjacency,
    pub(super) names: NameIndex,
    pub(super) ambiguous: Vec<String>,
}

impl Graph {
    /// The name under which the graph is shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }

    /// How many distinct triples there are.
    pub fn triple_count(&self) -> usize {
        self.out.edges.len()
    }

    /// All entity numbers.
    pub fn entity_ids(&self) -> impl ExactSizeIterator<Item = EntityId> + use<> {
        (0..self.entities.len() as u32).map(EntityId)
    }

    /// An entity's preferred name.
    pub fn entity_name(&self, entity: EntityId) -> &str {
        &self.entities[entity.index()].name
    }

    /// An entity's kind, stated or inferred from the roles it plays.
    pub fn kind(&self, entity: EntityId) -> &Kind {
        &self.entities[entity.index()].kind
    }

    /// One or two sentences about an entity; empty when the graph has none.
    pub fn description(&self, entity: EntityId) -> &str {
        &self.entities[entity.index()].description
    }

    /// An entity's other names.
    pub fn aliases(&self, entity: EntityId) -> &[String] {
        &self.entities[entity.index()].aliases
    }

    /// The relation types, by number.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// One relation type.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        &self.relations[relation.index()]
    }

    /// The role of a relation type.
    pub fn role(&self, relation: RelationId) -> Role {
        self.relations[relation.index()].role
    }

    /// Triples that start at an entity.
    pub fn outgoing(&self, entity: EntityId) -> &[Edge] {
        self.out.row(entity)
    }

    /// Triples that end at an entity.
    pub fn incoming(&self, entity: EntityId) -> &[Edge] {
        self.incoming.row(entity)
    }

    /// How many triples an entity takes part in (a self-loop counts twice).
    pub fn degree(&self, entity: EntityId) -> usize {
        self.outgoing(entity).len() + self.incoming(entity).len()
    }

    /// Every triple, ordered by head, tail, relation.
    pub fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        self.entity_ids()
            .flat_map(move |head| self.outgoing(head).iter().map(move |edge| Triple { head, relation: edge.relation, tail: edge.to }))
    }

    /// The index over names and aliases.
    pub fn names(&self) -> &NameIndex {
        &self.names
    }

    /// Folded aliases that are allowed to name more than one entity.
    pub fn ambiguous_aliases(&self) -> &[String] {
        &self.ambiguous
    }

    /// The entity with exactly this name or alias after folding; the lowest number when there are several.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.names.lookup_exact(name).first().copied()
    }
}
