//! HyKGE as published (Jiang et al., 2025, in the Findings of NAACL), whole, without some of its parts (its Table 2), or with a language
//! model for one of them (Table 4).
//!
//! | paper | here |
//! |---|---|
//! | `HO = LLM(Q)` (Eq. 1) | the same; without a language model the graph's own hypothesis |
//! | `U = NER(Q ⊕ HO)` by W2NER (Eq. 2) | W2NER where its weights are present, the names of the graph, and spans of the words that are left |
//! | linking by the nearest name above δ (§4.2.1) | the same |
//! | paths, co-ancestor and co-occurrence chains within k hops (§4.2.2) | the same; where no chain connects the anchors, the triples around them |
//! | `Chunk(Q ⊕ HO)` (Eq. 3), words by Jieba | the same |
//! | `Rerank(RC, {C}; topK)` (Eq. 4) | the same, by the cross-encoder if there is one, else by the encoder's cosine |
//! | `LLM(Q, RC_prune)` (Eq. 5) | the same, below what the safety pass says; without a language model the built-in reader |

use super::between_anchors::{ChainRanking, Explained};
use super::by_model::AskedModel;
use super::hykge_by_model::{rerank, write_from_summary};
use super::ranking::Ranked;
use super::run_state::RunState;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::prune::matrix::{Matrix, best, best_first, chunk, scores};
use crate::run::{ByModel, Decided, Pruning, ScoredBy, ScoredChain, Without};

/// HyKGE's ranking.
pub(super) struct Hykge {
    /// The part that a language model takes over.
    pub(super) by_model: Option<ByModel>,
}

/// Chains by Eq. 4, best first.
fn ranked(
    ctx: &mut RunContext<'_>,
    (state, without): (&RunState<'_>, Without),
    open: &[u32],
    cache: &mut ScoreCache,
) -> Result<Ranked, StageError> {
    let lengths = (ctx.settings.fragment_words, ctx.settings.fragment_overlap);
    let fragments = chunk(state.question, state.hypothesis, lengths, without.fragment);
    let of = Matrix { chains: state.chains(), open, fragments: &fragments, descriptions: !without.description };
    let (scores, scorer) = ctx.with_encoder(|ctx| scores(ctx, cache, &of))?;
    let chain = |at: usize| {
        let by_fragment = scores.get(at).cloned().unwrap_or_default();
        Some(ScoredChain { chain: *open.get(at)?, score: best(&by_fragment).clamp(0.0, 1.0), by_fragment })
    };
    let order = best_first(&scores).into_iter().filter_map(chain).collect();
    let scored = vec![ScoredBy { scorer, chains: open.len() as u64 }];
    Ok(Ranked { fragments, order, scored, record_all: false })
}

impl Hykge {
    /// Chains by Eq. 4, or as the language model scores them, best first.
    fn ranked(
        &self,
        ctx: &mut RunContext<'_>,
        (state, without): (&RunState<'_>, Without),
        open: &[u32],
        cache: &mut ScoreCache,
    ) -> Result<Ranked, StageError> {
        let mut ranked = ranked(ctx, (state, without), open, cache)?;
        if self.by_model == Some(ByModel::Rerank) {
            rerank(ctx, state, &mut ranked)?;
        }
        Ok(ranked)
    }
}

impl ChainRanking for Hykge {
    const IS_PUBLISHED: bool = true;
    const NO_DESCRIPTIONS: &'static str =
        "No reranker or language model is in use to read descriptions, so leaving them out (hykge-description) changes nothing.";

    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        let warning = "No language model is in use: the graph supplies HyKGE's hypothesis, and the built-in reader its answer.";
        ctx.generator.is_none().then_some(warning)
    }

    fn names_prompt(&self) -> Option<PromptFor> {
        (self.by_model == Some(ByModel::Names)).then_some(PromptFor::AllNames)
    }

    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>, how: ReaderPrompt) -> Result<Option<String>, StageError> {
        if self.by_model == Some(ByModel::Summary) { write_from_summary(ctx, asked, how) } else { asked.read(ctx, how) }
    }

    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        (state, without): (&RunState<'_>, Without),
        decided: &Decided,
        cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError> {
        Ok(self.ranked(ctx, (state, without), &state.open(decided), cache)?.choose(&decided.pinned, ctx.settings.top_k))
    }

    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        (state, without): (&RunState<'_>, Without),
        (decided, pruning): (&Decided, &Pruning),
        cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Explained, StageError> {
        Ok(self.ranked(ctx, (state, without), &state.open(decided), cache)?.fate_of(pruning, number))
    }
}
