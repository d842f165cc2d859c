//! HyKGE's rerank as published (2025, §4.3, Eq. 3 and 4): every fragment of `Q ⊕ HO` against every chain by the reranker alone, and the topK
//! chains by it. No prior, no prefilter, no cap on fragments.
//!
//! Eq. 4 leaves open how the scores of one chain with several fragments become one. Here it is the best of them: a chain is kept for the
//! fragment that it fits.

use super::rerank::document;
use super::score_cache::ScoreCache;
use crate::graph::Chain;
use crate::language::context::{RunContext, StageError};
use crate::model::{ModelError, RerankerHandle};
use crate::run::event::{EventKind, ModelActivity, ModelRole, ModelState};
use crate::text::{StopWords, word_fragments};

/// The number of chains scored between two checks for cancellation: by the encoder, and by a cross-encoder.
const PORTION: usize = 4096;
const PAIRED: usize = 64;

/// Chains and what they are compared with.
pub(crate) struct Matrix<'a> {
    /// All chains that were found.
    pub(crate) chains: &'a [Chain],
    /// The numbers of those that may be kept.
    pub(crate) open: &'a [u32],
    pub(crate) fragments: &'a [String],
    /// Whether a cross-encoder reads the descriptions of a chain's ends.
    pub(crate) descriptions: bool,
}

/// Chains with their score for each fragment, in the order of `open`, and the name of the scorer.
pub(crate) type Scored = (Vec<Vec<f64>>, String);

/// Eq. 3: the fragments of question and hypothesis, one after the other, without stop words. `whole`: as one fragment (the ablation
/// "w/o Fragment").
pub(crate) fn chunk(question: &str, hypothesis: &str, (words, overlap): (usize, usize), whole: bool) -> Vec<String> {
    let text = format!("{question}\n{hypothesis}");
    let (words, overlap) = if whole { (usize::MAX, 0) } else { (words, overlap) };
    word_fragments(&text, words, overlap, StopWords::built_in())
}

