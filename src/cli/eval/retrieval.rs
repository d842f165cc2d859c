//! `catena eval SET --docs NAME`: measures how well passages are found.

use std::io::{Write, stdout};
use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;

use crate::cli::eval_args::EvalArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::open_graph;
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::progress::count_bar;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::eval::retrieval::{MeasuredRanking, RankingScores, RetrievalReport, RetrievalSet, UsefulnessJudge, scores};
use crate::evidence::{Collection, DocumentStore, SearchMethod, SearchOptions, Searcher, UnknownSearchMethod, Weights};
use crate::graph::Graph;
use crate::language::Prompts;
use crate::model::{CancelToken, GeneratorHandle};

/// How many passages of a ranking are judged; measures look at ten, of judged passages ten are farther down.
const DEPTH: usize = 100;
/// How many passages of a question a judge reads.
const JUDGED: usize = 10;

pub(super) fn run(args: &EvalArgs, dataset: &Path, setup: &Setup) -> anyhow::Result<u8> {
    let store = DocumentStore::of(&setup.paths);
    let [name] = args.docs.as_slice() else {
        return Err(UsageError("a retrieval set is about one collection; use --docs NAME".into()).into());
    };
    if !store.has(name) {
        return Err(UsageError(format!("there is no collection {name:?}; `catena docs list` lists them")).into());
    }
    let collection = store.open(name)?;
    let set = RetrievalSet::open(&super::file_of(dataset)?)?;
    for (why, (count, line)) in &set.rejected {
        note(&format!("rejected {count}: {why} (first in line {line})"))?;
    }
    let graph = open_graph(&args.graph, setup)?.graph;
    let weights = match &args.weights {
        Some(file) => {
            let text = std::fs::read_to_string(file)?;
            toml::from_str(&text).map_err(|error| UsageError(format!("{}: {error}", file.display())))?
        }
        None => Weights::default(),
    };
    // A judge costs a call for each question and method: only where one is named.
    let judge = match args.models.generator {
        Some(_) => {
            let generator = start_models(&args.models, setup)?.generator()?;
            let generator = generator.ok_or_else(|| UsageError("--generator must name a language model".into()))?;
            Some((generator, Prompts::with_those_in(&setup.paths.prompts())?))
        }
        None => None,
    };
    let options = SearchOptions { limit: DEPTH, seed: args.seed, weights, ..SearchOptions::default() };
    let mut measured = Vec::new();
    // The usual method of questions is none of passages.
    let usual = ["bm25".to_owned(), "idep".to_owned()];
    let methods = if args.method == ["catena"] { &usual[..] } else { &args.method[..] };
    let mut chosen: Vec<SearchMethod> = Vec::new();
    for method in methods {
        if method == "ablations" {
            chosen.extend(SearchMethod::ablations());
        } else {
            chosen.push(method.parse().map_err(|error: UnknownSearchMethod| UsageError(error.to_string()))?);
        }
    }
    for method in chosen {
        let mut ranking = measure(&set, &collection, &graph, method, &options)?;
        if let Some((generator, prompts)) = &judge {
            ranking.usefulness = judged(&set, (&collection, &graph), (method, &options), (generator, prompts))?;
        }
        measured.push(ranking);
    }
    let report = RetrievalReport::of(&measured, args.seed);
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        writeln!(out, "{}", report.table())?;
    }
    Ok(exit::DONE)
}

fn measure(
    set: &RetrievalSet,
    collection: &Collection,
    graph: &Graph,
    method: SearchMethod,
    options: &SearchOptions,
) -> anyhow::Result<MeasuredRanking> {
    let interrupt = Interrupt::listen();
    let bar = count_bar();
    bar.set_length(set.questions.len() as u64);
    bar.set_message(format!("by {method}"));
    let of_portion = |portion: &[crate::eval::retrieval::RetrievalQuestion]| -> anyhow::Result<Vec<(RankingScores, RankingScores, f64)>> {
        let mut searcher = Searcher::new(collection, graph)?;
        let mut all = Vec::with_capacity(portion.len());
        for question in portion {
            if interrupt.requested() {
                anyhow::bail!("stopped");
            }
            let start = Instant::now();
            let ranking = searcher.ranking(&question.question, method, options)?;
            let elapsed = start.elapsed().as_secs_f64() * 1000.0;
            all.push((scores(question, &ranking, false), scores(question, &ranking, true), elapsed));
            bar.inc(1);
        }
        Ok(all)
    };
    let share = set.questions.len().div_ceil(rayon::current_num_threads()).max(1);
    let portions: Vec<_> = set.questions.par_chunks(share).map(of_portion).collect::<anyhow::Result<Vec<_>>>()?;
    bar.finish_and_clear();
    let all: Vec<_> = portions.into_iter().flatten().collect();
    let mut times: Vec<f64> = all.iter().map(|(.., ms)| *ms).collect();
    times.sort_by(f64::total_cmp);
    Ok(MeasuredRanking {
        method: method.to_string(),
        full: all.iter().map(|(full, ..)| *full).collect(),
        judged_only: all.iter().map(|(_, judged, _)| *judged).collect(),
        median_ms: times.get(times.len() / 2).copied().unwrap_or(0.0),
        usefulness: Vec::new(),
    })
}

/// Has a language model judge how useful the first passages of each question are.
fn judged(
    set: &RetrievalSet,
    (collection, graph): (&Collection, &Graph),
    (method, options): (SearchMethod, &SearchOptions),
    (generator, prompts): (&GeneratorHandle, &Prompts),
) -> anyhow::Result<Vec<Option<f64>>> {
    let (interrupt, cancel, bar) = (Interrupt::listen(), CancelToken::new(), count_bar());
    bar.set_length(set.questions.len() as u64);
    bar.set_message(format!("judged, by {method}"));
    let judge = UsefulnessJudge { generator, prompts, cancel: &cancel };
    let options = SearchOptions { limit: JUDGED, ..options.clone() };
    let mut searcher = Searcher::new(collection, graph)?;
    let mut all = Vec::with_capacity(set.questions.len());
    for question in &set.questions {
        if interrupt.requested() {
            anyhow::bail!("stopped");
        }
        let found = searcher.search(&question.question, method, &options)?;
        let passages: Vec<String> = found.into_iter().map(|passage| format!("{}: {}", passage.title, passage.text)).collect();
        all.push(judge.judge(&question.question, &passages)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}
