//! `catena ask`: one question.

use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Write, stderr, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::AskArgs;
use super::dkg_overlay::{Purpose, open_taught};
use super::models_open::open_models;
use super::open::surroundings;
use super::{batch, exit};
use crate::config::Config;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::run::{AskOptions, Event, MethodName, Outcome, Trace, TraceDocument, write_event};
use crate::text::sanitise;

/// How many chains a JSON trace holds unless told otherwise.
pub(super) const MAX_CHAINS: usize = 10_000;
/// More than this of a question is not read; it is no question any more.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(args: AskArgs) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let options = EngineOptions { k: args.k, top_k: args.top_k, delta: args.delta, seed: args.seed, ..EngineOptions::default() };
    let models = open_models(&args.models, &config, &paths)?;
    let taught = open_taught(&args.graph, models, &config, &paths, &options, Purpose::Ask)?;
    let engine = Arc::clone(&taught.engine);
    let max_chains = args.max_chains.or(config.max_chains).unwrap_or(MAX_CHAINS);
    if let Some(file) = &args.batch {
        tell_notices(&engine)?;
        return batch::run(&engine, file, args.method, max_chains);
    }
    let question = match args.question.as_deref() {
        Some("-") => question_from_stdin()?,
        given => given.unwrap_or_default().to_owned(),
    };
    if args.json {
        // What is missing in the answer must be said, whoever reads it.
        tell(&taught.notices)?;
    } else {
        tell_notices(&engine)?;
    }
    let (trace, outcome) = answer(&engine, &question, args.method, args.events.as_deref())?;
    let mut out = BufWriter::new(stdout().lock());
    if args.json {
        serde_json::to_writer(&mut out, &TraceDocument::of(&trace, max_chains)).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print_for_people(&mut out, &trace)?;
    }
    out.flush()?;
    for warning in &trace.warnings {
        writeln!(stderr(), "catena: {}", sanitise(warning))?;
    }
    exit_code(&trace, outcome, &config)
}

/// The exit code of a run: 3 where nothing could be linked.
fn exit_code(trace: &Trace, outcome: Outcome, _config: &Config) -> anyhow::Result<u8> {
    match outcome {
        Outcome::Failed { message } => anyhow::bail!("the question could not be answered: {message}"),
        // Without a graph there is nothing to link to.
        Outcome::NothingFound if trace.anchors.is_empty() && trace.method != MethodName::Base.to_string() => Ok(exit::NOTHING_LINKED),
        Outcome::Answered | Outcome::NothingFound | Outcome::Cancelled => Ok(exit::DONE),
    }
}

fn question_from_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("standard input cannot be read")?;
    String::from_utf8(bytes).map_err(|error| exit::Usage(format!("the question is not valid UTF-8: {error}")).into())
}

fn tell_notices(engine: &Engine) -> anyhow::Result<()> {
    tell(engine.notices())
}

fn tell(notices: &[String]) -> anyhow::Result<()> {
    for notice in notices {
        writeln!(stderr(), "catena: {}", sanitise(notice))?;
    }
    Ok(())
}

/// Runs a question to its end, recording its events if asked to.
fn answer(engine: &Engine, question: &str, method: MethodName, events: Option<&Path>) -> anyhow::Result<(Trace, Outcome)> {
    let mut recording = events.map(create_private).transpose()?;
    let mut failed: Option<std::io::Error> = None;
    let mut trace = Trace::default();
    let mut sink = |event: Event| {
        if let Some(file) = &mut recording
            && failed.is_none()
        {
            failed = write_event(file, &event).err();
        }
        trace.apply(&event);
        true
    };
    let options = AskOptions { method: Some(method), ..AskOptions::default() };
    let outcome = engine.run(question, options, &CancelToken::new(), &mut sink);
    if let (Some(mut file), None) = (recording, &failed) {
        failed = file.flush().err();
    }
    match (failed, events) {
        (Some(error), Some(path)) => Err(error).with_context(|| format!("the recording {} could not be written", path.display())),
        _ => Ok((trace, outcome)),
    }
}

/// Creates a file that only its owner can read: recordings hold questions, and questions can hold patient data.
fn create_private(path: &Path) -> anyhow::Result<BufWriter<std::fs::File>> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).with_context(|| format!("{} cannot be written", path.display()))?;
    // A file that was there before keeps its mode when it is opened.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(BufWriter::new(file))
}

/// The answer, its evidence, and what was not understood.
fn print_for_people(out: &mut impl Write, trace: &Trace) -> std::io::Result<()> {
    writeln!(out, "{}", sanitise(&trace.answer.text))?;
    if trace.kept().next().is_some() {
        writeln!(out, "\nEvidence ({} of {} chains, graph {})", trace.pruning.kept.len(), trace.chains_found, trace.kg.name)?;
        for (id, _, chain) in trace.kept() {
            writeln!(out, "[{id}] {}", sanitise(&trace.table.text(chain)))?;
        }
    }
    if !trace.answer.corrected.is_empty() {
        writeln!(out, "\nThe evidence says otherwise than the hypothesis: {}", sanitise(&trace.answer.corrected.join(", ")))?;
    }
    if !trace.unlinked.is_empty() && trace.answer.grounded {
        writeln!(out, "\nNot understood: {}", sanitise(&trace.unlinked.join(", ")))?;
    }
    Ok(())
}
