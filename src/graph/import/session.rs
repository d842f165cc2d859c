//! The state that all importers share: the builder, the report, the progress, and the rules about names.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::error::ImportError;
use crate::graph::build::Synonymy;
use crate::graph::{BuildReport, GraphBuilder, Kind, Qualifiers, Relation, RoleRules};
use crate::text::clean_line;

/// The longest accepted name, in bytes; longer texts are not names.
const LONGEST_NAME: usize = 1000;
/// The longest accepted identifier, in bytes; some join those of dozens of merged terms.
const LONGEST_IDENTIFIER: usize = 1 << 13;
/// The longest description that is stored, in bytes.
const LONGEST_DESCRIPTION: usize = 1 << 14;
/// How many different reasons are counted separately; a hostile file could cause a new one on every line.
const MOST_REASONS: usize = 200;

/// Why a line, or a part of one, is rejected.
pub(super) type Reason = Cow<'static, str>;

/// The reason of rejecting a name that is too long.
pub(super) const NAME_TOO_LONG: &str = "a name of more than 1000 bytes";
/// The reason of rejecting a relation beyond the limit.
pub(super) const TOO_MANY_RELATIONS: &str = "more than 65535 relation types";

/// The progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// Bytes read of all files together, counted as stored on disk (before unpacking).
    pub bytes_read: u64,
    /// Bytes of all files together; 0 if unknown.
    pub bytes_total: u64,
    /// Lines read, without blank lines and comments.
    pub lines: u64,
}

/// The state of one import.
pub(super) struct ImportSession<'a> {
    pub(super) builder: GraphBuilder,
    pub(super) rules: &'a RoleRules,
    report: BuildReport,
    progress: &'a mut dyn FnMut(ImportProgress) -> bool,
    bytes_read: Rc<Cell<u64>>,
    bytes_total: u64,
    /// The name of the file being read, if there are several.
    file: Option<String>,
    several_files: bool,
    relations_are_full: bool,
    anything: bool,
    /// Of the first name of each identified entity, its hash and how often it is stated.
    first_names: HashMap<u32, (u64, u32)>,
    /// The same of its other names, with their texts.
    further_names: HashMap<(u32, u64), (Box<str>, u32)>,
}

impl<'a> ImportSession<'a> {
    pub(super) fn new(name: &str, rules: &'a RoleRules, progress: &'a mut dyn FnMut(ImportProgress) -> bool) -> Self {
        Self {
            builder: GraphBuilder::new(name),
            rules,
            report: BuildReport::default(),
            progress,
            bytes_read: Rc::default(),
            bytes_total: 0,
            file: None,
            several_files: false,
            relations_are_full: false,
            anything: false,
            first_names: HashMap::new(),
            further_names: HashMap::new(),
        }
    }

    /// Sets the number of files to read, and their total size in bytes.
    pub(super) fn expect_files(&mut self, files: usize, bytes: u64) {
        self.several_files = files > 1;
        self.bytes_total = bytes;
    }

    pub(super) fn begin_file(&mut self, name: &str) {
        self.file = self.several_files.then(|| name.to_owned());
    }

