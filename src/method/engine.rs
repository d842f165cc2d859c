//! The engine: a graph and models, opened once, that answer questions.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;

use super::driver::{self, Revision, Work};
use super::examples;
use super::models::EngineModels;
use super::run_cache::RunCache;
use crate::dkg::{Dkg, Preferences, origin_of};
use crate::evidence::Library;
use crate::graph::{ChangeCounts, Graph, LearnedTable, MAX_HOPS, NamedTriple};
use crate::language::context::{RunContext, StageError};
use crate::language::{Knowledge, Prompts};
use crate::model::CancelToken;
use crate::model::infer::StaticEncoder;
use crate::model::{EncoderHandle, Matrix, ModelError};
use crate::pipeline::check_answer::{ClaimJudge, check_answer};
use crate::pipeline::prune::BY_ENTITIES;
use crate::pipeline::understand::question::told_in;
use crate::run::{
    Ask, AskOptions, Case, CheckedClaim, EngineInfo, EntityCard, Event, EventKind, Example, Explanation, KgInfo, MethodName, Models,
    Outcome, RunHandle, Settings, Stage, StoredDocument, Trace, Triage,
};
use crate::text::sanitise;

/// Why an engine cannot be opened, or a question cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting is out of its range.
    #[error("{name} must be {range}, not {given}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The values that are allowed.
        range: String,
        /// The value given.
        given: String,
    },
}

/// Settings that differ from the defaults; `None` keeps the default.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Longest chain, in relations, from 1 to [`MAX_HOPS`]; 3 by default.
    pub k: Option<usize>,
    /// The number of chains to keep, from 1 to 1000; 10 by default.
    pub top_k: Option<usize>,
    /// Linking threshold, from 0 to 1; the encoder's own by default.
    pub delta: Option<f64>,
    /// Seed of everything drawn at random; 0 by default.
    pub seed: Option<i64>,
    /// The words of a fragment (HyKGE's lc), from 1 to 1000; 10 by default.
    pub fragment_words: Option<usize>,
    /// How many words neighbouring fragments share (HyKGE's oc), fewer than a fragment has; 4 by default, or as many as there can be.
    pub fragment_overlap: Option<usize>,
    /// The method of questions that name none; Catena's own by default.
    pub method: Option<MethodName>,
    /// The prompts for language models.
    pub prompts: Prompts,
    /// The documents that questions use.
    pub library: Arc<Library>,
}

