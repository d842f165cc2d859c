//! Builds a graph from RDF statements: labels become names, types become kinds, and other statements between resources
//! become triples.
//!
//! A label, a type's label, or the declaration of a property may stand anywhere in the files, so statements are kept (as
//! numbers) until all are read. Literals that are neither names nor descriptions are left out.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};
use percent_encoding::percent_decode_str;

use super::error::ImportError;
use super::session::{ImportSession, description_of, identifier_of, name_of, optional_name};
use crate::graph::build::Synonymy;
use crate::graph::{Kind, Relation, RoleRules};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const OBO_IN_OWL: &str = "http://www.geneontology.org/formats/oboInOwl#";
const OBO: &str = "http://purl.obolibrary.org/obo/";

/// The relation from a concept to the broader concept of which it is a kind.
const IS_A: &str = "is_a";

/// The meaning of a predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PredicateMeaning {
    Label,
    Alias(Synonymy),
    Description,
    Type,
    Broader,
    Deprecated,
    /// Part of the vocabulary, not a medical statement.
    Vocabulary,
    Other,
}

fn says(predicate: &str) -> PredicateMeaning {
    let within = |space: &str| predicate.strip_prefix(space);
    if let Some(name) = within(RDF) {
        return if name == "type" { PredicateMeaning::Type } else { PredicateMeaning::Vocabulary };
    }
    if let Some(name) = within(RDFS) {
        return match name {
            "label" => PredicateMeaning::Label,
            "comment" => PredicateMeaning::Description,
            "subClassOf" => PredicateMeaning::Broader,
            _ => PredicateMeaning::Vocabulary,
        };
    }
    if let Some(name) = within(OWL) {
        return if name == "deprecated" { PredicateMeaning::Deprecated } else { PredicateMeaning::Vocabulary };
    }
    if let Some(name) = within(SKOS) {
        return match name {
            "prefLabel" => PredicateMeaning::Label,
            "altLabel" | "hiddenLabel" => PredicateMeaning::Alias(Synonymy::Exact),
            "definition" => PredicateMeaning::Description,
            "broader" => PredicateMeaning::Broader,
            _ => PredicateMeaning::Other,
        };
    }
    if let Some(name) = within(OBO_IN_OWL) {
        return match name {
            "hasExactSynonym" => PredicateMeaning::Alias(Synonymy::Exact),
            "hasRelatedSynonym" | "hasBroadSynonym" | "hasNarrowSynonym" => PredicateMeaning::Alias(Synonymy::Loose),
            _ => PredicateMeaning::Other,
        };
    }
    if let Some(name) = within(OBO) {
        return match name {
            "IAO_0000115" => PredicateMeaning::Description,
            "IAO_0000118" => PredicateMeaning::Alias(Synonymy::Exact),
            _ => PredicateMeaning::Other,
        };
    }
    match predicate {
        "http://schema.org/name" | "https://schema.org/name" | "http://xmlns.com/foaf/0.1/name" => PredicateMeaning::Label,
        "http://schema.org/alternateName" | "https://schema.org/alternateName" => PredicateMeaning::Alias(Synonymy::Exact),
        "http://purl.org/dc/terms/description"
        | "http://purl.org/dc/elements/1.1/description"
        | "http://schema.org/description"
        | "https://schema.org/description" => PredicateMeaning::Description,
        _ => PredicateMeaning::Other,
    }
}

/// What is known so far about a resource.
#[derive(Default)]
struct RdfNode {
    blank: bool,
    /// Whether it is a property or the ontology itself, not a medical concept.
    schema: bool,
    deprecated: bool,
    names_a_kind: bool,
    /// Rank of the language (lower is preferred) and text.
    name: Option<(usize, String)>,
    description: Option<(usize, String)>,
    aliases: Vec<(String, Synonymy)>,
}

/// All statements of some files.
pub(super) struct RdfStatements<'o> {
    languages: &'o [String],
    file: usize,
    numbers: HashMap<Rc<str>, u32>,
    keys: Vec<Rc<str>>,
    nodes: Vec<RdfNode>,
    types: Vec<(u32, u32)>,
    triples: Vec<(u32, u32, u32)>,
}

impl<'o> RdfStatements<'o> {
    pub(super) fn new(languages: &'o [String]) -> Self {
        let (numbers, keys, nodes) = (HashMap::new(), Vec::new(), Vec::new());
        Self { languages, file: 0, numbers, keys, nodes, types: Vec::new(), triples: Vec::new() }
    }

    /// Blank nodes of different files are different nodes.
    pub(super) fn begin_file(&mut self, number: usize) {
        self.file = number;
    }

    fn number(&mut self, key: &str, blank: bool) -> u32 {
        if let Some(known) = self.numbers.get(key) {
            return *known;
        }
        let number = self.keys.len() as u32;
        let key: Rc<str> = key.into();
        self.keys.push(Rc::clone(&key));
        self.numbers.insert(key, number);
        self.nodes.push(RdfNode { blank, ..RdfNode::default() });
        number
    }

