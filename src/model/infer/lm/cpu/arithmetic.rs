//! The small steps between matrices, as plain loops that the compiler turns into vector instructions.

/// `a * b + c`, in one instruction where the processor that this is built for has it.
#[inline(always)]
pub(super) fn fma(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

/// Adding it to a number below 2²² and taking it away again rounds to a whole number, which then stands in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// The exponential function, to 2 units in the last place; below −87 it is 0 or nearly so.
#[inline(always)]
pub(in crate::model::infer::lm) fn exp(x: f32) -> f32 {
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

/// x · σ(x), times `up`.
pub(super) fn silu_times(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + exp(-*gate)) * up;
    }
}

/// GELU by its tanh form, times `up`.
pub(super) fn gelu_times(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        let x = *gate;
        let inner = 0.797_884_6 * fma(0.044_715 * x * x, x, x);
        // tanh(y) = 1 − 2 / (1 + exp(2y))
        *gate = 0.5 * x * (2.0 - 2.0 / (1.0 + exp(2.0 * inner))) * up;
    }
}

/// The inner product of two vectors of one length.
#[inline]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
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

/// RMS normalisation (Zhang and Sennrich 2019): x / √(mean(x²) + ε) · weight.
pub(super) fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32, output: &mut [f32]) {
    let scale = 1.0 / (dot(x, x) / x.len() as f32 + epsilon).sqrt();
    for ((output, x), weight) in output.iter_mut().zip(x).zip(weight) {
        *output = x * scale * weight;
    }
}

/// The same where it stands.
pub(super) fn rms_norm_in_place(x: &mut [f32], weight: &[f32], epsilon: f32) {
    let scale = 1.0 / (dot(x, x) / x.len() as f32 + epsilon).sqrt();
    for (x, weight) in x.iter_mut().zip(weight) {
        *x = *x * scale * weight;
    }
}

/// Rotates a head's first `2 * cos.len()` components.
pub(super) fn rotate(head: &mut [f32], cos: &[f32], sin: &[f32], interleaved: bool) {
    if interleaved {
        for ((pair, cos), sin) in head.chunks_exact_mut(2).zip(cos).zip(sin) {
            let (a, b) = (pair[0], pair[1]);
            pair[0] = a * cos - b * sin;
            pair[1] = a * sin + b * cos;
        }
        return;
    }
    let (first, second) = head.split_at_mut(cos.len());
    for (((a, b), cos), sin) in first.iter_mut().zip(second).zip(cos).zip(sin) {
        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
    }
}

/// Turns scores into weights that sum to 1.
pub(super) fn softmax(scores: &mut [f32]) {
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

/// Squashes values to ± `cap`.
pub(super) fn cap(values: &mut [f32], cap: f32) {
    for value in values {
        *value = (*value / cap).tanh() * cap;
    }
}

/// A block of 32 as signed bytes with one scale: the codes and the scale.
#[inline]
pub(super) fn quantise(block: &[f32; 32], codes: &mut [i8; 32]) -> f32 {
    // Halves against each other, which is vectors against each other.
    let mut most = block.map(f32::abs);
    for width in [16, 8, 4, 2, 1] {
        for i in 0..width {
            most[i] = most[i].max(most[i + width]);
        }
    }
    let largest = most[0];
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    *codes = block.map(|x| fma(x, inverse, ROUND).to_bits() as i8);
    largest / 127.0
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
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gates_are_as_defined() {
        for i in -60..60 {
            let x = i as f32 * 0.2;
            let (mut silu, mut gelu) = ([x], [x]);
            silu_times(&mut silu, &[2.0]);
            gelu_times(&mut gelu, &[2.0]);
            let x = f64::from(x);
            assert!((f64::from(silu[0]) - 2.0 * x / (1.0 + (-x).exp())).abs() < 1e-5);
            let want = x * (1.0 + (0.797_884_560_802_865 * (x + 0.044_715 * x * x * x)).tanh());
            assert!((f64::from(gelu[0]) - want).abs() < 1e-5);
        }
    }

    #[test]
    fn codes_are_the_nearest_whole_numbers() {
        let block: [f32; 32] = std::array::from_fn(|i| (i as f32 - 20.0) * 0.31);
        let mut codes = [0; 32];
        let scale = quantise(&block, &mut codes);
        assert_eq!(codes[0], -127);
        assert!(codes.iter().zip(&block).all(|(code, x)| (f32::from(*code) * scale - x).abs() <= scale * 0.5001));
        assert!(quantise(&[0.0; 32], &mut codes).abs() < f32::EPSILON && codes == [0; 32]);
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