/// A graph and models, ready to answer. Cheap to share.
pub struct Engine {
    current: RwLock<Arc<Knowledge>>,
    pub(super) models: EngineModels,
    prompts: Prompts,
    pub(super) library: Arc<Library>,
    settings: Settings,
    method: MethodName,
    notices: Vec<String>,
    pub(super) cache: RunCache,
    dkg: OnceLock<Weak<Mutex<Dkg>>>,
    /// Example questions, once somebody asks for them.
    examples: OnceLock<Vec<Example>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("kg", &kg_info(&self.knowledge()))
            .field("models", &self.models)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

static RUNS: AtomicU64 = AtomicU64::new(0);

impl Engine {
    /// Starts loading the built-in encoder on its thread; returns at once.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start_encoder() -> Result<EncoderHandle, EngineError> {
        Ok(EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in)?)
    }

    /// Prepares a graph for questions. `models`: an encoder alone, or with a reranker and a language model. `notices` are shown to the user unchanged.
    ///
    /// # Errors
    /// If the encoder cannot be loaded, or a setting is out of range.
    pub fn open(graph: Graph, models: impl Into<EngineModels>, options: &EngineOptions, notices: Vec<String>) -> Result<Self, EngineError> {
        let models = models.into();
        let knowledge = Knowledge::prepare(graph, &models.encoder)?;
        Self::with_knowledge(knowledge, models, options, notices)
    }

    /// As [`Self::open`], for a graph whose names already have vectors.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn with_knowledge(
        knowledge: Knowledge,
        models: impl Into<EngineModels>,
        options: &EngineOptions,
        notices: Vec<String>,
    ) -> Result<Self, EngineError> {
        let models = models.into();
        let settings = settings(options, models.encoder.delta()?)?;
        let current = RwLock::new(Arc::new(knowledge));
        let method = options.method.unwrap_or_default();
        let (prompts, cache, library) = (options.prompts.clone(), RunCache::default(), Arc::clone(&options.library));
        Ok(Self { current, models, prompts, library, settings, method, notices, cache, dkg: OnceLock::new(), examples: OnceLock::new() })
    }

    /// What the user should know about how the graph and the models were opened.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The knowledge that questions are asked of now. A run keeps the knowledge it started with.
    pub fn knowledge(&self) -> Arc<Knowledge> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes in the background what the first question needs of the graph's names and conditions. Without this, or if no thread can be
    /// started, the first question makes it.
    pub fn warm_up(&self) {
        let knowledge = self.knowledge();
        drop(std::thread::Builder::new().name("warm up".into()).spawn(move || knowledge.warm_up()));
    }

    /// The prompts for language models.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The documents that questions use.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// The models in use.
    pub fn models(&self) -> &EngineModels {
        &self.models
    }

    /// Adds what was learned and removes what was unlearned. The next question sees it; runs under way do not. Call it from one thread at a
    /// time. `embed` gives vectors of names; if it fails, new names are linked by exact match only.
    pub fn learn(
        &self,
        learned: &LearnedTable,
        unlearned: &[NamedTriple],
        embed: &mut dyn FnMut(Vec<String>) -> Result<Matrix, ModelError>,
    ) -> (ChangeCounts, Option<ModelError>) {
        let before = self.knowledge();
        let mut graph = before.graph.clone();
        let gone = graph.unlearn(unlearned);
        let changed = ChangeCounts { unlearned: gone.unlearned, ..graph.learn(learned) };
        let (knowledge, failed) = before.changed(graph, embed);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(knowledge);
        (changed, failed)
    }

    /// Uses what ratings say about chains, from the next question on. Call it from the thread that learns.
    pub(crate) fn prefer(&self, preferences: Preferences) {
        let knowledge = self.knowledge().preferring(preferences);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(knowledge);
    }

    /// Checks every claim of a text against the graph and the documents in use, without a language model.
    pub fn check_answer(&self, text: &str) -> Vec<CheckedClaim> {
        check_answer(&self.knowledge().graph, &self.library, text)
    }

    /// The same; the language model in use judges the claims of which nothing was found. Also, in plain words, what it could not judge.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn check_answer_by_model(&self, text: &str, cancel: &CancelToken) -> Result<(Vec<CheckedClaim>, Vec<String>), ModelError> {
        let mut claims = self.check_answer(text);
        let Some(generator) = &self.models.generator else { return Ok((claims, Vec::new())) };
        let judge = ClaimJudge { generator, prompts: &self.prompts, cancel };
        let told = judge.judge(&mut claims, self.knowledge().graph.base(), &self.library)?;
        Ok((claims, told))
    }

    /// Names the DKG that learned triples come from, so that they can be explained. Only the first call counts.
    pub fn attach(&self, dkg: &Arc<Mutex<Dkg>>) {
        // Whoever attaches a second one shares the engine with the first.
        let _ = self.dkg.set(Arc::downgrade(dkg));
    }

    /// The origin of a learned triple, from the record that taught it; `None` if the record cannot be read.
    pub(super) fn origin_of(&self, record: u64) -> Option<String> {
        let dkg = self.dkg.get()?.upgrade()?;
        let dkg = dkg.lock().unwrap_or_else(PoisonError::into_inner);
        origin_of(&dkg, record).ok()
    }

    /// Answers a question on the calling thread. Every event goes to `sink`, which returns `false` when
    /// nobody listens any more.
    pub fn run(&self, question: &str, options: AskOptions, cancel: &CancelToken, sink: &mut dyn FnMut(Event) -> bool) -> Outcome {
        let id: Arc<str> = options.id.unwrap_or_else(new_id).into();
        let settings = options.settings.unwrap_or_else(|| self.settings.clone());
        let method = options.method.unwrap_or(self.method);
        let question = sanitise(question);
        let question = question.trim();
        self.models.restart_failed();
        let known = self.models.info();
        let knowledge = self.knowledge();
        let mut ctx = self.context(&knowledge, id, &settings, &known, cancel, sink);
        ctx.emit(EventKind::RunStarted {
            question: question.to_owned(),
            method: method.to_string(),
            kg: kg_info(&knowledge),
            settings: settings.clone(),
            models: known,
        });
        if let Some(case) = &options.follows {
            ctx.emit(EventKind::Followed { case: Arc::clone(case) });
        }
        for warning in &self.models.warnings {
            ctx.warn(warning.clone());
        }
        let warned = self.warn_late(&mut ctx, &BTreeSet::new());
        let (triage, method) = (Arc::default(), super::method(method));
        let bare = options.bare;
        let work = Work {
            method: method.as_ref(),
            question,
            triage: &triage,
            cache: &self.cache,
            cached: None,
            bare,
            follows: options.follows,
            library: &self.library,
        };
        let ended = driver::answer(&mut ctx, &work);
        self.warn_late(&mut ctx, &warned);
        finish(&mut ctx, ended)
    }

    /// Continues a finished run on the calling thread with the doctor's decisions. It starts from stage `from`, or earlier if the triage
    /// changes more or the run never finished that stage. It regenerates the answer only if `from` is [`Stage::Read`].
    /// It needs only the trace, which may come from a recording.
    pub fn carry_on(
        &self,
        trace: &Trace,
        triage: &Arc<Triage>,
        from: Stage,
        cancel: &CancelToken,
        sink: &mut dyn FnMut(Event) -> bool,
    ) -> Outcome {
        let of_run = trace.started_with.clone().unwrap_or_else(|| self.settings.clone());
        let settings = triage.settings(&of_run);
        self.models.restart_failed();
        let known = trace.models.clone().unwrap_or_else(|| self.models.info());
        let knowledge = self.knowledge();
        let mut ctx = self.context(&knowledge, trace.id.as_str().into(), &settings, &known, cancel, sink);
        ctx.before_ms = trace.elapsed_ms;
        let method = super::method(method_of(trace));
        // What was computed before something was learned or withdrawn need not hold any more.
        let cached = self.cache.of(trace).filter(|run| run.version == knowledge.version());
        let work = Work {
            method: method.as_ref(),
            question: &trace.question,
            triage,
            cache: &self.cache,
            cached,
            bare: false,
            follows: trace.follows.clone(),
            library: &self.library,
        };
        let warned = self.models.late_warnings.all();
        let ended = driver::revise(&mut ctx, &work, &Revision { trace, asked: from, kg: kg_info(&knowledge) });
        self.warn_late(&mut ctx, &warned);
        finish(&mut ctx, ended)
    }

    /// Sends the warnings that came from models while they were loading and that are not among the `known`. Returns all of them.
    fn warn_late(&self, ctx: &mut RunContext<'_>, known: &BTreeSet<String>) -> BTreeSet<String> {
        let all = self.models.late_warnings.all();
        for warning in all.difference(known) {
            ctx.warn(warning.clone());
        }
        all
    }

    /// What the stages of a run share.
    pub(super) fn context<'a>(
        &'a self,
        knowledge: &'a Knowledge,
        id: Arc<str>,
        settings: &'a Settings,
        models: &Models,
        cancel: &'a CancelToken,
        sink: &'a mut dyn FnMut(Event) -> bool,
    ) -> RunContext<'a> {
        RunContext {
            knowledge,
            encoder: &self.models.encoder,
            vectors: knowledge.vectors(),
            reranker: self.models.reranker.as_ref(),
            recogniser: self.models.recogniser.as_ref(),
            generator: self.models.generator.as_ref(),
            asks_model: false,
            reasoned: None,
            prompts: &self.prompts,
            delta: settings.delta,
            models: models.clone(),
            settings,
            cancel,
            id,
            started: Instant::now(),
            before_ms: 0.0,
            relinking: false,
            sink,
        }
    }
}

