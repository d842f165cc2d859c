//! From the question to its chains: read, linked, searched. For a first run the hypothesis is written meanwhile; a revision starts
//! where the doctor's decisions make a difference, and takes what comes before from the trace.

use std::sync::Arc;
use std::time::Instant;

use super::Method;
use super::driver::Work;
use super::overlap::{Overlap, link_hypothesis};
use super::planned::Planned;
use super::ranking::Scores;
use super::run_cache::CachedRun;
use super::run_state::{Subject, Understood};
use crate::graph::{ChainBudget, ChainSearch, EvolvingGraph};
use crate::language::context::{RunContext, StageError};
use crate::language::link::Anchors;
use crate::language::recognise::ReadTokens;
use crate::pipeline::answer::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::llm::LlmHypothesis;
use crate::pipeline::search::{self, Searched};
use crate::pipeline::understand::gate::{Reach, gate};
use crate::pipeline::understand::question::{ReadQuestion, read_question};
use crate::run::{Case, EventKind, Stage, Trace, Triage};

/// What is found before chains are chosen.
pub(super) struct Found {
    pub(super) understood: Understood,
    pub(super) anchors: Anchors,
    pub(super) hypothesis: String,
    /// The hypothesis is the graph's own rather than a model's.
    pub(super) own_words: bool,
    pub(super) searched: Searched,
    /// Scores that a language model gave chains while they were searched.
    pub(super) scores: Scores,
    /// What the question's anchors speak for, where it was weighed on the way.
    pub(super) assessment: Option<Arc<Assessment>>,
    /// The answer, as far as it does not depend on which chains are chosen.
    pub(super) planned: Planned,
}

/// A first run: the question is read, and while the hypothesis is written, its sentences are linked and chains searched.
pub(super) fn for_question(ctx: &mut RunContext<'_>, work: &Work<'_>) -> Result<Found, StageError> {
    let (method, question) = (work.method, work.question);
    let mut anchors = Anchors::default();
    if let Some(warning) = method.warning(ctx) {
        ctx.warn(warning);
    }
    ctx.begin(Stage::Recognise);
    ctx.begin(Stage::Link);
    let read = read(ctx, method, question, (work.triage, work.follows.as_deref()), &mut anchors)?;
    let mut overlap = Overlap::default();
    (overlap.recognise, overlap.link) = (read.time.recognise, read.time.link);
    let understood = Understood::of(read, &anchors);

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let assessment = Arc::new(understood.assess(ctx, &anchors, work.triage));
    let planned = planned(ctx, work, &understood, &assessment);
    let writer = hypothesis_writer(ctx, work, &understood, &assessment);
    ctx.begin(Stage::Search);
    let mut chains = chain_search(ctx, method, &knowledge.graph);
    let hypothesis = overlap.write(ctx, writer, begun, &mut anchors, &mut chains)?;
    ctx.check()?;
    ctx.end(Stage::Recognise, overlap.recognise);
    ctx.end(Stage::Link, overlap.link);
    anchors.report(ctx);

    let started = Instant::now();
    let (searched, scores) = end_search(ctx, work, chains, (&anchors, &understood), &planned)?;
    ctx.end(Stage::Search, overlap.search + started.elapsed());
    let own_words = overlap.is_of_graph();
    Ok(Found { understood, anchors, hypothesis, own_words, searched, scores, assessment: Some(assessment), planned })
}

