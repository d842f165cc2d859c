//! The mathematics that the models share: dot products, exponentials, softmax, normalisation, activations.
//!
//! Some functions stand here twice. BERT networks (`bert`) and language models (`lm`) were made with sums of different width and order and
//! with different roundings (a fused multiply–add where the build has one, or none). Their vectors and logits are fixed to the last bit: stored name
//! vectors, reference vectors of tests and published figures depend on them. So both variants stay, side by side, each with the name of its user.

mod activation;
mod norm;
mod softmax;

pub(in crate::model::infer) use activation::{gelu, gelu_in_place, gelu_tanh_times, silu_times, soft_cap};
pub(in crate::model::infer) use norm::{LayerNorm, rms_norm, rms_norm_in_place};
pub(in crate::model::infer) use softmax::{exp, softmax, softmax_rows};

/// 1.5 · 2²³: adding it to a number of magnitude below 2²² and subtracting it again rounds to a whole number, which then stands in the lowest bits.
pub(in crate::model::infer) const ROUND: f32 = 12_582_912.0;

/// `a * b + c`: with a single rounding where the target of the build has the instruction, otherwise with two.
#[inline(always)]
pub(in crate::model::infer) fn fma(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

/// The dot product of two vectors of one length: eight sums without fused multiply–add. Cosines of names are computed by it.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums side by side, which the compiler turns into vector instructions.
    let mut sums = [0f32; 8];
    let (chunks_a, chunks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The dot product of two vectors of one length: sixteen sums with [`fma`]. RMS normalisation of language models uses it; [`dot`] would give other bits.
#[inline]
pub(in crate::model::infer) fn dot_fma(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    let (chunks_a, chunks_b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for i in 0..16 {
            sums[i] = fma(x[i], y[i], sums[i]);
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_are_sums_of_products_for_lengths_that_fill_no_whole_block() {
        let long: Vec<f32> = (0..21).map(|i| i as f32).collect();
        assert!((dot(&long, &long) - 2870.0).abs() < 1e-3);
        assert!((dot_fma(&long, &long) - 2870.0).abs() < 1e-3);
    }
}