/// The method of a trace; Catena's own if the recording names a method that is unknown here. A revision then warns. Recordings from before Catena's
/// own method had that name call it HyKGE; they are told by its first stage of scoring.
pub(super) fn method_of(trace: &Trace) -> MethodName {
    match trace.method.parse().unwrap_or_default() {
        MethodName::Hykge(without) if trace.pruning.scored.iter().any(|by| by.scorer == BY_ENTITIES) => MethodName::Catena(without),
        method => method,
    }
}

/// The graph, as events describe it.
pub(super) fn kg_info(knowledge: &Knowledge) -> KgInfo {
    let (graph, base) = (&knowledge.graph, knowledge.graph.base());
    KgInfo {
        name: graph.name().to_owned(),
        entities: base.entity_count() as u64,
        triples: base.triple_count() as u64,
        learned: graph.learned_count() as u64,
    }
}

/// Emits the last event: how the run ended.
fn finish(ctx: &mut RunContext<'_>, ended: Result<Outcome, StageError>) -> Outcome {
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(StageError::Cancelled) => Outcome::Cancelled,
        Err(error @ (StageError::Model(_) | StageError::Vectors(_))) => Outcome::Failed { message: error.to_string() },
    };
    let total_ms = ctx.elapsed_ms();
    ctx.emit(EventKind::RunFinished { outcome: outcome.clone(), total_ms });
    outcome
}

/// How many chains are kept unless something else is set.
pub(super) const TOP_K: usize = 10;

