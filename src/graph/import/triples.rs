//! Imports tables of triples: columns for head, relation and tail, one triple on each line. TSV is split at tabs, and
//! quotes are ordinary characters; CSV may quote its fields. Further columns of the form `key=value` are qualifiers of the triple.
//!
//! A line that begins with `#` is a comment. If it has three columns, it may be a header, or a row whose first name is an ordinal
//! (`#5 metatarsal`); otherwise it is counted as left out, so that a row that was meant as one does not vanish.

use std::io::Read;

use super::columns::{Column, TableHeader};
use super::error::ImportError;
use super::input::{InputBytes, InputFile};
use super::records::{Dialect, TableRecord, TableRecords};
use super::session::{ImportSession, Reason, identifier_of, kind_of, name_of};
use crate::graph::Qualifiers;

/// Whether the first line names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderLine {
    /// Yes, if it has well-known headings for head, relation and tail (`subject`, `predicate`, `object`, …).
    #[default]
    Auto,
    /// Yes.
    Yes,
    /// No, it is a triple.
    No,
}

/// How to read a table of triples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriplesOptions {
    /// The byte between columns: one ASCII character.
    pub delimiter: u8,
    /// Whether fields may be quoted as in CSV.
    pub quotes: bool,
    /// Whether the first line names the columns.
    pub header: HeaderLine,
    /// The head's column; by default the one with a well-known heading, otherwise the first.
    pub head: Option<Column>,
    /// The relation's column; by default the one with a well-known heading, otherwise the second.
    pub relation: Option<Column>,
    /// The tail's column; by default the one with a well-known heading, otherwise the third.
    pub tail: Option<Column>,
    /// The column of the head's kind; by default one with a well-known heading, if there is one.
    pub head_kind: Option<Column>,
    /// The column of the tail's kind, with the same default.
    pub tail_kind: Option<Column>,
    /// The column of the head's identifier. With it, entities with the same name and different identifiers stay separate.
    pub head_id: Option<Column>,
    /// The column of the tail's identifier.
    pub tail_id: Option<Column>,
}

impl TriplesOptions {
    /// Separated by tabs, quotes are ordinary characters.
    pub fn tsv() -> Self {
        Self {
            delimiter: b'\t',
            quotes: false,
            header: HeaderLine::Auto,
            head: None,
            relation: None,
            tail: None,
            head_kind: None,
            tail_kind: None,
            head_id: None,
            tail_id: None,
        }
    }

    /// Separated by commas, fields may be quoted.
    pub fn csv() -> Self {
        Self { delimiter: b',', quotes: true, ..Self::tsv() }
    }

    fn chosen(&self) -> [Option<&Column>; 7] {
        [&self.head, &self.relation, &self.tail, &self.head_kind, &self.tail_kind, &self.head_id, &self.tail_id].map(Option::as_ref)
    }
}

const HEADS: &[&str] = &["head", "subject", "source", "from", "start", "head_entity", "head_name", "subject_name", "h", "头实体", "主语"];
const RELATIONS: &[&str] =
    &["relation", "predicate", "metaedge", "edge", "rel", "relationship", "relation_type", "property", "type", "r", "关系", "谓语"];
const TAILS: &[&str] = &["tail", "object", "target", "to", "end", "tail_entity", "tail_name", "object_name", "t", "尾实体", "宾语"];
const HEAD_KINDS: &[&str] = &["head_kind", "head_type", "subject_kind", "subject_type", "source_kind", "source_type"];
const TAIL_KINDS: &[&str] = &["tail_kind", "tail_type", "object_kind", "object_type", "target_kind", "target_type"];
const HEAD_IDS: &[&str] = &["head_id", "subject_id", "source_id"];
const TAIL_IDS: &[&str] = &["tail_id", "object_id", "target_id"];

/// The indices of the columns.
struct Places {
    head: usize,
    relation: usize,
    tail: usize,
    kinds: [Option<usize>; 2],
    ids: [Option<usize>; 2],
    /// The first column that may be a qualifier: behind all that are used, and all that the header names.
    rest: usize,
    /// Whether fields may be quoted.
    quotes: bool,
    too_few: Reason,
}

