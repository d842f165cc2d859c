//! N-Triples (RDF 1.1): reads and writes learned triples. The IRIs contain names, kinds and roles, percent-encoded, so that each line is
//! complete; labels and kinds are added for other programs, and an `rdf:Statement` carries the origin of a triple and its qualifiers, each as
//! `key=value`.
//!
//! ```text
//! <urn:catena:entity:drug:Omeprazole> <urn:catena:relation:treatment:head:treats> <urn:catena:entity:disease:Reflux> .
//! ```

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use oxrdf::vocab::{rdf, rdfs, xsd};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term, TermRef, Triple, TripleRef};
use oxttl::{NTriplesParser, NTriplesSerializer};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::export::Form;
use super::provenance::{Provenance, clipped, identity};
use super::read::{player_of, role_of};
use super::tsv::player_word;
use crate::dkg::wording::rating_word;
use crate::graph::{NamedEntity, NamedRelation, NamedTriple, Qualifiers};
use crate::text::sanitise_line;

const ENTITY: &str = "urn:catena:entity:";
const RELATION: &str = "urn:catena:relation:";
const STATEMENT: &str = "urn:catena:statement:";
const VOCABULARY: &str = "urn:catena:vocabulary:";
/// What an IRI has as it is (RFC 3986's unreserved characters); all else is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The word of the vocabulary for a qualifier.
const QUALIFIER: &str = "qualifier";
/// Longest part of a message of the parser's that is kept, in characters; it may quote the file.
const LONGEST_MESSAGE: usize = 120;

fn entity_iri(entity: &NamedEntity) -> NamedNode {
    let part = |text| utf8_percent_encode(text, ENCODED);
    NamedNode::new_unchecked(format!("{ENTITY}{}:{}", part(&entity.kind), part(&entity.name)))
}

fn relation_iri(relation: &NamedRelation) -> NamedNode {
    let name = utf8_percent_encode(&relation.name, ENCODED);
    NamedNode::new_unchecked(format!("{RELATION}{}:{}:{name}", relation.role.as_str(), player_word(relation.player)))
}

fn word(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{VOCABULARY}{name}"))
}

/// Writes statements.
#[derive(Default)]
pub(super) struct Statements {
    /// Entities and relations that were described.
    described: HashSet<String>,
}

impl Form for Statements {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn triple(&mut self, triple: &NamedTriple, from: &Provenance, out: &mut dyn Write) -> io::Result<()> {
        let mut to = NTriplesSerializer::new().for_writer(out);
        let mut say = |subject: &NamedNode, predicate: NamedNodeRef<'_>, object: TermRef<'_>| {
            to.serialize_triple(TripleRef::new(subject.as_ref(), predicate, object))
        };
        let (head, relation, tail) = (entity_iri(&triple.head), relation_iri(&triple.relation), entity_iri(&triple.tail));
        for (iri, entity) in [(&head, &triple.head), (&tail, &triple.tail)] {
            if self.described.insert(iri.as_str().to_owned()) {
                say(iri, rdfs::LABEL, Literal::from(entity.name.as_str()).as_ref().into())?;
                say(iri, word("kind").as_ref(), Literal::from(entity.kind.as_str()).as_ref().into())?;
            }
        }
        if self.described.insert(relation.as_str().to_owned()) {
            say(&relation, rdfs::LABEL, Literal::from(triple.relation.name.replace('_', " ")).as_ref().into())?;
            say(&relation, word("role").as_ref(), Literal::from(triple.relation.role.as_str()).as_ref().into())?;
            say(&relation, word("player").as_ref(), Literal::from(player_word(triple.relation.player)).as_ref().into())?;
        }
        say(&head, relation.as_ref(), tail.as_ref().into())?;
        // Record numbers are a team's own; with the triple's sum, statements of several teams can stand in one store.
        let statement = NamedNode::new_unchecked(format!("{STATEMENT}{:032x}-{}", identity(triple), from.record));
        say(&statement, rdf::TYPE, rdf::STATEMENT.into())?;
        say(&statement, rdf::SUBJECT, head.as_ref().into())?;
        say(&statement, rdf::PREDICATE, relation.as_ref().into())?;
        say(&statement, rdf::OBJECT, tail.as_ref().into())?;
        let record = Literal::new_typed_literal(from.record.to_string(), xsd::INTEGER);
        say(&statement, word("record").as_ref(), record.as_ref().into())?;
        if !from.at.is_empty() {
            say(&statement, word("at").as_ref(), Literal::new_typed_literal(from.at.as_str(), xsd::DATE_TIME).as_ref().into())?;
        }
        let words = from.words();
        let rating = from.rating.map(rating_word);
        let texts = [
            ("rating", rating),
            ("proposer", Some(from.proposer.as_str())),
            ("origin", Some(words.as_str())),
            ("question", from.question.as_deref()),
            ("answer", from.answer.as_deref()),
            ("gold", from.gold.as_deref()),
            ("why", from.why.as_deref()),
        ];
        let chains = from.chains.iter().map(|chain| ("chain", Some(chain.as_str())));
        let qualifiers: Vec<String> = triple.qualifiers.columns().collect();
        let qualifiers = qualifiers.iter().map(|column| (QUALIFIER, Some(column.as_str())));
        for (name, text) in texts.into_iter().chain(chains).chain(qualifiers) {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                say(&statement, word(name).as_ref(), Literal::from(text).as_ref().into())?;
            }
        }
        Ok(())
    }
}

