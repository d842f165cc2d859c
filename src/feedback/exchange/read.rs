//! Reads another team's export: recognises its format, reads its triples, and says what is wrong with the other lines.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::{ExchangeError, ExchangeForm, jsonl, ntriples, tsv};
use crate::dkg::record::ImportedTriple;
use crate::graph::{NamedTriple, Player, Role};
use crate::text::{clean_line, fold, open_lines, sanitise_line};

/// The longest name, bytes.
const LONGEST_NAME: usize = 2000;
/// The most triples of a file.
const MOST_TRIPLES: usize = 4_000_000;
/// How many reasons are listed separately; a hostile file could have one per line.
const MOST_REASONS: usize = 100;
/// How many lines are listed for each reason.
const LINES_NAMED: usize = 5;

/// What was rejected for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejected {
    /// How many lines.
    pub count: u64,
    /// The first of them, from 1.
    pub lines: Vec<u64>,
}

/// Lines that were rejected, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rejections(pub(super) BTreeMap<String, Rejected>);

impl Rejections {
    pub(super) fn add(&mut self, line: u64, reason: String) {
        let reason = if self.0.len() >= MOST_REASONS && !self.0.contains_key(&reason) { "other reasons".to_owned() } else { reason };
        let rejected = self.0.entry(reason).or_default();
        rejected.count += 1;
        if rejected.lines.len() < LINES_NAMED {
            rejected.lines.push(line);
        }
    }
}

/// A triple of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Its line, from 1.
    pub line: u64,
    /// What it states, and where the other team had it from.
    pub stated: ImportedTriple,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadFile {
    /// Its name, without its folder.
    pub file: String,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
    /// How it is written.
    pub form: ExchangeForm,
    /// Its triples, in order.
    pub triples: Vec<Imported>,
    /// Lines that hold none, by reason.
    pub rejected: BTreeMap<String, Rejected>,
}

/// Reads an export in any of the three formats, recognised by the first line; it may be compressed with gzip. Broken lines are skipped and
/// counted.
///
/// # Errors
/// If the file cannot be read, is not an export, or has more than four million triples.
pub fn read_exchange(path: &Path) -> Result<ReadFile, ExchangeError> {
    let failed = |source| ExchangeError::Read { file: path.to_path_buf(), source };
    let broken = |line: u64, field: String, reason: String| ExchangeError::Broken { file: path.to_path_buf(), line, field, reason };
    let (mut lines, sum) = open_lines(path).map_err(failed)?;
    let mut form = None;
    let mut columns = 0;
    let mut collected = ntriples::Collected::default();
    let (mut triples, mut rejected) = (Vec::new(), Rejections::default());
    while let Some(line) = lines.next().map_err(failed)? {
        let number = line.number;
        let text = match line.text {
            Ok(text) => text,
            Err(reason) if form.is_none() => return Err(broken(number, "the line".into(), reason.into())),
            Err(reason) => {
                rejected.add(number, reason.to_owned());
                continue;
            }
        };
        let form = match form {
            Some(form) => form,
            None => {
                let found = form_of(&text);
                form = Some(found);
                if found == ExchangeForm::Tsv {
                    columns = tsv::columns(&text).map_err(|(column, reason)| broken(number, format!("column {column}"), reason))?;
                    continue;
                }
                found
            }
        };
        let read = match form {
            ExchangeForm::Tsv => tsv::row(&text, columns).map(Some),
            ExchangeForm::JsonLines => jsonl::object(&text).map(Some),
            ExchangeForm::NTriples => {
                collected.line(&text).map(|stated| stated.map(|triple| ImportedTriple { origin: String::new(), triple }))
            }
        };
        let sound = read.and_then(|stated| stated.map_or(Ok(None), |stated| sound(&stated.triple).map(|()| Some(stated))));
        match sound {
            Ok(None) => {}
            Ok(Some(stated)) if triples.len() < MOST_TRIPLES => triples.push(Imported { line: number, stated }),
            Ok(Some(_)) => return Err(broken(number, "the line".into(), format!("there are more than {MOST_TRIPLES} triples"))),
            Err(reason) => rejected.add(number, reason),
        }
    }
    let mut said = collected.said_of_triples();
    if !said.is_empty() {
        for imported in &mut triples {
            let stated = &mut imported.stated;
            (stated.origin, stated.triple.qualifiers) = said.remove(&ntriples::key(&stated.triple)).unwrap_or_default();
        }
    }
    let file = path.file_name().map_or_else(String::new, |name| sanitise_line(&name.to_string_lossy()));
    let form = form.unwrap_or(ExchangeForm::JsonLines);
    Ok(ReadFile { file, sha256: sum.hex(), form, triples, rejected: rejected.0 })
}

/// Which form a file has that begins so. What is neither of the others is held against TSV's header.
fn form_of(first: &str) -> ExchangeForm {
    match first.trim_start().chars().next() {
        Some('{') => ExchangeForm::JsonLines,
        Some('<' | '_' | '#') => ExchangeForm::NTriples,
        _ => ExchangeForm::Tsv,
    }
}

/// Whether names can be recorded; else which cannot, and why.
fn sound(triple: &NamedTriple) -> Result<(), String> {
    let NamedTriple { head, relation, tail, .. } = triple;
    for (field, text) in
        [("head", &head.name), ("head's kind", &head.kind), ("relation", &relation.name), ("tail", &tail.name), ("tail's kind", &tail.kind)]
    {
        if text.len() > LONGEST_NAME {
            return Err(format!("{field}: longer than {LONGEST_NAME} bytes"));
        }
        if clean_line(text) != text.as_str() {
            return Err(format!("{field}: control characters, or blanks where none may be"));
        }
        if !field.ends_with("kind") && fold(text).is_empty() {
            return Err(format!("{field}: neither letters nor digits"));
        }
    }
    Ok(())
}

/// Reads a role by its name.
pub(super) fn role_of(name: &str) -> Result<Role, String> {
    let name: StrDeserializer<'_, Error> = name.into_deserializer();
    Role::deserialize(name).map_err(|_| "role: none that Catena knows".into())
}

/// Reads which end plays the role.
pub(super) fn player_of(name: &str) -> Result<Player, String> {
    let name: StrDeserializer<'_, Error> = name.into_deserializer();
    Player::deserialize(name).map_err(|_| "player: neither head nor tail".into())
}
