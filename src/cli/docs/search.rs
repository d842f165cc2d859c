//! `catena docs search`: the passages that answer a question best.

use std::io::{Write, stdout};

use serde::Serialize;

use super::open;
use crate::cli::args::GraphArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::open_graph;
use crate::cli::messages::note;
use crate::cli::setup::Setup;
use crate::evidence::{DocumentStore, Passage, SearchMethod, SearchOptions, Searcher, TopicSampling, Variant};
use crate::text::{sanitise, sanitise_line};

/// What is asked, and how.
pub(super) struct Asked<'a> {
    pub(super) question: &'a str,
    pub(super) limit: usize,
    pub(super) method: SearchMethod,
    pub(super) seed: u64,
    pub(super) exact: bool,
    pub(super) json: bool,
}

/// A passage as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    rank: usize,
    collection: &'a str,
    document: &'a str,
    section: &'a str,
    /// Of several sections of one name, which; the first is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<usize>,
    start: usize,
    end: usize,
    score: f64,
    label: &'static str,
    title: &'a str,
    date: &'a str,
    url: &'a str,
    text: &'a str,
}

pub(super) fn run(setup: &Setup, store: &DocumentStore, docs: &[String], graph: &GraphArgs, asked: &Asked<'_>) -> anyhow::Result<u8> {
    let names = if docs.is_empty() { store.in_use() } else { docs.to_vec() };
    if names.is_empty() {
        return Err(
            UsageError("no collection is in use; name one with --docs NAME, or choose it with `catena docs use NAME`".into()).into()
        );
    }
    let graph = open_graph(graph, setup)?.graph;
    let options = SearchOptions { limit: asked.limit, seed: asked.seed, ..SearchOptions::default() };
    let method = match asked.method {
        SearchMethod::Idep(variant) if asked.exact => SearchMethod::Idep(Variant { topics: TopicSampling::Exact, ..variant }),
        method => method,
    };
    let mut found: Vec<(&str, Passage)> = Vec::new();
    for name in &names {
        let collection = open(store, name)?;
        let passages = Searcher::new(&collection, &graph)?.search(asked.question, method, &options)?;
        found.extend(passages.into_iter().map(|passage| (name.as_str(), passage)));
    }
    // Stable: of equal ones, the collection that was named first.
    found.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
    found.truncate(asked.limit);
    if found.is_empty() {
        note("no passage has a word of the question or an entity that it names")?;
        return Ok(exit::NOTHING_LINKED);
    }
    let mut out = stdout().lock();
    for (rank, (collection, passage)) in (1..).zip(&found) {
        if asked.json {
            let line = Line {
                rank,
                collection,
                document: &passage.document,
                section: &passage.section,
                nth: Some(passage.nth).filter(|nth| *nth > 0),
                start: passage.characters.start,
                end: passage.characters.end,
                score: passage.score,
                label: passage.label.as_str(),
                title: &passage.title,
                date: &passage.date,
                url: &passage.url,
                text: &passage.text,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
            continue;
        }
        let (title, section) = (sanitise_line(&passage.title), sanitise_line(&passage.section));
        let date = if passage.date.is_empty() { String::new() } else { format!(", {}", sanitise_line(&passage.date)) };
        writeln!(out, "{rank}. {title}, {section}{date} ({}, {:.3})", sanitise_line(&passage.document), passage.score)?;
        writeln!(out, "   {}", sanitise(&passage.text).replace('\n', "\n   "))?;
    }
    Ok(exit::DONE)
}
