//! `catena check`: what is there, what is in use, what is missing and how to get it.

use std::io::{BufWriter, Write, stdout};
use std::time::Instant;

use super::args::GraphArgs;
use super::exit;
use super::open::{OpenedGraph, graph_name, notices, open_graph, surroundings};
use super::vectors::knowledge;
use crate::method::{Engine, EngineOptions};
use crate::pipeline::Ask;

pub(super) fn run() -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "catena {}", env!("CARGO_PKG_VERSION"))?;
    let config_file = paths.config_file();
    let state = if config_file.is_file() { "in use" } else { "not there, defaults are used" };
    writeln!(out, "configuration  {} ({state})", config_file.display())?;
    writeln!(out, "graphs         {}", paths.graphs().display())?;
    writeln!(out, "processor      {} cores{}", std::thread::available_parallelism().map_or(1, usize::from), vector_instructions())?;

    let started = Instant::now();
    let encoder = Engine::start_encoder()?;
    let name = graph_name(&GraphArgs::default(), &config, &paths);
    let mut code = exit::DONE;
    match open_graph(&GraphArgs::default(), &config, &paths) {
        Ok(OpenedGraph { graph, report, file }) => {
            for notice in notices(&graph, report.as_ref()) {
                writeln!(out, "note           {notice}")?;
            }
            let options =
                EngineOptions { k: config.k, top_k: config.top_k, delta: config.delta, seed: config.seed, ..EngineOptions::default() };
            let knowledge = knowledge(&paths, graph, file.as_deref(), &encoder)?;
            let engine = std::sync::Arc::new(Engine::with_knowledge(knowledge, encoder, &options, Vec::new())?);
            let info = engine.info();
            writeln!(out, "graph          {}: {} entities, {} triples", info.kg.name, info.kg.entities, info.kg.triples)?;
            writeln!(
                out,
                "encoder        {} ({}), built in, linking threshold {}",
                info.models.encoder.name, info.models.encoder.device, info.settings.delta
            )?;
            writeln!(out, "reranker       {}, built in", info.models.reranker.name)?;
            writeln!(out, "generator      {} hypothesis, extractive reader, built in", info.models.generator.name)?;
            writeln!(out, "ready in       {} ms", started.elapsed().as_millis())?;
        }
        Err(error) => {
            writeln!(out, "graph          {name} cannot be opened: {error:#}")?;
            code = exit::FAILED;
        }
    }
    writeln!(out, "\nNothing is missing: the built-in graph and models need no download, and no network is used.")?;
    writeln!(out, "A graph of your own: catena kg import tsv FILE --name NAME")?;
    out.flush()?;
    Ok(code)
}

/// The vector instructions that this processor has, where they can be asked for.
fn vector_instructions() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
        ];
        let present: Vec<&str> = known.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect();
        if !present.is_empty() {
            return format!(", {}", present.join(" "));
        }
    }
    String::new()
}
