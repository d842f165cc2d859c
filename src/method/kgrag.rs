//! KGRAG (HyKGE's baseline, after Soman et al., 2023): the triples of the question's entities, ranked by their similarity to the question alone. One call.

use super::from_triples::Baseline;
use super::ranking::Ranked;
use super::run_state::RunState;
use super::triple_similarity::TripleVectors;
use crate::graph::Chain;
use crate::language::context::{RunContext, StageError};
use crate::run::ScoredChain;

/// Retrieves the triples of the question's entities.
pub(super) struct KgRag;

impl Baseline for KgRag {
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
