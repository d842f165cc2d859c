//! How many replies of a language model have the form that a program needs, with forms and without: what forms are for. Each method answers public
//! questions with a real model; each reply that is to be parsed is compared with its form.
//!
//! ```text
//! cargo bench --bench forms -- MODEL.gguf QUESTIONS.jsonl.gz TRIPLES.tsv.gz [--limit 50] [--methods hykge,rok,wts] [--bare] [--tokens 80] [--free]
//! ```
//!
//! `--free`: forms are not asked for, as before there were any; replies are compared with them all the same. `--tokens`: the most tokens of a
//! text without a form. Figures are in benches/EVALUATION.md.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark that cannot be set up has nothing to measure, and it reports"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};

use candle_core::Device;
use catena::eval::dataset::Dataset;
use catena::graph::RoleRules;
use catena::graph::import::read_tsv;
use catena::language::{Prompts, is_small};
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::infer::lm::{self, meets};
use catena::model::{CancelToken, Generation, Generator, GeneratorHandle, ModelError, Prompt, Sampling};
use catena::run::{AskOptions, EventKind, MethodName, Outcome, Trace};
use flate2::read::GzDecoder;

/// The questions of the published figures, and which of them.
const LIMIT: usize = 50;
const SEED: u64 = 0;
/// Methods that call a model, without those that need documents.
const METHODS: &str = "catena,hykge,rok,wts,kgrag,qe,con,cok,kalmv,kggpt,sure,tog,mindmap,cot,base";
/// The most tokens of a text without a form: what it says is not measured here.
const TOKENS: usize = 80;
/// The most tokens of a text that should have a form but is not asked for it: no form that is met by chance is longer.
const FREE: usize = 160;

const USAGE: &str = "forms: counts replies that do not have the form that a program needs
    cargo bench --bench forms -- MODEL.gguf QUESTIONS.jsonl.gz TRIPLES.tsv.gz [--limit N] [--methods NAME,…] [--bare] [--tokens N] [--free]";

/// Whether each reply has the form that was wanted, in the order of the calls; `None`: no form was wanted.
type Met = Arc<Mutex<Vec<Option<bool>>>>;

/// A model whose replies are compared with their forms.
struct Compared {
    model: Box<dyn Generator>,
    is_free: bool,
    tokens: usize,
    met: Met,
}

impl Generator for Compared {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn kind(&self) -> &'static str {
        self.model.kind()
    }

    fn device(&self) -> String {
        self.model.device()
    }

    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        let wanted = sampling.constraint.clone();
        let constraint = wanted.clone().filter(|_| !self.is_free);
        // Noted at the beginning: a text without a form may still be winding down when its reader goes on.
        let at = {
            let mut met = self.met.lock().expect("no thread failed");
            met.push(wanted.as_ref().map(|_| false));
            met.len() - 1
        };
        let most = match (&wanted, self.is_free) {
            (None, _) => self.tokens,
            (Some(_), true) => FREE,
            (Some(_), false) => sampling.max_tokens,
        };
        let max_tokens = sampling.max_tokens.min(most);
        let mut text = String::new();
        let written = self.model.generate(prompt, &Sampling { max_tokens, constraint, ..sampling.clone() }, &mut |piece| {
            text.push_str(piece);
            emit(piece)
        });
        if let Some(form) = wanted {
            self.met.lock().expect("no thread failed")[at] = Some(written.is_ok() && meets(&form, text.trim()));
        }
        written
    }
}

/// What came of the calls of one prompt.
#[derive(Default)]
struct Tally {
    calls: usize,
    with_form: usize,
    unmet: usize,
}

struct Options {
    limit: usize,
    methods: Vec<MethodName>,
    bare: bool,
    tokens: usize,
    is_free: bool,
}

