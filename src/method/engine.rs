//! The engine: a graph and models made ready, and runs on them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;

use super::driver::{self, Revision, Work};
use super::models::EngineModels;
use super::run_cache::RunCache;
use crate::dkg::{Dkg, origin_of};
use crate::graph::{Changed, Graph, LearnedTable, MAX_HOPS, NamedTriple};
use crate::language::context::{RunContext, StageError};
use crate::language::{Knowledge, Prompts};
use crate::model::CancelToken;
use crate::model::infer::StaticEncoder;
use crate::model::{EncoderHandle, Matrix, ModelError};
use crate::run::{
    Ask, AskOptions, EngineInfo, EntityCard, Event, EventKind, Explanation, KgInfo, MethodName, Models, Outcome, RunHandle, Settings,
    Stage, Trace, Triage,
};
use crate::text::sanitise;

/// Why an engine could not be opened, or a question not be asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A model could not be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting is out of its range.
    #[error("{name} must be {range}, not {given}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it may be.
        range: String,
        /// What it is.
        given: String,
    },
}

/// Settings that differ from the defaults.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Longest chain.
    pub k: Option<usize>,
    /// How many chains are kept.
    pub top_k: Option<usize>,
    /// Linking threshold; the encoder's own when there is none.
    pub delta: Option<f64>,
    /// Seed.
    pub seed: Option<i64>,
    /// What language models are told.
    pub prompts: Prompts,
}

/// A graph and models, ready to answer. Cheap to share.
pub struct Engine {
    current: RwLock<Arc<Knowledge>>,
    pub(super) models: EngineModels,
    prompts: Prompts,
    settings: Settings,
    notices: Vec<String>,
    pub(super) cache: RunCache,
    dkg: OnceLock<Weak<Mutex<Dkg>>>,
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
    /// If the system gives no thread.
    pub fn start_encoder() -> Result<EncoderHandle, EngineError> {
        Ok(EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in)?)
    }

    /// Makes a graph ready for questions. `models`: an encoder alone, or with a reranker and a language model. `notices` are shown to the user as they are.
    ///
    /// # Errors
    /// If the encoder could not be loaded, or a setting is out of its range.
    pub fn open(graph: Graph, models: impl Into<EngineModels>, options: &EngineOptions, notices: Vec<String>) -> Result<Self, EngineError> {
        let models = models.into();
        let knowledge = Knowledge::prepare(graph, &models.encoder)?;
        Self::with_knowledge(knowledge, models, options, notices)
    }

    /// As [`Self::open`], with a graph whose names have their vectors already.
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
        Ok(Self { current, models, prompts: options.prompts.clone(), settings, notices, cache: RunCache::default(), dkg: OnceLock::new() })
    }

    /// What the user should know about how graph and models were opened.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// What questions are asked of at this moment. A run keeps what it began with.
    pub fn knowledge(&self) -> Arc<Knowledge> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What language models are told.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The models in use.
    pub fn models(&self) -> &EngineModels {
        &self.models
    }

    /// Takes in what was learned and what is learned no longer. The next question sees it; runs under way do not. To be called by one thread at a
    /// time. `embed` gives vectors of names; where it fails, new names are linked as they are written, and not by nearness.
    pub fn learn(
        &self,
        learned: &LearnedTable,
        unlearned: &[NamedTriple],
        embed: &mut dyn FnMut(Vec<String>) -> Result<Matrix, ModelError>,
    ) -> (Changed, Option<ModelError>) {
        let before = self.knowledge();
        let mut graph = before.graph.clone();
        let gone = graph.unlearn(unlearned);
        let changed = Changed { unlearned: gone.unlearned, ..graph.learn(learned) };
        let (knowledge, failed) = before.changed(graph, embed);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(knowledge);
        (changed, failed)
    }

    /// Names the DKG that learned triples come from, so that they can be explained. Only the first call counts.
    pub fn attach(&self, dkg: &Arc<Mutex<Dkg>>) {
        // Whoever attaches a second one shares the engine with the first.
        let _ = self.dkg.set(Arc::downgrade(dkg));
    }

    /// Where a learned triple comes from, by the record that it was learned by; `None` where that cannot be read.
    pub(super) fn origin_of(&self, record: u64) -> Option<String> {
        let dkg = self.dkg.get()?.upgrade()?;
        let dkg = dkg.lock().unwrap_or_else(PoisonError::into_inner);
        origin_of(&dkg, record).ok()
    }

    /// Answers a question on the calling thread. Every event goes to `sink`, which gives `false` when
    /// nobody listens any more.
    pub fn run(&self, question: &str, options: AskOptions, cancel: &CancelToken, sink: &mut dyn FnMut(Event) -> bool) -> Outcome {
        let id: Arc<str> = options.id.unwrap_or_else(new_id).into();
        let settings = options.settings.unwrap_or_else(|| self.settings.clone());
        let method = options.method.unwrap_or_default();
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
        for warning in &self.models.warnings {
            ctx.warn(warning.clone());
        }
        let (triage, method) = (Arc::default(), super::method(method));
        let work = Work { method: method.as_ref(), question, triage: &triage, cache: &self.cache, cached: None };
        let ended = driver::answer(&mut ctx, &work);
        finish(&mut ctx, ended)
    }

    /// Carries a finished run on, on the calling thread, with what the doctor decided: from the stage given, or an earlier one where
    /// the triage changes more or that stage never came to its end. The answer is read anew only if `from` is [`Stage::Read`].
    /// The trace is all that is needed: it may come from a recording.
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
        let cached = self.cache.of(trace);
        let work = Work { method: method.as_ref(), question: &trace.question, triage, cache: &self.cache, cached };
        let ended = driver::revise(&mut ctx, &work, &Revision { trace, asked: from, kg: kg_info(&knowledge) });
        finish(&mut ctx, ended)
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
            generator: self.models.generator.as_ref(),
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

