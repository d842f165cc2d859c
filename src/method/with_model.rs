//! What a language model adds to a run that is complete without it: anchors, a bounded number of chains, and sentences. Nothing that the run
//! has without the model is displaced, and the exit is the same.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use super::driver::{Work, state_of};
use super::find::Found;
use super::model_hypothesis::ModelHypothesis;
use super::named_by_model::name_unknown;
use super::ranking::Scores;
use super::run_state::{RunState, Subject, emit_answer};
use crate::graph::{Chain, ChainBudget, ChainSearch, ChainTable, EntityId, FoundChains};
use crate::language::context::{RunContext, StageError};
use crate::language::link::{Anchors, Linked};
use crate::model::GeneratorHandle;
use crate::pipeline::answer::extractive::ReadInput;
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::llm::{LlmHypothesis, refine_with_model};
use crate::pipeline::prune::{Fragments, PruneInput, ScoreCache, prune};
use crate::pipeline::search::{Searched, places_of};
use crate::run::{AnchorOrigin, Answer, Decided, EventKind, MOST_KEPT, Pruning, ScoredChain, Stage};

/// The most chains that are kept for the language model's sake.
const CHAINS: usize = 5;
/// The most of them that one of its anchors brings.
const OF_ANCHOR: usize = 2;
/// The longest chain, in relations, from the case to what the model names.
const LONGEST: usize = 2;
/// The most chains that are searched for it.
const SEARCHED: usize = 20_000;

/// A run so far: what was found, and the chains kept without a language model.
pub(super) struct SoFar<'a> {
    pub(super) work: &'a Work<'a>,
    pub(super) found: &'a Found,
    pub(super) assessment: &'a Arc<Assessment>,
    pub(super) pruning: &'a Arc<Pruning>,
}

/// The chains with those that a language model brought, and the choice from them.
pub(super) struct Joined {
    pub(super) searched: Searched,
    pub(super) pruning: Arc<Pruning>,
}

