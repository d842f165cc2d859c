//! From the question to its chains: read, linked, searched. For a first run the hypothesis is written meanwhile; a revision starts
//! where the doctor's decisions make a difference, and takes what comes before from the trace.

use std::sync::Arc;
use std::time::Instant;

use super::Method;
use super::driver::Work;
use super::extracted;
use super::model_hypothesis::ModelHypothesis;
use super::overlap::{Overlap, link_hypothesis};
use super::planned::Planned;
use super::ranking::Scores;
use super::remembered;
use super::run_cache::CachedRun;
use super::run_state::{Subject, Understood};
use crate::graph::{ChainBudget, ChainSearch, EntityId, EvolvingGraph, Kind, Role};
use crate::language::context::{RunContext, StageError};
use crate::language::knowledge::named;
use crate::language::lab::read_in_context;
use crate::language::link::Anchors;
use crate::language::link_by_cosine::{W2NER, link_by_cosine};
use crate::language::prompt::PromptFor;
use crate::language::recognise::{ReadTokens, Reading};
use crate::model::{GeneratorHandle, TypedMention};
use crate::pipeline::answer::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::llm::LlmHypothesis;
use crate::pipeline::search::{self, Searched};
use crate::pipeline::understand::after_procedure::{after_procedures, told_at};
use crate::pipeline::understand::contacts::add_contacts;
use crate::pipeline::understand::drug_of_level::add_drugs_of_levels;
use crate::pipeline::understand::gate::{Reach, gate, plausible};
use crate::pipeline::understand::kin_patient::take_kin_for_patient;
use crate::pipeline::understand::question::{ReadQuestion, read_question, told_in};
use crate::pipeline::understand::topics::asked_of_topics;
use crate::run::{
    BETWEEN_HYPOTHESES, Case, CaseCorrection, CasePatient, EventKind, FindingStatus, MentionOrigin, Refusal, Stage, Trace, Triage,
};
use crate::text::StopWords;

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
    /// Of a revision: what a language model's hypothesis named when it was written.
    pub(super) of_model: ModelHypothesis,
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
    let listed = work.names_prompt(ctx);
    let asked = Asked { question, triage: work.triage, follows: work.follows.as_deref(), named_later: listed.is_some() };
    let read = read(ctx, method, asked, &mut anchors)?;
    let by_model = work.writer(ctx).filter(|_| method.hypothesis_prompt().is_some());
    let own_words = by_model.is_none();
    let mut overlap = Overlap::new(own_words, method.links_by_cosine());
    (overlap.recognise, overlap.link) = (read.time.recognise, read.time.link);
    overlap.named_later = listed.is_some();
    let understood = Understood::of(read, &anchors);
    if listed.is_some() {
        anchors.clear();
    }

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let assessment = Arc::new(understood.assess(ctx, &anchors, work.triage));
    let planned = planned(ctx, work, &understood, &assessment);
    let writer = match by_model {
        Some(generator) => method.hypothesis_prompt().map(|prompt| written_by(ctx, work, generator, prompt)),
        None => hypothesis_writer(ctx, work, &understood, &assessment).map(|writer| Box::new(writer) as Box<dyn HypothesisWriter>),
    };
    ctx.begin(Stage::Search);
    let mut chains = chain_search(ctx, method, &knowledge.graph);
    let hypothesis = overlap.write(ctx, writer.as_deref(), begun, &mut anchors, &mut chains)?;
    ctx.check()?;
    if let Some(prompt) = listed {
        let started = Instant::now();
        link_listed(ctx, method, (asked, &hypothesis, prompt), &understood.case, &mut anchors)?;
        overlap.recognise += started.elapsed();
        search::add(ctx, &mut chains, &anchors);
    }
    ctx.end(Stage::Recognise, overlap.recognise);
    ctx.end(Stage::Link, overlap.link);
    anchors.report(ctx);

    let started = Instant::now();
    let (searched, scores) = end_search(ctx, work, chains, (&anchors, &understood), &planned)?;
    ctx.end(Stage::Search, overlap.search + started.elapsed());
    let of_model = ModelHypothesis::default();
    Ok(Found { understood, anchors, hypothesis, own_words, searched, scores, assessment: Some(assessment), planned, of_model })
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
    let (hypothesis, by_model) = both_hypotheses(trace);
    let mut of_model;
    let (understood, mut anchors) = if from <= Stage::Link {
        let begun = ctx.begin(Stage::Link);
        let mut anchors = Anchors::default();
        let by_cosine = method.links_by_cosine();
        let listed = method.names_prompt(work.bare).map(|prompt| extracted::of_trace(ctx, trace, prompt, by_cosine)).unwrap_or_default();
        let (question, follows) = (trace.question.as_str(), trace.follows.as_deref());
        let asked = Asked { question, triage, follows, named_later: !listed.is_empty() };
        let read = read(ctx, method, asked, &mut anchors)?;
        let understood = Understood::of(read, &anchors);
        if listed.is_empty() {
            link_hypothesis(ctx, hypothesis, (own_words, by_cosine), &mut anchors)?;
        } else {
            anchors.clear();
            link_places(ctx, (asked, hypothesis), (&listed, by_cosine), &understood.case, &mut anchors)?;
        }
        of_model = ModelHypothesis::beside(&anchors, hypothesis.len());
        of_model.link(ctx, by_model)?;
        anchors.report(ctx);
        ctx.end(Stage::Link, begun.elapsed());
        (understood, anchors)
    } else {
        let understood = match work.cached.as_ref().and_then(|run| run.understood(triage)) {
            Some(understood) => understood,
            None => understand_again(ctx, method, trace, triage)?,
        };
        let anchors = Anchors::of_trace(ctx, trace.linked().iter().filter(|anchor| !anchor.by_model), &trace.unlinked);
        of_model = ModelHypothesis::of_trace(ctx, &anchors, by_model, trace.linked());
        (understood, anchors)
    };
    of_model.anchors.reject(&ctx.knowledge.graph, triage);
    ctx.check()?;
    let assessment = work.cached.as_ref().and_then(|run| run.assessment(triage));
    let assessment = assessment.unwrap_or_else(|| Arc::new(understood.assess(ctx, &anchors, triage)));
    let planned = planned(ctx, work, &understood, &assessment);
    let assessment = Some(assessment);
    let hypothesis = hypothesis.to_owned();
    if from > Stage::Search {
        anchors.decide(ctx, triage, false);
        let mut searched = search::first(&ctx.knowledge.graph, searched.unwrap_or_default(), trace.chains_of_model);
        if from == Stage::Prune && !triage.pinned.is_empty() {
            // What the doctor pinned may bring a line that rests on more.
            searched = search::with_needed(ctx, searched, triage, &planned.needed());
        }
        return Ok(Found { understood, anchors, hypothesis, own_words, searched, scores: Scores::new(), assessment, planned, of_model });
    }
    let begun = ctx.begin(Stage::Search);
    anchors.decide(ctx, triage, true);
    let knowledge = ctx.knowledge;
    let mut chains = chain_search(ctx, method, &knowledge.graph);
    search::add(ctx, &mut chains, &anchors);
    ctx.check()?;
    let (searched, scores) = end_search(ctx, work, chains, (&anchors, &understood), &planned)?;
    ctx.end(Stage::Search, begun.elapsed());
    Ok(Found { understood, anchors, hypothesis, own_words, searched, scores, assessment, planned, of_model })
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
    if work.bare {
        return Planned::default();
    }
    let remembered = work.method.uses_ratings().then(|| remembered::for_question(ctx.knowledge, understood));
    Planned::of(ctx, understood, assessment, (work.question, work.triage, remembered))
}