fn settings(options: &EngineOptions, delta: f64) -> Result<Settings, EngineError> {
    let out_of_range =
        |name, range: String, given: String| -> Result<Settings, EngineError> { Err(EngineError::Setting { name, range, given }) };
    let k = options.k.unwrap_or(3);
    if !(1..=MAX_HOPS).contains(&k) {
        return out_of_range("k (the longest chain, in relations)", format!("between 1 and {MAX_HOPS}"), k.to_string());
    }
    let top_k = options.top_k.unwrap_or(TOP_K);
    if !(1..=1000).contains(&top_k) {
        return out_of_range("top-k (how many chains are kept)", "between 1 and 1000".into(), top_k.to_string());
    }
    let delta = options.delta.unwrap_or(delta);
    if !(0.0..=1.0).contains(&delta) {
        return out_of_range("delta (the linking threshold)", "between 0 and 1".into(), delta.to_string());
    }
    let fragment_words = options.fragment_words.unwrap_or(10);
    if !(1..=1000).contains(&fragment_words) {
        return out_of_range("fragment-words (the words of a fragment)", "between 1 and 1000".into(), fragment_words.to_string());
    }
    let fragment_overlap = options.fragment_overlap.unwrap_or(4.min(fragment_words - 1));
    if fragment_overlap >= fragment_words {
        let range = format!("less than the {fragment_words} words of a fragment");
        return out_of_range("fragment-overlap (the words that neighbouring fragments share)", range, fragment_overlap.to_string());
    }
    Ok(Settings { k, top_k, delta, fragment_words, fragment_overlap, seed: options.seed.unwrap_or(0) })
}

/// An id that sorts by time and is unique in this process and, in practice, beyond it.
fn new_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("q{:x}-{:x}-{}", now.as_millis(), std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed))
}

/// Runs work in the background. Whatever happens, the last event says how the run ended.
fn in_background(
    id: Arc<str>,
    before_ms: f64,
    events: mpsc::Sender<Event>,
    work: impl FnOnce(&CancelToken, &mut dyn FnMut(Event) -> bool) + Send + 'static,
) -> RunHandle {
    let cancel = CancelToken::new();
    let handle = RunHandle { id: Arc::clone(&id), cancel: cancel.clone() };
    tokio::task::spawn_blocking(move || {
        let started = Instant::now();
        let run = AssertUnwindSafe(|| work(&cancel, &mut |event| events.blocking_send(event).is_ok()));
        if catch_unwind(run).is_err() {
            let message =
                "an internal error in Catena ended the run. Ask again; if it happens again, please report it, without any patient data"
                    .to_owned();
            let total_ms = before_ms + started.elapsed().as_secs_f64() * 1000.0;
            let what = EventKind::RunFinished { outcome: Outcome::Failed { message }, total_ms };
            // A closed screen needs no last event.
            let _ = events.blocking_send(Event { run: id, at_ms: total_ms, what });
        }
    });
    handle
}

/// An engine that a screen shares.
impl Ask for Arc<Engine> {
    fn ask(&self, question: &str, options: AskOptions, events: mpsc::Sender<Event>) -> RunHandle {
        let id: Arc<str> = options.id.clone().unwrap_or_else(new_id).into();
        let (engine, question) = (Arc::clone(self), question.to_owned());
        let options = AskOptions { id: Some(id.to_string()), ..options };
        in_background(id, 0.0, events, move |cancel, sink| {
            engine.run(&question, options, cancel, sink);
        })
    }

    fn info(&self) -> EngineInfo {
        EngineInfo {
            kg: kg_info(&self.knowledge()),
            models: self.models.info(),
            settings: self.settings.clone(),
            method: self.method,
            has_documents: !self.library.is_empty(),
            notices: self.notices.clone(),
            examples: Some(self.examples.get_or_init(|| examples::fitting(&self.knowledge())).clone()),
        }
    }

    fn revise(&self, trace: Arc<Trace>, triage: Arc<Triage>, from: Stage, events: mpsc::Sender<Event>) -> Option<RunHandle> {
        let engine = Arc::clone(self);
        let (id, before_ms) = (trace.id.as_str().into(), trace.elapsed_ms);
        Some(in_background(id, before_ms, events, move |cancel, sink| {
            engine.carry_on(&trace, &triage, from, cancel, sink);
        }))
    }

    fn complete(&self, typed: &str, most: usize) -> Vec<EntityCard> {
        self.entities_like(typed, most)
    }

    fn told(&self, text: &str) -> Option<Case> {
        Some(told_in(&self.knowledge(), text))
    }

    fn document(&self, collection: &str, document: &str) -> Option<StoredDocument> {
        self.library.stored(collection, document)
    }

    fn check_answer(&self, text: &str) -> Vec<CheckedClaim> {
        Engine::check_answer(self, text)
    }

    fn explain(&self, trace: &Trace, chain: u32) -> Option<Explanation> {
        self.explain_chain(trace, chain)
    }
}
