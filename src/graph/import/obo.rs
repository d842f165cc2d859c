//! Imports ontologies in OBO 1.2 and 1.4 (Disease Ontology, Human Phenotype Ontology, …).
//!
//! Terms become entities, synonyms their aliases, `is_a` and relationships triples. Obsolete terms are left out. Terms may
//! refer to later terms, so references are resolved at the end.
//!
//! The crate `fastobo` is not used: it follows the format to the letter and rejects whole terms for an unescaped blank in the
//! source of a definition (six terms of the Disease Ontology of 2016), and it reads frames of unbounded size.

use std::collections::{HashMap, HashSet};

use super::error::ImportError;
use super::input::InputFile;
use super::lines::{ImportLine, ImportLines};
use super::obo_clause::{clause, identifier, quoted, synonym, text};
use super::session::{ImportSession, Reason, description_of, identifier_of, kind_of, name_of};
use crate::graph::Kind;
use crate::graph::build::Synonymy;

/// The most clauses of a term; real terms have some hundreds.
const MOST_CLAUSES: usize = 100_000;

/// A frame while it is being read: a term or the definition of a relation.
#[derive(Default)]
struct OboFrame {
    line: usize,
    kind: FrameKind,
    id: String,
    name: String,
    namespace: String,
    definition: String,
    obsolete: bool,
    synonyms: Vec<(usize, String, Synonymy)>,
    /// Line, relation (`None`: `is_a`), target.
    links: Vec<(usize, Option<String>, String)>,
    other_ids: Vec<String>,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum FrameKind {
    #[default]
    Header,
    Term,
    Typedef,
    Other,
}

/// A reference to resolve once all terms are read.
struct PendingReference {
    file: usize,
    line: usize,
    head: u32,
    relation: Option<String>,
    target: String,
}

/// The state over all files.
struct Ontology<'k> {
    kind: Option<&'k Kind>,
    file: usize,
    pending: Vec<PendingReference>,
    obsolete: HashSet<String>,
    other_ids: HashMap<String, u32>,
    /// Names of relations by their identifiers.
    relations: HashMap<String, String>,
}

/// Reads the files; terms may refer to those of other files.
pub(super) fn read(files: &[InputFile], kind: Option<&Kind>, session: &mut ImportSession) -> Result<(), ImportError> {
    let mut ontology =
        Ontology { kind, file: 0, pending: Vec::new(), obsolete: HashSet::new(), other_ids: HashMap::new(), relations: HashMap::new() };
    for (number, file) in files.iter().enumerate() {
        ontology.file = number;
        let mut lines = ImportLines::new(file.open(session)?, Some(b'!'));
        let mut frame = OboFrame::default();
        while let Some(line) = lines.next(session)? {
            if let Err(reason) = ontology.take_line(line, &mut frame, session) {
                session.reject(line.number, &reason);
            }
        }
        ontology.close(frame, session);
    }
    for pending in std::mem::take(&mut ontology.pending) {
        session.begin_file(files[pending.file].short_name());
        if let Err(reason) = ontology.link(&pending, session) {
            session.reject(pending.line, &reason);
        }
    }
    Ok(())
}

impl Ontology<'_> {
    fn take_line(&mut self, line: ImportLine, frame: &mut OboFrame, session: &mut ImportSession) -> Result<(), Reason> {
        let content = line.text()?.trim();
        if content.starts_with('[') {
            let kind = match content.split(']').next() {
                Some("[Term") => FrameKind::Term,
                Some("[Typedef") => FrameKind::Typedef,
                _ => FrameKind::Other,
            };
            if kind == FrameKind::Other {
                session.leave_out("frame that is neither a term nor a relation");
            }
            let done = std::mem::replace(frame, OboFrame { line: line.number, kind, ..OboFrame::default() });
            self.close(done, session);
            return if content.contains(']') { Ok(()) } else { Err("a frame's name without its closing bracket".into()) };
        }
        let (tag, value) = clause(content).ok_or("not a clause: expected a tag, a colon and a value")?;
        match (frame.kind, tag) {
            (FrameKind::Term | FrameKind::Typedef, "id") => identifier(value).0.clone_into(&mut frame.id),
            (FrameKind::Term | FrameKind::Typedef, "name") => frame.name = text(value),
            (FrameKind::Term, _) => take_clause(frame, line.number, tag, value, session)?,
            (FrameKind::Typedef, _) => session.leave_out("clause of a relation's definition"),
            (FrameKind::Header, _) => session.leave_out("clause of the header"),
            (FrameKind::Other, _) => session.leave_out("clause of a frame that is neither a term nor a relation"),
        }
        Ok(())
    }

    /// Adds a complete frame.
    fn close(&mut self, frame: OboFrame, session: &mut ImportSession) {
        match frame.kind {
            FrameKind::Term => {
                if let Err(reason) = self.close_term(&frame, session) {
                    session.reject(frame.line, &reason);
                    leave_out_parts(&frame, "a rejected term", session);
                }
            }
            FrameKind::Typedef if !frame.id.is_empty() && !frame.name.is_empty() => {
                self.relations.entry(frame.id).or_insert(frame.name);
            }
            _ => {}
        }
    }

    fn close_term(&mut self, frame: &OboFrame, session: &mut ImportSession) -> Result<(), Reason> {
        if frame.id.is_empty() {
            return Err("a term without an identifier".into());
        }
        let id = identifier_of(&frame.id)?.into_owned();
        if frame.obsolete {
            session.leave_out("obsolete term");
            leave_out_parts(frame, "an obsolete term", session);
            self.obsolete.insert(id);
            return Ok(());
        }
        if frame.name.trim().is_empty() {
            return Err("a term without a name".into());
        }
        let name = name_of(&frame.name)?;
        if session.builder.by_identifier(&id).is_some() {
            return Err("a term whose identifier an earlier term already has".into());
        }
        let kind = match self.kind {
            Some(kind) => Some(kind.clone()),
            None => kind_by_identifier(&id).map_or_else(|| kind_of(&frame.namespace.replace('_', " ")), |kind| Ok(Some(kind)))?,
        };
        let entity = session.identified(&id, &name, kind.as_ref());
        if !frame.definition.is_empty() {
            session.builder.set_description(entity, &description_of(&frame.definition));
        }
        add_synonyms(frame, entity, &name, session);
        for other in &frame.other_ids {
            self.other_ids.entry(other.clone()).or_insert(entity);
        }
        for (line, relation, target) in &frame.links {
            let (relation, target) = (relation.clone(), target.clone());
            self.pending.push(PendingReference { file: self.file, line: *line, head: entity, relation, target });
        }
        Ok(())
    }

    /// Resolves a reference and adds its triple.
    fn link(&self, pending: &PendingReference, session: &mut ImportSession) -> Result<(), Reason> {
        let what = if pending.relation.is_some() { "a relationship" } else { "an is_a" };
        let target = session.builder.by_identifier(&pending.target).or_else(|| self.other_ids.get(&pending.target).copied());
        let Some(target) = target else {
            let why = if self.obsolete.contains(&pending.target) { "an obsolete term" } else { "a term that is not defined" };
            return Err(Reason::Owned(format!("{what} that refers to {why}")));
        };
        let name = match &pending.relation {
            None => "is_a",
            Some(id) => self.relations.get(id).unwrap_or(id),
        };
        let relation = session.relation(&name_of(name)?)?;
        session.triple(pending.head, relation, target);
        Ok(())
    }
}

