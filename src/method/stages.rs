//! The stages that a run and its revisions share, from the chains on: choosing them, and reading the answer.

use std::sync::Arc;
use std::time::Instant;

use super::memory::Memory;
use super::ranked::{Ranked, Said};
use super::relevance::Worth;
use super::{nearest, rok, wts};
use crate::graph::{ChainBudget, ChainSearch, EntityId, EvolvingGraph, FoundChains, neighbourhood};
use crate::pipeline::assess::{Assessment, assess};
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::hints::Hints;
use crate::pipeline::intent::Intent;
use crate::pipeline::link::Anchors;
use crate::pipeline::llm::read_with_model;
use crate::pipeline::prune::{Known, PruneInput, prune};
use crate::pipeline::read::{ReadInput, all_rejected, no_evidence, read};
use crate::pipeline::search::{self, Searched};
use crate::pipeline::wording::Wording;
use crate::pipeline::{Answer, Decided, EventKind, MOST_KEPT, Method, Outcome, Pruning, Stage, Triage};

/// What the question itself says: what it asks for, and what it names.
#[derive(Debug, Clone, Default)]
pub(super) struct Understood {
    pub(super) intent: Intent,
    /// Anchors that the question names, before the hypothesis was read.
    pub(super) anchors: Vec<(EntityId, f64)>,
    /// What its words are near to.
    pub(super) hints: Hints,
}

impl Understood {
    /// What was understood, once the question is linked.
    pub(super) fn of(intent: Intent, anchors: &Anchors) -> Self {
        Self { intent, anchors: anchors.of_question().map(|anchor| (anchor.entity, anchor.score)).collect(), hints: anchors.hints.clone() }
    }

    /// What the question speaks for, with what the doctor decided about its anchors.
    pub(super) fn assess(&self, ctx: &RunContext<'_>, in_force: &Anchors, triage: &Triage) -> Assessment {
        if triage.rejected_anchors.is_empty() && triage.added_anchors.is_empty() {
            let hints = self.hints.accounts(ctx.knowledge, !self.anchors.is_empty(), |_| false);
            return assess(ctx.knowledge, &self.anchors, &hints, &self.intent);
        }
        let graph = &ctx.knowledge.graph;
        let is_rejected = |entity| triage.rejected_anchors.contains(graph.entity_name(entity));
        let mut anchors = self.anchors.clone();
        anchors.retain(|(entity, _)| !triage.rejected_anchors.contains(graph.entity_name(*entity)));
        for added in in_force.all.iter().filter(|anchor| triage.added_anchors.iter().any(|name| name == graph.entity_name(anchor.entity))) {
            match anchors.iter_mut().find(|(entity, _)| *entity == added.entity) {
                Some(known) => known.1 = added.score,
                None => anchors.push((added.entity, added.score)),
            }
        }
        let hints = self.hints.accounts(ctx.knowledge, !anchors.is_empty(), is_rejected);
        assess(ctx.knowledge, &anchors, &hints, &self.intent)
    }
}

/// Ends the search in the method's own way, and tells what was found. With it comes what a language model said of chains already.
pub(super) fn end_search(
    ctx: &mut RunContext<'_>,
    search: ChainSearch<'_, EvolvingGraph>,
    subject: &Subject<'_>,
) -> Result<(Searched, Said), StageError> {
    let graph = &ctx.knowledge.graph;
    let mut said = Said::new();
    let found = match ctx.method {
        Method::Hykge(without) if without.chains => neighbourhood(graph, &subject.anchors.entities(), ChainBudget::default().chains),
        Method::Hykge(_) => search::finish(ctx, search, subject.anchors),
        Method::Rok => rok::with_branches(ctx, search::finish(ctx, search, subject.anchors), subject.anchors),
        Method::Wts => {
            let (found, scores) = wts::search(ctx, subject)?;
            said = scores;
            found
        }
        Method::KgRag => nearest::around(ctx, subject),
        Method::Embed => nearest::nearest(ctx, subject)?,
        Method::Base => FoundChains::default(),
    };
    ctx.check()?;
    Ok((search::publish(ctx, found, subject.triage), said))
}

