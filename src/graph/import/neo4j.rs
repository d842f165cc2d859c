//! Imports Neo4j's CSV in both forms, recognised by the headings.
//!
//! For `neo4j-admin import`: files of nodes (`:ID(space)`, `:LABEL`, `name`, `aliases:string[]`) and of relationships
//! (`:START_ID`, `:END_ID`, `:TYPE`). By `apoc.export.csv`: one file whose rows are nodes (`_id`, `_labels`) or
//! relationships (`_start`, `_end`, `_type`).

use std::collections::HashSet;

use super::columns::heading;
use super::error::ImportError;
use super::input::InputFile;
use super::records::{Dialect, TableRecord, TableRecords};
use super::session::{ImportSession, Reason, description_of, identifier_of, kind_of, name_of, optional_name};
use crate::graph::build::Synonymy;

/// How to read Neo4j's CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neo4jOptions {
    /// The byte between columns: one ASCII character.
    pub delimiter: u8,
    /// The character between the items of a list, in aliases and labels.
    pub array_delimiter: char,
    /// The column of a node's name; by default `name`, `title` or another well-known heading.
    pub name: Option<String>,
    /// The columns of other names; by default those with well-known headings such as `aliases` and `synonyms`.
    pub aliases: Vec<String>,
}

impl Default for Neo4jOptions {
    fn default() -> Self {
        Self { delimiter: b',', array_delimiter: ';', name: None, aliases: Vec::new() }
    }
}

const NAMES: &[&str] = &["name", "preferred_name", "display_name", "displayname", "title", "label", "名称", "名字"];
const ALIASES: &[&str] = &["aliases", "alias", "synonyms", "synonym", "other_names", "also_known_as", "别名"];
const DESCRIPTIONS: &[&str] = &["description", "desc", "definition", "summary", "描述", "简介"];

/// The meaning of a column.
enum ColumnMeaning {
    Id { space: String },
    Labels,
    Name,
    Aliases,
    Description,
    Start { space: String },
    End { space: String },
    Type,
    Ignored,
    Property(String),
}

/// The columns of a file, from its headings.
struct FileLayout {
    parts: Vec<ColumnMeaning>,
    /// The columns of a relationship's start, type and end.
    relationship: Option<[usize; 3]>,
    id: Option<usize>,
    /// Whether labels are written as by APOC, each with a colon before it.
    apoc: bool,
}

/// A relationship that waits until all nodes are read.
struct PendingRelationship {
    file: usize,
    line: usize,
    start: String,
    kind: String,
    end: String,
}

/// Reads the files: all nodes, then all relationships.
pub(super) fn read(files: &[InputFile], options: &Neo4jOptions, session: &mut ImportSession) -> Result<(), ImportError> {
    if !options.delimiter.is_ascii() || matches!(options.delimiter, b'"' | b'\n' | b'\r') {
        return Err(ImportError::Options("the delimiter must be one ASCII character other than a quote or a line end".into()));
    }
    let dialect = Dialect { delimiter: options.delimiter, quotes: true, comment: None };
    let mut later = Vec::new();
    let mut pending = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let mut records = TableRecords::new(file.open(session)?, dialect);
        let Some(first) = records.next(session)? else { continue };
        session.uncount_line();
        let layout = layout(first, options, file.shown())?;
        if layout.id.is_some() {
            read_rows(number, &mut records, &layout, options, session, Some(&mut pending))?;
        } else {
            later.push((number, records, layout));
        }
    }
    for row in &pending {
        session.begin_file(files[row.file].short_name());
        if let Err(reason) = relationship(&row.start, &row.kind, &row.end, session) {
            session.reject(row.line, &reason);
        }
    }
    for (number, mut records, layout) in later {
        session.begin_file(files[number].short_name());
        read_rows(number, &mut records, &layout, options, session, None)?;
    }
    Ok(())
}

/// Reads the rows of a file; puts relationships into `pending` if nodes may follow.
fn read_rows(
    file: usize,
    records: &mut TableRecords,
    layout: &FileLayout,
    options: &Neo4jOptions,
    session: &mut ImportSession,
    mut pending: Option<&mut Vec<PendingRelationship>>,
) -> Result<(), ImportError> {
    while let Some(record) = records.next(session)? {
        let taken = match ends(record, layout) {
            Ok(None) => node(record, layout, options, session),
            Ok(Some([start, kind, end])) => match &mut pending {
                Some(pending) => {
                    pending.push(PendingRelationship { file, line: record.line, start, kind, end });
                    Ok(())
                }
                None => relationship(&start, &kind, &end, session),
            },
            Err(reason) => Err(reason),
        };
        if let Err(reason) = taken {
            session.reject(record.line, &reason);
        }
    }
    Ok(())
}

