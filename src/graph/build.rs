//! Building a graph: names are interned, triples deduplicated, kinds inferred, and everything numbered
//! in the order of names, so that "ordered by number" means "ordered by name" everywhere else.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::entity::{EntityId, Kind, RelationId};
use super::name_index::NameIndex;
use super::role::{Player, Relation, Role, RoleRules};
use super::store::{Adjacency, Edge, EntityRecord, Graph};
use crate::text::{fold, sanitise_line};

/// How closely another name fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synonymy {
    /// It means the same.
    Exact,
    /// It is broader, narrower or related.
    Loose,
}

/// A line that was not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Line number in the file, from 1.
    pub line: usize,
    /// What is wrong with it, in plain words.
    pub reason: String,
}

/// What an import took and what it left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Lines read, blank ones and comments apart.
    pub lines: usize,
    /// Distinct triples taken.
    pub accepted: usize,
    /// Lines that repeat a triple already taken.
    pub duplicates: usize,
    /// The first [`Self::SHOWN`] rejected lines.
    pub rejected: Vec<Rejection>,
    /// All rejected lines, counted by reason.
    pub rejected_by_reason: BTreeMap<String, usize>,
    /// What the format has and Catena leaves out on purpose (obsolete terms, say), counted by what it is.
    pub left_out: BTreeMap<String, usize>,
}

impl BuildReport {
    /// How many rejected lines are kept one by one.
    pub const SHOWN: usize = 20;

    /// Notes a rejected line.
    pub fn reject(&mut self, line: usize, reason: &str) {
        *self.rejected_by_reason.entry(reason.to_owned()).or_default() += 1;
        if self.rejected.len() < Self::SHOWN {
            self.rejected.push(Rejection { line, reason: reason.to_owned() });
        }
    }

    /// Notes something that is left out on purpose.
    pub fn leave_out(&mut self, what: &str) {
        *self.left_out.entry(what.to_owned()).or_default() += 1;
    }

    /// How many lines were rejected.
    pub fn rejected_count(&self) -> usize {
        self.rejected_by_reason.values().sum()
    }

    /// One line for people: counts and reasons; `None` when every line was taken.
    pub fn summary(&self) -> Option<String> {
        if self.rejected_by_reason.is_empty() && self.duplicates == 0 {
            return None;
        }
        let mut parts = Vec::new();
        if self.duplicates > 0 {
            parts.push(format!("{} repeat an earlier triple", self.duplicates));
        }
        for (reason, count) in &self.rejected_by_reason {
            parts.push(format!("{count} rejected: {reason}"));
        }
        let first = self.rejected.first().map(|r| format!(" (first at line {})", r.line)).unwrap_or_default();
        Some(format!("{} of {} lines were not taken: {}{first}", self.duplicates + self.rejected_count(), self.lines, parts.join("; ")))
    }
}

/// Collects entities, relations and triples into a [`Graph`].
#[derive(Debug, Default)]
pub struct GraphBuilder {
    name: String,
    entities: Vec<EntityRecord>,
    by_name: HashMap<String, u32>,
    by_kind: HashMap<(String, Kind), u32>,
    by_identifier: HashMap<String, u32>,
    relations: Vec<Relation>,
    relation_by_name: HashMap<String, u16>,
    triples: Vec<(u32, u16, u32)>,
    known: HashSet<(u32, u16, u32)>,
    ambiguous: Vec<String>,
}

impl GraphBuilder {
    /// Begins a graph that will be shown under `name`.
    pub fn new(name: &str) -> Self {
        Self { name: sanitise_line(name), ..Self::default() }
    }

