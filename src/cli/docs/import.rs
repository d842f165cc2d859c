//! `catena docs import`: reads documents and builds their collection. It reads everything before it replaces anything.

use std::io::{Write, stdout};
use std::path::Path;
use std::time::Instant;

use crate::cli::args::{GraphArgs, ModelArgs};
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::open_graph;
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::progress::spinner;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::evidence::reader::{DocumentFormat, read};
use crate::evidence::{BuildStep, Collection, Document, DocumentStore, ModelReader, ModelReport, ReadReport, Reading, is_collection_name};
use crate::graph::Graph;
use crate::language::{Prompts, is_small};
use crate::model::{CancelToken, GeneratorHandle, ModelError};
use crate::text::{counted, grouped, sanitise_line};

/// After so many documents, what a language model read is kept.
const KEPT_EVERY: usize = 10;
/// The most documents that an import names for one reason.
const NAMED: usize = 50;

/// What is imported, and how.
pub(super) struct Asked<'a> {
    pub(super) format: DocumentFormat,
    pub(super) path: &'a Path,
    pub(super) name: &'a str,
    /// The language model that reads the documents.
    pub(super) generator: Option<String>,
    pub(super) graph: &'a GraphArgs,
}

pub(super) fn run(setup: &Setup, store: &DocumentStore, asked: &Asked<'_>) -> anyhow::Result<u8> {
    let Asked { format, path, name, generator, graph } = asked;
    let (format, path, name) = (*format, *path, *name);
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
    let read_by_model = match generator {
        Some(generator) => {
            let generator = started_generator(generator, setup)?;
            Some(by_model(setup, store, name, (&documents, &graph), &generator, (&interrupt, &waiting))?)
        }
        None => None,
    };
    let reading = read_by_model.as_ref().map(|(reading, _)| reading.clone());
    let (collection, change) = store.add_with(name, documents, (&graph, reading), &|step| {
        waiting.set_message(match step {
            BuildStep::Reading(documents) => format!("recognising names and evidence in {documents} documents"),
            BuildStep::Topics => "collecting topics".to_owned(),
            BuildStep::Vectors => "computing vectors".to_owned(),
        });
        !interrupt.requested()
    })?;
    waiting.finish_and_clear();
    note_without_evidence(&collection, NAMED)?;
    let by_model = match &read_by_model {
        Some((reading, report)) => note_of_model(reading, report)?,
        None => "No language model was used.".to_owned(),
    };
    let meta = collection.meta();
    let seconds = start.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    writeln!(
        out,
        "{name}: {} documents ({} new, {} replaced, {} unchanged), {} units, {} pieces of evidence, {} entities, {} topics, {} edges; {seconds:.1} s \
         ({:.1} ms a document read). {by_model}",
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

/// The language model that a flag names, once it is loaded.
fn started_generator(name: &str, setup: &Setup) -> anyhow::Result<GeneratorHandle> {
    let args = ModelArgs { generator: Some(name.to_owned()), ..ModelArgs::default() };
    start_models(&args, setup)?.generator()?.ok_or_else(|| UsageError(format!("{name:?} is no language model")).into())
}

/// Has a language model read the documents; keeps what it read so far, so that a stopped import goes on where it was.
fn by_model(
    setup: &Setup,
    store: &DocumentStore,
    name: &str,
    (documents, graph): (&[Document], &Graph),
    generator: &GeneratorHandle,
    (interrupt, waiting): (&Interrupt, &indicatif::ProgressBar),
) -> anyhow::Result<(Reading, ModelReport)> {
    let prompts = Prompts::with_those_in(&setup.paths.prompts())?.sized(is_small(generator.name()));
    let cancel = CancelToken::new();
    let before = store.reading_of(name)?;
    let mut kept = Ok(());
    let read = ModelReader::new(generator, &prompts, graph, &cancel).read(documents, before, &mut |count, reading| {
        waiting.set_message(format!("the language model has read {count} of {} documents", documents.len()));
        if count % KEPT_EVERY == 0 || interrupt.requested() {
            kept = store.keep_reading(name, reading);
        }
        kept.is_ok() && !interrupt.requested()
    });
    kept?;
    match read {
        Err(ModelError::Cancelled) => {
            anyhow::bail!("stopped; nothing was imported. What the language model read is kept: the same command goes on from there")
        }
        read => Ok(read?),
    }
}

/// Says what a language model read and what it did not: nothing is left out in silence.
fn note_of_model(reading: &Reading, report: &ModelReport) -> anyhow::Result<String> {
    for (why, (count, documents)) in &report.by_rule {
        let parts = counted(*count as u64, "part of a document", "parts of documents");
        let ids = listed(documents.len(), documents, NAMED);
        note(&format!("Catena read {parts} by rule, because {} ({ids})", sanitise_line(why)))?;
    }
    let without = &report.without_evidence;
    if !without.is_empty() {
        let documents = counted(without.len() as u64, "document", "documents");
        let ids = listed(without.len(), without, NAMED);
        note(&format!("the language model found no evidence in {documents}; search finds them only by their words ({ids})"))?;
    }
    let calls = counted(report.calls as u64, "call", "calls");
    // A server may not say how many tokens it wrote.
    let each = report.tokens.checked_div(report.documents).filter(|_| report.tokens > 0);
    let before = match report.known {
        0 => String::new(),
        known => format!(" ({} already read in an earlier import)", counted(known as u64, "part was", "parts were")),
    };
    let tokens =
        each.map(|each| format!(" and {} tokens, about {} for each document", grouped(report.tokens as u64), grouped(each as u64)));
    Ok(format!(
        "The language model {} read {}{before} and wrote {}. This took {calls}{}.",
        sanitise_line(&reading.model),
        counted(report.read as u64, "part", "parts"),
        counted(report.topics as u64, "summary of a topic", "summaries of topics"),
        tokens.unwrap_or_default(),
    ))
}

fn note_rejected(report: &ReadReport) -> anyhow::Result<()> {
    for (why, (count, place)) in &report.rejected {
        note(&format!("rejected {}: {} (first: {})", grouped(*count as u64), sanitise_line(why), sanitise_line(place)))?;
    }
    Ok(())
}

/// Says which documents gave no evidence: an extraction that finds nothing is never silent. `most`: of each reason, so many are named.
pub(super) fn note_without_evidence(collection: &Collection, most: usize) -> anyhow::Result<()> {
    let name = &collection.meta().name;
    for (why, without) in &collection.meta().without_evidence {
        let documents = counted(without.count as u64, "document", "documents");
        let (why, ids) = (sanitise_line(why), listed(without.count, &without.documents, most));
        let all = if without.documents.len() > most { format!("; `catena docs stats {name}` lists all") } else { String::new() };
        note(&format!("{documents} gave no evidence: {why}; search finds them only by their words ({ids}{all})"))?;
    }
    Ok(())
}

/// The ids of so many documents, at most `most` of them, and how many there are beyond those named or known.
fn listed(count: usize, ids: &[String], most: usize) -> String {
    let shown: Vec<String> = ids.iter().take(most).map(|id| sanitise_line(id)).collect();
    let said = format!("{}: {}", if count == 1 { "id" } else { "ids" }, shown.join(", "));
    match count.saturating_sub(shown.len()) {
        0 => said,
        rest => format!("{said} and {} more", grouped(rest as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_named_up_to_a_number_and_harmlessly() {
        let ids: Vec<String> = (0..NAMED + 2).map(|number| format!("d{number}")).collect();
        assert_eq!(listed(1, &ids[..1], NAMED), "id: d0");
        assert_eq!(listed(2, &ids[..2], NAMED), "ids: d0, d1");
        assert!(listed(NAMED, &ids[..NAMED], NAMED).ends_with("d48, d49"));
        assert!(listed(ids.len(), &ids, NAMED).ends_with("d48, d49 and 2 more"));
        assert!(listed(ids.len(), &ids, usize::MAX).ends_with("d50, d51"), "all");
        assert_eq!(listed(1_200, &ids[..1], usize::MAX), "ids: d0 and 1,199 more", "an older collection knows the first alone");
        assert!(!listed(1, &["a\u{1b}[31m\nb".to_owned()], NAMED).contains(['\u{1b}', '\n']));
    }
}