impl SoFar<'_> {
    /// Has the model write its hypothesis, if the method has one, and adds what it names. Before, it is asked what unknown words name.
    pub(super) fn hypothesis(
        &self,
        ctx: &mut RunContext<'_>,
        generator: &GeneratorHandle,
        spent: Instant,
    ) -> Result<ModelHypothesis, StageError> {
        let mut of_model = ModelHypothesis::beside(&self.found.anchors, self.found.hypothesis.len());
        let Some(prompt) = self.work.method.hypothesis_prompt() else { return Ok(of_model) };
        let chinese = Wording::for_text(self.work.question).is_chinese();
        ctx.begin(Stage::Hypothesis);
        name_unknown(ctx, generator, self.work.question, &self.found.understood.case)?;
        let writer = LlmHypothesis::new(ctx, generator, self.work.question, (prompt, chinese));
        of_model.write(ctx, &writer)?;
        ctx.end(Stage::Hypothesis, spent.elapsed());
        Ok(of_model)
    }

    /// Adds the chains that connect the model's anchors to the case, and those that the method's own questions to the model bring.
    pub(super) fn chains(&self, ctx: &mut RunContext<'_>, of_model: &ModelHypothesis) -> Result<Joined, StageError> {
        if self.work.writer(ctx).is_some() {
            // It has been asked where its paper asks it.
            return Ok(Joined { searched: self.found.searched.clone(), pruning: Arc::clone(self.pruning) });
        }
        let by_anchors = self.by_anchors(ctx, of_model)?;
        let scores = Scores::new();
        let state = state_of(self.work, self.found, self.assessment, &scores);
        ctx.asks_model = ctx.generator.is_some();
        let by_method = self.work.method.chosen_by_model(ctx, &state, &self.subject());
        ctx.asks_model = false;
        let by_method = by_method?;
        // In turns, so that neither takes all places.
        let most = by_anchors.len().max(by_method.len());
        let in_turns = (0..most).flat_map(|at| [by_anchors.get(at), by_method.get(at)]).flatten().copied();
        let mut seen = HashSet::new();
        let wanted: Vec<Chain> = in_turns.filter(|chain| seen.insert(*chain)).collect();
        Ok(self.join(ctx, &wanted))
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            question: self.work.question,
            anchors: &self.found.anchors,
            understood: &self.found.understood,
            triage: self.work.triage,
            cache: self.work.cache,
            bare: self.work.bare,
        }
    }

    /// The best chains between the case and what the model names.
    fn by_anchors(&self, ctx: &mut RunContext<'_>, of_model: &ModelHypothesis) -> Result<Vec<Chain>, StageError> {
        let case: HashSet<u32> = self.found.anchors.of_question().map(|anchor| anchor.entity.0).collect();
        let new: HashSet<u32> = of_model.anchors.entities().into_iter().map(|entity| entity.0).collect();
        if case.is_empty() || new.is_empty() {
            return Ok(Vec::new());
        }
        let knowledge = ctx.knowledge;
        let length = self.work.method.chain_length(ctx.settings).clamp(1, LONGEST);
        let mut search = ChainSearch::new(&knowledge.graph, length, ChainBudget { chains: SEARCHED, ..ChainBudget::default() });
        let mut all: Vec<EntityId> = case.iter().chain(&new).map(|entity| EntityId(*entity)).collect();
        all.sort_unstable();
        let cancel = ctx.cancel.clone();
        search.add(&all, &|| cancel.is_cancelled());
        let mut found = search.finish();
        ctx.check()?;
        let ends = |chain: &Chain| (chain.nodes().first().copied().unwrap_or_default(), chain.nodes().last().copied().unwrap_or_default());
        let of_new = |chain: &Chain| match ends(chain) {
            (a, b) if case.contains(&a) && new.contains(&b) => Some(b),
            (a, b) if case.contains(&b) && new.contains(&a) => Some(a),
            _ => None,
        };
        found.chains.retain(|chain| of_new(chain).is_some());
        if found.chains.is_empty() {
            return Ok(Vec::new());
        }
        let mut anchors = Anchors::of(self.found.anchors.of_question().cloned().collect());
        anchors.all.extend(of_model.anchors.all.iter().cloned());
        let input = PruneInput {
            found: &found,
            decided: &Decided::default(),
            anchors: &anchors,
            assessment: self.assessment,
            intent: &self.found.understood.intent,
            question: self.work.question,
            hypothesis: &of_model.text,
            fragments: Fragments::Windows,
            descriptions: true,
            ratings: self.work.method.uses_ratings(),
        };
        let mut cache = ScoreCache::default();
        let chosen = ctx.with_encoder(|ctx| prune(ctx, &input, &mut cache))?;
        let mut best: Vec<&ScoredChain> = chosen.kept.iter().chain(&chosen.runners_up).collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chain.cmp(&b.chain)));
        let mut of_anchor: HashMap<u32, usize> = HashMap::new();
        let chains = best.into_iter().filter_map(|scored| found.chains.get(scored.chain as usize)).filter(|chain| {
            let count = of_anchor.entry(of_new(chain).unwrap_or_default()).or_default();
            *count += 1;
            *count <= OF_ANCHOR
        });
        Ok(chains.copied().take(CHAINS).collect())
    }

    /// Appends chains to those found and kept. What is kept stays where it is.
    fn join(&self, ctx: &mut RunContext<'_>, wanted: &[Chain]) -> Joined {
        let base = &self.found.searched;
        let mut joined = Joined { searched: base.clone(), pruning: Arc::clone(self.pruning) };
        let places = places_of(wanted, &base.found.chains);
        let mut chains = base.found.chains.clone();
        let mut numbers = Vec::new();
        for (chain, place) in wanted.iter().zip(places) {
            numbers.push(place.unwrap_or(chains.len() as u32));
            if place.is_none() {
                chains.push(*chain);
            }
        }
        let is_kept = |number: &u32| self.pruning.kept.iter().any(|scored| scored.chain == *number);
        numbers.retain(|number| !is_kept(number));
        let of_model = chains.len() - base.found.chains.len();
        if of_model > 0 {
            let table = Arc::new(ChainTable::of(&ctx.knowledge.graph, &chains));
            let found = FoundChains { found: base.found.found + of_model as u64, chains, by_kind: BTreeMap::new(), truncated: None };
            joined.searched = Searched { found: Arc::new(found), table };
            ctx.emit(EventKind::ChainsAdded { table: Arc::clone(&joined.searched.table), of_model: of_model as u64 });
        }
        joined.pruning = self.keep(&joined.searched.table, numbers);
        if joined.pruning.of_model > 0 {
            ctx.emit(EventKind::ChainsPruned { pruning: Arc::clone(&joined.pruning) });
        }
        joined
    }

    /// The chains of a trace, with a new choice among those found without the model, and the model's as they were chosen.
    pub(super) fn keep_again(&self, ctx: &mut RunContext<'_>, searched: Searched, before: &Pruning) -> Joined {
        let of_model = before.kept.iter().rev().take(before.of_model).rev().map(|scored| scored.chain).collect();
        let pruning = self.keep(&searched.table, of_model);
        if pruning.of_model > 0 {
            ctx.emit(EventKind::ChainsPruned { pruning: Arc::clone(&pruning) });
        }
        Joined { searched, pruning }
    }

    /// The choice with these chains after those kept.
    pub(super) fn keep(&self, table: &ChainTable, numbers: Vec<u32>) -> Arc<Pruning> {
        let triage = self.work.triage;
        let rejected = if triage.is_empty() { Vec::new() } else { Decided::of_any(triage, table).rejected };
        let mut pruning = Pruning::clone(self.pruning);
        let least = pruning.kept.last().map_or(0.0, |scored| scored.score);
        let room = CHAINS.min(MOST_KEPT.saturating_sub(pruning.kept.len()));
        let before = pruning.kept.len();
        for number in numbers.into_iter().filter(|number| rejected.binary_search(number).is_err()) {
            if pruning.kept.len() < before + room && !pruning.kept.iter().any(|scored| scored.chain == number) {
                pruning.runners_up.retain(|scored| scored.chain != number);
                pruning.kept.push(ScoredChain { chain: number, score: least, by_fragment: Vec::new() });
            }
        }
        pruning.of_model = pruning.kept.len() - before;
        Arc::new(pruning)
    }

    /// Has the model write about the kept chains, and adds to the answer what they bear out. The answer is told.
    pub(super) fn refine(
        &self,
        ctx: &mut RunContext<'_>,
        generator: &GeneratorHandle,
        joined: &Joined,
        of_model: &ModelHypothesis,
        base: Answer,
    ) -> Result<(), StageError> {
        // What the model names counts as proposed, wherever else it is named.
        let mut anchors = Anchors::of(self.found.anchors.of_question().cloned().collect());
        let proposed = of_model.named.iter().filter(|entity| !anchors.all.iter().any(|known| known.entity == **entity));
        let mut proposed: Vec<Linked> = proposed
            .map(|entity| Linked { entity: *entity, score: 1.0, origin: AnchorOrigin::Hypothesis, mention: String::new() })
            .collect();
        proposed.sort_by_key(|linked| linked.entity);
        anchors.all.extend(proposed);
        let input = ReadInput {
            knowledge: ctx.knowledge,
            found: &joined.searched.found,
            pruning: &joined.pruning,
            anchors: &anchors,
            assessment: self.assessment,
            intent: &self.found.understood.intent,
            wording: Wording::for_text(self.work.question),
            hypothesis: &of_model.text,
        };
        let graph = &ctx.knowledge.graph;
        let forbids = |drug: EntityId| self.found.planned.forbids(graph, drug);
        let shown = base.text.len();
        let answer = refine_with_model(ctx, &input, self.work.question, generator, self.work.method.reader(), (base, &forbids))?;
        emit_answer(ctx, answer, shown);
        Ok(())
    }
}

impl RunState<'_> {
    /// Numbers and chains that a ranking keeps, best first.
    pub(super) fn chains_of(&self, pruning: &Pruning) -> Vec<Chain> {
        pruning.kept.iter().filter_map(|scored| self.chains().get(scored.chain as usize).copied()).collect()
    }
}
