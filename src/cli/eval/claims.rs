//! `catena eval --claims`: how well claims that the sources do not support are detected.

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::EvalArgs;
use crate::cli::exit;
use crate::cli::interrupt::Interrupt;
use crate::cli::library::library;
use crate::cli::messages::note;
use crate::cli::open_engine::open_engine_without_dkg;
use crate::cli::progress::count_bar;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::eval::claims::{ClaimReport, ClaimSet, LabelledClaim, verdict_of};
use crate::method::EngineOptions;
use crate::model::CancelToken;
use crate::run::ClaimVerdict;

pub(super) fn run(file: &Path, args: &EvalArgs, setup: &Setup) -> anyhow::Result<u8> {
    let set = ClaimSet::open(file)?;
    for (why, (count, line)) in &set.rejected {
        note(&format!("rejected {count}: {why} (first in line {line})"))?;
    }
    // Only those that are named, as for answers: what is in use may change without a word in the command.
    let library = if args.docs.is_empty() { Arc::default() } else { library(setup, &args.docs)? };
    let options = EngineOptions { library, ..EngineOptions::default() };
    let engine = open_engine_without_dkg(setup, &args.graph, start_models(&args.models, setup)?, &options)?;
    engine.notices().iter().try_for_each(|notice| note(notice))?;
    let (interrupt, cancel, bar) = (Interrupt::listen(), CancelToken::new(), count_bar());
    bar.set_message("checked");
    bar.set_length(set.claims.len() as u64);
    let check = |claim: &LabelledClaim| -> anyhow::Result<(ClaimVerdict, Vec<String>)> {
        if interrupt.requested() {
            anyhow::bail!("stopped");
        }
        let (checked, told) = match args.models.generator {
            Some(_) => engine.check_answer_by_model(&claim.claim, &cancel)?,
            None => (engine.check_answer(&claim.claim), Vec::new()),
        };
        bar.inc(1);
        Ok((verdict_of(&checked), told))
    };
    // A server is asked one thing at a time.
    let checked: Vec<(ClaimVerdict, Vec<String>)> = match args.models.generator {
        Some(_) => set.claims.iter().map(check).collect::<anyhow::Result<_>>()?,
        None => set.claims.par_iter().map(check).collect::<anyhow::Result<_>>()?,
    };
    bar.finish_and_clear();
    let mut told: Vec<&String> = checked.iter().flat_map(|(_, told)| told).collect();
    told.sort();
    told.dedup();
    told.into_iter().try_for_each(|text| note(text))?;
    let verdicts: Vec<ClaimVerdict> = checked.iter().map(|(verdict, _)| *verdict).collect();
    let report = ClaimReport::of(&set.claims, &verdicts);
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        writeln!(out, "{}", report.table())?;
    }
    Ok(exit::DONE)
}
