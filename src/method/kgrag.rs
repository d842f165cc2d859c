//! KGRAG (HyKGE's baseline, after Soman et al.): the triples of the question's entities, ranked by their similarity to the question alone.

use super::Method;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use super::triple_similarity::TripleVectors;
use crate::graph::{Chain, ChainSearch, EvolvingGraph, FoundChains, neighbourhood};
use crate::language::context::{RunContext, StageError};
use crate::run::ScoredChain;

/// The most triples around the question's entities.
pub(super) const AROUND: usize = 20_000;

/// Retrieves the triples of the question's entities.
pub(super) struct KgRag;

impl Method for KgRag {
    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        Ok((neighbourhood(&ctx.knowledge.graph, &subject.anchors.entities(), AROUND), Scores::new()))
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        by_similarity(ctx, state.question, state.chains(), open, &state.cache.triples)
    }
}

/// Ranks triples by their similarity to the question.
pub(super) fn by_similarity(
    ctx: &mut RunContext<'_>,
    question: &str,
    chains: &[Chain],
    open: &[u32],
    vectors: &TripleVectors,
) -> Result<Ranked, StageError> {
    let these: Vec<Chain> = open.iter().map(|number| chains[*number as usize]).collect();
    let compared = vectors.compare(ctx, question, &these)?;
    let scored = |(at, cosine): (usize, f64)| ScoredChain { chain: open[at], score: cosine, by_fragment: vec![cosine] };
    let order = compared.cosines.into_iter().map(scored).collect();
    let mut ranked = Ranked { fragments: vec![question.to_owned()], order, scored: compared.scored, record_all: false };
    ranked.sort();
    Ok(ranked)
}