/// A revision: links and searches, as far as `from` asks for it. `searched`: the trace's chains, where they are not searched again.
pub(super) fn for_revision(
    ctx: &mut RunContext<'_>,
    work: &Work<'_>,
    trace: &Trace,
    from: Stage,
    searched: Option<Searched>,
) -> Result<Found, StageError> {
    let (method, triage) = (work.method, work.triage);
    let own_words = own_words(trace);
    let (understood, mut anchors) = if from <= Stage::Link {
        let begun = ctx.begin(Stage::Link);
        let mut anchors = Anchors::default();
        let read = read(ctx, method, &trace.question, (triage, trace.follows.as_deref()), &mut anchors)?;
        let understood = Understood::of(read, &anchors);
        link_hypothesis(ctx, &trace.hypothesis, own_words, &mut anchors)?;
        anchors.report(ctx);
        ctx.end(Stage::Link, begun.elapsed());
        (understood, anchors)
    } else {
        let understood = match work.cached.as_ref().and_then(|run| run.understood(triage)) {
            Some(understood) => understood,
            None => understand_again(ctx, method, trace, triage)?,
        };
        (understood, Anchors::of_trace(ctx, trace.linked(), &trace.unlinked))
    };
    ctx.check()?;
    let assessment = work.cached.as_ref().and_then(|run| run.assessment(triage));
    let assessment = assessment.unwrap_or_else(|| Arc::new(understood.assess(ctx, &anchors, triage)));
    let planned = planned(ctx, work, &understood, &assessment);
    let assessment = Some(assessment);
    let hypothesis = trace.hypothesis.clone();
    if from > Stage::Search {
        anchors.decide(ctx, triage, false);
        let searched = searched.unwrap_or_default();
        return Ok(Found { understood, anchors, hypothesis, own_words, searched, scores: Scores::new(), assessment, planned });
    }
    let begun = ctx.begin(Stage::Search);
    anchors.decide(ctx, triage, true);
    let knowledge = ctx.knowledge;
    let mut chains = chain_search(ctx, method, &knowledge.graph);
    search::add(ctx, &mut chains, &anchors);
    ctx.check()?;
    let (searched, scores) = end_search(ctx, work, chains, (&anchors, &understood), &planned)?;
    ctx.end(Stage::Search, begun.elapsed());
    Ok(Found { understood, anchors, hypothesis, own_words, searched, scores, assessment, planned })
}

impl Found {
    /// What the question's anchors speak for: as weighed on the way, as remembered, or weighed now.
    pub(super) fn assess(&self, ctx: &RunContext<'_>, cached: Option<&CachedRun>, triage: &Triage) -> Arc<Assessment> {
        let known = self.assessment.clone().or_else(|| cached.and_then(|run| run.assessment(triage)));
        known.unwrap_or_else(|| Arc::new(self.understood.assess(ctx, &self.anchors, triage)))
    }
}

/// The planned answer; nothing where a paper's algorithm runs alone.
fn planned(ctx: &RunContext<'_>, work: &Work<'_>, understood: &Understood, assessment: &Assessment) -> Planned {
    if work.bare { Planned::default() } else { Planned::of(ctx, understood, assessment, (work.question, work.triage)) }
}

/// The trace's chains in the graph's numbers; `None` where the graph has changed since.
pub(super) fn searched_before(ctx: &RunContext<'_>, trace: &Trace, same_graph: bool, cached: Option<&CachedRun>) -> Option<Searched> {
    let known = cached.and_then(|run| run.searched(&trace.table));
    known.or_else(|| search::of_table(&ctx.knowledge.graph, &trace.table).filter(|_| same_graph))
}

/// Reads the question, with the doctor's corrections of its case, and tells the listeners how it was read.
fn read(
    ctx: &mut RunContext<'_>,
    method: &dyn Method,
    question: &str,
    (triage, follows): (&Triage, Option<&Case>),
    anchors: &mut Anchors,
) -> Result<ReadQuestion, StageError> {
    let mut read = read_question(ctx, question, &triage.case, method.uses_graph(), anchors)?;
    if let Some(before) = follows {
        read.follow(before, Wording::for_text(question).is_chinese());
        if method.uses_graph() {
            anchors.carry(ctx, &read.case);
        }
    }
    let corrected = !triage.case.is_empty() || !triage.added_anchors.is_empty();
    let reach = if corrected || !method.uses_graph() { Reach::Words } else { Reach::Understanding };
    let refusal = gate(&ReadTokens::of(question).tokens, &read.case, anchors, reach);
    Arc::make_mut(&mut read.case).refusal = refusal;
    if !ctx.relinking {
        ctx.emit(EventKind::CaseRead { case: Arc::clone(&read.case) });
    }
    Ok(read)
}

