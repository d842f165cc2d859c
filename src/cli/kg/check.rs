//! `catena kg check`: whether the file is intact, and what in the graph looks wrong.

use std::io::{BufWriter, Write, stdout};

use crate::cli::args::GraphArgs;
use crate::cli::exit;
use crate::cli::graphs::{OpenedGraph, open_graph};
use crate::cli::name_vectors::{IN_MEMORY_UP_TO, are_missing};
use crate::cli::setup::Setup;
use crate::graph::{GraphStats, lint};
use crate::text::sanitise_line;

/// How many merged names are listed without `--merges`.
const SHOWN: usize = 5;

pub(super) fn run(args: &GraphArgs, all_merges: bool, setup: &Setup) -> anyhow::Result<u8> {
    let OpenedGraph { graph, report, file } = open_graph(args, setup)?;
    graph.verify()?;
    let stats = GraphStats::of(&graph);
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "{}: {} entities, {} triples, {} names", graph.name(), stats.entities, stats.triples, graph.name_count())?;
    writeln!(out, "file         intact (checksums, row order, name index)")?;
    if let Some(origin) = super::show::origin(&graph) {
        writeln!(out, "origin       {origin}")?;
    }
    let from = graph.provenance();
    let rejected = if report.is_some() { report.map(|r| r.rejected_by_reason).unwrap_or_default() } else { from.rejected.clone() };
    for (reason, count) in &rejected {
        writeln!(out, "rejected     {count}: {}", sanitise_line(reason))?;
    }
    for (what, count) in &from.left_out {
        writeln!(out, "left out     {count}: {}", sanitise_line(what))?;
    }
    let largest = if stats.entities == 0 { 0.0 } else { 100.0 * stats.largest_component as f64 / stats.entities as f64 };
    writeln!(out, "components   {} (the largest holds {largest:.1} % of the entities)", stats.components)?;
    let guessed: Vec<&str> = graph.relations().iter().filter(|r| r.guessed).map(|r| r.name.as_str()).collect();
    if !guessed.is_empty() {
        let more = if guessed.len() > 8 { ", …" } else { "" };
        let shown = guessed.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        writeln!(
            out,
            "roles        {} of {} relations have a role guessed from the name: {shown}{more}",
            guessed.len(),
            stats.relations.len()
        )?;
    }
    writeln!(out, "merged       {} (names merged with other entities)", graph.merge_count())?;
    let listed = if all_merges { usize::MAX } else { SHOWN };
    for merge in graph.merges().take(listed) {
        let identifier = if merge.identifier.is_empty() { String::new() } else { format!(" [{}]", merge.identifier) };
        writeln!(out, "             {}{identifier} → {} ({})", merge.merged, merge.kept, merge.why)?;
    }
    if graph.merge_count() > listed {
        writeln!(out, "             … `catena kg check {} --merges` lists all", graph.name())?;
    }
    let encoder = crate::method::Engine::start_encoder()?;
    let vectors = if graph.name_count() <= IN_MEMORY_UP_TO {
        "computed at every start: the graph is small".to_owned()
    } else if are_missing(&setup.paths, &graph, file.as_deref(), &encoder) {
        "incomplete; the next question builds them first".to_owned()
    } else {
        format!("stored for the encoder {}", encoder.name())
    };
    writeln!(out, "vectors      {vectors}")?;
    for suspicion in lint(&graph) {
        writeln!(out, "look at      {} {}", suspicion.count, suspicion.what)?;
        for example in &suspicion.examples {
            writeln!(out, "             {}", sanitise_line(example))?;
        }
    }
    out.flush()?;
    Ok(exit::DONE)
}
