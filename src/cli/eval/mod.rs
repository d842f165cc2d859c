//! `catena eval`: evaluates methods on questions with known answers.

mod claims;
mod diff;
mod ner;
mod retrieval;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::eval_args::EvalArgs;
use super::exit::{self, UsageError};
use super::interrupt::Interrupt;
use super::library::library;
use super::messages::note;
use super::open_engine::{DkgAccess, open_engine, open_engine_without_dkg};
use super::progress::count_bar;
use super::setup::Setup;
use super::start_models::start_models;
use crate::eval::dataset::{Dataset, EvalQuestion};
use crate::eval::report::{EvalReport, Evaluated, StageTimings, charts, markdown, table};
use crate::eval::retrieval::RetrievalSet;
use crate::eval::{Arm, DatasetIdentity, EvalFolder, EvalIdentity, EvalRun, Scoring};
use crate::graph::MAX_HOPS;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::model::fingerprint;
use crate::run::{Ask, MethodName, Settings, UnknownMethod};
use crate::text::sanitise;

/// Time between two checks whether the user has pressed Ctrl-C.
const INTERRUPT_POLL: Duration = Duration::from_millis(50);

pub(super) fn run(args: &EvalArgs) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    if let Some(file) = &args.ner {
        return ner::run(file, args, &setup);
    }
    if let Some(file) = &args.claims {
        return claims::run(file, args, &setup);
    }
    let Some(dataset) = &args.dataset else {
        return Err(
            UsageError("name a file of questions, a file of marked mentions with --ner, or a file of claims with --claims".into()).into()
        );
    };
    // Questions with relevant passages measure a search; others are answered, with the documents.
    if !args.docs.is_empty() && RetrievalSet::is_one(&file_of(dataset)?)? {
        return retrieval::run(args, dataset, &setup);
    }
    let methods: Vec<MethodName> = args
        .method
        .iter()
        .map(|name| name.parse().map_err(|error: UnknownMethod| UsageError(error.to_string())))
        .collect::<Result<_, _>>()?;
    let dataset = Dataset::open(&file_of(dataset)?, args.format)?;
    if !dataset.rejected.is_empty() {
        note(&format!("of {}, {}", dataset.name, dataset.rejected_in_words()))?;
    }
    let questions = dataset.sample(args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)), args.seed);
    if (args.diff || args.open.is_some()) && args.method.len() < 2 {
        return Err(UsageError("--diff and --open compare the first two methods, and you named only one; use --method A,B".into()).into());
    }
    let engine = open(args, &setup)?;
    engine.notices().iter().try_for_each(|notice| note(notice))?;
    let settings = engine.info().settings;
    let numbers =
        |given: &[u16], usual: usize| if given.is_empty() { vec![usual] } else { given.iter().map(|n| usize::from(*n)).collect() };
    let arms = Arm::all(&methods, &numbers(&args.k, settings.k.min(MAX_HOPS)), &numbers(&args.top_k, settings.top_k));
    let identity = EvalIdentity { bare: args.bare, ..identity(&engine, &dataset)? };
    let path = args.out.clone().unwrap_or_else(|| setup.paths.evaluations().join(identity.folder_name()));
    let mut folder = EvalFolder::open(&path, &identity)?;
    finish(&engine, &settings, &questions, (&arms, args.bare), &mut folder)?;
    if args.diff || args.open.is_some() {
        return diff::run(args, &folder, &questions, &arms);
    }
    let rejected = dataset.rejected.iter().map(|(reason, counts)| ((*reason).to_owned(), *counts)).collect();
    let in_file = dataset.questions.len();
    let evaluated = Evaluated { command: command(args), identity, questions: &questions, in_file, rejected, arms: &arms, seed: args.seed };
    let report = EvalReport::of(&folder, evaluated);
    let timings = StageTimings::of(&folder, &questions, &arms);
    let json = serde_json::to_string_pretty(&report)?;
    folder.write_report("report.json", &json)?;
    folder.write_report("report.md", &markdown(&report))?;
    folder.write_report("timings.json", &serde_json::to_string_pretty(&timings)?)?;
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{json}")?;
    } else {
        writeln!(out, "{}\n{}\n\n{}", table(&report), timings.table(), charts(&report))?;
    }
    note(&format!("the report is in {}", folder.path().display()))?;
    Ok(exit::DONE)
}