/// The trace's chains in the graph's numbers; `None` where the graph has changed since, so that they are searched again.
pub(super) fn searched_before(ctx: &RunContext<'_>, trace: &Trace, same_graph: bool, cached: Option<&CachedRun>) -> Option<Searched> {
    let known = cached.and_then(|run| run.searched(&trace.table));
    let graph = &ctx.knowledge.graph;
    let known = known.or_else(|| search::of_table(graph, &trace.table).filter(|_| same_graph));
    // As much may have been learned since as was withdrawn.
    known.filter(|searched| search::holds(graph, &searched.found))
}

/// A question as it is read.
#[derive(Clone, Copy)]
struct Asked<'a> {
    question: &'a str,
    triage: &'a Triage,
    /// The case of the question that it follows.
    follows: Option<&'a Case>,
    /// A language model lists the names afterwards: until then nothing is told of those that are recognised, by which the case is
    /// understood.
    named_later: bool,
}

/// Links what the language model lists in question and hypothesis; without a list, what is recognised there.
fn link_listed(
    ctx: &mut RunContext<'_>,
    method: &dyn Method,
    (asked, hypothesis, prompt): (Asked<'_>, &str, PromptFor),
    case: &Case,
    anchors: &mut Anchors,
) -> Result<(), StageError> {
    let by_cosine = method.links_by_cosine();
    if let Some(listed) = extracted::names(ctx, (asked.question, hypothesis), prompt)? {
        return link_places(ctx, (asked, hypothesis), (&listed, by_cosine), case, anchors);
    }
    *anchors = Anchors::default();
    read(ctx, method, Asked { named_later: false, ..asked }, anchors)?;
    link_hypothesis(ctx, hypothesis, (false, by_cosine), anchors)
}

/// Links what stands in these places, and what the question takes over from the one before.
fn link_places(
    ctx: &mut RunContext<'_>,
    (asked, hypothesis): (Asked<'_>, &str),
    (places, by_cosine): (&[extracted::Place], bool),
    case: &Case,
    anchors: &mut Anchors,
) -> Result<(), StageError> {
    extracted::link(ctx, (asked.question, hypothesis), places, by_cosine, anchors)?;
    if carries(asked.follows, asked.triage) {
        anchors.carry(ctx, case);
    }
    Ok(())
}

/// Whether the case may hold what stands in no words of the question: what is taken over, and what the doctor added.
fn carries(follows: Option<&Case>, triage: &Triage) -> bool {
    follows.is_some() || !triage.case.is_empty()
}

/// Reads the question, with the doctor's corrections of its case, and tells the listeners how it was read.
fn read(
    ctx: &mut RunContext<'_>,
    method: &dyn Method,
    Asked { question, triage, follows, named_later }: Asked<'_>,
    anchors: &mut Anchors,
) -> Result<ReadQuestion, StageError> {
    let by_cosine = method.links_by_cosine();
    let mut read = if by_cosine || named_later {
        read_beside(ctx, question, (&triage.case, follows.is_some()), anchors)?
    } else {
        read_question(ctx, question, (&triage.case, follows.is_some()), method.uses_graph(), anchors)?
    };
    if let Some(before) = follows {
        read.follow((ctx.knowledge, question), before, &triage.case, Wording::for_text(question).is_chinese());
    }
    let is_complaint = |name: &str| {
        let entity = named(&ctx.knowledge.graph, name, "");
        entity.is_some_and(|entity| matches!(ctx.knowledge.graph.kind(entity), Kind::Symptom))
    };
    take_kin_for_patient(Arc::make_mut(&mut read.case), &ReadTokens::of(question).tokens, is_complaint);
    let drug_of = |name: &str| {
        let entity = named(&ctx.knowledge.graph, name, "")?;
        let is_drug = matches!(ctx.knowledge.graph.kind(entity), Kind::Drug);
        is_drug.then(|| ctx.knowledge.graph.entity_name(entity).to_owned())
    };
    add_drugs_of_levels(Arc::make_mut(&mut read.case), drug_of);
    read_in_context(Arc::make_mut(&mut read.case), |name| named(&ctx.knowledge.graph, name, "").is_some());
    let is_corrected = |name: &str| triage.case.iter().filter_map(CaseCorrection::item).any(|item| item.contains(name));
    add_contacts(Arc::make_mut(&mut read.case), &ctx.knowledge.graph, is_corrected);
    for text in triage.case.iter().filter_map(CaseCorrection::words) {
        let told = told_in(ctx.knowledge, text);
        if !told.is_understood() && told.patient == CasePatient::default() {
            ctx.warn(CaseCorrection::unread(text));
        }
    }
    let carries = carries(follows, triage);
    if carries && method.uses_graph() && !by_cosine {
        quietly(ctx, named_later, |ctx| anchors.carry(ctx, &read.case));
    }
    let corrected = !triage.case.is_empty() || !triage.added_anchors.is_empty();
    let reach = if corrected || !method.uses_graph() { Reach::Words } else { Reach::Understanding };
    let mut refusal = gate(&ReadTokens::of(question).tokens, &read.case, anchors, reach);
    let is_emergency = |condition| urgency_of(ctx.knowledge, condition) == Some("emergency");
    let comes_of = |condition, other| {
        let facts = ctx.knowledge.facts();
        let states = |of: EntityId| facts.states(of, other, |role| matches!(role, Role::Broader | Role::Cause));
        states(condition) || facts.players_of_role(condition, Role::Broader).any(states)
    };
    let plausible = plausible(&read.case, anchors, refusal.as_ref(), |one, other| is_emergency(one) && !comes_of(one, other));
    let is_told = !asked_of_topics(&ctx.knowledge.graph, question, &read.case).told.is_empty();
    // Who asks whether he may play rugby after an illness, and complains of nothing, describes no picture of another.
    let is_well = is_told && !read.case.findings.iter().any(|finding| finding.status == FindingStatus::Present);
    let is_after_procedure = understand_after_procedure(question, &mut read);
    if is_after_procedure && reach == Reach::Understanding && refusal != Some(Refusal::Harm) {
        refusal = None;
    }
    if let Some(condition) = plausible.filter(|_| !by_cosine && reach == Reach::Understanding && !is_well && !is_after_procedure) {
        anchors.recognised = Some(condition);
        refusal = None;
    }
    // Of what the graph tells a topic, little else need be understood: "how do I help my father not to fall?"
    if refusal == Some(Refusal::TooLittleUnderstood) && reach == Reach::Understanding && is_told {
        refusal = None;
    }
    if by_cosine {
        let started = Instant::now();
        let of_case = std::mem::take(anchors);
        *anchors = quietly(ctx, named_later, |ctx| by_nearest_name(ctx, question, of_case))?;
        if carries {
            quietly(ctx, named_later, |ctx| anchors.carry(ctx, &read.case));
        }
        read.time.link += started.elapsed();
    }
    Arc::make_mut(&mut read.case).refusal = refusal;
    if !ctx.relinking {
        ctx.emit(EventKind::CaseRead { case: Arc::clone(&read.case) });
    }
    Ok(read)
}

/// Whether something went wrong after a procedure; the words that tell of it count as understood.
fn understand_after_procedure(question: &str, read: &mut ReadQuestion) -> bool {
    let tokens = ReadTokens::of(question).tokens;
    let after = after_procedures(&tokens, &read.case);
    let told: Vec<(usize, usize)> = after.iter().flat_map(|after| told_at(&tokens, *after)).collect();
    let bytes = |(first, last): (usize, usize)| Some((tokens.get(first)?.start, tokens.get(last.checked_sub(1)?)?.end));
    let told: Vec<(usize, usize)> = told.into_iter().filter_map(bytes).collect();
    if !told.is_empty() {
        let is_told = |start, end| told.iter().any(|(from, to)| start < *to && *from < end);
        Arc::make_mut(&mut read.case).not_understood.retain(|term| !is_told(term.start, term.end));
    }
    !after.is_empty()
}

/// Works, and, if it is `quiet`, tells the listeners of no mentions and anchors.
fn quietly<'c, T>(ctx: &mut RunContext<'c>, quiet: bool, work: impl FnOnce(&mut RunContext<'c>) -> T) -> T {
    let before = ctx.relinking;
    ctx.relinking = before || quiet;
    let done = work(ctx);
    ctx.relinking = before;
    done
}

/// Reads the case of a question whose anchors are linked in the method's own way afterwards: the listeners are told of those.
fn read_beside(
    ctx: &mut RunContext<'_>,
    question: &str,
    corrections: (&[CaseCorrection], bool),
    anchors: &mut Anchors,
) -> Result<ReadQuestion, StageError> {
    let before = std::mem::replace(&mut ctx.relinking, true);
    let read = read_question(ctx, question, corrections, true, anchors);
    ctx.relinking = before;
    read
}

/// The anchors of a question by the cosine alone. `of_case`: those by which its case was understood.
fn by_nearest_name(ctx: &mut RunContext<'_>, question: &str, of_case: Anchors) -> Result<Anchors, StageError> {
    let mut anchors = Anchors::of(Vec::new());
    anchors.partial_matches = of_case.partial_matches;
    let spans: Vec<(usize, usize)> = ctx.recognised(question)?.iter().map(TypedMention::span).collect();
    let mut reading = Reading::of(question, 0, MentionOrigin::Question, StopWords::built_in());
    let names = reading.names(ctx.knowledge.graph.names());
    let of = &mut anchors;
    ctx.with_encoder(|ctx| link_by_cosine(ctx, of, &mut reading, (&names, &spans, W2NER), MentionOrigin::Question, true))?;
    Ok(anchors)
}

/// The language model as writer of the hypothesis.
fn written_by(ctx: &mut RunContext<'_>, work: &Work<'_>, generator: &GeneratorHandle, prompt: PromptFor) -> Box<dyn HypothesisWriter> {
    let chinese = Wording::for_text(work.question).is_chinese();
    Box::new(LlmHypothesis::new(ctx, generator, work.question, (prompt, chinese)).alone())
}

/// Reads the question once more, without telling the listeners what they were told when it was asked.
fn understand_again(ctx: &mut RunContext<'_>, method: &dyn Method, trace: &Trace, triage: &Triage) -> Result<Understood, StageError> {
    ctx.relinking = true;
    let mut anchors = Anchors::default();
    let asked = Asked { question: &trace.question, triage, follows: trace.follows.as_deref(), named_later: false };
    let read = read(ctx, method, asked, &mut anchors);
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
    let subject = Subject { question: work.question, anchors, understood, triage: work.triage, cache: work.cache, bare: work.bare };
    let (found, scores) = work.method.search(ctx, chains, &subject)?;
    ctx.check()?;
    Ok((search::publish(ctx, found, work.triage, &planned.needed()), scores))
}

/// Who writes the hypothesis without a language model, or what a method has in its place; `None` where nobody does.
fn hypothesis_writer(ctx: &RunContext<'_>, work: &Work<'_>, understood: &Understood, assessment: &Assessment) -> Option<GraphHypothesis> {
    work.method.hypothesis_prompt()?;
    let wording = Wording::for_text(work.question);
    let knowledge = ctx.knowledge;
    let case = &understood.case;
    if case.asks_for_safety_alone() {
        let concerned = case.concerned().filter_map(|name| knowledge.graph.find(name));
        let concerned: Vec<_> = concerned.collect();
        return Some(GraphHypothesis::of_safety(knowledge, assessment, &concerned, wording));
    }
    let named: Vec<_> = understood.anchors.iter().map(|(entity, _)| *entity).filter(|entity| knowledge.is_condition(*entity)).collect();
    Some(GraphHypothesis::new(knowledge, assessment, &understood.intent, &named, wording))
}

/// The hypothesis of the graph, and that of the language model below it.
fn both_hypotheses(trace: &Trace) -> (&str, &str) {
    let Some((before, by_model)) = trace.model_hypothesis.and_then(|begins| trace.hypothesis.split_at_checked(begins)) else {
        return (&trace.hypothesis, "");
    };
    (before.strip_suffix(BETWEEN_HYPOTHESES).unwrap_or(before), by_model)
}

/// Whether the first part of a trace's hypothesis is the graph's own. In recordings from before the two stood beside each other, a language
/// model's stands in its place.
fn own_words(trace: &Trace) -> bool {
    trace.model_hypothesis.is_some() || !trace.prompts.iter().any(|prompt| prompt.stage == Stage::Hypothesis)
}

/// Tells the listeners that a revision begins, and what is not as it was when the question was asked.
pub(super) fn announce(ctx: &mut RunContext<'_>, trace: &Trace, triage: &Arc<Triage>, from: Stage, same_base: bool) {
    ctx.emit(EventKind::Revised { triage: Arc::clone(triage), from });
    ctx.models_may_be_known();
    if let Err(unknown) = trace.method.parse::<crate::run::MethodName>() {
        let used = super::engine::method_of(trace);
        ctx.warn(format!("The run used the method {}, which this version does not know; {used} continues it.", unknown.name));
    } else if super::engine::method_of(trace).to_string() != trace.method {
        let used = super::engine::method_of(trace);
        ctx.warn(format!("The run used what was called {} then and is called {used} now; {used} continues it.", trace.method));
    }
    if !same_base {
        let (was, is) = (crate::text::sanitise_line(&trace.kg.name), ctx.knowledge.graph.name());
        ctx.warn(format!(
            "The graph in use, {is}, differs from {was} as it was when the question was asked; chains are searched again where needed."
        ));
    }
}
