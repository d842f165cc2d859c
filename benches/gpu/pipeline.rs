//! A whole question with a language model and a cross-encoder on the device: how long after the last token of the hypothesis the kept
//! chains are there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use candle_core::Device;
use catena::graph::starter_graph;
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::infer::bert;
use catena::model::infer::lm::Computation;
use catena::model::{CancelToken, Finish, Generation, Generator, GeneratorHandle, ModelError, Prompt, RerankerHandle, Sampling};
use catena::run::{AskOptions, EventKind, MethodName, Outcome};
use serde_json::json;

use super::Bench;
use super::correct::open;
use super::gguf::{self, Quantisation};
use super::report::{Problem, Report};
use super::shapes::{bert_models, language_models};

const QUESTION: &str = "I feel stomach reflux after eating. What medicine should I take?";

/// What the model is made to write, a piece for each token that it computes: weights drawn at random would write nothing that can be linked.
const HYPOTHESIS: &str = "Reflux after meals most often means gastro-oesophageal reflux disease; heartburn and regurgitation would go with it. A peptic \
    ulcer, gastritis or functional dyspepsia can feel alike, and Helicobacter pylori infection lies behind many ulcers. \
    Difficulty swallowing, weight loss, vomiting of blood or black stools would be red flags. Gastroscopy tells these apart, and \
    a urea breath test or a stool antigen test finds Helicobacter pylori. A proton pump inhibitor such as omeprazole or \
    lansoprazole is the first choice; an H2 blocker such as famotidine is milder, and antacids such as calcium carbonate or \
    aluminium hydroxide bring quick relief. It is not recommended to take ibuprofen or aspirin, as they can cause a peptic ulcer. \
    Meals late in the evening, coffee and alcohol should be avoided. Obesity and hiatal hernia make reflux more likely.";

/// Letters of a token.
const TOKEN: usize = 4;

/// Notes of a run: when the model wrote the last piece of its first text, and how many.
#[derive(Debug, Default, Clone, Copy)]
struct Written {
    first: Option<Instant>,
    last: Option<Instant>,
    tokens: usize,
    prompts: usize,
}

/// A real model on the device whose words are replaced.
struct Driven {
    model: Box<dyn Generator>,
    /// The most tokens of a text.
    most: usize,
    /// Reads the beginning of a prompt only: a dry run need not wait for the rest, which has a token for each letter.
    beginning: Option<usize>,
    written: Arc<Mutex<Written>>,
}

impl Generator for Driven {
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
        let text: Vec<char> = HYPOTHESIS.chars().collect();
        let mut pieces = text.chunks(TOKEN).take(self.most).map(|piece| piece.iter().collect::<String>());
        let count = pieces.len();
        let is_first = {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            written.prompts += 1;
            written.prompts == 1
        };
        // Every token counts, whether it ends a letter or not; the longest text is twice as long, for tokens that end none.
        let sampling = Sampling { max_tokens: 2 * count, constraint: None, ..sampling.clone() };
        let beginning = self.beginning.map(|letters| Prompt::new("", prompt.user(u32::MAX).chars().take(letters).collect::<String>()));
        let prompt = beginning.as_ref().unwrap_or(prompt);
        let (mut given, mut wanted) = (0, true);
        let notes = Arc::clone(&self.written);
        let mut done = self.model.generate(prompt, &sampling, &mut |piece| {
            let Some(text) = (if piece.is_empty() { Some(String::new()) } else { pieces.next() }) else { return false };
            if !text.is_empty() {
                given += 1;
                if is_first {
                    let mut written = notes.lock().unwrap_or_else(PoisonError::into_inner);
                    let now = Instant::now();
                    written.first.get_or_insert(now);
                    (written.last, written.tokens) = (Some(now), given);
                }
            }
            wanted = emit(&text);
            wanted && given < count
        })?;
        if wanted && done.finish == Finish::Cancelled {
            done.finish = Finish::Stop;
        }
        done.new_tokens = Some(given);
        Ok(done)
    }
}

