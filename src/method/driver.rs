//! The driver: which stage runs when, for every method, for first runs and for revisions.
//!
//! A first run starts with the question. A revision starts from the first stage that the doctor's decisions change, from the trace
//! alone; what the engine remembers of the run only saves work.

use std::sync::Arc;
use std::time::Instant;

use super::Method;
use super::find::{self, Found, searched_before};
use super::model_hypothesis::ModelHypothesis;
use super::run_cache::{CachedRun, RunCache};
use super::run_state::{RunState, emit_answer, outcome_of, without_model};
use super::with_model::{Joined, SoFar};
use crate::evidence::Library;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::model::GeneratorHandle;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::prune::ScoreCache;
use crate::run::{Answer, Case, KgInfo, Outcome, Pruning, Stage, StageState, Trace, Triage};

use super::ranking::{Scores, scores_in};

/// Said where a run with passages is carried on without its documents.
const NO_DOCUMENTS: &str =
    "The answer cited documents, and none are in use now; another answer cites none. Choose them with `catena docs use NAME`.";

/// What a run works on, whichever stage it starts from.
pub(super) struct Work<'a> {
    pub(super) method: &'a dyn Method,
    pub(super) question: &'a str,
    pub(super) triage: &'a Arc<Triage>,
    pub(super) cache: &'a RunCache,
    /// What the engine remembers of this very run.
    pub(super) cached: Option<CachedRun>,
    /// Without the safety pass, gates and fixed lines: the paper's algorithm alone.
    pub(super) bare: bool,
    /// The case of the run that this one follows.
    pub(super) follows: Option<Arc<Case>>,
    /// The documents in use.
    pub(super) library: &'a Library,
}

/// A finished run that is carried on.
pub(super) struct Revision<'a> {
    pub(super) trace: &'a Trace,
    /// The stage that was asked for.
    pub(super) asked: Stage,
    /// The graph in use.
    pub(super) kg: KgInfo,
}

impl Work<'_> {
    /// The language model, where it writes hypothesis and answer itself.
    pub(super) fn writer<'c>(&self, ctx: &RunContext<'c>) -> Option<&'c GeneratorHandle> {
        ctx.generator.filter(|_| self.method.is_answered_by_model(self.bare))
    }

    /// The prompt by which that language model lists the names in question and hypothesis.
    pub(super) fn names_prompt(&self, ctx: &RunContext<'_>) -> Option<PromptFor> {
        self.writer(ctx).and_then(|_| self.method.names_prompt(self.bare))
    }
}

impl Revision<'_> {
    /// Whether the graph is the run's, but for what was learned.
    fn same_base(&self) -> bool {
        self.trace.kg == KgInfo { learned: self.trace.kg.learned, ..self.kg.clone() }
    }

    /// The first stage that has to run: the one asked for, or an earlier one that the triage changes or that the run, stopped
    /// before, did not end.
    fn first_stage(&self, triage: &Triage) -> Stage {
        let ended = |stage: &Stage| matches!(self.trace.stage(*stage), StageState::Done { .. });
        let open = [Stage::Link, Stage::Search, Stage::Prune].into_iter().find(|stage| !ended(stage));
        let changed = Triage::first_stage_changed(&self.trace.triage, triage);
        [open, changed].into_iter().flatten().fold(self.asked, Stage::min).max(Stage::Link)
    }
}

/// Answers a question. It is answered in full without a language model; what the model adds follows. The outcome is that of the answer
/// without it.
pub(super) fn answer(ctx: &mut RunContext<'_>, work: &Work<'_>) -> Result<Outcome, StageError> {
    let begun = Instant::now();
    ctx.asks_model = work.writer(ctx).is_some();
    let found = find::for_question(ctx, work)?;
    ctx.check()?;
    let assessment = found.assess(ctx, work.cached.as_ref(), work.triage);
    ctx.check()?;
    let pruning = pruned(ctx, work, &found, &assessment)?;
    ctx.check()?;
    let so_far = SoFar { work, found: &found, assessment: &assessment, pruning: &pruning };
    read(ctx, &so_far, &mut |ctx, generator| {
        let of_model = so_far.hypothesis(ctx, generator, begun)?;
        let joined = so_far.chains(ctx, &of_model)?;
        Ok((of_model, joined))
    })
}

/// Carries a run on. Where the answer is not read again, the outcome is that of the answer that stands.
pub(super) fn revise(ctx: &mut RunContext<'_>, work: &Work<'_>, revision: &Revision<'_>) -> Result<Outcome, StageError> {
    let trace = revision.trace;
    ctx.asks_model = work.writer(ctx).is_some();
    let mut from = revision.first_stage(work.triage);
    let mut searched = None;
    if from > Stage::Search {
        searched = searched_before(ctx, trace, trace.kg == revision.kg, work.cached.as_ref());
        if searched.is_none() {
            from = Stage::Search;
        }
    }
    let all = searched.clone();
    find::announce(ctx, trace, work.triage, from, revision.same_base());
    if !trace.passages.is_empty() && work.library.is_empty() {
        ctx.warn(NO_DOCUMENTS);
    }
    let mut found = find::for_revision(ctx, work, trace, from, searched)?;
    ctx.check()?;
    let assessment = found.assess(ctx, work.cached.as_ref(), work.triage);
    ctx.check()?;
    if from > Stage::Search {
        found.scores = scores_in(&without_model(&trace.pruning));
    }
    let pruning = match from {
        Stage::Read => Arc::new(without_model(&trace.pruning)),
        _ => pruned(ctx, work, &found, &assessment)?,
    };
    let of_model = std::mem::take(&mut found.of_model);
    let so_far = SoFar { work, found: &found, assessment: &assessment, pruning: &pruning };
    let joined = match (from, all) {
        (Stage::Read, Some(searched)) => Joined { searched, pruning: Arc::clone(&trace.pruning) },
        // Unless more chains joined those that were found, the model's stand behind them.
        (Stage::Prune, Some(searched)) if searched.found.chains.len() == found.searched.found.chains.len() + trace.chains_of_model => {
            so_far.keep_again(ctx, searched, &trace.pruning)
        }
        _ => so_far.chains(ctx, &of_model)?,
    };
    ctx.check()?;
    if revision.asked != Stage::Read {
        let before = || trace.outcome.clone().unwrap_or(Outcome::Cancelled);
        return Ok(trace.evidence.as_ref().map_or_else(before, |_| outcome_of(&trace.answer)));
    }
    let mut once = Some((of_model, joined));
    read(ctx, &so_far, &mut |_, _| once.take().ok_or(StageError::Cancelled))
}

