//! Collecting a graph: names and identifiers are interned, kinds, synonyms and triples noted. What is collected
//! becomes a graph in [`super::merge`] (what is one entity?) and [`super::assemble`] (numbers and a snapshot).

use std::collections::HashMap;
use std::sync::Arc;

use super::entity::Kind;
use super::report::BuildReport;
use super::role::{Relation, RoleRules};
use super::snapshot::Provenance;
use super::store::Graph;
use super::{assemble, merge};
use crate::text::{fold, sanitise_line};

/// How closely another name fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synonymy {
    /// It means the same.
    Exact,
    /// It is broader, narrower or related.
    Loose,
}

/// Everything that is known about one entity apart from its triples.
#[derive(Debug, Clone, Default)]
pub(super) struct EntityRecord {
    /// Empty until it is known.
    pub(super) name: Arc<str>,
    /// Into the builder's kinds; 0 is unknown.
    pub(super) kind: u16,
    /// What its source calls it; empty where the source has names only.
    pub(super) identifier: Arc<str>,
    pub(super) description: String,
    pub(super) aliases: Vec<(Box<str>, Synonymy)>,
}

/// Head, relation, tail, by the builder's numbers.
pub(super) type RawTriple = (u32, u16, u32);

/// Which entities are known by which name or identifier.
#[derive(Debug, Default)]
pub(super) struct Interned {
    /// By name, for each kind.
    by_name: Vec<HashMap<Arc<str>, u32>>,
    by_identifier: HashMap<Arc<str>, u32>,
}

/// Most kinds that can be stated, the unknown one included. They are numbered in 16 bits, and those that are inferred
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
    pub(super) ambiguous: Vec<String>,
    pub(super) provenance: Provenance,
}

impl Default for GraphBuilder {
    fn default() -> Self {
        Self::new("")
    }
}

impl GraphBuilder {
    /// Begins a graph that will be shown under `name`.
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
            ambiguous: Vec::new(),
            provenance: Provenance::default(),
        }
    }

    /// How many entities were met so far, before any merging.
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }

    /// How many triples were stated so far, repeated ones among them.
    pub fn stated_triples(&self) -> usize {
        self.triples.len()
    }

    /// The number of a kind; kinds beyond [`MOST_KINDS`] are taken as unknown.
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

    /// The number of the entity with this very name, made if it is new. Numbers change in [`Self::finish`].
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

    /// The number of the entity with this very name and kind, made if it is new: homonyms of different kinds are
    /// different entities.
    pub fn entity_of_kind(&mut self, name: &str, kind: &Kind) -> u32 {
        let kind = self.kind_number(kind);
        self.named(name, kind)
    }

    /// The number of the entity that its source knows by this identifier, made if it is new. It has no name
    /// until [`Self::set_name`] gives it one; one that stays without is named by its identifier.
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

    /// The number of the entity that its source knows by this identifier, if it was met already.
    pub fn by_identifier(&self, identifier: &str) -> Option<u32> {
        self.interned.by_identifier.get(identifier).copied()
    }

    /// Whether an entity of this very name, and of a kind not stated, exists already.
    pub fn knows_entity(&self, name: &str) -> bool {
        self.interned.by_name[0].contains_key(name)
    }

    /// Names an entity.
    pub fn set_name(&mut self, entity: u32, name: &str) {
        self.entities[entity as usize].name = name.into();
    }

    /// States an entity's kind.
    pub fn set_kind(&mut self, entity: u32, kind: Kind) {
        self.entities[entity as usize].kind = self.kind_number(&kind);
    }

    /// States an entity's description.
    pub fn set_description(&mut self, entity: u32, description: &str) {
        self.entities[entity as usize].description = description.to_owned();
    }

    /// Adds another name. An exact one also tells that an entity of that name and the same kind is the same
    /// entity; a loose one (broader, narrower, related) does not.
    pub fn add_alias(&mut self, entity: u32, alias: &str, synonymy: Synonymy) {
        self.entities[entity as usize].aliases.push((alias.into(), synonymy));
    }

    /// States what is known about an entity. Its aliases do not make it one with any other.
    pub fn describe(&mut self, entity: u32, kind: Kind, description: String, aliases: Vec<String>) {
        self.set_kind(entity, kind);
        let record = &mut self.entities[entity as usize];
        record.description = description;
        record.aliases = aliases.into_iter().map(|alias| (alias.into_boxed_str(), Synonymy::Loose)).collect();
    }

    /// Lets an alias name more than one entity without that being a fault.
    pub fn allow_ambiguous(&mut self, alias: &str) {
        self.ambiguous.push(fold(alias));
    }

    /// States where the graph comes from.
    pub fn set_provenance(&mut self, provenance: Provenance) {
        self.provenance = provenance;
    }

    /// The number of a relation type, if there is one of this name.
    pub fn relation_by_name(&self, name: &str) -> Option<u16> {
        self.relation_by_name.get(name).copied()
    }

    /// The relation type of this name, made by the rules if it is new; `None` when there are more than 65,535.
    pub fn relation_named(&mut self, name: &str, rules: &RoleRules) -> Option<u16> {
        self.relation_by_name(name).or_else(|| self.relation(rules.guess(name)))
    }

    /// Adds a relation type; the first of a name stays. `None` when there are more than 65,535.
    pub fn relation(&mut self, relation: Relation) -> Option<u16> {
        if let Some(known) = self.relation_by_name.get(&relation.name) {
            return Some(*known);
        }
        let id = u16::try_from(self.relations.len()).ok().filter(|id| *id < u16::MAX)?;
        self.relation_by_name.insert(relation.name.clone(), id);
        self.relations.push(relation);
        Some(id)
    }

    /// Adds a triple. One that was stated before counts as a repetition when the graph is finished.
    pub fn triple(&mut self, head: u32, relation: u16, tail: u32) {
        self.triples.push((head, relation, tail));
    }

    /// Merges, numbers everything by name, infers missing kinds and builds adjacency and the name index.
    pub fn finish(self) -> Graph {
        self.finish_with(&mut BuildReport::default())
    }

    /// As [`Self::finish`]; the report gets the numbers of accepted and repeated triples and of merged entities,
    /// and its own numbers become part of the graph's provenance.
    pub fn finish_with(mut self, report: &mut BuildReport) -> Graph {
        let merges = merge::merge(&mut self, report);
        assemble::assemble(self, merges, report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EntityId;

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
