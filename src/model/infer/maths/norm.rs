//! Normalisation of vectors: layer normalisation (BERT) and RMS normalisation (language models).

use pulp::Arch;

use super::dot_fma;
use super::softmax::fold;

/// Layer normalisation (Ba et al. 2016): (x − mean) / √(variance + ε) · weight + bias.
pub(in crate::model::infer) struct LayerNorm {
    pub(in crate::model::infer) weight: Vec<f32>,
    pub(in crate::model::infer) bias: Vec<f32>,
    pub(in crate::model::infer) epsilon: f32,
}

impl LayerNorm {
    /// Adds rows of `stride` numbers to `rows` and normalises each sum.
    pub(in crate::model::infer) fn add(&self, rows: &mut [f32], others: &[f32], stride: usize) {
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

    /// LayerNormalises one row.
    #[inline(always)]
    pub(in crate::model::infer) fn normalise(&self, row: &mut [f32]) {
        let count = row.len() as f32;
        let mean = fold(row, 0.0, |sum, x| sum + x).into_iter().sum::<f32>() / count;
        let squares = fold(row, 0.0, |sum, x| sum + (x - mean) * (x - mean)).into_iter().sum::<f32>();
        let scale = 1.0 / (squares / count + self.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
}

/// RMS normalisation (Zhang and Sennrich 2019): x / √(mean(x²) + ε) · weight.
pub(in crate::model::infer) fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32, output: &mut [f32]) {
    let scale = 1.0 / (dot_fma(x, x) / x.len() as f32 + epsilon).sqrt();
    for ((output, x), weight) in output.iter_mut().zip(x).zip(weight) {
        *output = x * scale * weight;
    }
}

/// [`rms_norm`] in place.
pub(in crate::model::infer) fn rms_norm_in_place(x: &mut [f32], weight: &[f32], epsilon: f32) {
    let scale = 1.0 / (dot_fma(x, x) / x.len() as f32 + epsilon).sqrt();
    for (x, weight) in x.iter_mut().zip(weight) {
        *x = *x * scale * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_rows_have_the_mean_and_spread_asked_for() {
        let norm = LayerNorm { weight: vec![2.0; 19], bias: vec![1.0; 19], epsilon: 1e-12 };
        let mut row: Vec<f32> = (0..19).map(|i| (i * i) as f32).collect();
        norm.add(&mut row, &[3.0; 20], 20);
        let mean = row.iter().sum::<f32>() / 19.0;
        let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 19.0;
        assert!((mean - 1.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4, "{mean} {spread}");
    }

    #[test]
    fn rms_normalised_vectors_have_a_mean_square_of_one_times_the_weight() {
        let x: Vec<f32> = (0..37).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let mut copy = vec![0f32; 37];
        rms_norm(&x, &[2.0; 37], 1e-9, &mut copy);
        let mut own = x.clone();
        rms_norm_in_place(&mut own, &[2.0; 37], 1e-9);
        assert_eq!(copy, own);
        assert!((copy.iter().map(|x| x * x).sum::<f32>() / 37.0 - 4.0).abs() < 1e-4);
    }
}
