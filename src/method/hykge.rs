//! HyKGE (Jiang et al., 2025), whole or without some of its parts: hypothesis, recognition, linking, chains between anchors, fragment
//! rerank, reader.

use super::Method;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use crate::graph::{ChainBudget, ChainSearch, EvolvingGraph, FoundChains, neighbourhood};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;
use crate::pipeline::prune::{Fragments, PruneInput, ScoreCache, explain, prune};
use crate::pipeline::search;
use crate::run::{Decided, Fate, Pruning, ScoredChain, Settings, Without};

/// HyKGE, with the parts that an ablation leaves out.
pub(super) struct Hykge {
    without: Without,
}

impl Hykge {
    pub(super) fn new(without: Without) -> Self {
        Self { without }
    }

    fn prune_input<'a>(&self, state: &'a RunState<'_>, decided: &'a Decided) -> PruneInput<'a> {
        PruneInput {
            found: &state.searched.found,
            decided,
            anchors: state.anchors,
            assessment: state.assessment,
            intent: &state.understood.intent,
            question: state.question,
            hypothesis: state.hypothesis,
            fragments: if self.without.fragment { Fragments::WholeText } else { Fragments::Windows },
            descriptions: !self.without.description,
        }
    }
}

impl Method for Hykge {
    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        (self.without.description && ctx.reranker.is_none() && ctx.generator.is_none()).then_some(
            "No reranker or language model is in use to read descriptions, so leaving them out (hykge-description) changes nothing.",
        )
    }

    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        (!self.without.hypothesis).then_some(PromptFor::Hypothesis)
    }

    fn chain_length(&self, settings: &Settings) -> usize {
        if self.without.chains { 0 } else { settings.k }
    }

    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        let found = if self.without.chains {
            neighbourhood(&ctx.knowledge.graph, &subject.anchors.entities(), ChainBudget::default().chains)
        } else {
            search::finish(ctx, search, subject.anchors)
        };
        Ok((found, Scores::new()))
    }

    fn decided(&self, ctx: &RunContext<'_>, state: &RunState<'_>) -> Decided {
        state.decided_between_anchors(ctx)
    }

    /// The order of the ablation "w/o Reranker": the search's own.
    fn order(&self, _ctx: &mut RunContext<'_>, _state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        Ok(Ranked::as_searched(open))
    }

    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        decided: &Decided,
        cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError> {
        if self.without.rerank {
            return Ok(self.order(ctx, state, &state.open(decided))?.choose(&decided.pinned, ctx.settings.top_k));
        }
        let input = self.prune_input(state, decided);
        ctx.with_encoder(|ctx| prune(ctx, &input, cache))
    }

    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        (decided, pruning): (&Decided, &Pruning),
        cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Option<(Fate, ScoredChain)>, StageError> {
        if self.without.rerank {
            return Ok(self.order(ctx, state, &state.open(decided))?.fate_of(pruning, number));
        }
        let input = self.prune_input(state, decided);
        ctx.with_encoder(|ctx| explain(ctx, &input, cache, pruning, number))
    }

    fn joins_proofs(&self) -> bool {
        true
    }

    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt { descriptions: !self.without.description, ..ReaderPrompt::default() }
    }
}
