//! BERTScore (Zhang et al. 2020; WTS, appendix B.2, Eq. 1 and 2; RoK, Table 2): the tokens of a text and of a reference as vectors, each matched greedily with the
//! most similar one of the other,
//!
//! ```text
//! R = 1/|x| Σᵢ maxⱼ xᵢᵀ x̂ⱼ      P = 1/|x̂| Σⱼ maxᵢ xᵢᵀ x̂ⱼ      F = 2PR / (P + R)
//! ```
//!
//! with x the reference and x̂ the text, unit vectors, no weights and no rescaling.
//!
//! What the tokens are depends on the encoder that is loaded, so figures are comparable only where it is the same. An encoder of the BERT family gives its own tokens, without
//! marks such as `[CLS]`, each as its last layer sees it in its sentence; texts go to it sentence by sentence, so that nothing is cut off at its limit. Any other
//! (the built-in static one, one on a server) gives the vectors of the words as if each stood alone; the built-in one's Chinese characters have vectors that are
//! near only to themselves, so there it counts equal characters.

use std::collections::BTreeMap;

use super::key_points::sentences;
use super::words::words;
use crate::model::{EncoderHandle, Matrix, ModelError, dot};

/// How alike a text and a reference are, −1 to 1 each; near 1 for the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BertScore {
    /// How much of the text is in the reference.
    pub precision: f64,
    /// How much of the reference is in the text.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

/// BERTScore of the tokens of a text, `[tokens, dim]`, with those of a reference, rows of length 1. `None` if either has no token.
pub fn bert_score(text: &Matrix, reference: &Matrix) -> Option<BertScore> {
    if text.rows() == 0 || reference.rows() == 0 {
        return None;
    }
    let mut of_text = vec![f32::NEG_INFINITY; text.rows()];
    let mut recall = 0.0;
    for i in 0..reference.rows() {
        let mut best = f32::NEG_INFINITY;
        for (j, of_text) in of_text.iter_mut().enumerate() {
            let cosine = dot(reference.row(i), text.row(j));
            best = best.max(cosine);
            *of_text = of_text.max(cosine);
        }
        recall += f64::from(best);
    }
    let recall = recall / reference.rows() as f64;
    let precision = of_text.iter().map(|best| f64::from(*best)).sum::<f64>() / text.rows() as f64;
    // Of vectors that point away from each other there is no harmonic mean.
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    Some(BertScore { precision, recall, f1 })
}

/// The tokens of a text as unit vectors.
///
/// # Errors
/// If the encoder fails.
pub fn token_vectors(text: &str, encoder: &EncoderHandle) -> Result<Matrix, ModelError> {
    if let Some(tokens) = encoder.encode_tokens(sentences(text))? {
        return Ok(tokens);
    }
    let words = words(text);
    let mut rows: BTreeMap<&str, usize> = words.iter().map(|word| (word.as_str(), 0)).collect();
    for (number, row) in rows.values_mut().enumerate() {
        *row = number;
    }
    let vectors = encoder.encode(rows.keys().map(|word| (*word).to_owned()).collect())?.normalised();
    let data = words.iter().filter_map(|word| rows.get(word.as_str())).flat_map(|row| vectors.row(*row)).copied().collect();
    Ok(Matrix::new(vectors.dim(), data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Engine;

    #[test]
    fn tokens_are_matched_greedily_in_both_directions() {
        // Reference e₁, e₂; text e₁, e₁, (e₁ + e₂)/√2: recall (1 + 0.7071) / 2, precision (1 + 1 + 0.7071) / 3.
        let root = 0.5f32.sqrt();
        let reference = Matrix::new(2, vec![1.0, 0.0, 0.0, 1.0]);
        let text = Matrix::new(2, vec![1.0, 0.0, 1.0, 0.0, root, root]);
        let score = bert_score(&text, &reference).expect("tokens");
        let (recall, precision) = (1.707_106_8 / 2.0, 2.707_106_8 / 3.0);
        assert!((score.recall - recall).abs() < 1e-6 && (score.precision - precision).abs() < 1e-6, "{score:?}");
        assert!((score.f1 - 2.0 * recall * precision / (recall + precision)).abs() < 1e-6, "{score:?}");
        assert_eq!(bert_score(&text, &Matrix::new(2, Vec::new())), None);
        let opposite = bert_score(&Matrix::new(1, vec![1.0]), &Matrix::new(1, vec![-1.0])).expect("tokens");
        assert_eq!((opposite.precision, opposite.recall, opposite.f1), (-1.0, -1.0, 0.0));
    }

    #[test]
    fn what_means_the_same_scores_higher_than_what_does_not() {
        let encoder = Engine::start_encoder().expect("a thread");
        let score = |text: &str| {
            let vectors = |text: &str| token_vectors(text, &encoder).expect("encodes");
            bert_score(&vectors(text), &vectors("The patient has a fever and a headache.")).expect("words")
        };
        let (same, near, far) = (
            score("the patient has a fever and a HEADACHE"),
            score("A high temperature, with pain of the head."),
            score("Buy two tickets."),
        );
        assert!((same.f1 - 1.0).abs() < 1e-6 && near.f1 > far.f1 + 0.1, "{same:?} {near:?} {far:?}");
        assert_eq!(token_vectors("…!", &encoder).expect("encodes").rows(), 0);
    }
}
