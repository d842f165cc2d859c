//! Imports Hetionet: nodes as TSV (id, name, kind), edges as SIF (source, metaedge, target), and optionally its table of
//! metaedges (`Compound - treats - Disease`), which explains their abbreviations (`CtD`).

use std::collections::HashMap;

use super::columns::TableHeader;
use super::error::ImportError;
use super::input::InputFile;
use super::records::{Dialect, TableRecord, TableRecords};
use super::session::{ImportSession, Reason, identifier_of, kind_of, name_of};
use crate::graph::{Relation, RoleRules};

const TSV: Dialect = Dialect { delimiter: b'\t', quotes: false, comment: Some(b'#') };

/// The meaning of a metaedge's abbreviation.
struct Metaedge {
    /// `Compound treats Disease`. The verb alone would merge relations between different kinds.
    name: String,
    /// `treats`.
    verb: String,
}

/// Reads the table of metaedges, the nodes, then the edges.
pub(super) fn read(
    nodes: &InputFile,
    edges: &[InputFile],
    metaedges: Option<&InputFile>,
    session: &mut ImportSession,
) -> Result<(), ImportError> {
    let mut names = HashMap::new();
    if let Some(file) = metaedges {
        read_table(file, ["metaedge", "abbreviation", "edges"], 2, session, |fields, session| {
            let [metaedge, abbreviation, _] = fields;
            let abbreviation = name_of(abbreviation)?.into_owned();
            let parsed = parse_metaedge(&name_of(metaedge)?).ok_or("a metaedge that is not written as \"Kind - verb - Kind\"")?;
            if names.insert(abbreviation, parsed).is_some() {
                session.leave_out("metaedge with an abbreviation that is already used");
            }
            Ok(())
        })?;
    }
    read_table(nodes, ["id", "name", "kind"], 3, session, |[id, name, kind], session| {
        let (id, name, kind) = (identifier_of(id)?, name_of(name)?, kind_of(kind)?);
        if session.builder.by_identifier(&id).is_some() {
            return Err(Reason::Borrowed("a node whose identifier an earlier line already has"));
        }
        session.identified(&id, &name, kind.as_ref());
        Ok(())
    })?;
    for file in edges {
        read_table(file, ["source", "metaedge", "target"], 3, session, |[from, metaedge, to], session| {
            let (from, metaedge, to) = (identifier_of(from)?, name_of(metaedge)?, identifier_of(to)?);
            let from = session.builder.by_identifier(&from).ok_or("the source is not among the nodes")?;
            let to = session.builder.by_identifier(&to).ok_or("the target is not among the nodes")?;
            let relation = match names.get(metaedge.as_ref()) {
                Some(known) => {
                    let rules = session.rules;
                    session.relation_as(&known.name, || relation_of(known, &metaedge, rules))?
                }
                None => session.relation(&metaedge)?,
            };
            session.triple(from, relation, to);
            Ok(())
        })?;
    }
    Ok(())
}

/// Reads a table of three columns, found by their headings, or by their positions if there are no headings.
fn read_table(
    file: &InputFile,
    headings: [&str; 3],
    needed: usize,
    session: &mut ImportSession,
    mut take: impl FnMut([&str; 3], &mut ImportSession) -> Result<(), Reason>,
) -> Result<(), ImportError> {
    let mut records = TableRecords::new(file.open(session)?, TSV);
    let mut places: Option<[usize; 3]> = None;
    while let Some(record) = records.next(session)? {
        let places = match places {
            Some(places) => places,
            None => {
                let header = TableHeader::of(record);
                let found = headings.map(|name| header.find(&[name]));
                let is_header = found[..needed].iter().all(Option::is_some);
                let found = if is_header { [0, 1, 2].map(|i| found[i].unwrap_or(usize::MAX)) } else { [0, 1, 2] };
                places = Some(found);
                if is_header {
                    session.uncount_line();
                    continue;
                }
                found
            }
        };
        if let Err(reason) = fields_of(record, places, needed).and_then(|fields| take(fields, session)) {
            session.reject(record.line, &reason);
        }
    }
    Ok(())
}

fn fields_of<'l>(record: TableRecord<'l>, places: [usize; 3], needed: usize) -> Result<[&'l str; 3], Reason> {
    let mut fields = [""; 3];
    for (i, place) in places.into_iter().enumerate() {
        match record.get(place)? {
            Some(field) => fields[i] = field,
            None if i < needed => return Err(Reason::Owned(format!("fewer than {needed} tab-separated columns"))),
            None => {}
        }
    }
    Ok(fields)
}

/// Parses `Compound - treats - Disease`, or for a directed metaedge `Gene > regulates > Gene`.
fn parse_metaedge(text: &str) -> Option<Metaedge> {
    let mut parts = text.split(" - ").flat_map(|part| part.split(" > ")).map(str::trim).filter(|part| !part.is_empty());
    let (from, verb, to) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next().is_none().then(|| Metaedge { name: format!("{from} {verb} {to}"), verb: verb.to_owned() })
}

/// The relation of a metaedge. The user's rules may name it in full. The built-in rules match the abbreviation, which is exact;
/// guessing by the verb would make "Gene interacts Gene" an interaction of drugs.
fn relation_of(metaedge: &Metaedge, abbreviation: &str, rules: &RoleRules) -> Relation {
    let stated = rules.guess(&metaedge.name);
    let relation = if stated.guessed { rules.guess(abbreviation) } else { stated };
    Relation { name: metaedge.name.clone(), display: metaedge.verb.clone(), ..relation }
}