/// Eq. 4: the places of the chains, best first, by the best of their scores; equal ones in their order.
pub(crate) fn best_first(scores: &[Vec<f64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let best: Vec<f64> = scores.iter().map(|scores| best(scores)).collect();
    order.sort_by(|a, b| best[*b].total_cmp(&best[*a]).then(a.cmp(b)));
    order
}

/// The score of a chain: its best with any fragment; 0 without fragments.
pub(crate) fn best(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(None, |best: Option<f64>, score| Some(best.map_or(score, |best| best.max(score)))).unwrap_or(0.0)
}

/// The matrix of fragments and chains.
pub(crate) fn scores(ctx: &mut RunContext<'_>, cache: &mut ScoreCache, of: &Matrix<'_>) -> Result<Scored, StageError> {
    cache.embed(ctx, of.fragments)?;
    if let Some(reranker) = ctx.reranker.filter(|_| !of.open.is_empty() && !of.fragments.is_empty()) {
        match by_cross_encoder(ctx, cache, reranker, of) {
            Ok(scores) => {
                ctx.models_may_be_known();
                return Ok((scores, format!("{} with every fragment", reranker.name())));
            }
            Err(ModelError::Cancelled) => return Err(StageError::Cancelled),
            Err(error) => {
                ctx.reranker = None;
                ctx.models_may_be_known();
                ctx.warn(format!("The reranker failed ({error}); the encoder's similarity ranks the chains instead."));
            }
        }
    }
    let graph = &ctx.knowledge.graph;
    let mut scores = Vec::with_capacity(of.open.len());
    for portion in of.open.chunks(PORTION) {
        ctx.check()?;
        let chains: Vec<&Chain> = portion.iter().filter_map(|number| of.chains.get(*number as usize)).collect();
        scores.extend(cache.by_fragment(ctx, graph, &chains)?);
    }
    Ok((scores, format!("{} on the whole chain", ctx.encoder.name())))
}

fn by_cross_encoder(
    ctx: &mut RunContext<'_>,
    cache: &mut ScoreCache,
    reranker: &RerankerHandle,
    of: &Matrix<'_>,
) -> Result<Vec<Vec<f64>>, ModelError> {
    let graph = &ctx.knowledge.graph;
    let texts: Vec<String> =
        of.open.iter().filter_map(|number| of.chains.get(*number as usize)).map(|chain| document(graph, chain, of.descriptions)).collect();
    let known = cache.pairs(reranker.name());
    for (portion, texts) in texts.chunks(PAIRED).enumerate() {
        let new: Vec<String> = texts.iter().filter(|text| !known.contains_key(*text)).cloned().collect();
        if new.is_empty() {
            continue;
        }
        let state = ModelState::Busy;
        let (done, total) = ((portion * PAIRED * of.fragments.len()) as u64, (of.open.len() * of.fragments.len()) as u64);
        let queued = reranker.status().queued as u64;
        let activity = ModelActivity { role: ModelRole::Reranker, state, queued, done, total, tokens_per_second: None, spent: None };
        ctx.emit(EventKind::ModelActive { activity });
        let found = reranker.score(of.fragments.to_vec(), new.clone(), ctx.cancel)?;
        // One row per fragment, one column per chain.
        for (column, text) in new.into_iter().enumerate() {
            let of_text = (0..of.fragments.len()).map(|row| found.row(row).get(column).copied()).collect();
            known.insert(text, of_text);
        }
    }
    let done = (of.open.len() * of.fragments.len()) as u64;
    let activity = ModelActivity {
        role: ModelRole::Reranker,
        state: ModelState::Idle,
        queued: 0,
        done,
        total: done,
        tokens_per_second: None,
        spent: None,
    };
    ctx.emit(EventKind::ModelActive { activity });
    let of_text = |text: &String| {
        let scores = known.get(text).map(Vec::as_slice).unwrap_or_default();
        (0..of.fragments.len()).map(|at| scores.get(at).copied().flatten().map_or(0.0, f64::from)).collect()
    };
    Ok(texts.iter().map(of_text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn eq_3_question_and_hypothesis_are_one_text() {
        // Without stop words: seven words of the question, five of the hypothesis; the second window begins in the question.
        let (question, hypothesis) =
            ("burning pain behind the breastbone after heavy evening meals", "gastritis ulcer reflux hernia achalasia");
        let pieces = chunk(question, hypothesis, (10, 4), false);
        assert_eq!(pieces.len(), 2, "{pieces:?}");
        assert!(pieces[1].contains("meals") && pieces[1].ends_with("achalasia"), "{pieces:?}");
        assert_eq!(chunk(question, hypothesis, (10, 4), true).len(), 1);
        // A long question leaves the hypothesis its fragments.
        let long = "fever cough rash ".repeat(100);
        let pieces = chunk(&long, hypothesis, (10, 4), false);
        assert!(pieces.len() > 24 && pieces.last().is_some_and(|last| last.ends_with("achalasia")));
    }

    /// Eq. 4 transcribed: RC_prune = the topK chains of RC by max over the fragments of Rerank(chain, fragment), |RC_prune| = topK.
    fn rerank(matrix: &[Vec<f64>], top_k: usize) -> Vec<usize> {
        let mut open: Vec<usize> = (0..matrix.len()).collect();
        let mut kept = Vec::new();
        while kept.len() < top_k && !open.is_empty() {
            let score = |chain: usize| matrix[chain].iter().copied().fold(f64::MIN, f64::max);
            let mut place = 0;
            for at in 1..open.len() {
                if score(open[at]) > score(open[place]) {
                    place = at;
                }
            }
            kept.push(open.remove(place));
        }
        kept
    }

    proptest! {
        #[test]
        fn eq_4_the_top_k_are_those_of_the_matrix(rows in prop::collection::vec(prop::collection::vec(0u8..20, 3), 0..30), top_k in 1usize..12) {
            let matrix: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|score| f64::from(*score) / 20.0).collect()).collect();
            let mut order = best_first(&matrix);
            order.truncate(top_k);
            prop_assert_eq!(order, rerank(&matrix, top_k));
        }
    }
}