/// The method of a trace; HyKGE where another program's recording names one that is not known here, which a revision says.
pub(super) fn method_of(trace: &Trace) -> MethodName {
    trace.method.parse().unwrap_or_default()
}

/// The graph as the listeners know it.
pub(super) fn kg_info(knowledge: &Knowledge) -> KgInfo {
    let (graph, base) = (&knowledge.graph, knowledge.graph.base());
    KgInfo {
        name: graph.name().to_owned(),
        entities: base.entity_count() as u64,
        triples: base.triple_count() as u64,
        learned: graph.learned_count() as u64,
    }
}

/// Says how a run ended.
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

fn settings(options: &EngineOptions, delta: f64) -> Result<Settings, EngineError> {
    let out_of_range =
        |name, range: String, given: String| -> Result<Settings, EngineError> { Err(EngineError::Setting { name, range, given }) };
    let k = options.k.unwrap_or(3);
    if !(1..=MAX_HOPS).contains(&k) {
        return out_of_range("k (the longest chain, in relations)", format!("between 1 and {MAX_HOPS}"), k.to_string());
    }
    let top_k = options.top_k.unwrap_or(10);
    if !(1..=1000).contains(&top_k) {
        return out_of_range("top-k (how many chains are kept)", "between 1 and 1000".into(), top_k.to_string());
    }
    let delta = options.delta.unwrap_or(delta);
    if !(0.0..=1.0).contains(&delta) {
        return out_of_range("delta (the linking threshold)", "between 0 and 1".into(), delta.to_string());
    }
    Ok(Settings { k, top_k, delta, fragment_words: 10, fragment_overlap: 4, seed: options.seed.unwrap_or(0) })
}

/// An id that sorts by time and is unique in this process and, for all practical purposes, beyond.
fn new_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("q{:x}-{:x}-{}", now.as_millis(), std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed))
}

/// Does a run's work in the background. Whatever happens in it, the last event says how it ended.
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
            let message = "a fault in Catena itself ended the run; ask again, and please report it with what was asked".to_owned();
            let total_ms = before_ms + started.elapsed().as_secs_f64() * 1000.0;
            let what = EventKind::RunFinished { outcome: Outcome::Failed { message }, total_ms };
            // A screen that is gone needs no last word.
            let _ = events.blocking_send(Event { run: id, at_ms: total_ms, what });
        }
    });
    handle
}

/// An engine that is shared with a screen.
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
            notices: self.notices.clone(),
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

    fn explain(&self, trace: &Trace, chain: u32) -> Option<Explanation> {
        self.explain_chain(trace, chain)
    }
}
