//! `catena eval --ner`: scores a recogniser on a corpus of marked mentions, or the linking of these mentions to concepts.

use std::io::{Write, stdout};
use std::path::Path;

use super::EvalArgs;
use crate::cli::eval_args::RecogniserName;
use crate::cli::exit::{self, UsageError};
use crate::cli::messages::note;
use crate::cli::open_engine::open_engine_without_dkg;
use crate::cli::progress::count_bar;
use crate::cli::recogniser::find_recogniser;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::eval::ner::{ConceptNames, MarkedMention, NerCorpus, NerMisses, NerRecogniser, NerReport, NormalisationReport, found_in};
use crate::method::EngineOptions;
use crate::model::CancelToken;
use crate::text::counted;
use crate::text::suggest::did_you_mean;

pub(super) fn run(file: &Path, args: &EvalArgs, setup: &Setup) -> anyhow::Result<u8> {
    let corpus = open(file)?;
    if let Some(concepts) = &args.concepts {
        return normalise(&corpus, concepts, args, setup);
    }
    let (found, name) = match &args.recogniser {
        Some(RecogniserName::File(path)) => {
            if let Some(typed) = path.to_str().filter(|_| !path.exists()) {
                let hint = did_you_mean(typed, RecogniserName::ALL);
                let names = RecogniserName::ALL.join(", ");
                return Err(UsageError(format!("--recogniser {typed}: this is no file, and no recogniser ({names}){hint}")).into());
            }
            (corpus.predictions(path)?, "predictions")
        }
        chosen => recognise(&corpus, chosen.as_ref(), args, setup)?,
    };
    let mut report = NerReport::of(&corpus.texts, &found, name);
    report.misses = args.misses.map(|count| NerMisses::of(&corpus.texts, &found, count, args.seed));
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        writeln!(out, "{}", report.table())?;
        if let Some(misses) = &report.misses {
            writeln!(out, "\n{}", misses.table())?;
        }
    }
    if report.of_other_types > 0 {
        note(&format!("{} mentions of types that the file does not mark are not scored", report.of_other_types))?;
    }
    Ok(exit::DONE)
}

fn open(file: &Path) -> anyhow::Result<NerCorpus> {
    let corpus = NerCorpus::open(file)?;
    let rejected = corpus.rejected_in_words();
    if !rejected.is_empty() {
        note(&format!("left out: {rejected}"))?;
    }
    Ok(corpus)
}

/// What the chosen recogniser finds, and its name.
fn recognise(
    corpus: &NerCorpus,
    chosen: Option<&RecogniserName>,
    args: &EvalArgs,
    setup: &Setup,
) -> anyhow::Result<(Vec<Vec<MarkedMention>>, &'static str)> {
    let weights = find_recogniser(setup).map_err(UsageError)?;
    let usual = if weights.is_some() { &RecogniserName::Both } else { &RecogniserName::Gazetteer };
    let chosen = chosen.unwrap_or(usual);
    let network = match (weights, chosen) {
        (_, RecogniserName::Gazetteer) => None,
        (Some(weights), _) => {
            let handle = weights.start()?;
            handle.loaded()?;
            Some(handle)
        }
        (None, _) => {
            let why = "there are no weights of W2NER. Put them into the folder w2ner in the folder of models (`catena check` shows it), or name their folder in the setting `recogniser`. If that setting is \"gazetteer\", remove it";
            return Err(UsageError(format!("--recogniser {chosen}: {why}")).into());
        }
    };
    let engine = match chosen {
        RecogniserName::W2ner => None,
        _ => Some(open_engine_without_dkg(setup, &args.graph, start_models(&args.models, setup)?, &EngineOptions::default())?),
    };
    let knowledge = engine.as_ref().map(crate::method::Engine::knowledge);
    let recogniser = match (&knowledge, &network) {
        (Some(knowledge), Some(network)) => NerRecogniser::Both(knowledge, network),
        (Some(knowledge), None) => NerRecogniser::Gazetteer(knowledge),
        (None, Some(network)) => NerRecogniser::W2ner(network),
        (None, None) => return Err(UsageError("there is no recogniser to score".into()).into()),
    };
    let bar = count_bar();
    bar.set_message("read");
    bar.set_length(corpus.texts.len() as u64);
    let found = found_in(&corpus.texts, recogniser, &CancelToken::new(), &|done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    Ok((found, recogniser.name()))
}

/// Scores the linking of the marked mentions to the concepts of a file.
fn normalise(corpus: &NerCorpus, concepts: &Path, args: &EvalArgs, setup: &Setup) -> anyhow::Result<u8> {
    let mut names = ConceptNames::open(concepts)?;
    if names.left_out > 0 {
        note(&format!("left out: {} of more than 1 MiB, or of terms with very many names", counted(names.left_out, "line", "lines")))?;
    }
    if let Some(train) = &args.train {
        names.add_marked(&open(train)?);
    }
    let encoder = start_models(&args.models, setup)?.encoder()?;
    let report = NormalisationReport::of(corpus, &names, &encoder, &CancelToken::new())?;
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        writeln!(out, "{}", report.table())?;
    }
    Ok(exit::DONE)
}
