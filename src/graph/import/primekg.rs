//! Imports PrimeKG: `kg.csv`, one edge on each line, with both its ends in full.
//!
//! Source, type and identifier together identify an entity. PrimeKG lists every edge in both directions under one relation
//! name, which would also state the reverse of every indication. So each line is turned to the direction that the relation
//! means (drug before disease, disease before its phenotype); of the two lines, one remains and the other counts as a
//! duplicate.

use super::columns::TableHeader;
use super::error::ImportError;
use super::input::InputFile;
use super::records::{Dialect, TableRecord, TableRecords};
use super::session::{ImportSession, Reason, identifier_of, name_of};
use crate::graph::{Kind, Relation};

const CSV: Dialect = Dialect { delimiter: b',', quotes: true, comment: None };

/// PrimeKG's types; of the two ends of an edge, the one whose type comes first is the head.
const ORDER: [&str; 10] = [
    "drug",
    "exposure",
    "disease",
    "effect/phenotype",
    "anatomy",
    "biological_process",
    "molecular_function",
    "cellular_component",
    "pathway",
    "gene/protein",
];

/// The columns of one end.
#[derive(Clone, Copy)]
struct EndColumns {
    id: usize,
    kind: usize,
    name: usize,
    source: usize,
}

/// The columns of a file.
struct Columns {
    relation: usize,
    display: usize,
    ends: [EndColumns; 2],
}

/// One end of an edge; the lower end becomes the head.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct End {
    rank: usize,
    identifier: String,
    name: String,
    kind: String,
}

/// Reads the files.
pub(super) fn read(files: &[InputFile], session: &mut ImportSession) -> Result<(), ImportError> {
    for file in files {
        let mut records = TableRecords::new(file.open(session)?, CSV);
        let Some(first) = records.next(session)? else { continue };
        session.uncount_line();
        let columns = columns_of(&TableHeader::of(first), file.shown())?;
        while let Some(record) = records.next(session)? {
            if let Err(reason) = take(record, &columns, session) {
                session.reject(record.line, &reason);
            }
        }
    }
    Ok(())
}

fn columns_of(header: &TableHeader, file: &str) -> Result<Columns, ImportError> {
    let end = |letter: char| -> Result<EndColumns, ImportError> {
        let column = |what: &str| header.need(&format!("{letter}_{what}"), file);
        Ok(EndColumns { id: column("id")?, kind: column("type")?, name: column("name")?, source: column("source")? })
    };
    Ok(Columns { relation: header.need("relation", file)?, display: header.need("display_relation", file)?, ends: [end('x')?, end('y')?] })
}

fn take(record: TableRecord, columns: &Columns, session: &mut ImportSession) -> Result<(), Reason> {
    let relation = name_of(record.field(columns.relation)?)?;
    let display = name_of(record.field(columns.display)?)?;
    let [x, y] = columns.ends.map(|end| end_of(record, end));
    let (x, y) = (x?, y?);
    let (head, tail) = if x <= y { (x, y) } else { (y, x) };
    let rules = session.rules;
    let relation = session.relation_as(&relation, || Relation { display: display.into_owned(), ..rules.guess(&relation) })?;
    let [head, tail] = [head, tail].map(|end| session.identified(&end.identifier, &end.name, Some(&kind(&end.kind))));
    session.triple(head, relation, tail);
    Ok(())
}

fn end_of(record: TableRecord, columns: EndColumns) -> Result<End, Reason> {
    let name = name_of(record.field(columns.name)?)?.into_owned();
    let kind = name_of(record.field(columns.kind)?)?.into_owned();
    let (source, id) = (name_of(record.field(columns.source)?)?, identifier_of(record.field(columns.id)?)?);
    let identifier = identifier_of(&format!("{source}:{kind}:{id}"))?.into_owned();
    let rank = ORDER.iter().position(|known| *known == kind).unwrap_or(ORDER.len());
    Ok(End { rank, identifier, name, kind })
}

fn kind(name: &str) -> Kind {
    if name == "effect/phenotype" { Kind::Symptom } else { Kind::parse(&name.replace('_', " ")) }
}