impl Places {
    fn new(options: &TriplesOptions, header: Option<&TableHeader>, file: &str) -> Result<Self, ImportError> {
        let place = |chosen: &Option<Column>, names: &[&str], otherwise: Option<usize>| match (chosen, header) {
            (Some(column), Some(header)) => header.resolve(column, file).map(Some),
            (Some(Column::Number(number)), None) => Ok(Some(number.saturating_sub(1))),
            (Some(Column::Name(name)), None) => {
                Err(ImportError::Options(format!("{file} has no header line, so the column {name:?} cannot be found; give its number")))
            }
            (None, header) => Ok(header.and_then(|header| header.find(names)).or(otherwise)),
        };
        let head = place(&options.head, HEADS, Some(0))?.unwrap_or(0);
        let relation = place(&options.relation, RELATIONS, Some(1))?.unwrap_or(1);
        let tail = place(&options.tail, TAILS, Some(2))?.unwrap_or(2);
        let kinds = [place(&options.head_kind, HEAD_KINDS, None)?, place(&options.tail_kind, TAIL_KINDS, None)?];
        let ids = [place(&options.head_id, HEAD_IDS, None)?, place(&options.tail_id, TAIL_IDS, None)?];
        let used = [head, relation, tail].into_iter().chain(kinds.into_iter().chain(ids).flatten());
        let rest = used.map(|place| place.saturating_add(1)).chain(header.map(TableHeader::len)).max().unwrap_or(0);
        let dialect = dialect(options);
        let too_few = if [head, relation, tail].iter().all(|place| *place < 3) {
            format!("fewer than three {} columns", dialect.separated())
        } else {
            "too few columns for head, relation and tail".to_owned()
        };
        Ok(Self { head, relation, tail, kinds, ids, rest, quotes: options.quotes, too_few: too_few.replace(": columns", "").into() })
    }
}

fn dialect(options: &TriplesOptions) -> Dialect {
    Dialect { delimiter: options.delimiter, quotes: options.quotes, comment: Some(b'#') }
}

/// Reads the files, one after the other.
pub(super) fn read(files: &[InputFile], options: &TriplesOptions, session: &mut ImportSession) -> Result<(), ImportError> {
    check(options)?;
    for file in files {
        let source = file.open(session)?;
        read_source(source, options, session)?;
    }
    Ok(())
}

/// Reads triples from a reader.
pub(super) fn read_from(from: impl Read, file: &str, options: &TriplesOptions, session: &mut ImportSession) -> Result<(), ImportError> {
    let source = InputBytes::new(from, file, session)?;
    read_source(source, options, session)
}

fn check(options: &TriplesOptions) -> Result<(), ImportError> {
    if !options.delimiter.is_ascii() || matches!(options.delimiter, b'"' | b'\n' | b'\r' | b'#') {
        return Err(ImportError::Options("the delimiter must be one ASCII character other than a quote, # or a line end".into()));
    }
    if options.chosen().into_iter().flatten().any(|column| *column == Column::Number(0)) {
        return Err(ImportError::Options("columns are counted from 1".into()));
    }
    Ok(())
}

fn read_source(source: InputBytes, options: &TriplesOptions, session: &mut ImportSession) -> Result<(), ImportError> {
    let mut records = TableRecords::new(source, dialect(options));
    let file = records.file().to_owned();
    let mut places = None;
    while let Some(record) = records.next(session)? {
        if record.commented
            && !is_ordinal(record.field(0).unwrap_or(""))
            && (places.is_some() || commented_header(record, options).is_none())
        {
            session.uncount_line();
            session.leave_out(TABLE_COMMENT);
            continue;
        }
        let places = match &mut places {
            Some(places) => places,
            none => {
                let header = header_of(record, options);
                let places = none.insert(Places::new(options, header.as_ref(), &file)?);
                if header.is_some() {
                    session.uncount_line();
                    continue;
                }
                places
            }
        };
        if let Err(reason) = take(record, places, session) {
            session.reject(record.line, &reason);
        }
    }
    Ok(())
}

/// How the report counts a comment that could be a row.
const TABLE_COMMENT: &str = "line that begins with # and has three columns, taken as a comment";

