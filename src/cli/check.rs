//! `catena check`: shows what is installed, what is in use, what is missing and how to get it.

use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;
use std::time::Instant;

use super::args::GraphArgs;
use super::exit;
use super::graphs::{graph_name, open_graph};
use super::models::memory_in_words;
use super::open_engine::{engine_over, teach_settings};
use super::setup::Setup;
use crate::config::{Config, ModelChoice, ModelRole, Paths};
use crate::dkg::Dkg;
use crate::method::{Engine, EngineOptions};
use crate::model::{Machine, Placement, in_words, instruction_set, place, read_headers};
use crate::run::Ask;
use crate::text::sanitise_line;

pub(super) fn run() -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let Setup { paths, config } = &setup;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "catena {}", env!("CARGO_PKG_VERSION"))?;
    let config_file = paths.config_file();
    let state = if config_file.is_file() { "in use" } else { "does not exist; defaults are used" };
    writeln!(out, "configuration  {} ({state})", config_file.display())?;
    writeln!(out, "graphs         {}", paths.graphs().display())?;
    writeln!(out, "models         {}", setup.model_store().folder().display())?;
    let mut code = dkg(&mut out, config, paths)?;
    let device_is_usable = devices_and_instructions(&mut out, config)?;

    let started = Instant::now();
    let encoder = Engine::start_encoder()?;
    let name = graph_name(&GraphArgs::default(), &setup);
    match open_graph(&GraphArgs::default(), &setup) {
        Ok(opened) => {
            for notice in opened.notices() {
                writeln!(out, "note           {notice}")?;
            }
            let engine = Arc::new(engine_over(&setup, opened, encoder.into(), &EngineOptions::default(), Vec::new())?);
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
            writeln!(out, "graph          cannot open {name}: {error:#}")?;
            code = exit::FAILED;
        }
    }
    if configured_models(&mut out, &setup, device_is_usable)? {
        writeln!(out, "\nNothing is missing. The built-in graph and models need no download, and this check uses no network.")?;
    } else {
        code = exit::FAILED;
        writeln!(out, "\nA model of the configuration is missing or cannot be used. Until you fix that, the built-in model replaces it.")?;
    }
    writeln!(out, "To import a graph of your own: catena kg import tsv FILE --name NAME")?;
    out.flush()?;
    Ok(code)
}

/// Prints where the DKG is, how much it has learned, and whether it can learn now. Returns the exit code: failed if it cannot be read.
fn dkg(out: &mut impl Write, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    let folder = paths.dkg();
    let shown = sanitise_line(&folder.display().to_string());
    let auto =
        if teach_settings(config)?.auto_accept { "new proposals are accepted at once" } else { "new proposals wait for your review" };
    let used = if config.dkg.is_in_use() { "" } else { "; questions do not use it (dkg.use is false)" };
    let counts = if folder.exists() {
        Dkg::open_read_only(&folder).and_then(|dkg| {
            let waiting = dkg.waiting()?;
            Ok((dkg.statistics()?.learned, waiting.pending.len(), waiting.redundant.len() + waiting.conflicting.len()))
        })
    } else {
        Ok((0, 0, 0))
    };
    match counts {
        Ok((learned, pending, aside)) => {
            writeln!(
                out,
                "DKG            {shown}: {learned} triples learned, {pending} proposals waiting, {aside} set aside; {auto}{used}"
            )?;
        }
        Err(error) => {
            writeln!(out, "DKG            {shown} CANNOT be used: {}", sanitise_line(&error.to_string()))?;
            return Ok(exit::FAILED);
        }
    }
    if let Some(reason) = Dkg::hindrance(&folder) {
        writeln!(out, "note           the DKG cannot learn now: {}", sanitise_line(&reason))?;
    }
    Ok(exit::DONE)
}

/// Prints the processor and its vector instructions, each device with its memory, and the device for local models. Returns whether that can
/// be used.
fn devices_and_instructions(out: &mut impl Write, config: &Config) -> anyhow::Result<bool> {
    let set = instruction_set();
    let compiled = if set.compiled.is_empty() { "no vector instructions".to_owned() } else { set.compiled.join(" ") };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(out, "processor      {cores} cores, {compiled} in use")?;
    if let Some(warning) = set.warning() {
        writeln!(out, "warning        {warning}")?;
    }
    let machine = Machine::here();
    for device in &machine.devices {
        let memory = device.memory.map_or_else(
            || "does not report its memory".to_owned(),
            |(total, free)| format!("{} of {} free", in_words(free), in_words(total)),
        );
        writeln!(out, "device         {}: {memory}", device.name)?;
    }
    let chosen = config.device.unwrap_or_default();
    match place(chosen, &machine, "any", 0) {
        Ok(Placement { device, warning }) => {
            if let Some(warning) = warning {
                writeln!(out, "warning        {warning}")?;
            }
            writeln!(out, "models run on  {device}")?;
            Ok(true)
        }
        Err(problem) => {
            writeln!(out, "models run on  {chosen}, but {problem}")?;
            Ok(false)
        }
    }
}

/// Prints the models of the configuration: whether each is on this machine and fits into memory. Returns whether all can be used; local ones
/// cannot without their device.
fn configured_models(out: &mut impl Write, setup: &Setup, device_is_usable: bool) -> anyhow::Result<bool> {
    let (config, store) = (&setup.config, setup.model_store());
    let mut usable = true;
    for role in ModelRole::ALL {
        let description = match config.choice(role, None)? {
            ModelChoice::BuiltIn => continue,
            ModelChoice::Remote(remote) => {
                let secure = remote.base_url.starts_with("https://");
                let note = if secure || remote.is_this_machine() { "" } else { "; questions are sent there unencrypted" };
                format!("remote:{}, model {}, at {}{note} (not contacted by this check)", remote.name, remote.model, remote.base_url)
            }
            ModelChoice::Local(name) => match store.find(&name) {
                None => {
                    usable = false;
                    format!("{name} is MISSING; to download it: catena models pull {name}")
                }
                Some(model) => match read_headers(&model) {
                    Ok(headers) => {
                        usable &= device_is_usable;
                        let note = headers.warning.as_ref().map_or_else(String::new, |warning| format!("; {warning}"));
                        format!("{name}: {}, {}, {}{note}", headers.architecture, headers.form, memory_in_words(&headers))
                    }
                    Err(problem) => {
                        usable = false;
                        format!("{name} CANNOT be used: {problem}")
                    }
                },
            },
        };
        writeln!(out, "configured     {role} {}", sanitise_line(&description))?;
    }
    Ok(usable)
}
