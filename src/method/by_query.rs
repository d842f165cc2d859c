//! What HyKGE's baselines share (2025, A.2): the triples around the linked entities, ranked against a query by the common reranker.

use super::kgrag::by_similarity;
use super::ranking::Ranked;
use super::run_state::RunState;
use crate::graph::Chain;
use crate::language::context::{RunContext, StageError};
use crate::language::texts_in;
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::prune::matrix::{Matrix, scores};
use crate::run::ScoredBy;

/// The most triples, the nearest by the encoder, that a cross-encoder reads.
const RERANKED: usize = 256;

/// Ranks triples against a query: by the encoder's cosine, and the nearest of them by the cross-encoder, where there is one.
pub(super) fn by_query(ctx: &mut RunContext<'_>, state: &RunState<'_>, query: &str, open: &[u32]) -> Result<Ranked, StageError> {
    let mut ranked = by_similarity(ctx, query, state.chains(), open, &state.cache.triples)?;
    if ctx.reranker.is_none() || ranked.order.is_empty() {
        return Ok(ranked);
    }
    ranked.order.truncate(RERANKED);
    let numbers: Vec<u32> = ranked.order.iter().map(|scored| scored.chain).collect();
    let query = [query.to_owned()];
    let of = Matrix { chains: state.chains(), open: &numbers, fragments: &query, descriptions: false };
    let (found, scorer) = ctx.with_encoder(|ctx| scores(ctx, &mut ScoreCache::default(), &of))?;
    for (scored, by_fragment) in ranked.order.iter_mut().zip(found) {
        scored.score = by_fragment.first().copied().unwrap_or(0.0).clamp(0.0, 1.0);
        scored.by_fragment = by_fragment;
    }
    ranked.scored.push(ScoredBy { scorer, chains: numbers.len() as u64 });
    ranked.sort();
    Ok(ranked)
}

/// The `most` triples nearest to a query, best first.
pub(super) fn nearest_to(ctx: &mut RunContext<'_>, state: &RunState<'_>, query: &str, most: usize) -> Result<Vec<Chain>, StageError> {
    let open: Vec<u32> = (0..state.chains().len() as u32).collect();
    let ranked = by_query(ctx, state, query, &open)?;
    Ok(ranked.order.iter().take(most).filter_map(|scored| state.chains().get(scored.chain as usize).copied()).collect())
}

/// The texts of a reply, at most so many: of a JSON list, as was asked for, or else its lines, without numbers and bullets before them.
pub(super) fn lines_of(reply: &str, most: usize) -> Vec<String> {
    let says_something = |text: &String| text.chars().any(char::is_alphabetic);
    if let Some(texts) = texts_in(reply) {
        return texts.into_iter().filter(says_something).take(most).collect();
    }
    let is_mark = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '*' | '•' | '.' | ')' | ':' | '、' | '：');
    let lines = reply.lines().map(|line| line.trim().trim_start_matches(is_mark).trim().to_owned());
    lines.filter(says_something).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_is_and_lines_lose_their_numbers() {
        assert_eq!(lines_of("[\"5-HT syndrome\", \"12\", \"Reflux\", \"more\"]", 2), ["5-HT syndrome", "Reflux"]);
        assert!(lines_of("[]", 3).is_empty());
        assert_eq!(lines_of("1. Reflux burns.\n\n- 2) Acid rises.\n3: ---\nmore", 2), ["Reflux burns.", "Acid rises."]);
        assert_eq!(lines_of("一、反酸\n", 3), ["一、反酸"]);
        assert!(lines_of(" \n12.\n", 3).is_empty());
    }
}