/// Chooses the chains that are kept without a language model.
fn pruned(ctx: &mut RunContext<'_>, work: &Work<'_>, found: &Found, assessment: &Arc<Assessment>) -> Result<Arc<Pruning>, StageError> {
    let state = state_of(work, found, assessment, &found.scores);
    let mut cache = work.cached.as_ref().map(|run| run.scores.clone()).unwrap_or_default();
    let pruning = state.prune(ctx, work.method, &mut cache)?;
    work.cache.put(cached(ctx, work, found, assessment, cache));
    Ok(pruning)
}

/// What a language model brings, once the answer without it stands.
type Brings<'b> = dyn FnMut(&mut RunContext<'_>, &GeneratorHandle) -> Result<(ModelHypothesis, Joined), StageError> + 'b;

/// Reads the answer, and has the language model add to it.
fn read(ctx: &mut RunContext<'_>, so_far: &SoFar<'_>, brings: &mut Brings<'_>) -> Result<Outcome, StageError> {
    let SoFar { work, found, assessment, pruning } = so_far;
    let begun = ctx.begin(Stage::Read);
    let state = state_of(work, found, assessment, &found.scores);
    if !work.method.uses_graph() {
        let answer = state.answer_without_graph(ctx, work.method)?;
        let answer = state.with_documents(ctx, work.library, &Pruning::default(), answer);
        let outcome = outcome_of(&answer);
        emit_answer(ctx, answer, 0);
        ctx.end(Stage::Read, begun.elapsed());
        return Ok(outcome);
    }
    if let Some(by) = work.method.documents() {
        let answer = state.answer_from_documents(ctx, work.library, pruning, by)?;
        let outcome = outcome_of(&answer);
        emit_answer(ctx, answer, 0);
        ctx.end(Stage::Read, begun.elapsed());
        return Ok(outcome);
    }
    if let Some(generator) = work.writer(ctx) {
        let (answer, shown) = state.answer_by_model(ctx, work.method, pruning, generator)?;
        let outcome = outcome_of(&answer);
        emit_answer(ctx, answer, shown);
        ctx.end(Stage::Read, begun.elapsed());
        return Ok(outcome);
    }
    let (answer, may_grow) = state.answer(ctx, work.method, pruning);
    let answer = state.with_documents(ctx, work.library, pruning, answer);
    let outcome = outcome_of(&answer);
    let Some(generator) = ctx.generator.filter(|_| may_grow) else {
        emit_answer(ctx, answer, 0);
        ctx.end(Stage::Read, begun.elapsed());
        return Ok(outcome);
    };
    emit_answer(ctx, Answer { refining: true, ..answer.clone() }, 0);
    let spent = begun.elapsed();
    let mut grown = brings(ctx, generator);
    let begun = Instant::now();
    if let Ok((of_model, joined)) = &grown
        && let Err(error) = so_far.refine(ctx, generator, joined, of_model, answer.clone())
    {
        grown = Err(error);
    }
    match grown {
        Ok(_) => {}
        Err(StageError::Cancelled) => return Err(StageError::Cancelled),
        Err(error) => {
            // The answer stands without whatever failed.
            ctx.warn(format!("What the language model wrote could not be used: {error}"));
            let shown = answer.text.len();
            emit_answer(ctx, answer, shown);
        }
    }
    ctx.end(Stage::Read, spent + begun.elapsed());
    Ok(outcome)
}

/// What choosing and reading work on.
pub(super) fn state_of<'a>(work: &'a Work<'_>, found: &'a Found, assessment: &'a Assessment, scores: &'a Scores) -> RunState<'a> {
    RunState {
        question: work.question,
        hypothesis: &found.hypothesis,
        own_words: found.own_words,
        anchors: &found.anchors,
        understood: &found.understood,
        assessment,
        searched: &found.searched,
        triage: work.triage,
        scores,
        cache: work.cache,
        planned: &found.planned,
        bare: work.bare,
    }
}

/// What the engine remembers of a run.
pub(super) fn cached(ctx: &RunContext<'_>, work: &Work<'_>, found: &Found, assessment: &Arc<Assessment>, scores: ScoreCache) -> CachedRun {
    CachedRun {
        run: Arc::clone(&ctx.id),
        // What is taken from an earlier state of the graph stays of that state.
        version: work.cached.as_ref().map_or_else(|| ctx.knowledge.version(), |run| run.version),
        triage: Arc::clone(work.triage),
        understood: found.understood.clone(),
        assessment: Arc::clone(assessment),
        searched: found.searched.clone(),
        scores,
    }
}