/// What is collected while a file is read.
#[derive(Default)]
pub(super) struct Collected {
    /// What is said about a statement's node.
    statements: HashMap<String, Said>,
}

#[derive(Default)]
struct Said {
    parts: [Option<String>; 3],
    origin: Option<String>,
    qualifiers: Qualifiers,
}

impl Collected {
    /// Takes a line in; gives the learned triple that it states, if it states one rather than describing something.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn line(&mut self, line: &str) -> Result<Option<NamedTriple>, String> {
        let mut parsed = NTriplesParser::new().for_slice(line.as_bytes());
        let Some(first) = parsed.next() else { return Ok(None) };
        let Triple { subject, predicate, object } = first.map_err(|error| {
            let message: String = sanitise_line(error.message()).chars().take(LONGEST_MESSAGE).collect();
            format!("malformed: {message}")
        })?;
        if parsed.next().is_some() {
            return Err("more than one statement on a line".into());
        }
        let NamedOrBlankNode::NamedNode(subject) = subject else {
            return Err("subject: a blank node, which no export of Catena has".into());
        };
        if predicate.as_str().starts_with(RELATION) {
            let Term::NamedNode(object) = object else { return Err("object: no entity of Catena's".into()) };
            let (head, tail) = (entity_of(&subject, "subject")?, entity_of(&object, "object")?);
            return Ok(Some(NamedTriple::new(head, relation_of(&predicate)?, tail)));
        }
        if subject.as_str().starts_with(STATEMENT) {
            return self.about_statement(&subject, &predicate, object).map(|()| None);
        }
        let describes = predicate.as_ref() == rdfs::LABEL || predicate.as_str().starts_with(VOCABULARY);
        if describes && (subject.as_str().starts_with(ENTITY) || subject.as_str().starts_with(RELATION)) {
            return Ok(None);
        }
        Err("predicate: none that an export of Catena has".into())
    }

    fn about_statement(&mut self, subject: &NamedNode, predicate: &NamedNode, object: Term) -> Result<(), String> {
        let part = [rdf::SUBJECT, rdf::PREDICATE, rdf::OBJECT].iter().position(|known| *known == predicate.as_ref());
        let word = predicate.as_str().strip_prefix(VOCABULARY);
        match object {
            Term::NamedNode(object) => {
                if let Some(slot) = part.and_then(|part| self.said(subject).parts.get_mut(part)) {
                    *slot = Some(object.into_string());
                }
            }
            Term::Literal(text) if word == Some("origin") => self.said(subject).origin = Some(clipped(text.value())),
            Term::Literal(text) if word == Some(QUALIFIER) => {
                return self.said(subject).qualifiers.add_column(text.value()).map_err(|fault| format!("qualifiers: {fault}"));
            }
            _ => {}
        }
        Ok(())
    }

    fn said(&mut self, subject: &NamedNode) -> &mut Said {
        self.statements.entry(subject.as_str().to_owned()).or_default()
    }

    /// Where triples come from, and their qualifiers, to be looked up by [`key`].
    pub(super) fn said_of_triples(self) -> HashMap<[String; 3], (String, Qualifiers)> {
        let found = self.statements.into_values().filter(|said| said.origin.is_some() || !said.qualifiers.is_empty()).filter_map(
            |Said { parts: [head, relation, tail], origin, qualifiers }| {
                Some(([head?, relation?, tail?], (origin.unwrap_or_default(), qualifiers)))
            },
        );
        found.collect()
    }
}

/// A triple's IRIs.
pub(super) fn key(triple: &NamedTriple) -> [String; 3] {
    [entity_iri(&triple.head), relation_iri(&triple.relation), entity_iri(&triple.tail)].map(NamedNode::into_string)
}

fn decoded(text: &str, field: &str) -> Result<String, String> {
    percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned).map_err(|_| format!("{field}: not valid UTF-8"))
}

fn entity_of(node: &NamedNode, field: &str) -> Result<NamedEntity, String> {
    let parts = node.as_str().strip_prefix(ENTITY).and_then(|rest| rest.split_once(':'));
    let (kind, name) = parts.ok_or_else(|| format!("{field}: no entity of Catena's"))?;
    Ok(NamedEntity { kind: decoded(kind, field)?, name: decoded(name, field)? })
}

fn relation_of(node: &NamedNode) -> Result<NamedRelation, String> {
    let rest = node.as_str().strip_prefix(RELATION).unwrap_or_default();
    let mut parts = rest.splitn(3, ':');
    let (Some(role), Some(player), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("predicate: no relation of Catena's".into());
    };
    Ok(NamedRelation { name: decoded(name, "predicate")?, player: player_of(player)?, role: role_of(role)? })
}