impl Options {
    fn read(words: &[&str]) -> Option<Self> {
        let methods = |names: &str| names.split(',').map(|name| name.parse().unwrap_or_else(|why| panic!("{why}"))).collect();
        let mut options = Self { limit: LIMIT, methods: methods(METHODS), bare: false, tokens: TOKENS, is_free: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--limit" => options.limit = words.next()?.parse().ok()?,
                "--tokens" => options.tokens = words.next()?.parse().ok()?,
                "--methods" => options.methods = methods(words.next()?),
                "--bare" => options.bare = true,
                "--free" => options.is_free = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // `cargo bench` alone and `cargo test --benches` have nothing to measure.
    let told = match words[..] {
        [model, questions, triples, ref options @ ..] => Options::read(options).map(|options| (model, questions, triples, options)),
        _ => None,
    };
    let Some((model, questions, triples, options)) = told else { return println!("{USAGE}") };
    measure(Path::new(model), Path::new(questions), Path::new(triples), &options);
}

fn measure(model: &Path, questions: &Path, triples: &Path, options: &Options) {
    let dataset = Dataset::open(questions, None).expect("questions");
    let questions = dataset.sample(Some(options.limit), SEED);
    let met = Met::default();
    let engine = engine(model, triples, options, &met);
    println!(
        "{} questions, {}, forms {}",
        questions.len(),
        if options.bare { "methods as published" } else { "methods as usual" },
        if options.is_free { "not asked for" } else { "asked for" }
    );
    println!("\n| method | prompt | calls | with a form | not of the form |\n|---|---|---|---|---|");
    let (mut sum, mut failed, mut warnings) = (Tally::default(), Vec::new(), BTreeMap::<(String, String), usize>::new());
    for method in &options.methods {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for question in &questions {
            met.lock().expect("no thread failed").clear();
            let asked = AskOptions { method: Some(*method), bare: options.bare, ..AskOptions::default() };
            let (mut trace, mut prompts) = (Trace::default(), Vec::new());
            let outcome = engine.run(&question.asked_as(), asked, &CancelToken::new(), &mut |event| {
                if let EventKind::PromptSent { prompt } = &event.what {
                    prompts.push(prompt.name.clone());
                }
                trace.apply(&event);
                true
            });
            if let Outcome::Failed { message } = outcome {
                failed.push(format!("{method}, {}: {message}", question.id));
            }
            for warning in &trace.warnings {
                *warnings.entry((method.to_string(), warning.to_string())).or_default() += 1;
            }
            // A run makes one call after the other, each after its prompt.
            let met = met.lock().expect("no thread failed");
            assert_eq!(met.len(), prompts.len(), "{method}, {}: as many calls as prompts", question.id);
            for (prompt, met) in prompts.into_iter().zip(met.iter()) {
                for tally in [tallies.entry(prompt).or_default(), &mut sum] {
                    tally.calls += 1;
                    tally.with_form += usize::from(met.is_some());
                    tally.unmet += usize::from(*met == Some(false));
                }
            }
        }
        for (prompt, tally) in tallies {
            println!("| {method} | {prompt} | {} | {} | {} |", tally.calls, tally.with_form, tally.unmet);
        }
    }
    println!("| all | | {} | {} | {} |", sum.calls, sum.with_form, sum.unmet);
    println!("\nRuns that failed: {}.", failed.len());
    failed.iter().for_each(|failure| println!("- {failure}"));
    println!("\n| method | warning | runs |\n|---|---|---|");
    for ((method, warning), runs) in warnings {
        println!("| {method} | {warning} | {runs} |");
    }
}

fn engine(model: &Path, triples: &Path, options: &Options, met: &Met) -> Engine {
    let rules = RoleRules::built_in().expect("the built-in rules");
    let file = GzDecoder::new(File::open(triples).expect("the triples"));
    let (graph, _) = read_tsv(file, "triples.tsv.gz", "triples", &rules).expect("a graph");
    let (path, is_free, tokens, met) = (model.to_owned(), options.is_free, options.tokens, Arc::clone(met));
    let load = move || {
        let model = lm::open(&path, &Device::Cpu, &lm::Options::default())?;
        Ok(Box::new(Compared { model, is_free, tokens, met: Arc::clone(&met) }) as Box<dyn Generator>)
    };
    let name = model.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let prompts = Prompts::built_in().sized(is_small(&name));
    let generator = GeneratorHandle::start(&name, load).expect("a thread");
    let models = EngineModels { generator: Some(generator), ..EngineModels::from(Engine::start_encoder().expect("a thread")) };
    Engine::open(graph, models, &EngineOptions { prompts, ..EngineOptions::default() }, Vec::new()).expect("opens")
}
