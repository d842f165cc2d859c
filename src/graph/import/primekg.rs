//! PrimeKG: `kg.csv`, an edge a line, with both its ends written out.
//!
//! An entity is told by source, type and identifier together. PrimeKG lists every edge in both directions under one relation
//! name, which would state of every indication its reverse as well. So each line is turned the way round in which
//! the relation is meant (drug before disease, disease before its phenotype), and of the two one remains; the
//! other is counted as a duplicate.

use super::columns::Header;
use super::error::ImportError;
use super::input::InputFile;
use super::records::{Dialect, Record, Records};
use super::session::{Reason, Session, identifier_of, name_of};
use crate::graph::{Kind, Relation};

const CSV: Dialect = Dialect { delimiter: b',', quotes: true, comment: None };

/// PrimeKG's types in the order in which they are ends of an edge.
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

/// One end of an edge, in the order of which edges are turned.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct End {
    rank: usize,
    identifier: String,
    name: String,
    kind: String,
}

/// Reads the files.
pub(super) fn read(files: &[InputFile], session: &mut Session) -> Result<(), ImportError> {
    for file in files {
        let mut records = Records::new(file.open(session)?, CSV);
        let Some(first) = records.next(session)? else { continue };
        session.uncount_line();
        let columns = columns_of(&Header::of(first), file.shown())?;
        while let Some(record) = records.next(session)? {
            if let Err(reason) = take(record, &columns, session) {
                session.reject(record.line, &reason);
            }
        }
    }
    Ok(())
}

fn columns_of(header: &Header, file: &str) -> Result<Columns, ImportError> {
    let end = |letter: char| -> Result<EndColumns, ImportError> {
        let column = |what: &str| header.need(&format!("{letter}_{what}"), file);
        Ok(EndColumns { id: column("id")?, kind: column("type")?, name: column("name")?, source: column("source")? })
    };
    Ok(Columns { relation: header.need("relation", file)?, display: header.need("display_relation", file)?, ends: [end('x')?, end('y')?] })
}

fn take(record: Record, columns: &Columns, session: &mut Session) -> Result<(), Reason> {
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

fn end_of(record: Record, columns: EndColumns) -> Result<End, Reason> {
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
