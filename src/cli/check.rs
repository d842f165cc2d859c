//! `catena check`: what is there, what is in use, what is missing and how to get it.

use std::io::{BufWriter, Write, stdout};
use std::time::Instant;

use super::args::GraphArgs;
use super::dkg_overlay::teach_settings;
use super::exit;
use super::models::{memory_in_words, store};
use super::name_vectors::knowledge;
use super::open::{OpenedGraph, graph_name, notices, open_graph, surroundings};
use crate::config::{Config, ModelChoice, ModelRole, Paths};
use crate::dkg::Dkg;
use crate::method::{Engine, EngineOptions};
use crate::model::{devices, in_words, instruction_set, open_device, read_headers};
use crate::run::Ask;
use crate::text::sanitise_line;

pub(super) fn run() -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "catena {}", env!("CARGO_PKG_VERSION"))?;
    let config_file = paths.config_file();
    let state = if config_file.is_file() { "in use" } else { "not there, defaults are used" };
    writeln!(out, "configuration  {} ({state})", config_file.display())?;
    writeln!(out, "graphs         {}", paths.graphs().display())?;
    writeln!(out, "models         {}", store(&config, &paths).folder().display())?;
    let mut code = learned(&mut out, &config, &paths)?;
    devices_and_instructions(&mut out, &config)?;

    let started = Instant::now();
    let encoder = Engine::start_encoder()?;
    let name = graph_name(&GraphArgs::default(), &config, &paths);
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
    if configured_models(&mut out, &config, &paths)? {
        writeln!(out, "\nNothing is missing: the built-in graph and models need no download, and no network is used by this check.")?;
    } else {
        code = exit::FAILED;
        writeln!(out, "\nA model of the configuration is missing or cannot be used; until it is here, the built-in one takes its place.")?;
    }
    writeln!(out, "A graph of your own: catena kg import tsv FILE --name NAME")?;
    out.flush()?;
    Ok(code)
}

/// Where what is learned is kept, how much that is, and whether it can be added to. Says whether it can be read.
fn learned(out: &mut impl Write, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    let folder = paths.dkg();
    let shown = sanitise_line(&folder.display().to_string());
    let auto = if teach_settings(config)?.auto_accept { "new proposals are learned at once" } else { "new proposals wait for your review" };
    let used = if config.dkg.is_in_use() { "" } else { "; questions do not see it (dkg.use is false)" };
    let counted = if folder.exists() {
        Dkg::open_read_only(&folder).and_then(|dkg| {
            let waiting = dkg.waiting()?;
            Ok((dkg.statistics()?.learned, waiting.pending.len(), waiting.redundant.len() + waiting.conflicting.len()))
        })
    } else {
        Ok((0, 0, 0))
    };
    match counted {
        Ok((learned, pending, aside)) => {
            writeln!(out, "learned        {shown}: {learned} triples, {pending} proposals wait, {aside} aside; {auto}{used}")?;
        }
        Err(error) => {
            writeln!(out, "learned        {shown} CANNOT be used: {}", sanitise_line(&error.to_string()))?;
            return Ok(exit::FAILED);
        }
    }
    if let Some(reason) = Dkg::hindrance(&folder) {
        writeln!(out, "note           nothing can be learned at this moment: {}", sanitise_line(&reason))?;
    }
    Ok(exit::DONE)
}

/// Devices with their memory, and what this build makes of the processor.
fn devices_and_instructions(out: &mut impl Write, config: &Config) -> anyhow::Result<()> {
    let set = instruction_set();
    let compiled = if set.compiled.is_empty() { "no vector instructions".to_owned() } else { set.compiled.join(" ") };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(out, "processor      {cores} cores, {compiled} in use")?;
    if let Some(warning) = set.warning() {
        writeln!(out, "warning        {warning}")?;
    }
    for device in devices() {
        let memory = device
            .memory
            .map_or_else(|| "memory is not told".to_owned(), |(total, free)| format!("{} of {} free", in_words(free), in_words(total)));
        writeln!(out, "device         {}: {memory}", device.name)?;
    }
    let chosen = config.device.unwrap_or_default();
    if let Some(warning) = open_device(chosen).warning {
        writeln!(out, "warning        {warning}")?;
    }
    writeln!(out, "models run on  {chosen}")?;
    Ok(())
}

/// Models that the configuration names: whether each is there, and whether it fits. Says whether all can be used.
fn configured_models(out: &mut impl Write, config: &Config, paths: &Paths) -> anyhow::Result<bool> {
    let store = store(config, paths);
    let mut usable = true;
    for role in ModelRole::ALL {
        let said = match config.choice(role, None)? {
            ModelChoice::BuiltIn => continue,
            ModelChoice::Remote(remote) => {
                let secure = remote.base_url.starts_with("https://");
                let note = if secure || remote.is_this_machine() { "" } else { "; questions go there unencrypted" };
                format!("remote:{}, model {}, at {}{note} (not asked now)", remote.name, remote.model, remote.base_url)
            }
            ModelChoice::Local(name) => match store.find(&name) {
                None => {
                    usable = false;
                    format!("{name} is NOT here; to fetch it: catena models pull {name}")
                }
                Some(model) => match read_headers(&model) {
                    Ok(headers) => format!("{name}: {}, {}, {}", headers.architecture, headers.form, memory_in_words(&headers)),
                    Err(problem) => {
                        usable = false;
                        format!("{name} CANNOT be used: {problem}")
                    }
                },
            },
        };
        writeln!(out, "configured     {role} {}", sanitise_line(&said))?;
    }
    Ok(usable)
}
