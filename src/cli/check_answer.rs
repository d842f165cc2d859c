//! `catena check-answer`: which claims of a text the graph and the documents support or contradict.

use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;

use super::args::{CheckAnswerArgs, ModelArgs};
use super::exit::{self, UsageError};
use super::interrupt::Interrupt;
use super::library::library;
use super::messages::note;
use super::open_engine::{DkgAccess, open_engine};
use super::progress::spinner;
use super::setup::Setup;
use super::start_models::start_models;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::run::{CheckedClaim, ClaimVerdict, QuotedPassage};
use crate::text::{counted, sanitise_line};

/// A longer text is not read.
const MOST_BYTES: u64 = 4 << 20;
/// Time between two checks whether the user has pressed Ctrl-C.
const INTERRUPT_POLL: Duration = Duration::from_millis(50);

#[derive(Serialize)]
struct Checked<'a> {
    claims: Vec<Claim<'a>>,
    supported: usize,
    contradicted: usize,
    not_found: usize,
}

#[derive(Serialize)]
struct Claim<'a> {
    text: &'a str,
    verdict: ClaimVerdict,
    chains: &'a [String],
    passages: &'a [QuotedPassage],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_model: bool,
}

impl<'a> Claim<'a> {
    fn of(claim: &'a CheckedClaim) -> Self {
        Self { text: &claim.text, verdict: claim.verdict, chains: &claim.chains, passages: &claim.passages, by_model: claim.by_model }
    }
}

pub(super) fn run(args: &CheckAnswerArgs) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let text = read(&args.file)?;
    let options = EngineOptions { library: library(&setup, &args.docs)?, ..EngineOptions::default() };
    // Without the flag, no model is asked, whatever the configuration says.
    let generator = args.generator.clone().unwrap_or_else(|| "graph".to_owned());
    let models = start_models(&ModelArgs { generator: Some(generator), ..ModelArgs::default() }, &setup)?;
    let opened = open_engine(&setup, &args.graph, models, &options, DkgAccess::Read)?;
    opened.dkg_notices.iter().try_for_each(|text| note(text))?;
    let claims = match args.generator {
        Some(_) => {
            let (claims, told) = by_model(&opened.engine, &text)?;
            told.iter().try_for_each(|text| note(text))?;
            claims
        }
        None => opened.engine.check_answer(&text),
    };
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let [supported, contradicted, not_found] = ClaimVerdict::ALL.map(count);
    let mut out = stdout().lock();
    if args.json {
        let checked = Checked { claims: claims.iter().map(Claim::of).collect(), supported, contradicted, not_found };
        writeln!(out, "{}", serde_json::to_string(&checked)?)?;
        return Ok(exit::DONE);
    }
    for claim in &claims {
        writeln!(out, "{:<13} {}", claim.verdict.as_str(), sanitise_line(&claim.text))?;
        for chain in &claim.chains {
            writeln!(out, "{:<13} graph: {}", "", sanitise_line(chain))?;
        }
        for passage in &claim.passages {
            let (source, text) = (sanitise_line(&passage.source()), sanitise_line(passage.text.trim()));
            let by = if claim.by_model { " (by the language model)" } else { "" };
            writeln!(out, "{:<13} {source}: “{text}”{by}", "")?;
        }
    }
    if claims.is_empty() {
        note("the text has no sentence that claims something")?;
        return Ok(exit::DONE);
    }
    let all = counted(claims.len() as u64, "claim", "claims");
    writeln!(out, "\n{all}: {supported} supported, {contradicted} contradicted, {not_found} not found. Not found does not mean wrong.")?;
    Ok(exit::DONE)
}

/// The claims as rules and a language model judge them; Ctrl-C stops it.
fn by_model(engine: &Engine, text: &str) -> anyhow::Result<(Vec<CheckedClaim>, Vec<String>)> {
    let (interrupt, cancel) = (Interrupt::listen(), CancelToken::new());
    let (waiting, done) = (spinner("the language model checks the claims"), AtomicBool::new(false));
    let checked = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if interrupt.requested() {
                    cancel.cancel();
                }
                std::thread::sleep(INTERRUPT_POLL);
            }
        });
        let checked = engine.check_answer_by_model(text, &cancel);
        done.store(true, Ordering::Relaxed);
        drop(watching);
        checked
    });
    waiting.finish_and_clear();
    Ok(checked?)
}

fn read(file: &Path) -> anyhow::Result<String> {
    let shown = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(UsageError(format!("{shown} has more than {} MiB; check it in parts", MOST_BYTES >> 20)).into());
    }
    String::from_utf8(bytes).map_err(|error| UsageError(format!("{shown} is not valid UTF-8: {error}")).into())
}
