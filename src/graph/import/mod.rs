//! Imports graphs from files; each module reads one format.
//!
//! All importers read in portions, clean every name, reject bad input with line number and reason, and count what they
//! leave out on purpose. They write nothing, so an import that fails or is interrupted leaves nothing behind.

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
pub use source::{GraphFormat, ImportSource};
pub use triples::{HeaderLine, TriplesOptions};

use super::{BuildReport, Graph, GraphBuilder, RoleRules};
use session::ImportSession;

/// Reads a graph from files. Calls `progress` about every 256 KiB; if it returns `false`, the import stops.
///
/// [`GraphBuilder::finish_with`] adds the numbers of accepted, repeated and merged items to the report.
///
/// The result does not depend on the order of lines, with one exception: if lines state several kinds for one identifier, the
/// first stays. Of several names the commonest is shown.
///
/// # Errors
/// If a file cannot be read or is damaged, lacks something that its format requires, or contains nothing usable, or if
/// `progress` stopped the import.
pub fn import(
    source: &ImportSource,
    name: &str,
    rules: &RoleRules,
    progress: &mut dyn FnMut(ImportProgress) -> bool,
) -> Result<(GraphBuilder, BuildReport), ImportError> {
    let mut session = ImportSession::new(name, rules, progress);
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

/// Reads a graph from bytes as if they were a file of this format. For formats of several files, the byte 0x1C separates the
/// files. The fuzz targets call this function, because all foreign bytes enter a graph this way.
///
/// # Errors
/// As [`import`].
pub fn import_bytes(format: GraphFormat, bytes: &[u8], name: &str, rules: &RoleRules) -> Result<(GraphBuilder, BuildReport), ImportError> {
    import(&ImportSource::from_bytes(format, bytes), name, rules, &mut |_| true)
}

/// Reads a graph from TSV. Skips blank lines and comments, which begin with `#`. A first line may name the columns; otherwise the
/// first three are head, relation and tail. Counts lines that are not a triple, with the reason.
///
/// # Errors
/// If reading fails or the file contains no triple.
pub fn read_tsv(from: impl Read, file: &str, name: &str, rules: &RoleRules) -> Result<(Graph, BuildReport), ImportError> {
    let mut go_on = |_| true;
    let mut session = ImportSession::new(name, rules, &mut go_on);
    triples::read_from(from, file, &TriplesOptions::tsv(), &mut session)?;
    if !session.has_triples() {
        return Err(ImportError::NoTriples { file: file.to_owned(), report: Box::new(session.report().clone()) });
    }
    let (builder, mut report) = session.finish()?;
    let graph = builder.finish_with(&mut report);
    Ok((graph, report))
}