/// The file itself; for a folder, the only file of questions in it.
pub(in crate::cli) fn file_of(path: &Path) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let unreadable = || format!("cannot read {}", path.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).with_context(unreadable)? {
        let file = entry.with_context(unreadable)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
            files.push(file);
        }
    }
    files.sort();
    match &files[..] {
        [file] => Ok(file.clone()),
        _ => {
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let need = "must have exactly one file of questions (.jsonl, .jsonl.gz)";
            Err(UsageError(format!("the folder {} {need}, and it has {found}; name the file", path.display())).into())
        }
    }
}

fn open(args: &EvalArgs, setup: &Setup) -> anyhow::Result<Arc<Engine>> {
    let options = EngineOptions {
        delta: args.delta,
        seed: i64::try_from(args.seed).ok(),
        fragment_words: args.fragment_words,
        fragment_overlap: args.fragment_overlap,
        // Only those that are named: what is in use may change without a word in the command.
        library: if args.docs.is_empty() { Arc::default() } else { library(setup, &args.docs)? },
        ..EngineOptions::default()
    };
    let models = start_models(&args.models, setup)?;
    if args.without_learned {
        return Ok(Arc::new(open_engine_without_dkg(setup, &args.graph, models, &options)?));
    }
    Ok(open_engine(setup, &args.graph, models, &options, DkgAccess::Read)?.engine)
}

pub(in crate::cli) fn identity(engine: &Arc<Engine>, dataset: &Dataset) -> anyhow::Result<EvalIdentity> {
    let encoder = format!("{:016x}", fingerprint(&engine.models().encoder)?);
    let of = DatasetIdentity { name: dataset.name.clone(), format: dataset.format.as_str().into(), digest: dataset.digest.clone() };
    Ok(EvalIdentity::of(engine, of, encoder))
}

/// Answers what the folder does not have yet, with a progress bar, until all is done or the user presses Ctrl-C.
pub(in crate::cli) fn finish(
    engine: &Arc<Engine>,
    settings: &Settings,
    questions: &[&EvalQuestion],
    (arms, bare): (&[Arm], bool),
    folder: &mut EvalFolder,
) -> anyhow::Result<()> {
    let (cancel, interrupt, done) = (CancelToken::new(), Interrupt::listen(), AtomicBool::new(false));
    let bar = count_bar();
    bar.set_message("answered");
    let scoring = Scoring::of(engine);
    let run = EvalRun { engine, settings, questions, arms, bare, scoring: &scoring, cancel: &cancel };
    let result = std::thread::scope(|scope| {
        // A thread of its own: a model can take minutes for one answer.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if interrupt.requested() {
                    cancel.cancel();
                }
                std::thread::sleep(INTERRUPT_POLL);
            }
        });
        let result = run.finish(folder, &|done, of| {
            bar.set_length(of as u64);
            if bar.position() == 0 && done > 0 {
                // Results of an earlier run say nothing about the speed.
                bar.reset_eta();
            }
            bar.set_position(done as u64);
        });
        done.store(true, Ordering::Relaxed);
        result
    });
    bar.finish_and_clear();
    Ok(result?)
}

/// The command that gives the same report: every option that affects the figures.
fn command(args: &EvalArgs) -> String {
    let list = |numbers: &[u16]| numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(",");
    let path = |path: &std::path::Path| path.display().to_string();
    let options = [
        ("method", Some(args.method.join(","))),
        ("docs", (!args.docs.is_empty()).then(|| args.docs.join(","))),
        ("limit", args.limit.map(|limit| limit.to_string())),
        ("seed", Some(args.seed.to_string())),
        ("format", args.format.map(|format| format.as_str().to_owned())),
        ("k", (!args.k.is_empty()).then(|| list(&args.k))),
        ("top-k", (!args.top_k.is_empty()).then(|| list(&args.top_k))),
        ("delta", args.delta.map(|delta| delta.to_string())),
        ("fragment-words", args.fragment_words.map(|words| words.to_string())),
        ("fragment-overlap", args.fragment_overlap.map(|words| words.to_string())),
        ("kg", args.graph.kg.clone()),
        ("roles", args.graph.roles.as_deref().map(path)),
        ("generator", args.models.generator.clone()),
        ("encoder", args.models.encoder.clone()),
        ("reranker", args.models.reranker.clone()),
    ];
    let quoted = |text: String| if text.contains(char::is_whitespace) { format!("{text:?}") } else { text };
    let given = options.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", quoted(value?))));
    let learned = if args.without_learned { " --without-learned" } else { "" };
    let bare = if args.bare { " --bare" } else { "" };
    sanitise(&format!(
        "catena eval {}{}{learned}{bare}",
        quoted(args.dataset.as_deref().map(path).unwrap_or_default()),
        given.collect::<String>()
    ))
    .into_owned()
}
