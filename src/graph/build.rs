//! The graph builder: collects names, identifiers, kinds, synonyms and triples. [`super::merge`] then merges records of the
//! same entity, and [`super::assemble`] numbers everything and writes the snapshot.

use std::collections::HashMap;
use std::sync::Arc;

use super::entity::Kind;
use super::qualifiers::Qualifiers;
use super::report::BuildReport;
use super::role::Relation;
use super::snapshot::GraphProvenance;
use super::store::Graph;
use super::{assemble, merge};
use crate::text::{fold, sanitise_line};

/// How closely a synonym matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synonymy {
    /// It has the same meaning.
    Exact,
    /// It is broader, narrower or related.
    Loose,
}

/// Everything known about one entity except its triples.
#[derive(Debug, Clone, Default)]
pub(super) struct EntityRecord {
    /// Empty until the name is known.
    pub(super) name: Arc<str>,
    /// An index into the builder's kinds; 0 is unknown.
    pub(super) kind: u16,
    /// Its identifier in the source; empty if the source has only names.
    pub(super) identifier: Arc<str>,
    pub(super) description: String,
    pub(super) aliases: Vec<(Box<str>, Synonymy)>,
    pub(super) attributes: Qualifiers,
}

/// Head, relation, tail, by the builder's numbers.
pub(super) type RawTriple = (u32, u16, u32);

/// The entities by name and by identifier.
#[derive(Debug, Default)]
pub(super) struct Interned {
    /// By name, for each kind.
    by_name: Vec<HashMap<Arc<str>, u32>>,
    by_identifier: HashMap<Arc<str>, u32>,
}

/// The most kinds that files can state, including the unknown kind. Kinds are numbered in 16 bits, and those inferred
/// from roles ([`super::derive`]) need room too.
const MOST_KINDS: u16 = u16::MAX - 15;

/// Collects entities, relations and triples into a [`Graph`].
#[derive(Debug)]
pub struct GraphBuilder {
    pub(super) name: String,
    pub(super) entities: Vec<EntityRecord>,
    pub(super) kinds: Vec<Kind>,
    kind_numbers: HashMap<Kind, u16>,
    pub(super) interned: Interned,
    pub(super) relations: Vec<Relation>,
    relation_by_name: HashMap<String, u16>,
    pub(super) triples: Vec<RawTriple>,
    /// The qualifiers of triples, in the order in which they were stated.
    pub(super) qualified: Vec<(RawTriple, Qualifiers)>,
    pub(super) ambiguous: Vec<String>,
    pub(super) provenance: GraphProvenance,
}

impl Default for GraphBuilder {
    fn default() -> Self {
        Self::new("")
    }
}

impl GraphBuilder {
    /// Starts a graph with this display name.
    pub fn new(name: &str) -> Self {
        Self {
            name: sanitise_line(name),
            entities: Vec::new(),
            kinds: vec![Kind::default()],
            kind_numbers: HashMap::from([(Kind::default(), 0)]),
            interned: Interned { by_name: vec![HashMap::new()], by_identifier: HashMap::new() },
            relations: Vec::new(),
            relation_by_name: HashMap::new(),
            triples: Vec::new(),
            qualified: Vec::new(),
            ambiguous: Vec::new(),
            provenance: GraphProvenance::default(),
        }
    }

