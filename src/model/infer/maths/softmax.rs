//! Exponentials and softmax.

use pulp::Arch;

use super::{ROUND, fma};

/// The exponential function, to 2 units in the last place; below −87 the result is 0 or nearly so. Language models use it; see [`exp_negative`].
#[inline(always)]
pub(in crate::model::infer) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let rounded = fma(x, std::f32::consts::LOG2_E, ROUND);
    let whole = rounded - ROUND;
    // ln 2 in two parts, so that the product with the first is exact.
    let rest = fma(whole, -1.428_606_8e-6, fma(whole, -0.693_145_75, x));
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5, 1.0, 1.0] {
        sum = fma(sum, rest, factor);
    }
    let power = (rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127)) << 23;
    sum * f32::from_bits(power)
}

/// `exp(x)` for `x ≤ 0`, with a relative error below 2·10⁻⁷; results below the smallest normal number become about that number. BERT networks use it.
/// (Cephes' `expf`: a power of two times a polynomial, in plain arithmetic that the compiler turns into vector instructions.)
///
/// Not [`exp`]: that one splits ln 2 elsewhere and may fuse additions, so its last bits differ.
#[inline(always)]
fn exp_negative(x: f32) -> f32 {
    /// The logarithm of 2 in two parts, the first with few bits so that products with whole numbers are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    const POLYNOMIAL: [f32; 6] = [1.987_569_2e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5];
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = x - whole * LN_2[0] - whole * LN_2[1];
    let mut sum = POLYNOMIAL[0];
    for factor in &POLYNOMIAL[1..] {
        sum = sum * rest + factor;
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
    (sum * rest * rest + rest + 1.0) * power
}

/// Sums or maxima side by side, because the compiler may not reorder floating-point sums by itself.
const WIDE: usize = 16;

/// Folds the numbers of a row, each lane by itself.
#[inline(always)]
pub(super) fn fold(row: &[f32], start: f32, mut with: impl FnMut(f32, f32) -> f32) -> [f32; WIDE] {
    let mut folded = [start; WIDE];
    let (chunks, rest) = row.as_chunks::<WIDE>();
    for chunk in chunks {
        for (folded, x) in folded.iter_mut().zip(chunk) {
            *folded = with(*folded, *x);
        }
    }
    for (folded, x) in folded.iter_mut().zip(rest) {
        *folded = with(*folded, *x);
    }
    folded
}

/// Softmax of rows, for BERT networks: of each row of `stride` numbers the first `width` become non-negative and sum up to 1.
pub(in crate::model::infer) fn softmax_rows(rows: &mut [f32], stride: usize, width: usize) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(stride) {
                let row = &mut row[..width];
                let most = fold(row, f32::NEG_INFINITY, f32::max).into_iter().fold(f32::NEG_INFINITY, f32::max);
                for x in row.iter_mut() {
                    *x = exp_negative(*x - most);
                }
                let factor = 1.0 / fold(row, 0.0, |sum, x| sum + x).into_iter().sum::<f32>();
                for x in row.iter_mut() {
                    *x *= factor;
                }
            }
        },
    );
}

/// Softmax of one row, for language models: turns scores into weights that sum up to 1. It differs from [`softmax_rows`] in its exponential and in
/// where the last, incomplete block of a sum is added.
pub(in crate::model::infer) fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sums = [0f32; 16];
    let mut chunks = scores.chunks_exact_mut(16);
    for chunk in &mut chunks {
        for (score, sum) in chunk.iter_mut().zip(&mut sums) {
            *score = exp(*score - most);
            *sum += *score;
        }
    }
    let mut sum: f32 = sums.iter().sum();
    for score in chunks.into_remainder() {
        *score = exp(*score - most);
        sum += *score;
    }
    let scale = 1.0 / sum;
    for score in scores {
        *score *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_a_few_units() {
        for i in -8600..8700 {
            let x = i as f32 * 0.01;
            let want = f64::from(x).exp();
            assert!((f64::from(exp(x)) - want).abs() <= want * 3e-7, "{x}: {} {want}", exp(x));
        }
        for i in 0..8600 {
            let x = i as f32 * -0.01;
            let want = f64::from(x).exp();
            assert!((f64::from(exp_negative(x)) - want).abs() <= want * 3e-7, "{x}: {} {want}", exp_negative(x));
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn softmax_equals_its_definition_and_leaves_the_rest_of_a_row() {
        let logits: Vec<f32> = (0..37).map(|i| (i as f32 * 7.3).sin() * 20.0).collect();
        let mut rows = logits.clone();
        rows.push(42.0);
        softmax_rows(&mut rows, 38, 37);
        let most = logits.iter().copied().fold(f32::MIN, f32::max);
        let sum: f64 = logits.iter().map(|x| f64::from(x - most).exp()).sum();
        for (got, x) in rows.iter().zip(&logits) {
            assert!((f64::from(*got) - f64::from(x - most).exp() / sum).abs() < 1e-6);
        }
        assert_eq!(rows[37], 42.0);
    }

    #[test]
    fn weights_sum_to_one() {
        let mut scores: Vec<f32> = (0..37).map(|i| (i as f32 * 0.9).sin() * 5.0).collect();
        let total: f64 = scores.iter().map(|s| f64::from(*s).exp()).sum();
        let want: Vec<f64> = scores.iter().map(|s| f64::from(*s).exp() / total).collect();
        softmax(&mut scores);
        assert!(scores.iter().zip(&want).all(|(got, want)| (f64::from(*got) - want).abs() < 1e-6));
    }
}
