//! Reading graphs from files, one format a file.
//!
//! All importers read in portions, clean every name, reject what they cannot take with line number and reason,
//! and count what they leave out on purpose. Nothing is written: an import that fails or is interrupted leaves
//! nothing behind.

mod columns;
mod dictionary;
mod disease_json;
mod error;
mod hetionet;
mod input;
mod lines;
mod neo4j;
mod obo;
mod obo_clause;
mod primekg;
mod rdf;
mod rdf_nodes;
mod records;
mod session;
mod source;
mod triples;

use std::io::Read;

pub use columns::Column;
pub use error::ImportError;
pub use input::InputFile;
pub use neo4j::Neo4jOptions;
pub use rdf::{RdfOptions, RdfSyntax};
pub use session::ImportProgress;
pub use source::{Format, ImportSource};
pub use triples::{HeaderLine, TriplesOptions};

use super::{BuildReport, Graph, GraphBuilder, RoleRules};
use session::Session;

/// Reads a graph from files. `progress` is told how far it has come for every quarter of a megabyte or so, and
/// stops the import by `false`.
///
/// How many triples were accepted and how many repeated, and what was merged, is told by [`GraphBuilder::finish_with`].
///
/// The result does not depend on the order of lines, but for this: of several names or kinds that lines state of one
/// identifier, the first stays.
///
/// # Errors
/// If a file cannot be read or is damaged, if it lacks what its format must have, if nothing in it could be taken,
/// and if `progress` said to stop.
pub fn import(
    source: &ImportSource,
    name: &str,
    rules: &RoleRules,
    progress: &mut dyn FnMut(ImportProgress) -> bool,
) -> Result<(GraphBuilder, BuildReport), ImportError> {
    let mut session = Session::new(name, rules, progress);
    let files = source.files();
    let Some(first) = files.first() else {
        return Err(ImportError::Options("no file was named".into()));
    };
    session.expect_files(files.len(), files.iter().map(|file| file.size()).sum());
    match source {
        ImportSource::Triples { files, options } => triples::read(files, options, &mut session)?,
        ImportSource::Hetionet { nodes, edges, metaedges } => hetionet::read(nodes, edges, metaedges.as_ref(), &mut session)?,
        ImportSource::PrimeKg { files } => primekg::read(files, &mut session)?,
        ImportSource::Obo { files, kind } => obo::read(files, kind.as_ref(), &mut session)?,
        ImportSource::Rdf { files, options } => rdf::read(files, options, &mut session)?,
        ImportSource::Neo4j { files, options } => neo4j::read(files, options, &mut session)?,
        ImportSource::DiseaseJson { files } => disease_json::read(files, &mut session)?,
        ImportSource::Dictionary { files } => dictionary::read(files, &mut session)?,
    }
    let file = match files.len() {
        1 => first.shown().to_owned(),
        more => format!("{} (and {} more)", first.shown(), more - 1),
    };
    if matches!(source, ImportSource::Triples { .. }) && !session.has_triples() {
        return Err(ImportError::NoTriples { file, report: Box::new(session.report().clone()) });
    }
    if !session.has_entities() {
        return Err(ImportError::NoEntities { file, report: Box::new(session.report().clone()) });
    }
    session.finish()
}

/// Reads a graph from bytes as if they were a file of this format. Formats of several files take them joined by the byte
/// 0x1C. This is the whole way of foreign bytes into a graph, and what is fuzzed.
///
/// # Errors
/// As [`import`].
pub fn import_bytes(format: Format, bytes: &[u8], name: &str, rules: &RoleRules) -> Result<(GraphBuilder, BuildReport), ImportError> {
    import(&ImportSource::from_bytes(format, bytes), name, rules, &mut |_| true)
}

/// Reads a graph from TSV. Blank lines and lines that begin with `#` are passed over; a first line that names the columns
/// is understood, else the first three are head, relation, tail; lines that are no triple are counted with the reason.
///
/// # Errors
/// If reading fails or nothing in the file is a triple.
pub fn read_tsv(from: impl Read, file: &str, name: &str, rules: &RoleRules) -> Result<(Graph, BuildReport), ImportError> {
    let mut go_on = |_| true;
    let mut session = Session::new(name, rules, &mut go_on);
    triples::read_from(from, file, &TriplesOptions::tsv(), &mut session)?;
    if !session.has_triples() {
        return Err(ImportError::NoTriples { file: file.to_owned(), report: Box::new(session.report().clone()) });
    }
    let (builder, mut report) = session.finish()?;
    let graph = builder.finish_with(&mut report);
    Ok((graph, report))
}