/// Reads a clause of a term.
fn take_clause(frame: &mut OboFrame, line: usize, tag: &str, value: &str, session: &mut ImportSession) -> Result<(), Reason> {
    if frame.synonyms.len() + frame.links.len() + frame.other_ids.len() >= MOST_CLAUSES {
        return Err("a term with more than 100000 clauses".into());
    }
    match tag {
        "namespace" => frame.namespace = text(value),
        "def" => frame.definition = quoted(value).ok_or("a definition that is not in quotes, or whose quote is not closed")?.0,
        "synonym" | "exact_synonym" | "narrow_synonym" | "broad_synonym" | "related_synonym" => {
            let (name, scope) = synonym(tag, value).ok_or("a synonym that is not in quotes, or whose quote is not closed")?;
            frame.synonyms.push((line, name_of(&name)?.into_owned(), scope));
        }
        "is_a" => frame.links.push((line, None, target_of(value)?.0)),
        "relationship" => {
            let (relation, rest) = target_of(value)?;
            frame.links.push((line, Some(relation), target_of(rest)?.0));
        }
        "alt_id" => frame.other_ids.push(target_of(value)?.0),
        "is_obsolete" => frame.obsolete = text(value) == "true",
        other => session.leave_out(&format!("clause {}", other.chars().take(40).collect::<String>())),
    }
    Ok(())
}

fn target_of(value: &str) -> Result<(String, &str), Reason> {
    let (id, rest) = identifier(value);
    Ok((identifier_of(&id).map_err(|_| "a reference without an identifier")?.into_owned(), rest))
}

/// Adds each synonym as an alias once, as exact if any of its clauses is exact.
fn add_synonyms(frame: &OboFrame, entity: u32, name: &str, session: &mut ImportSession) {
    let mut taken = HashSet::from([name]);
    for scope in [Synonymy::Exact, Synonymy::Loose] {
        for (_, synonym, _) in frame.synonyms.iter().filter(|(_, _, s)| *s == scope) {
            if taken.insert(synonym) {
                session.builder.add_alias(entity, synonym, scope);
            } else {
                session.leave_out("synonym that repeats a name of its term");
            }
        }
    }
}

fn leave_out_parts(frame: &OboFrame, of: &str, session: &mut ImportSession) {
    for _ in &frame.synonyms {
        session.leave_out(&format!("synonym of {of}"));
    }
    for (_, relation, _) in &frame.links {
        session.leave_out(&format!("{} of {of}", if relation.is_some() { "relationship" } else { "is_a" }));
    }
}

/// The kind of an ontology's terms, by the prefix of their identifiers.
fn kind_by_identifier(id: &str) -> Option<Kind> {
    Some(match id.split(':').next()?.to_ascii_uppercase().as_str() {
        "DOID" | "MONDO" | "ORPHA" | "ORPHANET" | "ORDO" | "OMIM" | "OMIMPS" => Kind::Disease,
        "HP" | "SYMP" => Kind::Symptom,
        "CHEBI" | "DRON" | "DRUGBANK" => Kind::Drug,
        "MAXO" => Kind::Treatment,
        "UBERON" | "FMA" => Kind::parse("anatomy"),
        _ => return None,
    })
}