    /// The number of the entity with this very name, made if it is new. Numbers change in [`Self::finish`].
    pub fn entity(&mut self, name: &str) -> u32 {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let id = self.entities.len() as u32;
        self.entities.push(EntityRecord { name: name.to_owned(), ..EntityRecord::default() });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// The number of the entity with this very name and kind, made if it is new: homonyms of different kinds are
    /// different entities.
    pub fn entity_of_kind(&mut self, name: &str, kind: &Kind) -> u32 {
        let key = (name.to_owned(), kind.clone());
        if let Some(known) = self.by_kind.get(&key) {
            return *known;
        }
        let id = self.entities.len() as u32;
        self.entities.push(EntityRecord { name: name.to_owned(), kind: kind.clone(), ..EntityRecord::default() });
        self.by_kind.insert(key, id);
        id
    }

    /// The number of the entity that its source knows by this identifier, made if it is new. It has no name
    /// until [`Self::set_name`] gives it one; one that stays without is named by its identifier.
    pub fn identified(&mut self, identifier: &str) -> u32 {
        if let Some(known) = self.by_identifier.get(identifier) {
            return *known;
        }
        let id = self.entities.len() as u32;
        self.entities.push(EntityRecord { identifier: identifier.to_owned(), ..EntityRecord::default() });
        self.by_identifier.insert(identifier.to_owned(), id);
        id
    }

    /// The number of the entity that its source knows by this identifier, if it was met already.
    pub fn by_identifier(&self, identifier: &str) -> Option<u32> {
        self.by_identifier.get(identifier).copied()
    }

    /// Names an entity.
    pub fn set_name(&mut self, entity: u32, name: &str) {
        self.entities[entity as usize].name = name.to_owned();
    }

    /// States an entity's kind.
    pub fn set_kind(&mut self, entity: u32, kind: Kind) {
        self.entities[entity as usize].kind = kind;
    }

    /// States an entity's description.
    pub fn set_description(&mut self, entity: u32, description: &str) {
        self.entities[entity as usize].description = description.to_owned();
    }

    /// Adds another name. An exact one also tells that an entity of that name and the same kind is the same
    /// entity; a loose one (broader, narrower, related) does not.
    pub fn add_alias(&mut self, entity: u32, alias: &str, synonymy: Synonymy) {
        let _ = synonymy;
        self.entities[entity as usize].aliases.push(alias.to_owned());
    }

    /// The relation type of this name, made by the rules if it is new; `None` when there are more than 65,535.
    pub fn relation_named(&mut self, name: &str, rules: &RoleRules) -> Option<u16> {
        self.relation_by_name(name).or_else(|| self.relation(rules.guess(name)))
    }

    /// Whether an entity of this very name exists already.
    pub fn knows_entity(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// States what is known about an entity.
    pub fn describe(&mut self, entity: u32, kind: Kind, description: String, aliases: Vec<String>) {
        let record = &mut self.entities[entity as usize];
        record.kind = kind;
        record.description = description;
        record.aliases = aliases;
    }

    /// Lets an alias name more than one entity without that being a fault.
    pub fn allow_ambiguous(&mut self, alias: &str) {
        self.ambiguous.push(fold(alias));
    }

    /// The number of a relation type, if there is one of this name.
    pub fn relation_by_name(&self, name: &str) -> Option<u16> {
        self.relation_by_name.get(name).copied()
    }

    /// Adds a relation type; the first of a name stays. `None` when there are more than 65,535.
    pub fn relation(&mut self, relation: Relation) -> Option<u16> {
        if let Some(known) = self.relation_by_name.get(&relation.name) {
            return Some(*known);
        }
        let id = u16::try_from(self.relations.len()).ok()?;
        self.relation_by_name.insert(relation.name.clone(), id);
        self.relations.push(relation);
        Some(id)
    }

    /// Adds a triple; `false` when it was there already.
    pub fn triple(&mut self, head: u32, relation: u16, tail: u32) -> bool {
        let fresh = self.known.insert((head, relation, tail));
        if fresh {
            self.triples.push((head, relation, tail));
        }
        fresh
    }

    /// Numbers everything by name, infers missing kinds and builds adjacency and the name index.
    pub fn finish(self) -> Graph {
        let Self { name, mut entities, relations, triples, ambiguous, .. } = self;
        infer_kinds(&mut entities, &relations, &triples);

        let new_entity = ranks(entities.iter().map(|e| e.name.as_str()));
        let new_relation = ranks(relations.iter().map(|r| r.name.as_str()));
        let entities = permuted(entities, &new_entity);
        let relations = permuted(relations, &new_relation);
        let triples: Vec<(u32, RelationId, u32)> = triples
            .into_iter()
            .map(|(h, r, t)| (new_entity[h as usize], RelationId(new_relation[usize::from(r)] as u16), new_entity[t as usize]))
            .collect();

        let out = adjacency(entities.len(), triples.iter().map(|(h, r, t)| (*h, Edge { to: EntityId(*t), relation: *r })));
        let incoming = adjacency(entities.len(), triples.iter().map(|(h, r, t)| (*t, Edge { to: EntityId(*h), relation: *r })));
        let names = NameIndex::build(entities.iter().zip(0..).flat_map(|(record, i)| {
            let own = std::iter::once(record.name.as_str());
            let bracketed = bracket_forms(&record.name).into_iter().flatten();
            own.chain(bracketed).chain(record.aliases.iter().map(String::as_str)).map(move |n| (n, EntityId(i)))
        }));
        Graph { name, entities, relations, out, incoming, names, ambiguous }
    }
}

/// Graphs often write an alias in brackets behind the name: "Otitis externa (swimmer's ear)" is known by both parts.
fn bracket_forms(name: &str) -> Option<[&str; 2]> {
    let (outer, rest) = name.split_once('(')?;
    let (inner, after) = rest.rsplit_once(')')?;
    (after.trim().is_empty() && outer.trim().len() > 2 && inner.trim().len() > 2).then(|| [outer.trim(), inner.trim()])
}

/// For each item its place in the sorted order.
fn ranks<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let names: Vec<&str> = names.collect();
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_key(|i| names[*i as usize]);
    let mut ranks = vec![0; names.len()];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i as usize] = rank as u32;
    }
    ranks
}