    pub(super) fn byte_counter(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.bytes_read)
    }

    /// Reports the progress.
    ///
    /// # Errors
    /// [`ImportError::Interrupted`] if the progress callback stops the import.
    pub(super) fn tick(&mut self) -> Result<(), ImportError> {
        let now = ImportProgress { bytes_read: self.bytes_read.get(), bytes_total: self.bytes_total, lines: self.report.lines as u64 };
        if (self.progress)(now) { Ok(()) } else { Err(ImportError::Interrupted) }
    }

    /// Counts a line.
    pub(super) fn count_line(&mut self) {
        self.report.lines += 1;
    }

    /// Uncounts a line that turned out to be a header.
    pub(super) fn uncount_line(&mut self) {
        self.report.lines = self.report.lines.saturating_sub(1);
    }

    /// Counts a rejected line.
    pub(super) fn reject(&mut self, line: usize, reason: &str) {
        let reason = match &self.file {
            Some(file) => Cow::Owned(format!("{file}: {reason}")),
            None => Cow::Borrowed(reason),
        };
        let counted = limited_reason(&self.report.rejected_by_reason, &reason, "other reasons");
        self.report.reject(line, &counted);
    }

    /// Counts something that is left out on purpose.
    pub(super) fn leave_out(&mut self, what: &str) {
        let counted = limited_reason(&self.report.left_out, what, "other things");
        self.report.leave_out(&counted);
    }

    /// Counts something that is accepted, but may not be what the user means.
    pub(super) fn hint(&mut self, what: &'static str) {
        *self.report.hints.entry(what.to_owned()).or_default() += 1;
    }

    /// Adds a triple. Repeated triples are counted when the graph is finished.
    pub(super) fn triple(&mut self, head: u32, relation: u16, tail: u32) {
        self.anything = true;
        self.builder.triple(head, relation, tail);
    }

    /// Adds qualifiers to a triple.
    pub(super) fn qualify(&mut self, head: u32, relation: u16, tail: u32, qualifiers: Qualifiers) {
        self.builder.qualify(head, relation, tail, qualifiers);
    }

    /// Whether any triple was accepted.
    pub(super) fn has_triples(&self) -> bool {
        self.builder.stated_triples() > 0
    }

    /// Whether any entity was accepted.
    pub(super) fn has_entities(&self) -> bool {
        self.anything
    }

    /// The entity with this clean name, and with this kind if one is given.
    pub(super) fn entity(&mut self, name: &str, kind: Option<&Kind>) -> u32 {
        self.anything = true;
        match kind {
            Some(kind) => self.builder.entity_of_kind(name, kind),
            None => self.builder.entity(name),
        }
    }

    /// The entity with this identifier. Its first stated kind stays. Of its names the commonest stays, and the others become aliases.
    pub(super) fn identified(&mut self, identifier: &str, name: &str, kind: Option<&Kind>) -> u32 {
        self.anything = true;
        let entity = self.builder.identified(identifier);
        let hash = hash_of(name);
        match self.first_names.entry(entity) {
            Entry::Vacant(first) => {
                first.insert((hash, 1));
                if !name.is_empty() {
                    self.builder.set_name(entity, name);
                }
                if let Some(kind) = kind {
                    self.builder.set_kind(entity, kind.clone());
                }
            }
            Entry::Occupied(mut first) => {
                let (first, count) = first.get_mut();
                if *first == hash {
                    *count = count.saturating_add(1);
                } else if !name.is_empty() {
                    let further = self.further_names.entry((entity, hash)).or_insert_with(|| {
                        self.builder.add_alias(entity, name, Synonymy::Exact);
                        (name.into(), 0)
                    });
                    further.1 = further.1.saturating_add(1);
                }
            }
        }
        entity
    }

    /// The relation type with this clean name, with the role that the rules give it.
    pub(super) fn relation(&mut self, name: &str) -> Result<u16, Reason> {
        let rules = self.rules;
        self.relation_as(name, || rules.guess(name))
    }

    /// The relation type with this clean name; `make` creates it if it is new.
    pub(super) fn relation_as(&mut self, name: &str, make: impl FnOnce() -> Relation) -> Result<u16, Reason> {
        if let Some(known) = self.builder.relation_by_name(name) {
            return Ok(known);
        }
        // Once the limit is reached, do not search the rules for each of a million names.
        let made = if self.relations_are_full { None } else { self.builder.relation(make()) };
        self.relations_are_full = made.is_none();
        made.ok_or(Reason::Borrowed(TOO_MANY_RELATIONS))
    }

    /// Finishes the import.
    pub(super) fn finish(mut self) -> Result<(GraphBuilder, BuildReport), ImportError> {
        self.tick()?;
        self.show_commonest_names();
        Ok((self.builder, self.report))
    }

    /// Names each identified entity by the commonest of its names; among equals by the first in alphabetical order.
    fn show_commonest_names(&mut self) {
        let mut best: HashMap<u32, (Reverse<u32>, Box<str>)> = HashMap::new();
        for ((entity, _), (name, count)) in std::mem::take(&mut self.further_names) {
            let new = (Reverse(count), name);
            match best.get(&entity) {
                Some(known) if *known <= new => {}
                _ => {
                    best.insert(entity, new);
                }
            }
        }
        for (entity, (Reverse(count), name)) in best {
            let first = self.first_names.get(&entity).map_or(0, |(_, count)| *count);
            self.builder.rename_if(entity, &name, |shown| (Reverse(count), &*name) < (Reverse(first), shown));
        }
    }

    /// The report so far.
    pub(super) fn report(&self) -> &BuildReport {
        &self.report
    }
}

/// The reason itself, or `rest` if the limit of separate reasons is reached.
fn limited_reason<'t>(known: &BTreeMap<String, usize>, reason: &'t str, rest: &'static str) -> Cow<'t, str> {
    if known.len() < MOST_REASONS || known.contains_key(reason) { clean_line(reason) } else { Cow::Borrowed(rest) }
}

fn hash_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Text as the name of an entity or relation: sanitised, on one line, neither empty nor too long.
pub(super) fn name_of(text: &str) -> Result<Cow<'_, str>, Reason> {
    let name = optional_name(text)?;
    if name.is_empty() { Err(Reason::Borrowed("an empty column")) } else { Ok(name) }
}

/// [`name_of`] for a name that may be empty.
pub(super) fn optional_name(text: &str) -> Result<Cow<'_, str>, Reason> {
    let name = clean_line(text);
    if name.len() > LONGEST_NAME { Err(Reason::Borrowed(NAME_TOO_LONG)) } else { Ok(name) }
}

/// Text as an identifier.
pub(super) fn identifier_of(text: &str) -> Result<Cow<'_, str>, Reason> {
    let identifier = clean_line(text);
    if identifier.is_empty() {
        return Err(Reason::Borrowed("an empty identifier"));
    }
    if identifier.len() > LONGEST_IDENTIFIER {
        return Err(Reason::Borrowed("an identifier of more than 8192 bytes"));
    }
    Ok(identifier)
}

/// Text as a description: on one line, cut if it is too long.
pub(super) fn description_of(text: &str) -> String {
    let mut line = clean_line(text).into_owned();
    if line.len() > LONGEST_DESCRIPTION {
        let end = (0..=LONGEST_DESCRIPTION).rev().find(|i| line.is_char_boundary(*i)).unwrap_or(0);
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A kind as a file writes it; `None` if the text is empty.
pub(super) fn kind_of(text: &str) -> Result<Option<Kind>, Reason> {
    let name = optional_name(text)?;
    Ok((!name.is_empty()).then(|| Kind::parse(&name)))
}