    fn blank(&mut self, label: &str) -> u32 {
        self.number(&format!("_:{}:{label}", self.file), true)
    }

    /// Adds a statement.
    pub(super) fn add(&mut self, triple: Triple, session: &mut ImportSession) {
        let predicate = triple.predicate.as_str();
        let says = says(predicate);
        let subject = match &triple.subject {
            NamedOrBlankNode::NamedNode(node) => self.number(node.as_str(), false),
            NamedOrBlankNode::BlankNode(node) => self.blank(node.as_str()),
        };
        let object = match &triple.object {
            Term::Literal(literal) => return self.add_literal(subject, predicate, says, literal, session),
            Term::NamedNode(node) if says == PredicateMeaning::Type => return self.add_type(subject, node.as_str(), session),
            Term::NamedNode(node) => self.number(node.as_str(), false),
            Term::BlankNode(node) => self.blank(node.as_str()),
        };
        match says {
            PredicateMeaning::Broader | PredicateMeaning::Other => {
                let predicate = self.number(if says == PredicateMeaning::Broader { IS_A } else { predicate }, false);
                self.triples.push((subject, predicate, object));
            }
            _ => leave_out_predicate(predicate, session),
        }
    }

    fn add_type(&mut self, subject: u32, class: &str, session: &mut ImportSession) {
        let vocabulary = [RDF, RDFS, OWL, SKOS].iter().find_map(|space| class.strip_prefix(space));
        match vocabulary {
            Some(name) => {
                let is_schema = name.ends_with("Property") || matches!(name, "Ontology" | "Datatype" | "Axiom" | "AllDisjointClasses");
                self.nodes[subject as usize].schema |= is_schema;
                session.leave_out(&format!("type {}", local_name(class)));
            }
            None => {
                let class = self.number(class, false);
                self.nodes[class as usize].names_a_kind = true;
                self.types.push((subject, class));
            }
        }
    }

    fn add_literal(&mut self, subject: u32, predicate: &str, says: PredicateMeaning, literal: &Literal, session: &mut ImportSession) {
        let rank = self.rank(literal.language().unwrap_or_default());
        let node = &mut self.nodes[subject as usize];
        match says {
            PredicateMeaning::Label | PredicateMeaning::Alias(_) => {
                let Ok(name) = name_of(literal.value()) else {
                    return session.leave_out("label that is empty or longer than 1000 bytes");
                };
                let name = name.into_owned();
                match says {
                    PredicateMeaning::Alias(synonymy) => node.aliases.push((name, synonymy)),
                    _ => {
                        if let Some((_, worse)) = keep_better(&mut node.name, (rank, name)) {
                            node.aliases.push((worse, Synonymy::Exact));
                        }
                    }
                }
            }
            PredicateMeaning::Description => {
                let text = description_of(literal.value());
                if !text.is_empty() && keep_better(&mut node.description, (rank, text)).is_some() {
                    session.leave_out("further description of a resource");
                }
            }
            PredicateMeaning::Deprecated => node.deprecated |= matches!(literal.value(), "true" | "1"),
            _ => session.leave_out(&format!("literal of {}", shortened(predicate))),
        }
    }

    /// The place of a language among the preferred ones; `en-GB` counts as `en`.
    fn rank(&self, language: &str) -> usize {
        let primary = language.split('-').next().unwrap_or_default();
        let found = self.languages.iter().position(|l| l.eq_ignore_ascii_case(language));
        found.or_else(|| self.languages.iter().position(|l| l.eq_ignore_ascii_case(primary))).unwrap_or(self.languages.len())
    }

    /// Builds entities and triples from all statements.
    pub(super) fn build(mut self, session: &mut ImportSession) -> Result<(), ImportError> {
        let kinds = self.kinds();
        let mut entities: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut relations: HashMap<u32, Option<u16>> = HashMap::new();
        let triples = std::mem::take(&mut self.triples);
        for (done, (subject, predicate, object)) in triples.into_iter().enumerate() {
            if done % 65536 == 0 {
                session.tick()?;
            }
            if let Some(why) = self.unfit(subject).or_else(|| self.unfit(object)) {
                session.leave_out(&format!("statement about {why}"));
                continue;
            }
            let relation = *relations.entry(predicate).or_insert_with(|| self.relation(predicate, session));
            let Some(relation) = relation else {
                session.leave_out("statement whose relation type has no usable name, or is beyond the limit of 65535 types");
                continue;
            };
            let [head, tail] = [subject, object].map(|node| self.entity(node, &mut entities, &kinds, session));
            session.triple(head, relation, tail);
        }
        for node in 0..self.nodes.len() as u32 {
            let known = &self.nodes[node as usize];
            if entities[node as usize].is_some() || known.name.is_none() || known.schema {
                continue;
            }
            if known.deprecated {
                session.leave_out("obsolete resource");
            } else if known.names_a_kind {
                session.leave_out("class that only names a kind");
            } else if !relations.contains_key(&node) {
                self.entity(node, &mut entities, &kinds, session);
            }
        }
        Ok(())
    }

