//! Rotary position embeddings (Su et al. 2021): frequencies, and tables of cosines and sines that grow with the context.

use super::config::{RopeConfig, RopeScaling, TransformerConfig};

/// Positions by which tables grow.
const STEP: usize = 256;

/// Cosines and sines of all positions so far, row by row, `rotary_dim / 2` a position.
#[derive(Debug, Clone)]
pub(super) struct Rope {
    frequencies: Vec<f32>,
    magnitude: f32,
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl Rope {
    /// For all layers, and for those with a window.
    pub(super) fn of(config: &TransformerConfig) -> (Self, Option<Self>) {
        let make = |rope: &RopeConfig| Self::new(rope, config.rotary_dim);
        (make(&config.rope), config.local_rope.as_ref().map(make))
    }

    fn new(rope: &RopeConfig, dim: usize) -> Self {
        let plain = (0..dim / 2).map(|i| rope.theta.powf(-2.0 * i as f64 / dim as f64));
        let mut magnitude = 1.0;
        let frequencies = match &rope.scaling {
            RopeScaling::None => plain.map(|f| f as f32).collect(),
            RopeScaling::Linear(factor) => plain.map(|f| (f / factor) as f32).collect(),
            RopeScaling::Llama3 { factor, low, high, original } => {
                let original = *original as f64;
                plain
                    .map(|f| {
                        let wavelength = 2.0 * std::f64::consts::PI / f;
                        let smooth = ((original / wavelength - low) / (high - low)).clamp(0.0, 1.0);
                        ((1.0 - smooth) * f / factor + smooth * f) as f32
                    })
                    .collect()
            }
            RopeScaling::Factors { factors, magnitude: given } => {
                magnitude = *given;
                plain.zip(factors).map(|(f, factor)| (f / f64::from(*factor)) as f32).collect()
            }
        };
        Self { frequencies, magnitude, cos: Vec::new(), sin: Vec::new() }
    }

    /// Half the rotated components: entries of a row.
    pub(super) fn half(&self) -> usize {
        self.frequencies.len()
    }

    /// The positions that there are rows for.
    pub(super) fn positions(&self) -> usize {
        self.cos.len() / self.half().max(1)
    }

    /// Makes rows for the positions below `positions`.
    pub(super) fn grow(&mut self, positions: usize) {
        let (from, to) = (self.positions(), positions.next_multiple_of(STEP));
        for position in from..to {
            for frequency in &self.frequencies {
                // Sines of large angles lose what a 32-bit product has rounded away.
                let (sin, cos) = (position as f64 * f64::from(*frequency)).sin_cos();
                self.cos.push(cos as f32 * self.magnitude);
                self.sin.push(sin as f32 * self.magnitude);
            }
        }
    }

    /// Cosines and sines of the positions from `from`, `count` rows. They must have been grown to.
    pub(super) fn rows(&self, from: usize, count: usize) -> (&[f32], &[f32]) {
        let range = from * self.half()..(from + count) * self.half();
        (&self.cos[range.clone()], &self.sin[range])
    }
}

/// Rotates the first `2 * cos.len()` components of a head. Pairs are neighbours (2i, 2i + 1) if `interleaved`, otherwise halves (i, i + n).
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(scaling: RopeScaling) -> Rope {
        Rope::new(&RopeConfig { theta: 10_000.0, scaling }, 8)
    }

    #[test]
    fn frequencies_follow_their_scaling() {
        let plain = rope(RopeScaling::None).frequencies;
        assert!((plain[0] - 1.0).abs() < 1e-7 && (plain[1] - 0.1).abs() < 1e-7 && (plain[3] - 0.001).abs() < 1e-9);
        let linear = rope(RopeScaling::Linear(4.0)).frequencies;
        assert!(plain.iter().zip(&linear).all(|(p, l)| (p / 4.0 - l).abs() < 1e-9));
        // Wavelengths: 6.3, 63, 628, 6283. Kept below 1024 / 4 = 256, divided above 1024 / 1.
        let llama = rope(RopeScaling::Llama3 { factor: 8.0, low: 1.0, high: 4.0, original: 1024 }).frequencies;
        assert!((llama[0] - plain[0]).abs() < 1e-7 && (llama[1] - plain[1]).abs() < 1e-7);
        assert!(llama[2] < plain[2] && llama[2] > plain[2] / 8.0);
        assert!((llama[3] - plain[3] / 8.0).abs() < 1e-9);
        let own = rope(RopeScaling::Factors { factors: vec![1.0, 2.0, 4.0, 5.0], magnitude: 1.5 });
        assert!((own.frequencies[3] - plain[3] / 5.0).abs() < 1e-9);
    }

    #[test]
    fn tables_hold_cosines_of_position_times_frequency() {
        let mut rope = rope(RopeScaling::None);
        rope.grow(3);
        rope.grow(300);
        let (cos, sin) = rope.rows(299, 1);
        assert!((cos[1] - 29.9f32.cos()).abs() < 1e-5 && (sin[1] - 29.9f32.sin()).abs() < 1e-5);
    }
}
