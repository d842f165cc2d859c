//! What is computed number by number between the products: normalisation of layers, softmax, GELU.

use pulp::{Arch, Simd};

/// `x · Φ(x)` (Hendrycks and Gimpel 2016, with the error function, not its approximation by tanh).
#[inline(always)]
pub(super) fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let half = simd.mul_f32s(x, simd.splat_f32s(0.5));
    let error = erf(simd, simd.mul_f32s(x, simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2)));
    simd.mul_add_e_f32s(half, error, half)
}

/// The error function, within 4·10⁻⁷: the quotient of polynomials that Eigen and XLA use.
#[inline(always)]
fn erf<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const ABOVE: [f32; 7] =
        [-2.726_142_3e-10, 2.770_681_5e-8, -2.101_024e-6, -5.692_506_3e-5, -7.349_906_3e-4, -2.954_6e-3, -1.609_603_3e-2];
    const BELOW: [f32; 5] = [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2];
    let x = simd.min_f32s(simd.max_f32s(x, simd.splat_f32s(-4.0)), simd.splat_f32s(4.0));
    let square = simd.mul_f32s(x, x);
    let mut above = simd.splat_f32s(ABOVE[0]);
    for factor in &ABOVE[1..] {
        above = simd.mul_add_e_f32s(above, square, simd.splat_f32s(*factor));
    }
    let mut below = simd.splat_f32s(BELOW[0]);
    for factor in &BELOW[1..] {
        below = simd.mul_add_e_f32s(below, square, simd.splat_f32s(*factor));
    }
    simd.div_f32s(simd.mul_f32s(x, above), below)
}

/// `exp(x)` for `x ≤ 0`, within 2·10⁻⁷ of itself; what is smaller than the smallest normal number becomes about that. Plain arithmetic, which the
/// compiler turns into vector instructions. (Cephes' `expf`: a power of two times a polynomial.)
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// 1.5 · 2²³: adding it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
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

/// Sums or maxima side by side, for what the compiler may not reorder by itself.
const WIDE: usize = 16;

#[inline(always)]
fn fold(row: &[f32], start: f32, mut with: impl FnMut(f32, f32) -> f32) -> [f32; WIDE] {
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

/// Softmax of rows: of each row of `stride` numbers the first `width` become non-negative and sum up to 1.
pub(super) fn softmax(rows: &mut [f32], stride: usize, width: usize) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(stride) {
                let row = &mut row[..width];
                let most = fold(row, f32::NEG_INFINITY, f32::max).into_iter().fold(f32::NEG_INFINITY, f32::max);
                for x in row.iter_mut() {
                    *x = exp(*x - most);
                }
                let factor = 1.0 / fold(row, 0.0, |sum, x| sum + x).into_iter().sum::<f32>();
                for x in row.iter_mut() {
                    *x *= factor;
                }
            }
        },
    );
}

/// A layer's normalisation (Ba et al. 2016).
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Norm {
    /// Adds rows of `stride` numbers to `rows` and normalises each sum.
    pub(super) fn add(&self, rows: &mut [f32], others: &[f32], stride: usize) {
        let width = self.weight.len();
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (row, other) in rows.chunks_exact_mut(width).zip(others.chunks_exact(stride)) {
                    for (x, y) in row.iter_mut().zip(other) {
                        *x += y;
                    }
                    self.normalise(row);
                }
            },
        );
    }

    /// Normalises one row.
    #[inline(always)]
    pub(super) fn normalise(&self, row: &mut [f32]) {
        let count = row.len() as f32;
        let mean = fold(row, 0.0, |sum, x| sum + x).into_iter().sum::<f32>() / count;
        let squares = fold(row, 0.0, |sum, x| sum + (x - mean) * (x - mean)).into_iter().sum::<f32>();
        let scale = 1.0 / (squares / count + self.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;

    struct Gelu<'a>(&'a mut [f32]);

    impl WithSimd for Gelu<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            for x in S::as_mut_simd_f32s(self.0).0 {
                *x = gelu(simd, *x);
            }
        }
    }

    #[test]
    fn gelu_has_the_values_of_the_literature() {
        let inputs = [-10.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 10.0, 100.0, -100.0, 2.0, -2.0, 0.1, -0.1, 4.0];
        let mut x = inputs;
        Arch::new().dispatch(Gelu(&mut x));
        let want = [
            0.0,
            -0.004_049_7,
            -0.158_655_3,
            -0.154_268_8,
            0.0,
            0.345_731_2,
            0.841_344_7,
            2.995_950_2,
            10.0,
            100.0,
            0.0,
            1.954_499_7,
            -0.045_500_3,
            0.053_982_8,
            -0.046_017_2,
            3.999_873_3,
        ];
        for ((got, want), input) in x.iter().zip(want).zip(inputs) {
            // What an error function within 4·10⁻⁷ comes to, and the rounding of the result.
            let allowed = 2e-7 * f32::abs(input) + 2e-7;
            assert!((got - want).abs() < allowed, "GELU of {input}: {got} for {want}");
        }
    }

    #[test]
    fn softmax_equals_its_definition_and_leaves_the_rest_of_a_row() {
        let logits: Vec<f32> = (0..37).map(|i| (i as f32 * 7.3).sin() * 20.0).collect();
        let mut rows = logits.clone();
        rows.push(42.0);
        softmax(&mut rows, 38, 37);
        let most = logits.iter().copied().fold(f32::MIN, f32::max);
        let sum: f64 = logits.iter().map(|x| f64::from(x - most).exp()).sum();
        for (got, x) in rows.iter().zip(&logits) {
            assert!((f64::from(*got) - f64::from(x - most).exp() / sum).abs() < 1e-6);
        }
        assert_eq!(rows[37], 42.0);
    }

    #[test]
    fn normalised_rows_have_the_mean_and_spread_asked_for() {
        let norm = Norm { weight: vec![2.0; 19], bias: vec![1.0; 19], epsilon: 1e-12 };
        let mut row: Vec<f32> = (0..19).map(|i| (i * i) as f32).collect();
        norm.add(&mut row, &[3.0; 20], 20);
        let mean = row.iter().sum::<f32>() / 19.0;
        let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 19.0;
        assert!((mean - 1.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4, "{mean} {spread}");
    }
}
