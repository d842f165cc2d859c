//! Perplexity (HyKGE, appendix A.2.2, Eq. 9): how surprising a text is to the language model,
//!
//! ```text
//! PPL = 2^( −1/N Σᵢ log₂ P(wᵢ | w₁ … wᵢ₋₁) )
//! ```

/// Perplexity of a text from the natural logarithms of its tokens' probabilities; at least 1. `None` of no token, or where one is no number.
pub fn perplexity(log_probabilities: &[f64]) -> Option<f64> {
    let mean = log_probabilities.iter().sum::<f64>() / log_probabilities.len() as f64;
    // eˣ of natural logarithms is 2ˣ of those to base 2.
    (-mean).exp().is_finite().then(|| (-mean).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_inverse_of_the_geometric_mean() {
        // 1/2, 1/4, 1/8: 2^((1 + 2 + 3) / 3) = 4.
        let found = perplexity(&[0.5f64, 0.25, 0.125].map(f64::ln)).expect("a value");
        assert!((found - 4.0).abs() < 1e-12, "{found}");
        assert_eq!(perplexity(&[0.0, 0.0]), Some(1.0));
        assert_eq!((perplexity(&[]), perplexity(&[f64::NAN]), perplexity(&[f64::NEG_INFINITY])), (None, None, None));
    }
}
