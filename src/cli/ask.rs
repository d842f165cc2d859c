//! `catena ask`: one question.

use std::fs::OpenOptions;
use std::io::{BufWriter, IsTerminal, Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::AskArgs;
use super::export::recorded;
use super::library::library;
use super::look::Look;
use super::messages::note;
use super::open_engine::{DkgAccess, EngineWithTeacher, open_engine};
use super::setup::Setup;
use super::start_models::start_models;
use super::{batch, exit};
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::pipeline::answer::headlines::headed;
use crate::run::{AskOptions, Case, Event, MethodName, Outcome, PassageId, Trace, TraceDocument, write_event};
use crate::text::{sanitise, sanitise_line};
use crate::words::{Language, counted_words, words};

/// The most chains in a JSON trace, by default.
pub(super) const MAX_CHAINS: usize = 10_000;
/// A longer question is not read to its end.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(args: AskArgs) -> anyhow::Result<u8> {
    let piped = match (&args.question, &args.batch) {
        (None, None) if stdin().is_terminal() => return Err(no_question()),
        (None, None) => Some(question_from_stdin()?),
        _ => None,
    };
    if piped.as_deref().is_some_and(|question| question.trim().is_empty()) {
        return Err(no_question());
    }
    let setup = Setup::load()?;
    let library = library(&setup, &args.docs)?;
    let options = EngineOptions {
        k: args.k,
        top_k: args.top_k,
        delta: args.delta,
        seed: args.seed,
        fragment_words: args.fragment_words,
        fragment_overlap: args.fragment_overlap,
        method: args.method,
        library,
        ..EngineOptions::default()
    };
    let models = start_models(&args.models, &setup)?;
    let EngineWithTeacher { engine, dkg_notices, .. } = open_engine(&setup, &args.graph, models, &options, DkgAccess::Read)?;
    // While the question is read, another thread makes the index of clinical pictures.
    engine.warm_up();
    let max_chains = args.max_chains.or(setup.config.max_chains).unwrap_or(MAX_CHAINS);
    if let Some(file) = &args.batch {
        notes(engine.notices())?;
        return batch::run(&engine, file, max_chains);
    }
    let question = match args.question.as_deref() {
        Some("-") => question_from_stdin()?,
        Some(given) => given.to_owned(),
        None => piped.unwrap_or_default(),
    };
    if args.json {
        // Even a program's user must know that an answer does without the DKG.
        notes(&dkg_notices)?;
    } else {
        notes(engine.notices())?;
    }
    let follows = args.follow.as_deref().map(case_of).transpose()?;
    let options = AskOptions { follows, ..AskOptions::default() };
    let (trace, outcome) = answer(&engine, &question, options, args.events.as_deref())?;
    let mut out = BufWriter::new(stdout().lock());
    if args.json {
        serde_json::to_writer(&mut out, &TraceDocument::of(&trace, max_chains)).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print_for_people(&mut out, &trace, Language::of(setup.config.language(), &trace.question))?;
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
    Ok(trace.case_to_follow())
}

/// The exit code of a run: 3 if nothing could be linked, or the question is refused.
fn exit_code(trace: &Trace, outcome: Outcome) -> anyhow::Result<u8> {
    match outcome {
        Outcome::Failed { message } => anyhow::bail!("cannot answer the question: {message}"),
        // The method without a graph links nothing.
        Outcome::NothingFound if trace.case.refusal.is_some() => Ok(exit::NOTHING_LINKED),
        Outcome::NothingFound if trace.anchors.is_empty() && trace.method != MethodName::Base.to_string() => Ok(exit::NOTHING_LINKED),
        Outcome::Answered | Outcome::NothingFound | Outcome::Cancelled => Ok(exit::DONE),
    }
}

fn no_question() -> anyhow::Error {
    let how = "give it as an argument (catena ask \"…\"), or through a pipe (echo … | catena ask)";
    exit::UsageError(format!("there is no question: {how}")).into()
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
fn print_for_people(out: &mut impl Write, trace: &Trace, l: Language) -> std::io::Result<()> {
    let look = Look::of_stdout();
    writeln!(out, "{}", look.answer(&sanitise(&headed(&trace.answer, &trace.question))))?;
    // A refused question rests on nothing but what it cites.
    if trace.kept().next().is_some() && trace.answer.grounded {
        writeln!(
            out,
            "\n{} {}",
            look.heading(words!(l, "Evidence")),
            words!(
                l,
                "({kept} of {found}, graph {name})",
                kept = trace.pruning.kept.len(),
                found = counted_words!(l, trace.chains_found, "chain", "chains"),
                name = trace.kg.name
            )
        )?;
        for (id, _, chain) in trace.kept() {
            // What was taught is set apart from what the graph has held all along.
            let star = if chain.learned() { "★ " } else { "" };
            writeln!(out, "{} {star}{}", look.citation(&format!("[{id}]")), sanitise(&trace.table.text(chain)))?;
        }
        if trace.kept().any(|(_, _, chain)| chain.learned()) {
            writeln!(out, "{}", words!(l, "★ rests on a fact that was learned from feedback or taught."))?;
        }
    }
    // What the answer quotes word for word is not printed twice.
    let is_quoted = |id: &PassageId| trace.answer.lines.iter().any(|line| line.is_quote() && line.passages.contains(id));
    let cited = trace.answer.passages.iter().filter(|id| !is_quoted(id)).filter_map(|id| Some((id, trace.passages.get(id.place())?)));
    for (at, (id, passage)) in cited.enumerate() {
        if at == 0 {
            writeln!(out, "\n{}", words!(l, "Documents"))?;
        }
        writeln!(out, "[{id}] {}: “{}”", sanitise_line(&passage.source()), sanitise_line(passage.text.trim()))?;
    }
    if !trace.answer.corrected.is_empty() {
        let names = sanitise(&trace.answer.corrected.join(l.choose(", ", "、"))).into_owned();
        writeln!(out, "\n{}", words!(l, "The evidence speaks against this part of the hypothesis: {names}", names = names))?;
    }
    Ok(())
}
