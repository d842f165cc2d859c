//! A run carried on with what the doctor decided: the stages that depend on it are done again, from the trace alone. What the
//! engine remembers of the run only spares work.

use std::sync::Arc;

use super::memory::{Memory, Remembered};
use super::overlap::{Overlap, intent_of, take_in_hypothesis, take_in_question};
use super::ranked::{Said, said_in};
use super::stages::{Case, Subject, Understood, end_search, outcome_of};
use crate::pipeline::assess::Assessment;
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::intent::Intent;
use crate::pipeline::link::Anchors;
use crate::pipeline::prune::Known;
use crate::pipeline::search::{self, Searched};
use crate::pipeline::{EventKind, KgInfo, Method, Outcome, Stage, StageState, Trace, Triage};

/// What is asked for.
pub(super) struct Revision<'a> {
    pub(super) trace: &'a Trace,
    pub(super) triage: &'a Arc<Triage>,
    /// From which stage.
    pub(super) asked: Stage,
    /// The graph in use.
    pub(super) kg: KgInfo,
}

impl Revision<'_> {
    /// Whether the graph below what was learned is another one than the run's.
    fn is_other_base(&self) -> bool {
        let learned = self.trace.kg.learned;
        self.trace.kg != KgInfo { learned, ..self.kg.clone() }
    }

    /// The first stage that has to run: the one asked for, or an earlier one that the triage changes or that the run, stopped
    /// before, did not end.
    fn first_stage(&self) -> Stage {
        let ended = |stage: &Stage| matches!(self.trace.stage(*stage), StageState::Done { .. });
        let open = [Stage::Link, Stage::Search, Stage::Prune].into_iter().find(|stage| !ended(stage));
        let changed = Triage::first_stage_changed(&self.trace.triage, self.triage);
        [open, changed].into_iter().flatten().fold(self.asked, Stage::min).max(Stage::Link)
    }
}

/// Runs the stages. The outcome is that of the answer, which stands where it is not read anew.
pub(super) fn run(ctx: &mut RunContext<'_>, revision: &Revision<'_>, memory: &Memory) -> Result<Outcome, StageError> {
    let (trace, triage) = (revision.trace, revision.triage);
    let remembered = memory.of(trace);
    let mut from = revision.first_stage();
    let mut searched = None;
    if from > Stage::Search {
        searched = searched_before(ctx, revision, remembered.as_ref());
        if searched.is_none() {
            from = Stage::Search;
        }
    }
    ctx.emit(EventKind::Revised { triage: Arc::clone(triage), from });
    ctx.models_may_be_known();
    if trace.method.parse::<Method>().is_err() {
        let name = crate::text::sanitise_line(&trace.method);
        ctx.warn(format!("The run was made by the method {name}, which is not known here; it is carried on by {}.", ctx.method));
    }
    if revision.is_other_base() {
        let (was, is) = (&trace.kg, ctx.knowledge.graph.name());
        let was = crate::text::sanitise_line(&was.name);
        ctx.warn(format!(
            "The graph in use, {is}, is not what {was} was when the question was asked; chains are searched anew where they have to be."
        ));
    }
    let found = find(ctx, revision, from, remembered.as_ref(), searched, memory)?;
    let assessment = found.assess(ctx, remembered.as_ref(), triage);
    ctx.check()?;
    let said = if from > Stage::Search { said_in(&trace.pruning) } else { found.said.clone() };
    let case = found.case(trace, triage, &assessment, &said, memory);
    let mut pruning = Arc::clone(&trace.pruning);
    if from <= Stage::Prune {
        let mut known = remembered.map(|run| run.known).unwrap_or_default();
        pruning = case.prune(ctx, &mut known)?;
        memory.put(found.remembered(&ctx.id, triage, &assessment, known));
    }
    ctx.check()?;
    if revision.asked == Stage::Read {
        return case.read(ctx, &pruning);
    }
    let before = || trace.outcome.clone().unwrap_or(Outcome::Cancelled);
    Ok(trace.evidence.as_ref().map_or_else(before, |_| outcome_of(&trace.answer)))
}

/// The trace's chains in the graph's numbers; `None` where the graph is another one by now.
pub(super) fn searched_before(ctx: &RunContext<'_>, revision: &Revision<'_>, remembered: Option<&Remembered>) -> Option<Searched> {
    let table = &revision.trace.table;
    let known = remembered.and_then(|run| run.searched(table));
    known.or_else(|| search::of_table(&ctx.knowledge.graph, table).filter(|_| revision.trace.kg == revision.kg))
}