/// Whether a name begins with a number such as `#5`.
fn is_ordinal(name: &str) -> bool {
    name.strip_prefix('#').is_some_and(|rest| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < rest.len() && after.starts_with(' ')
    })
}

/// The first record as a header, if it is one.
fn header_of(record: TableRecord, options: &TriplesOptions) -> Option<TableHeader> {
    let header = TableHeader::of(record);
    let is_header = match options.header {
        HeaderLine::Yes => true,
        HeaderLine::No => false,
        HeaderLine::Auto => {
            let named = options.chosen().into_iter().flatten().any(|column| matches!(column, Column::Name(_)));
            named || has_known_headings(&header)
        }
    };
    is_header.then_some(header)
}

fn has_known_headings(header: &TableHeader) -> bool {
    [HEADS, RELATIONS, TAILS].iter().all(|names| header.find(names).is_some())
}

/// A record that begins with `#` as a header, if it has the headings that are looked for.
fn commented_header(record: TableRecord, options: &TriplesOptions) -> Option<TableHeader> {
    let header = header_of(record, options)?;
    let mut named = options.chosen().into_iter().flatten().filter(|column| matches!(column, Column::Name(_))).peekable();
    let fits = if named.peek().is_some() { named.all(|column| header.resolve(column, "").is_ok()) } else { has_known_headings(&header) };
    fits.then_some(header)
}

/// Adds one record, or returns why it is not a triple.
fn take(record: TableRecord, places: &Places, session: &mut ImportSession) -> Result<(), Reason> {
    let (Some(head), Some(relation), Some(tail)) = (record.get(places.head)?, record.get(places.relation)?, record.get(places.tail)?)
    else {
        return Err(places.too_few.clone());
    };
    let in_quotes = !places.quotes && [head, relation, tail].iter().any(|name| is_in_quotes(name));
    let (head, relation, tail) = (name_of(head)?, name_of(relation)?, name_of(tail)?);
    // Everything that can fail comes before anything is added, so a rejected line leaves nothing behind.
    let mut ends = [None, None];
    for ((end, kind), id) in ends.iter_mut().zip(places.kinds).zip(places.ids) {
        let kind = kind.map_or(Ok(""), |place| record.field(place))?;
        let id = id.map_or(Ok(""), |place| record.field(place))?;
        if !kind.is_empty() || !id.is_empty() {
            let id = if id.trim().is_empty() { None } else { Some(identifier_of(id)?) };
            *end = Some((kind_of(kind)?, id));
        }
    }
    let relation = session.relation(&relation)?;
    let mut entity = |name: &str, end: &Option<(Option<crate::graph::Kind>, Option<std::borrow::Cow<str>>)>| match end {
        Some((kind, Some(id))) => session.identified(id, name, kind.as_ref()),
        Some((kind, None)) => session.entity(name, kind.as_ref()),
        None => session.entity(name, None),
    };
    let head = entity(&head, &ends[0]);
    let tail = entity(&tail, &ends[1]);
    session.triple(head, relation, tail);
    if in_quotes {
        session.hint(IN_QUOTES);
    }
    let qualifiers = qualifiers_of(record, places.rest, session);
    session.qualify(head, relation, tail, qualifiers);
    Ok(())
}

/// The hint about names in quotes.
const IN_QUOTES: &str =
    "line with a name in quotes, which stay part of the name; if they only enclose it, import the table as CSV with a tab as delimiter";

/// Whether a text begins and ends with a quote.
fn is_in_quotes(text: &str) -> bool {
    text.trim().strip_prefix('"').is_some_and(|rest| rest.ends_with('"'))
}

/// The qualifiers in the columns from a place on. What looks like one and is malformed is counted; other columns are none of ours.
fn qualifiers_of(record: TableRecord, from: usize, session: &mut ImportSession) -> Qualifiers {
    let mut qualifiers = Qualifiers::default();
    for place in from..record.len() {
        let column = record.field(place).unwrap_or("");
        let is_one =
            column.split_once('=').is_some_and(|(key, _)| key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')));
        if is_one && let Err(fault) = qualifiers.add_column(column) {
            session.leave_out(&fault.to_string());
        }
    }
    qualifiers
}