/// What a search that is no search between anchors works on.
pub(super) struct Subject<'a> {
    pub(super) question: &'a str,
    pub(super) anchors: &'a Anchors,
    pub(super) understood: &'a Understood,
    pub(super) triage: &'a Triage,
    pub(super) memory: &'a Memory,
}

/// What choosing and reading work on.
pub(super) struct Case<'a> {
    pub(super) question: &'a str,
    pub(super) hypothesis: &'a str,
    /// The hypothesis is the graph's own, which advises against nothing that the graph supports.
    pub(super) own_words: bool,
    pub(super) anchors: &'a Anchors,
    pub(super) understood: &'a Understood,
    pub(super) assessment: &'a Assessment,
    pub(super) searched: &'a Searched,
    pub(super) triage: &'a Triage,
    /// What was said of chains before, by number.
    pub(super) said: &'a Said,
    pub(super) memory: &'a Memory,
}

impl Case<'_> {
    /// Chooses the chains that are kept.
    pub(super) fn prune(&self, ctx: &mut RunContext<'_>, known: &mut Known) -> Result<Arc<Pruning>, StageError> {
        let begun = ctx.begin(Stage::Prune);
        let decided = self.decided(ctx);
        self.report_pins(ctx, &decided);
        let pruning: Arc<Pruning> = if ranks_by_fragments(ctx.method) {
            let input = self.prune_input(&decided);
            ctx.with_encoder(|ctx| prune(ctx, &input, known))?
        } else {
            self.ranked(ctx, &decided)?.choose(&decided.pinned, ctx.settings.top_k)
        }
        .into();
        ctx.emit(EventKind::ChainsPruned { pruning: Arc::clone(&pruning) });
        ctx.end(Stage::Prune, begun.elapsed());
        Ok(pruning)
    }

    /// What the triage decides about the chains.
    pub(super) fn decided(&self, ctx: &RunContext<'_>) -> Decided {
        if self.triage.is_empty() {
            return Decided::default();
        }
        match ctx.method {
            Method::Hykge(_) | Method::Rok => {
                Decided::of(self.triage, &self.searched.table, &self.anchors.told(&ctx.knowledge.graph), ctx.settings.k)
            }
            _ => Decided::of_any(self.triage, &self.searched.table),
        }
    }

    /// The chains that may be kept, by the scores of a method that does not rank by fragments.
    pub(super) fn ranked(&self, ctx: &mut RunContext<'_>, decided: &Decided) -> Result<Ranked, StageError> {
        let all = || (0..self.searched.found.chains.len() as u32).collect();
        let open: Vec<u32> = decided.open.clone().unwrap_or_else(all);
        let (question, chains) = (self.question, &self.searched.found.chains[..]);
        let worth = Worth::of(self.assessment, &self.understood.intent);
        match ctx.method {
            Method::Hykge(_) | Method::Base => Ok(Ranked::as_searched(&open)),
            Method::Rok => {
                let key = self.anchors.entities().into_iter().map(|entity| entity.0).collect();
                let vectors = &self.memory.triples;
                rok::rank(ctx, &rok::Choice { question, chains, open: &open, key, worth, vectors, said: self.said })
            }
            Method::Wts => wts::rank(ctx, question, chains, &open, (&worth, self.said, self.memory)),
            Method::KgRag | Method::Embed => nearest::rank(ctx, question, chains, &open, &self.memory.triples),
        }
    }

    pub(super) fn prune_input<'b>(&'b self, decided: &'b Decided) -> PruneInput<'b> {
        PruneInput {
            found: &self.searched.found,
            decided,
            anchors: self.anchors,
            assessment: self.assessment,
            intent: &self.understood.intent,
            question: self.question,
            hypothesis: self.hypothesis,
        }
    }

    /// Says where pins are not kept to the letter.
    fn report_pins(&self, ctx: &mut RunContext<'_>, decided: &Decided) {
        let (pinned, top_k) = (decided.pinned.len(), ctx.settings.top_k);
        if pinned > MOST_KEPT {
            ctx.warn(format!("{pinned} chains are pinned; at most {MOST_KEPT} can be kept, the first of the list."));
        } else if pinned > top_k {
            ctx.warn(format!("{pinned} chains are pinned, more than the {top_k} to be kept: all of the pinned are kept, and no others."));
        }
        let missing = self.triage.pinned.len().saturating_sub(pinned);
        if missing > 0 {
            let (chains, are) = if missing == 1 { ("pinned chain", "is") } else { ("pinned chains", "are") };
            ctx.warn(format!("{missing} {chains} {are} not kept: the graph does not state all of the triples (any more)."));
        }
    }

    /// Reads the answer from the chains that are kept.
    pub(super) fn read(&self, ctx: &mut RunContext<'_>, pruning: &Pruning) -> Result<Outcome, StageError> {
        let knowledge = ctx.knowledge;
        let wording = Wording::for_text(self.question);
        let begun = ctx.begin(Stage::Read);
        let input = ReadInput {
            knowledge,
            found: &self.searched.found,
            pruning,
            anchors: self.anchors,
            assessment: self.assessment,
            intent: &self.understood.intent,
            wording,
            hypothesis: if self.own_words { "" } else { self.hypothesis },
        };
        if ctx.method == Method::Base {
            if !self.triage.is_empty() {
                ctx.warn("The method base asks no graph: what was decided about anchors and chains changes nothing.");
            }
            let by_model = match ctx.generator {
                Some(generator) => read_with_model(ctx, &input, self.question, generator)?,
                None => None,
            };
            let answer = by_model.unwrap_or_else(|| Answer { text: wording.answer.no_model.clone(), ..Answer::default() });
            let outcome = outcome_of(&answer);
            return Ok(finish(ctx, answer, outcome, begun));
        }
        if pruning.kept.is_empty() {
            // Whatever a model would write now, it would invent; so none is asked.
            let none_left = self.anchors.all.is_empty() && !self.triage.rejected_anchors.is_empty();
            let answer = if self.searched.found.chains.is_empty() && !none_left {
                let understood: Vec<String> = self.anchors.all.iter().map(|a| wording.name(&knowledge.graph, a.entity)).collect();
                no_evidence(&understood, &self.anchors.unlinked, wording)
            } else {
                all_rejected(wording)
            };
            return Ok(finish(ctx, answer, Outcome::NothingFound, begun));
        }
        let by_model = match ctx.generator {
            Some(generator) => read_with_model(ctx, &input, self.question, generator)?,
            None => None,
        };
        let answer = by_model.unwrap_or_else(|| read(&input));
        let outcome = outcome_of(&answer);
        Ok(finish(ctx, answer, outcome, begun))
    }
}

/// How a run ends that has this answer.
pub(super) fn outcome_of(answer: &Answer) -> Outcome {
    if answer.grounded || answer.by_model { Outcome::Answered } else { Outcome::NothingFound }
}

fn finish(ctx: &mut RunContext<'_>, answer: Answer, outcome: Outcome, begun: Instant) -> Outcome {
    // A model's text has been told as it was written.
    if !answer.by_model {
        for line in answer.text.split_inclusive('\n') {
            ctx.emit(EventKind::AnswerToken { text: line.to_owned() });
        }
    }
    ctx.emit(EventKind::AnswerFinished { answer });
    ctx.end(Stage::Read, begun.elapsed());
    outcome
}

/// Whether chains are ranked by fragments (HyKGE §4.4).
pub(super) fn ranks_by_fragments(method: Method) -> bool {
    matches!(method, Method::Hykge(without) if !without.rerank)
}
