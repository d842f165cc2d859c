//! The driver: which stage runs when, for every method, for first runs and for revisions.
//!
//! A first run starts with the question. A revision starts from the first stage that the doctor's decisions change, from the trace
//! alone; what the engine remembers of the run only saves work.

use std::sync::Arc;

use super::Method;
use super::find::{self, Found, searched_before};
use super::run_cache::{CachedRun, RunCache};
use super::run_state::{RunState, outcome_of};
use crate::language::context::{RunContext, StageError};
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::prune::ScoreCache;
use crate::run::{Case, KgInfo, Outcome, Stage, StageState, Trace, Triage};

use super::ranking::{Scores, scores_in};

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
}

/// A finished run that is carried on.
pub(super) struct Revision<'a> {
    pub(super) trace: &'a Trace,
    /// The stage that was asked for.
    pub(super) asked: Stage,
    /// The graph in use.
    pub(super) kg: KgInfo,
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

/// Answers a question. The answer is the last event but one; the outcome is returned for the last.
pub(super) fn answer(ctx: &mut RunContext<'_>, work: &Work<'_>) -> Result<Outcome, StageError> {
    let found = find::for_question(ctx, work)?;
    run_from(ctx, work, Stage::Prune, found, None)
}

/// Carries a run on. Where the answer is not read again, the outcome is that of the answer that stands.
pub(super) fn revise(ctx: &mut RunContext<'_>, work: &Work<'_>, revision: &Revision<'_>) -> Result<Outcome, StageError> {
    let trace = revision.trace;
    let mut from = revision.first_stage(work.triage);
    let mut searched = None;
    if from > Stage::Search {
        searched = searched_before(ctx, trace, trace.kg == revision.kg, work.cached.as_ref());
        if searched.is_none() {
            from = Stage::Search;
        }
    }
    find::announce(ctx, trace, work.triage, from, revision.same_base());
    let found = find::for_revision(ctx, work, trace, from, searched)?;
    run_from(ctx, work, from, found, Some(revision))
}

/// The stages from the chains on, as far as `from` asks for them.
fn run_from(
    ctx: &mut RunContext<'_>,
    work: &Work<'_>,
    from: Stage,
    mut found: Found,
    revision: Option<&Revision<'_>>,
) -> Result<Outcome, StageError> {
    ctx.check()?;
    let assessment = found.assess(ctx, work.cached.as_ref(), work.triage);
    ctx.check()?;
    if let Some(revision) = revision.filter(|_| from > Stage::Search) {
        found.scores = scores_in(&revision.trace.pruning);
    }
    let state = state_of(work, &found, &assessment, &found.scores);
    let earlier = revision.filter(|_| from > Stage::Prune).map(|revision| Arc::clone(&revision.trace.pruning));
    let pruning = match earlier {
        Some(pruning) => pruning,
        None => {
            let mut cache = work.cached.as_ref().map(|run| run.scores.clone()).unwrap_or_default();
            let pruning = state.prune(ctx, work.method, &mut cache)?;
            work.cache.put(cached(&ctx.id, work, &found, &assessment, cache));
            pruning
        }
    };
    ctx.check()?;
    match revision.filter(|revision| revision.asked != Stage::Read) {
        None => state.read(ctx, work.method, &pruning),
        Some(Revision { trace, .. }) => {
            let before = || trace.outcome.clone().unwrap_or(Outcome::Cancelled);
            Ok(trace.evidence.as_ref().map_or_else(before, |_| outcome_of(&trace.answer)))
        }
    }
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
pub(super) fn cached(run: &Arc<str>, work: &Work<'_>, found: &Found, assessment: &Arc<Assessment>, scores: ScoreCache) -> CachedRun {
    CachedRun {
        run: Arc::clone(run),
        triage: Arc::clone(work.triage),
        understood: found.understood.clone(),
        assessment: Arc::clone(assessment),
        searched: found.searched.clone(),
        scores,
    }
}