    /// Why a resource cannot be an end of a triple, if it cannot.
    fn unfit(&self, node: u32) -> Option<&'static str> {
        let known = &self.nodes[node as usize];
        if known.schema {
            Some("a property or an ontology")
        } else if known.deprecated {
            Some("an obsolete resource")
        } else if known.blank && known.name.is_none() {
            Some("a blank node without a label")
        } else {
            None
        }
    }

    /// The entity of a resource; adds it with everything known about it if it is new.
    fn entity(&mut self, node: u32, entities: &mut [Option<u32>], kinds: &HashMap<u32, Kind>, session: &mut ImportSession) -> u32 {
        if let Some(known) = entities[node as usize] {
            return known;
        }
        let name = self.name(node);
        let known = &mut self.nodes[node as usize];
        let (description, mut aliases) = (known.description.take(), std::mem::take(&mut known.aliases));
        let key = &self.keys[node as usize];
        let identifier = match identifier_of(key) {
            Ok(iri) if !known.blank => iri.into_owned(),
            Ok(_) => format!("_:{node}"),
            Err(_) => {
                session.leave_out("IRI that is longer than 8192 bytes, or has no printable character");
                format!("_:{node}")
            }
        };
        let entity = session.identified(&identifier, &name, kinds.get(&node));
        if let Some((_, description)) = &description {
            session.builder.set_description(entity, description);
        }
        aliases.sort_by(|a, b| (a.1 != Synonymy::Exact, &a.0).cmp(&(b.1 != Synonymy::Exact, &b.0)));
        let mut taken = HashSet::from([name.as_str()]);
        for (alias, synonymy) in &aliases {
            if taken.insert(alias) {
                session.builder.add_alias(entity, alias, *synonymy);
            } else {
                session.leave_out("label that repeats a name of its resource");
            }
        }
        entities[node as usize] = Some(entity);
        entity
    }

    /// A resource's label, otherwise the last part of its IRI, decoded.
    fn name(&self, node: u32) -> String {
        match &self.nodes[node as usize].name {
            Some((_, name)) => name.clone(),
            None => optional_name(&readable(local_name(&self.keys[node as usize]))).map(|name| name.into_owned()).unwrap_or_default(),
        }
    }

    /// The kind of each typed resource, from the names of its types: preferably one that Catena knows, otherwise the first
    /// by name.
    fn kinds(&self) -> HashMap<u32, Kind> {
        let mut kinds: HashMap<u32, Kind> = HashMap::new();
        let order = |kind: &Kind| (matches!(kind, Kind::Other(_)), kind.as_str().to_owned());
        for (node, class) in &self.types {
            let kind = Kind::parse(&self.name(*class));
            match kinds.get(node) {
                Some(known) if order(known) <= order(&kind) => {}
                _ => {
                    kinds.insert(*node, kind);
                }
            }
        }
        kinds
    }

    /// The relation type of a property.
    fn relation(&self, predicate: u32, session: &mut ImportSession) -> Option<u16> {
        let name = Some(self.name(predicate)).filter(|name| !name.is_empty())?;
        let rules = session.rules;
        session.relation_as(&name, || relation_of(&name, rules)).ok()
    }
}

/// The relation of a property's name. Properties are often written `hasSymptom`, so the rules also see the separate words.
fn relation_of(name: &str, rules: &RoleRules) -> Relation {
    let stated = rules.guess(name);
    let words = words_of(name);
    if !stated.guessed || words == name {
        return stated;
    }
    Relation { name: name.to_owned(), ..rules.guess(&words) }
}

/// `hasSymptom` as `has symptom`.
fn words_of(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for c in name.chars() {
        if c.is_uppercase() && after_small {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
        after_small = c.is_lowercase();
    }
    words
}

/// Keeps the better of two texts (by rank, then alphabetically) and returns the other if it differs.
fn keep_better(kept: &mut Option<(usize, String)>, new: (usize, String)) -> Option<(usize, String)> {
    match kept {
        None => {
            *kept = Some(new);
            None
        }
        Some(old) if *old <= new => (old.1 != new.1).then_some(new),
        Some(old) => {
            let worse = std::mem::replace(old, new);
            (worse.1 != old.1).then_some(worse)
        }
    }
}

/// The last part of an IRI, or the whole IRI if that part is empty.
fn local_name(iri: &str) -> &str {
    iri.rsplit(['#', '/', ':']).next().filter(|name| !name.is_empty()).unwrap_or(iri)
}

/// A part of an IRI without percent-encoding (`Crohn%27s`), if what is encoded is UTF-8.
fn readable(part: &str) -> Cow<'_, str> {
    percent_decode_str(part).decode_utf8().unwrap_or(Cow::Borrowed(part))
}

fn shortened(predicate: &str) -> String {
    local_name(predicate).chars().take(60).collect()
}

fn leave_out_predicate(predicate: &str, session: &mut ImportSession) {
    session.leave_out(&format!("statement of {}", shortened(predicate)));
}