/// Parses a heading, `property:TYPE[](space)`. The space becomes part of every identifier, so it is cleaned like one; a
/// column whose space is too long is ignored.
fn parse_heading(text: &str) -> (&str, String, String) {
    let (property, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    let kind = rest.split(['(', '{']).next().unwrap_or_default().trim().to_uppercase();
    let space = rest.split_once('(').and_then(|(_, space)| space.split(')').next()).unwrap_or_default();
    match optional_name(space) {
        Ok(space) => (property.trim(), kind, space.into_owned()),
        Err(_) => (property.trim(), "IGNORE".to_owned(), String::new()),
    }
}

fn layout(first: TableRecord, options: &Neo4jOptions, file: &str) -> Result<FileLayout, ImportError> {
    let headings: Vec<_> = first.fields().map(parse_heading).collect();
    let named = |names: &[&str]| names.iter().find_map(|name| headings.iter().position(|(property, _, _)| heading(property) == *name));
    let name = match &options.name {
        Some(name) => named(&[&heading(name)]),
        None => named(NAMES),
    };
    let description = named(DESCRIPTIONS);
    let own: Vec<String> = options.aliases.iter().map(|name| heading(name)).collect();
    let is_alias = |property: &str| {
        let property = heading(property);
        if own.is_empty() { ALIASES.contains(&property.as_str()) } else { own.contains(&property) }
    };
    let part = |(column, (property, kind, space)): (usize, &(&str, String, String))| {
        let space = space.clone();
        match (kind.as_str(), *property) {
            ("ID", _) | ("", "_id") => ColumnMeaning::Id { space },
            ("LABEL", _) | ("", "_labels") => ColumnMeaning::Labels,
            ("START_ID", _) | ("", "_start") => ColumnMeaning::Start { space },
            ("END_ID", _) | ("", "_end") => ColumnMeaning::End { space },
            ("TYPE", _) | ("", "_type") => ColumnMeaning::Type,
            ("IGNORE", _) => ColumnMeaning::Ignored,
            _ if Some(column) == name => ColumnMeaning::Name,
            _ if Some(column) == description => ColumnMeaning::Description,
            _ if is_alias(property) => ColumnMeaning::Aliases,
            _ => ColumnMeaning::Property(optional_name(property).map(|name| name.chars().take(40).collect()).unwrap_or_default()),
        }
    };
    let parts: Vec<ColumnMeaning> = headings.iter().enumerate().map(part).collect();
    let place = |wanted: fn(&ColumnMeaning) -> bool| parts.iter().position(wanted);
    let (start, kind, end) = (
        place(|part| matches!(part, ColumnMeaning::Start { .. })),
        place(|part| matches!(part, ColumnMeaning::Type)),
        place(|part| matches!(part, ColumnMeaning::End { .. })),
    );
    let id = place(|part| matches!(part, ColumnMeaning::Id { .. }));
    let relationship = start.zip(kind).zip(end).map(|((start, kind), end)| [start, kind, end]);
    let missing = match (id, start, kind, end) {
        (None, None, ..) => ":ID or :START_ID",
        (_, Some(_), None, _) => ":TYPE",
        (_, Some(_), _, None) => ":END_ID",
        _ if options.name.is_some() && name.is_none() && id.is_some() => options.name.as_deref().unwrap_or_default(),
        _ => return Ok(FileLayout { apoc: headings.iter().any(|(property, _, _)| *property == "_labels"), parts, relationship, id }),
    };
    let hint = "a file of nodes has :ID and :LABEL, one of relationships :START_ID, :END_ID and :TYPE, \
                one by apoc.export.csv _id, _labels, _start, _end and _type";
    Err(ImportError::Column { file: file.to_owned(), line: first.line, field: missing.to_owned(), hint: hint.to_owned() })
}

/// The identifier of a node in the graph: identifiers are unique within their space.
fn scoped(space: &str, id: &str) -> Result<String, Reason> {
    let id = identifier_of(id)?;
    Ok(if space.is_empty() { id.into_owned() } else { format!("{space}:{id}") })
}

/// Start, type and end of a row that is a relationship; `None` for a node.
fn ends(record: TableRecord, layout: &FileLayout) -> Result<Option<[String; 3]>, Reason> {
    let Some(places) = layout.relationship else { return Ok(None) };
    let [start, kind, end] = places.map(|place| record.field(place));
    let (start, kind, end) = (start?, kind?, end?);
    if layout.id.is_some() && start.is_empty() && end.is_empty() {
        return Ok(None);
    }
    let space = |place: usize| match &layout.parts[place] {
        ColumnMeaning::Start { space } | ColumnMeaning::End { space } => space.as_str(),
        _ => "",
    };
    Ok(Some([scoped(space(places[0]), start)?, name_of(kind)?.into_owned(), scoped(space(places[2]), end)?]))
}

fn relationship(start: &str, kind: &str, end: &str, session: &mut ImportSession) -> Result<(), Reason> {
    let start = session.builder.by_identifier(start).ok_or("the start is not among the nodes")?;
    let end = session.builder.by_identifier(end).ok_or("the end is not among the nodes")?;
    let relation = session.relation(kind)?;
    session.triple(start, relation, end);
    Ok(())
}

fn node(record: TableRecord, layout: &FileLayout, options: &Neo4jOptions, session: &mut ImportSession) -> Result<(), Reason> {
    let Some(id_place) = layout.id else { return Err("no node".into()) };
    let ColumnMeaning::Id { space } = &layout.parts[id_place] else { return Err("no node".into()) };
    let id = record.field(id_place)?;
    let identifier = scoped(space, id)?;
    if session.builder.by_identifier(&identifier).is_some() {
        return Err("a node whose identifier an earlier line already has".into());
    }
    let (mut name, mut kind, mut description, mut aliases) = (optional_name(id)?, None, String::new(), Vec::new());
    for (column, part) in layout.parts.iter().enumerate() {
        let value = record.field(column)?;
        if value.trim().is_empty() {
            continue;
        }
        match part {
            ColumnMeaning::Name => name = name_of(value)?,
            ColumnMeaning::Labels => kind = Some(labels(value, layout.apoc, options, session)?),
            ColumnMeaning::Aliases => aliases.extend(items(value, options.array_delimiter)),
            ColumnMeaning::Description => description = description_of(value),
            ColumnMeaning::Property(property) => session.leave_out(&format!("property {property}")),
            ColumnMeaning::Id { .. }
            | ColumnMeaning::Start { .. }
            | ColumnMeaning::End { .. }
            | ColumnMeaning::Type
            | ColumnMeaning::Ignored => {}
        }
    }
    let entity = session.identified(&identifier, &name, kind.flatten().as_ref());
    if !description.is_empty() {
        session.builder.set_description(entity, &description);
    }
    let mut taken = HashSet::from([name.into_owned()]);
    for alias in aliases {
        match name_of(&alias) {
            Ok(alias) if taken.contains(alias.as_ref()) => session.leave_out("alias that repeats a name of its node"),
            Ok(alias) => {
                session.builder.add_alias(entity, &alias, Synonymy::Exact);
                taken.insert(alias.into_owned());
            }
            Err(reason) => session.reject(record.line, &format!("an alias: {reason}")),
        }
    }
    Ok(())
}

/// The kind of a node: its first label.
fn labels(value: &str, apoc: bool, options: &Neo4jOptions, session: &mut ImportSession) -> Result<Option<crate::graph::Kind>, Reason> {
    let delimiter = if apoc { ':' } else { options.array_delimiter };
    let mut labels = value.split(delimiter).map(str::trim).filter(|label| !label.is_empty());
    let kind = kind_of(labels.next().unwrap_or_default())?;
    for _ in labels {
        session.leave_out("additional label of a node");
    }
    Ok(kind)
}

/// The items of a list, separated by the delimiter or, as APOC writes them, in a JSON array.
fn items(value: &str, delimiter: char) -> Vec<String> {
    let value = value.trim();
    if value.starts_with('[')
        && let Ok(items) = serde_json::from_str::<Vec<String>>(value)
    {
        return items.into_iter().filter(|item| !item.trim().is_empty()).collect();
    }
    value.split(delimiter).map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}