fn permuted<T>(items: Vec<T>, rank: &[u32]) -> Vec<T> {
    let mut ranked: Vec<(u32, T)> = rank.iter().copied().zip(items).collect();
    ranked.sort_by_key(|(r, _)| *r);
    ranked.into_iter().map(|(_, item)| item).collect()
}

fn adjacency(count: usize, edges: impl Iterator<Item = (u32, Edge)> + Clone) -> Adjacency {
    let mut starts = vec![0u32; count + 1];
    for (from, _) in edges.clone() {
        starts[from as usize + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let unset = Edge { to: EntityId(0), relation: RelationId(0) };
    let mut row_edges = vec![unset; starts[count] as usize];
    for (from, edge) in edges {
        let slot = &mut next[from as usize];
        row_edges[*slot as usize] = edge;
        *slot += 1;
    }
    for i in 0..count {
        row_edges[starts[i] as usize..starts[i + 1] as usize].sort_unstable();
    }
    Adjacency { starts, edges: row_edges }
}

/// Kinds that the two ends of a relation of this role usually have: (player, owner).
fn kinds_of(role: Role) -> Option<(Kind, Kind)> {
    use Kind::{Disease, Drug, Pathogen, RiskFactor, Symptom, Test};
    Some(match role {
        Role::Symptom | Role::RedFlag => (Symptom, Disease),
        Role::Test => (Test, Disease),
        Role::Treatment | Role::FirstLine | Role::Prevention => (Drug, Disease),
        Role::Contraindication => (Disease, Drug),
        Role::AdverseEffect => (Symptom, Drug),
        Role::Complication | Role::Differential => (Disease, Disease),
        Role::RiskFactor => (RiskFactor, Disease),
        Role::Cause => (Pathogen, Disease),
        Role::Interaction | Role::Monitoring | Role::Broader | Role::Related => return None,
    })
}

/// Gives entities without a kind the one that most of their triples suggest.
fn infer_kinds(entities: &mut [EntityRecord], relations: &[Relation], triples: &[(u32, u16, u32)]) {
    let unknown = |entity: &EntityRecord| matches!(&entity.kind, Kind::Other(name) if name.is_empty());
    let mut votes: HashMap<u32, HashMap<Kind, usize>> = HashMap::new();
    for &(head, relation, tail) in triples {
        let relation = &relations[usize::from(relation)];
        let Some((player_kind, owner_kind)) = kinds_of(relation.role) else { continue };
        let (player, owner) = match relation.player {
            Player::Head => (head, tail),
            Player::Tail => (tail, head),
        };
        for (entity, kind) in [(player, player_kind), (owner, owner_kind)] {
            if unknown(&entities[entity as usize]) {
                *votes.entry(entity).or_default().entry(kind).or_default() += 1;
            }
        }
    }
    for (entity, kinds) in votes {
        let best = kinds.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.as_str().cmp(a.0.as_str())));
        if let Some((kind, _)) = best {
            entities[entity as usize].kind = kind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RoleRules;

    #[test]
    fn numbers_follow_names_and_kinds_follow_roles() {
        let rules = RoleRules::built_in().expect("the built-in rules parse");
        let mut builder = GraphBuilder::new("t");
        let (z, a) = (builder.entity("Zoster (shingles)"), builder.entity("Aciclovir"));
        let treat = builder.relation(rules.guess("need_medication")).expect("room for a relation");
        assert!(builder.triple(z, treat, a));
        assert!(!builder.triple(z, treat, a));
        let graph = builder.finish();
        assert_eq!(graph.entity_name(EntityId(0)), "Aciclovir");
        assert_eq!(graph.kind(EntityId(0)), &Kind::Drug);
        assert_eq!(graph.kind(EntityId(1)), &Kind::Disease);
        assert_eq!(graph.find("shingles"), Some(EntityId(1)));
        assert_eq!(graph.find("zoster"), Some(EntityId(1)));
        assert_eq!(graph.outgoing(EntityId(1)).len(), 1);
        assert_eq!(graph.incoming(EntityId(0))[0].to, EntityId(1));
    }
}
