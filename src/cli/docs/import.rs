//! `catena docs import`: reads documents and builds their collection. It reads everything before it replaces anything.

use std::io::{Write, stdout};
use std::path::Path;
use std::time::Instant;

use crate::cli::args::GraphArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::open_graph;
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::progress::spinner;
use crate::cli::setup::Setup;
use crate::evidence::reader::{DocumentFormat, read};
use crate::evidence::{BuildStep, Collection, Document, DocumentStore, ReadReport, is_collection_name};
use crate::text::{counted, grouped, sanitise_line};

pub(super) fn run(
    setup: &Setup,
    store: &DocumentStore,
    format: DocumentFormat,
    path: &Path,
    name: &str,
    graph: &GraphArgs,
) -> anyhow::Result<u8> {
    if !is_collection_name(name) {
        return Err(UsageError(format!("a collection cannot be called {name:?}: use letters, digits, '-', '_' and '.'")).into());
    }
    let start = Instant::now();
    let graph = open_graph(graph, setup)?.graph;
    let interrupt = Interrupt::listen();
    let waiting = spinner("reading documents");
    let mut documents: Vec<Document> = Vec::new();
    let report = read(format, path, &mut |document| {
        documents.push(document);
        waiting.set_message(format!("reading documents, {} so far", documents.len()));
        !interrupt.requested()
    })?;
    note_rejected(&report)?;
    if documents.is_empty() {
        waiting.finish_and_clear();
        note(&format!("{} has no document that can be used; nothing was imported", path.display()))?;
        return Ok(exit::FAILED);
    }
    let (collection, change) = store.add(name, documents, &graph, &|step| {
        waiting.set_message(match step {
            BuildStep::Reading(documents) => format!("recognising names and evidence in {documents} documents"),
            BuildStep::Topics => "collecting topics".to_owned(),
            BuildStep::Vectors => "computing vectors".to_owned(),
        });
        !interrupt.requested()
    })?;
    waiting.finish_and_clear();
    note_without_evidence(&collection)?;
    let meta = collection.meta();
    let seconds = start.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    writeln!(
        out,
        "{name}: {} documents ({} new, {} replaced, {} unchanged), {} units, {} pieces of evidence, {} entities, {} topics, {} edges; {seconds:.1} s \
         ({:.1} ms a document read). No language model was used.",
        grouped(meta.documents as u64),
        grouped(change.added as u64),
        grouped(change.replaced as u64),
        grouped(change.unchanged as u64),
        grouped(meta.units as u64),
        grouped(meta.evidence as u64),
        grouped(meta.entities as u64),
        grouped(meta.topics as u64),
        grouped(meta.edges as u64),
        1000.0 * seconds / report.documents.max(1) as f64,
    )?;
    writeln!(out, "`catena docs search QUESTION --docs {name}` finds passages in it.")?;
    Ok(exit::DONE)
}

fn note_rejected(report: &ReadReport) -> anyhow::Result<()> {
    for (why, (count, place)) in &report.rejected {
        note(&format!("rejected {}: {} (first: {})", grouped(*count as u64), sanitise_line(why), sanitise_line(place)))?;
    }
    Ok(())
}

/// Says which documents gave no evidence: an extraction that finds nothing is never silent.
pub(super) fn note_without_evidence(collection: &Collection) -> anyhow::Result<()> {
    for (why, (count, first)) in &collection.meta().without_evidence {
        let documents = counted(*count as u64, "document", "documents");
        note(&format!("{documents} gave no evidence; search finds only the words: {why} (first: {})", sanitise_line(first)))?;
    }
    Ok(())
}