    /// How many entities were added so far, before merging.
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }

    /// How many triples were added so far, including repeated ones.
    pub fn stated_triples(&self) -> usize {
        self.triples.len()
    }

    /// The number of a kind; kinds beyond [`MOST_KINDS`] count as unknown.
    fn kind_number(&mut self, kind: &Kind) -> u16 {
        if let Some(known) = self.kind_numbers.get(kind) {
            return *known;
        }
        let Some(number) = u16::try_from(self.kinds.len()).ok().filter(|number| *number < MOST_KINDS) else { return 0 };
        self.kinds.push(kind.clone());
        self.interned.by_name.push(HashMap::new());
        self.kind_numbers.insert(kind.clone(), number);
        number
    }

    /// The number of the entity with exactly this name; adds it if it is new. Numbers change in [`Self::finish`].
    pub fn entity(&mut self, name: &str) -> u32 {
        self.named(name, 0)
    }

    fn named(&mut self, name: &str, kind: u16) -> u32 {
        let names = &mut self.interned.by_name[usize::from(kind)];
        if let Some(known) = names.get(name) {
            return *known;
        }
        let id = self.entities.len() as u32;
        let name: Arc<str> = name.into();
        names.insert(Arc::clone(&name), id);
        self.entities.push(EntityRecord { name, kind, ..EntityRecord::default() });
        id
    }

    /// The number of the entity with exactly this name and kind; adds it if it is new. Homonyms of different kinds are
    /// different entities.
    pub fn entity_of_kind(&mut self, name: &str, kind: &Kind) -> u32 {
        let kind = self.kind_number(kind);
        self.named(name, kind)
    }

    /// The number of the entity with this identifier in its source; adds it if it is new. It has no name until
    /// [`Self::set_name`] is called; an entity that never gets a name is named by its identifier.
    pub fn identified(&mut self, identifier: &str) -> u32 {
        if let Some(known) = self.interned.by_identifier.get(identifier) {
            return *known;
        }
        let id = self.entities.len() as u32;
        let identifier: Arc<str> = identifier.into();
        self.interned.by_identifier.insert(Arc::clone(&identifier), id);
        self.entities.push(EntityRecord { identifier, ..EntityRecord::default() });
        id
    }

    /// The number of the entity with this identifier; `None` if it was not added yet.
    pub fn by_identifier(&self, identifier: &str) -> Option<u32> {
        self.interned.by_identifier.get(identifier).copied()
    }

    /// Whether an entity with exactly this name and no stated kind was added already.
    pub fn has_entity(&self, name: &str) -> bool {
        self.interned.by_name[0].contains_key(name)
    }

    /// Sets an entity's name.
    pub fn set_name(&mut self, entity: u32, name: &str) {
        self.entities[entity as usize].name = name.into();
    }

    /// Names an entity by one of its aliases if its present name fails a test; that name takes the place of the alias.
    pub(super) fn rename_if(&mut self, entity: u32, alias: &str, is_worse: impl Fn(&str) -> bool) {
        let record = &mut self.entities[entity as usize];
        if !is_worse(&record.name) {
            return;
        }
        if let Some((held, _)) = record.aliases.iter_mut().find(|(held, _)| **held == *alias) {
            let shown = std::mem::replace(&mut record.name, alias.into());
            *held = shown.as_ref().into();
        }
    }

    /// Sets an entity's kind.
    pub fn set_kind(&mut self, entity: u32, kind: Kind) {
        self.entities[entity as usize].kind = self.kind_number(&kind);
    }

    /// Sets an entity's description.
    pub fn set_description(&mut self, entity: u32, description: &str) {
        self.entities[entity as usize].description = description.to_owned();
    }

    /// Adds another name. If it is exact, an entity of that name and the same kind is merged with this one; if it is
    /// loose (broader, narrower, related), it is not.
    pub fn add_alias(&mut self, entity: u32, alias: &str, synonymy: Synonymy) {
        self.entities[entity as usize].aliases.push((alias.into(), synonymy));
    }

    /// Sets kind, description and aliases of an entity. The aliases cause no merge.
    pub fn describe(&mut self, entity: u32, kind: Kind, description: String, aliases: Vec<String>) {
        self.set_kind(entity, kind);
        let record = &mut self.entities[entity as usize];
        record.description = description;
        record.aliases = aliases.into_iter().map(|alias| (alias.into_boxed_str(), Synonymy::Loose)).collect();
    }

    /// Permits an alias to name more than one entity.
    pub fn allow_ambiguous(&mut self, alias: &str) {
        self.ambiguous.push(fold(alias));
    }

    /// Sets the origin of the graph.
    pub fn set_provenance(&mut self, provenance: GraphProvenance) {
        self.provenance = provenance;
    }

    /// The number of the relation type with this name; `None` if there is none.
    pub fn relation_by_name(&self, name: &str) -> Option<u16> {
        self.relation_by_name.get(name).copied()
    }

    /// Adds a relation type and returns its number; the first of a name stays. `None` once there are 65,535.
    pub fn relation(&mut self, relation: Relation) -> Option<u16> {
        if let Some(known) = self.relation_by_name.get(&relation.name) {
            return Some(*known);
        }
        let id = u16::try_from(self.relations.len()).ok().filter(|id| *id < u16::MAX)?;
        self.relation_by_name.insert(relation.name.clone(), id);
        self.relations.push(relation);
        Some(id)
    }

    /// Adds a triple. [`Self::finish_with`] counts repeated triples.
    pub fn triple(&mut self, head: u32, relation: u16, tail: u32) {
        self.triples.push((head, relation, tail));
    }

    /// Adds qualifiers to a triple, which must be added too. If a triple gets qualifiers more than once, they are merged
    /// ([`Qualifiers::merge`]).
    pub fn qualify(&mut self, head: u32, relation: u16, tail: u32, qualifiers: Qualifiers) {
        if !qualifiers.is_empty() {
            self.qualified.push(((head, relation, tail), qualifiers));
        }
    }

    /// Adds attributes to an entity; those that it has already stay.
    pub fn attribute(&mut self, entity: u32, attributes: &Qualifiers) {
        if let Some(record) = self.entities.get_mut(entity as usize) {
            record.attributes.merge(attributes);
        }
    }

    /// Builds the graph: merges entities, numbers everything by name, infers missing kinds, and builds adjacency and the name index.
    pub fn finish(self) -> Graph {
        self.finish_with(&mut BuildReport::default())
    }

    /// Like [`Self::finish`]. Adds the numbers of accepted and repeated triples and of merged entities to the report, and copies the
    /// report's numbers into the graph's provenance.
    pub fn finish_with(mut self, report: &mut BuildReport) -> Graph {
        let merges = merge::merge(&mut self, report);
        assemble::assemble(self, merges, report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EntityId, RoleRules};

    #[test]
    fn numbers_follow_names_and_kinds_follow_roles() {
        let rules = RoleRules::built_in().expect("the built-in rules parse");
        let mut builder = GraphBuilder::new("t");
        let (z, a) = (builder.entity("Zoster (shingles)"), builder.entity("Aciclovir"));
        let treat = builder.relation(rules.guess("need_medication")).expect("room for a relation");
        builder.triple(z, treat, a);
        builder.triple(z, treat, a);
        let mut report = BuildReport::default();
        let graph = builder.finish_with(&mut report);
        assert_eq!((report.accepted, report.duplicates), (1, 1));
        assert_eq!(graph.entity_name(EntityId(0)), "Aciclovir");
        assert_eq!(graph.kind(EntityId(0)), &Kind::Drug);
        assert_eq!(graph.kind(EntityId(1)), &Kind::Disease);
        assert_eq!(graph.find("shingles"), Some(EntityId(1)));
        assert_eq!(graph.find("zoster"), Some(EntityId(1)));
        assert_eq!(graph.outgoing(EntityId(1)).len(), 1);
        assert_eq!(graph.incoming(EntityId(0))[0].to, EntityId(1));
    }
}