/// Whether a trace's hypothesis is the graph's own: no language model was asked for one.
pub(super) fn own_words(trace: &Trace) -> bool {
    !trace.prompts.iter().any(|prompt| prompt.stage == Stage::Hypothesis)
}

/// What is found before chains are chosen.
pub(super) struct Found {
    pub(super) understood: Understood,
    pub(super) anchors: Anchors,
    pub(super) searched: Searched,
    /// What a language model said of chains while they were searched.
    pub(super) said: Said,
}

impl Found {
    /// What the question's anchors speak for: as remembered, else weighed anew.
    pub(super) fn assess(&self, ctx: &RunContext<'_>, remembered: Option<&Remembered>, triage: &Triage) -> Arc<Assessment> {
        let known = remembered.and_then(|run| run.assessment(triage));
        known.unwrap_or_else(|| Arc::new(self.understood.assess(ctx, &self.anchors, triage)))
    }

    /// What chains are chosen for, and the answer read from.
    pub(super) fn case<'a>(
        &'a self,
        trace: &'a Trace,
        triage: &'a Triage,
        assessment: &'a Assessment,
        said: &'a Said,
        memory: &'a Memory,
    ) -> Case<'a> {
        Case {
            question: &trace.question,
            hypothesis: &trace.hypothesis,
            own_words: own_words(trace),
            anchors: &self.anchors,
            understood: &self.understood,
            assessment,
            searched: &self.searched,
            triage,
            said,
            memory,
        }
    }

    /// What the engine remembers of it.
    pub(super) fn remembered(&self, run: &Arc<str>, triage: &Arc<Triage>, assessment: &Arc<Assessment>, known: Known) -> Remembered {
        Remembered {
            run: Arc::clone(run),
            triage: Arc::clone(triage),
            understood: self.understood.clone(),
            assessment: Arc::clone(assessment),
            searched: self.searched.clone(),
            known,
        }
    }
}

/// Links and searches, as far as `from` asks for it. `searched`: the trace's chains, where they are not searched anew.
pub(super) fn find(
    ctx: &mut RunContext<'_>,
    revision: &Revision<'_>,
    from: Stage,
    remembered: Option<&Remembered>,
    searched: Option<Searched>,
    memory: &Memory,
) -> Result<Found, StageError> {
    let (trace, triage) = (revision.trace, revision.triage);
    let (understood, mut anchors) = if from <= Stage::Link {
        let begun = ctx.begin(Stage::Link);
        let mut anchors = Anchors::default();
        let intent = read_question(ctx, &trace.question, &mut anchors)?;
        let understood = Understood::of(intent, &anchors);
        take_in_hypothesis(ctx, &trace.hypothesis, own_words(trace), &mut anchors)?;
        anchors.report(ctx);
        ctx.end(Stage::Link, begun.elapsed());
        (understood, anchors)
    } else {
        let understood = match remembered.and_then(|run| run.understood(triage)) {
            Some(understood) => understood,
            None => understand_again(ctx, trace)?,
        };
        (understood, Anchors::of_trace(ctx, trace.linked(), &trace.unlinked))
    };
    ctx.check()?;
    if from > Stage::Search {
        anchors.decide(ctx, triage, false);
        return Ok(Found { understood, anchors, searched: searched.unwrap_or_default(), said: Said::new() });
    }
    let begun = ctx.begin(Stage::Search);
    anchors.decide(ctx, triage, true);
    let knowledge = ctx.knowledge;
    let mut chain_search = search::begin(ctx, &knowledge.graph);
    search::add(ctx, &mut chain_search, &anchors);
    ctx.check()?;
    let subject = Subject { question: &trace.question, anchors: &anchors, understood: &understood, triage, memory };
    let (searched, said) = end_search(ctx, chain_search, &subject)?;
    ctx.end(Stage::Search, begun.elapsed());
    ctx.check()?;
    Ok(Found { understood, anchors, searched, said })
}

/// Recognises and links the question, where the method looks at a graph.
fn read_question(ctx: &mut RunContext<'_>, question: &str, anchors: &mut Anchors) -> Result<Intent, StageError> {
    match ctx.method {
        Method::Base => Ok(intent_of(question)),
        _ => take_in_question(ctx, question, anchors, &mut Overlap::default()),
    }
}

/// Reads the question once more, without telling what was told when it was asked.
fn understand_again(ctx: &mut RunContext<'_>, trace: &Trace) -> Result<Understood, StageError> {
    ctx.relinking = true;
    let mut anchors = Anchors::default();
    let read = read_question(ctx, &trace.question, &mut anchors);
    ctx.relinking = false;
    Ok(Understood::of(read?, &anchors))
}
