//! `catena ask`: one question.

use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::AskArgs;
use super::export::recorded;
use super::messages::note;
use super::open_engine::{DkgAccess, EngineWithTeacher, open_engine};
use super::setup::Setup;
use super::start_models::start_models;
use super::{batch, exit};
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::run::{AskOptions, Case, Event, MethodName, Outcome, Trace, TraceDocument, write_event};
use crate::text::{counted, sanitise};

/// The most chains in a JSON trace, by default.
pub(super) const MAX_CHAINS: usize = 10_000;
/// A longer question is not read to its end.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(args: AskArgs) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let options = EngineOptions { k: args.k, top_k: args.top_k, delta: args.delta, seed: args.seed, ..EngineOptions::default() };
    let models = start_models(&args.models, &setup)?;
    let EngineWithTeacher { engine, dkg_notices, .. } = open_engine(&setup, &args.graph, models, &options, DkgAccess::Read)?;
    let max_chains = args.max_chains.or(setup.config.max_chains).unwrap_or(MAX_CHAINS);
    if let Some(file) = &args.batch {
        notes(engine.notices())?;
        return batch::run(&engine, file, args.method, max_chains);
    }
    let question = match args.question.as_deref() {
        Some("-") => question_from_stdin()?,
        given => given.unwrap_or_default().to_owned(),
    };
    if args.json {
        // Even a program's user must know that an answer does without the DKG.
        notes(&dkg_notices)?;
    } else {
        notes(engine.notices())?;
    }
    let follows = args.follow.as_deref().map(case_of).transpose()?;
    let options = AskOptions { method: Some(args.method), follows, ..AskOptions::default() };
    let (trace, outcome) = answer(&engine, &question, options, args.events.as_deref())?;
    let mut out = BufWriter::new(stdout().lock());
    if args.json {
        serde_json::to_writer(&mut out, &TraceDocument::of(&trace, max_chains)).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print_for_people(&mut out, &trace)?;
    }
    out.flush()?;
    notes(&trace.warnings)?;
    exit_code(&trace, outcome)
}

/// The case of a recorded run. A run that an older version recorded holds none: its question is then not carried over.
fn case_of(session: &str) -> anyhow::Result<Arc<Case>> {
    let trace = recorded(session)?.trace();
    if trace.case.is_empty() {
        note("The earlier run holds no case (an older version recorded it), so nothing is carried over. Ask its question again first.")?;
    }
    Ok(trace.case)
}

/// The exit code of a run: 3 if nothing could be linked, or the question is refused and nothing about it could be stated.
fn exit_code(trace: &Trace, outcome: Outcome) -> anyhow::Result<u8> {
    match outcome {
        Outcome::Failed { message } => anyhow::bail!("cannot answer the question: {message}"),
        // The method without a graph links nothing.
        Outcome::NothingFound if trace.case.refusal.is_some() => Ok(exit::NOTHING_LINKED),
        Outcome::NothingFound if trace.anchors.is_empty() && trace.method != MethodName::Base.to_string() => Ok(exit::NOTHING_LINKED),
        Outcome::Answered | Outcome::NothingFound | Outcome::Cancelled => Ok(exit::DONE),
    }
}

fn question_from_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("cannot read standard input")?;
    String::from_utf8(bytes).map_err(|error| exit::UsageError(format!("the question is not valid UTF-8: {error}")).into())
}

fn notes(texts: &[String]) -> std::io::Result<()> {
    texts.iter().try_for_each(|text| note(text))
}

/// Answers a question; records the run in the file `events`, if given.
fn answer(engine: &Engine, question: &str, options: AskOptions, events: Option<&Path>) -> anyhow::Result<(Trace, Outcome)> {
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
    let outcome = engine.run(question, options, &CancelToken::new(), &mut sink);
    if let (Some(mut file), None) = (recording, &failed) {
        failed = file.flush().err();
    }
    match (failed, events) {
        (Some(error), Some(path)) => Err(error).with_context(|| format!("cannot write the recording {}", path.display())),
        _ => Ok((trace, outcome)),
    }
}

/// Creates a file that only its owner can read: recordings contain questions, and questions can contain patient data.
fn create_private(path: &Path) -> anyhow::Result<BufWriter<std::fs::File>> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).with_context(|| format!("cannot write {}", path.display()))?;
    // An existing file keeps its mode when it is opened.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(BufWriter::new(file))
}

/// Prints the answer, its evidence, and what was not understood.
fn print_for_people(out: &mut impl Write, trace: &Trace) -> std::io::Result<()> {
    writeln!(out, "{}", sanitise(&trace.answer.text))?;
    // A refused question rests on nothing but what it cites.
    if trace.kept().next().is_some() && trace.answer.grounded {
        writeln!(
            out,
            "\nEvidence ({} of {}, graph {})",
            trace.pruning.kept.len(),
            counted(trace.chains_found, "chain", "chains"),
            trace.kg.name
        )?;
        for (id, _, chain) in trace.kept() {
            writeln!(out, "[{id}] {}", sanitise(&trace.table.text(chain)))?;
        }
    }
    if !trace.answer.corrected.is_empty() {
        writeln!(out, "\nThe evidence contradicts the hypothesis: {}", sanitise(&trace.answer.corrected.join(", ")))?;
    }
    Ok(())
}