/// Reads the question once more, without telling the listeners what they were told when it was asked.
fn understand_again(ctx: &mut RunContext<'_>, method: &dyn Method, trace: &Trace, triage: &Triage) -> Result<Understood, StageError> {
    ctx.relinking = true;
    let mut anchors = Anchors::default();
    let read = read(ctx, method, &trace.question, (triage, trace.follows.as_deref()), &mut anchors);
    ctx.relinking = false;
    Ok(Understood::of(read?, &anchors))
}

fn chain_search<'g>(ctx: &RunContext<'_>, method: &dyn Method, graph: &'g EvolvingGraph) -> ChainSearch<'g, EvolvingGraph> {
    ChainSearch::new(graph, method.chain_length(ctx.settings), ChainBudget::default())
}

/// Ends the search in the method's own way, and tells the listeners what was found.
fn end_search(
    ctx: &mut RunContext<'_>,
    work: &Work<'_>,
    chains: ChainSearch<'_, EvolvingGraph>,
    (anchors, understood): (&Anchors, &Understood),
    planned: &Planned,
) -> Result<(Searched, Scores), StageError> {
    let subject = Subject { question: work.question, anchors, understood, triage: work.triage, cache: work.cache };
    let (found, scores) = work.method.search(ctx, chains, &subject)?;
    ctx.check()?;
    Ok((search::publish(ctx, found, work.triage, &planned.needed()), scores))
}

/// Who writes the hypothesis, or what a method has in its place; `None` where nobody does.
fn hypothesis_writer(
    ctx: &mut RunContext<'_>,
    work: &Work<'_>,
    understood: &Understood,
    assessment: &Assessment,
) -> Option<Box<dyn HypothesisWriter>> {
    let prompt = work.method.hypothesis_prompt()?;
    let wording = Wording::for_text(work.question);
    let knowledge = ctx.knowledge;
    let named: Vec<_> = understood.anchors.iter().map(|(entity, _)| *entity).filter(|entity| knowledge.is_condition(*entity)).collect();
    let of_graph = GraphHypothesis::new(knowledge, assessment, &understood.intent, &named, wording);
    // No model is asked about a question that is not answered.
    let is_refused = understood.case.refusal.is_some() && !work.bare;
    Some(match ctx.generator.filter(|_| !is_refused) {
        Some(generator) => Box::new(LlmHypothesis::new(ctx, generator, work.question, (prompt, wording.is_chinese()), of_graph)),
        None => Box::new(of_graph),
    })
}

/// Whether a trace's hypothesis is the graph's own: no language model was asked for one.
fn own_words(trace: &Trace) -> bool {
    !trace.prompts.iter().any(|prompt| prompt.stage == Stage::Hypothesis)
}

/// Tells the listeners that a revision begins, and what is not as it was when the question was asked.
pub(super) fn announce(ctx: &mut RunContext<'_>, trace: &Trace, triage: &Arc<Triage>, from: Stage, same_base: bool) {
    ctx.emit(EventKind::Revised { triage: Arc::clone(triage), from });
    ctx.models_may_be_known();
    if let Err(unknown) = trace.method.parse::<crate::run::MethodName>() {
        let used = super::engine::method_of(trace);
        ctx.warn(format!("The run used the method {}, which this version does not know; {used} continues it.", unknown.name));
    }
    if !same_base {
        let (was, is) = (crate::text::sanitise_line(&trace.kg.name), ctx.knowledge.graph.name());
        ctx.warn(format!(
            "The graph in use, {is}, differs from {was} as it was when the question was asked; chains are searched again where needed."
        ));
    }
}