/// What one run took, in milliseconds.
#[derive(Debug, Default)]
struct Times {
    /// The first answer, which needs no model.
    first_answer: Option<f64>,
    first_token: Option<f64>,
    last_token: Option<f64>,
    /// From the last token to the next choice of chains, and to the next answer.
    kept_after: Option<f64>,
    answer_after: Option<f64>,
    whole: f64,
}

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    report.measure("a question", if bench.tiny { 2.0 } else { 20.0 }, |report| {
        let shape = language_models(bench.tiny)[1];
        let path = bench.dir.join("writer.gguf");
        gguf::write(&path, &shape, Quantisation::Q8_0)?;
        let folder = bert_models(bench.tiny)[1].folder(&bench.dir)?;
        for method in ["catena", "hykge"] {
            ask(bench, report, method, shape.name, (&path, &folder))?;
        }
        Ok(())
    });
}

fn start(bench: &Bench, path: &Path, folder: PathBuf, written: &Arc<Mutex<Written>>) -> Result<Engine, Problem> {
    let (most, beginning) = if bench.tiny { (60, Some(300)) } else { (200, None) };
    let (device, path, notes): (Device, PathBuf, _) = (bench.device.clone(), path.to_owned(), Arc::clone(written));
    let load = move || {
        let model = Box::new(open(&path, &device, Computation::Fastest)?);
        Ok(Box::new(Driven { model, most, beginning, written: Arc::clone(&notes) }) as Box<dyn Generator>)
    };
    let generator = GeneratorHandle::start("writer", load)?;
    let device = bench.device.clone();
    let reranker = RerankerHandle::start("cross-encoder", move || bert::open_reranker(&folder, &device))?;
    // Both are loaded before the question comes.
    generator.loaded()?;
    reranker.loaded()?;
    let encoder = Engine::start_encoder()?;
    let models = EngineModels { generator: Some(generator), reranker: Some(reranker), ..EngineModels::from(encoder) };
    Ok(Engine::open(starter_graph()?, models, &EngineOptions::default(), Vec::new())?)
}

fn ask(bench: &Bench, report: &mut Report, method: &str, model: &str, (path, folder): (&Path, &Path)) -> Result<(), Problem> {
    let written = Arc::new(Mutex::new(Written::default()));
    let engine = start(bench, path, folder.to_owned(), &written)?;
    let mut figures = Vec::new();
    let mut outcome = Outcome::Cancelled;
    // The first run prepares what later ones use again: the last one counts.
    let runs = if bench.tiny { 1 } else { 2 };
    for run in 1..=runs {
        *written.lock().unwrap_or_else(PoisonError::into_inner) = Written::default();
        let began = Instant::now();
        let (mut chosen, mut answers) = (Vec::new(), Vec::new());
        let options = AskOptions { method: Some(method.parse::<MethodName>()?), ..AskOptions::default() };
        outcome = engine.run(QUESTION, options, &CancelToken::new(), &mut |event| {
            match event.what {
                EventKind::ChainsPruned { .. } => chosen.push(Instant::now()),
                EventKind::AnswerFinished { .. } => answers.push(Instant::now()),
                _ => {}
            }
            true
        });
        let notes = *written.lock().unwrap_or_else(PoisonError::into_inner);
        let since =
            |moment: Option<Instant>, from: Instant| moment.map(|moment| moment.saturating_duration_since(from).as_secs_f64() * 1e3);
        let after = |moments: &[Instant]| {
            let last = notes.last?;
            since(moments.iter().copied().find(|moment| *moment >= last), last)
        };
        let times = Times {
            first_answer: since(answers.first().copied(), began),
            first_token: since(notes.first, began),
            last_token: since(notes.last, began),
            kept_after: after(&chosen),
            answer_after: after(&answers),
            whole: began.elapsed().as_secs_f64() * 1e3,
        };
        if run == runs {
            figures = vec![
                ("first_answer_ms", json!(times.first_answer)),
                ("first_token_ms", json!(times.first_token)),
                ("last_token_ms", json!(times.last_token)),
                ("tokens", json!(notes.tokens)),
                ("kept_after_ms", json!(times.kept_after)),
                ("answer_after_ms", json!(times.answer_after)),
                ("whole_ms", json!(times.whole)),
                ("calls", json!(notes.prompts)),
            ];
        }
    }
    let tokens = written.lock().unwrap_or_else(PoisonError::into_inner).tokens;
    report.check(&format!("{method} with {model}"), outcome == Outcome::Answered && tokens > 0, figures);
    Ok(())
}
