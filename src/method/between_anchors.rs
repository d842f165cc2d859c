//! What HyKGE and Catena's own algorithm have in common: a hypothesis, the chains between anchors, and the ablations of HyKGE's Table 2. They differ in how
//! they rank chains, in linking, and in who writes the answer.

use super::Method;
use super::by_model::AskedModel;
use super::ranking::Scores;
use super::run_state::{RunState, Subject};
use crate::graph::{ChainBudget, ChainSearch, EvolvingGraph, FoundChains, neighbourhood};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::search;
use crate::run::{Decided, Fate, Pruning, ScoredChain, Settings, Without};

/// Said where ratings are left out and there are none.
const NO_RATINGS: &str = "No rating says anything about chains yet, so leaving ratings out (catena-ratings) changes nothing.";

/// A chain's fate, and its scores.
pub(super) type Explained = Option<(Fate, ScoredChain)>;

/// How the chains between anchors are ranked, and what goes with it.
pub(super) trait ChainRanking: Send + Sync {
    /// As HyKGE's paper has it: mentions link by cosine alone, a language model writes the answer, and nothing joins the chains that are kept.
    const IS_PUBLISHED: bool;

    /// What leaving out the descriptions changes where nothing reads them.
    const NO_DESCRIPTIONS: &'static str;

    /// What the user must know about the method under these models.
    fn warning(&self, _ctx: &RunContext<'_>) -> Option<&'static str> {
        None
    }

    /// The prompt by which a language model lists names: see [`Method::names_prompt`].
    fn names_prompt(&self) -> Option<PromptFor> {
        None
    }

    /// Has the language model write the answer.
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>, how: ReaderPrompt) -> Result<Option<String>, StageError> {
        asked.read(ctx, how)
    }

    /// Chooses the chains that are kept.
    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        of: (&RunState<'_>, Without),
        decided: &Decided,
        cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError>;

    /// Scores one chain again, as [`Self::rank`] did, and says why it was not kept.
    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        of: (&RunState<'_>, Without),
        chosen: (&Decided, &Pruning),
        cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Explained, StageError>;
}

/// A ranking as a method, whole or without some of its parts.
pub(super) struct BetweenAnchors<R> {
    pub(super) without: Without,
    pub(super) ranking: R,
}

impl<R: ChainRanking> Method for BetweenAnchors<R> {
    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        let nothing_reads = ctx.reranker.is_none() && ctx.generator.is_none();
        if self.without.description && nothing_reads {
            return Some(R::NO_DESCRIPTIONS);
        }
        if self.without.ratings && ctx.knowledge.preferences().is_empty() {
            return Some(NO_RATINGS);
        }
        self.ranking.warning(ctx)
    }

    fn uses_ratings(&self) -> bool {
        !R::IS_PUBLISHED && !self.without.ratings
    }

    fn links_by_cosine(&self) -> bool {
        R::IS_PUBLISHED
    }

    fn is_answered_by_model(&self, _bare: bool) -> bool {
        R::IS_PUBLISHED
    }

    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        (!self.without.hypothesis).then_some(PromptFor::Hypothesis)
    }

    fn names_prompt(&self, _bare: bool) -> Option<PromptFor> {
        self.ranking.names_prompt()
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
        self.ranking.rank(ctx, (state, self.without), decided, cache)
    }

    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        (decided, pruning): (&Decided, &Pruning),
        cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Explained, StageError> {
        if self.without.rerank {
            return Ok(self.order(ctx, state, &state.open(decided))?.fate_of(pruning, number));
        }
        self.ranking.explain(ctx, (state, self.without), (decided, pruning), cache, number)
    }

    fn joins_proofs(&self) -> bool {
        !R::IS_PUBLISHED
    }

    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt { descriptions: !self.without.description, ..ReaderPrompt::default() }
    }

    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        self.ranking.write_answer(ctx, asked, self.reader())
    }
}
