//! Drawing the next token: repetition penalty, temperature, top-k, top-p, and a seeded draw.

use super::cpu::exp;
use crate::model::Sampling;

/// Candidates looked at first; most draws need no more.
const FIRST: usize = 256;
/// Temperatures below the likeliest token at which a token weighs less than 10⁻¹⁷ of it, and a million of them nothing.
const NEGLIGIBLE: f32 = 40.0;

/// A source of pseudo-random numbers (SplitMix64, Steele et al. 2014): the same for a seed on every machine.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    /// A number from 0 (included) to 1 (excluded).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Draws tokens for one text.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    random: Random,
    logits: Vec<f32>,
    candidates: Vec<(f32, u32)>,
}

impl Sampler {
    pub(super) fn new(sampling: &Sampling) -> Self {
        Self { random: Random(sampling.seed), sampling: sampling.clone(), logits: Vec::new(), candidates: Vec::new() }
    }

    /// The next token. `occurred` are the tokens so far, prompt and text. Logits that are not numbers are never drawn.
    pub(super) fn draw(&mut self, logits: &[f32], occurred: &[u32]) -> Option<u32> {
        let penalty = self.sampling.repetition_penalty;
        if penalty == 1.0 || !penalty.is_finite() || penalty <= 0.0 {
            return self.draw_from(logits);
        }
        let mut own = std::mem::take(&mut self.logits);
        own.clear();
        own.extend_from_slice(logits);
        for token in occurred {
            // Each token once, however often it occurred: the logits of before are the measure.
            if let (Some(logit), Some(before)) = (own.get_mut(*token as usize), logits.get(*token as usize)) {
                *logit = if *before > 0.0 { before / penalty } else { before * penalty };
            }
        }
        let token = self.draw_from(&own);
        self.logits = own;
        token
    }

    fn draw_from(&mut self, logits: &[f32]) -> Option<u32> {
        let top = likeliest(logits)?;
        let temperature = self.sampling.temperature;
        if !(temperature > 0.0 && temperature.is_finite()) || self.sampling.top_k == Some(1) {
            return Some(top);
        }
        let largest = logits[top as usize];
        // Weights are relative to the likeliest token, so none overflows.
        let weight = |logit: f32| (f64::from(logit - largest) / temperature).exp();
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let least = largest - NEGLIGIBLE * temperature as f32;
        candidates.extend(logits.iter().zip(0u32..).filter(|(logit, _)| **logit >= least).map(|(logit, id)| (*logit, id)));
        let most = self.sampling.top_k.filter(|k| *k > 0).unwrap_or(usize::MAX).min(candidates.len());
        best_first(&mut candidates, most, 0, FIRST);
        let top_p = self.sampling.top_p.filter(|p| *p > 0.0 && *p < 1.0);
        let kept = match top_p {
            None => {
                best_first(&mut candidates, most, FIRST, most);
                most
            }
            Some(p) => {
                let total: f64 = if most == candidates.len() {
                    total_weight(logits, largest, temperature as f32)
                } else {
                    best_first(&mut candidates, most, FIRST, most);
                    candidates[..most].iter().map(|(logit, _)| weight(*logit)).sum()
                };
                let (mut sum, mut kept, mut sorted) = (0.0, 0, FIRST.min(most));
                while kept < most && sum < p * total {
                    if kept == sorted {
                        let next = (sorted * 8).min(most);
                        best_first(&mut candidates, most, sorted, next);
                        sorted = next;
                    }
                    sum += weight(candidates[kept].0);
                    kept += 1;
                }
                kept
            }
        };
        let kept = &candidates[..kept.max(1)];
        let total: f64 = kept.iter().map(|(logit, _)| weight(*logit)).sum();
        let mut left = self.random.next() * total;
        let drawn = kept.iter().find(|(logit, _)| {
            left -= weight(*logit);
            left < 0.0
        });
        let token = drawn.or(kept.last()).map(|(_, id)| *id);
        self.candidates = candidates;
        token
    }
}

/// The weights of all tokens together.
fn total_weight(logits: &[f32], largest: f32, temperature: f32) -> f64 {
    let scale = 1.0 / temperature;
    let weight = |logit: f32| exp(if logit.is_nan() { f32::NEG_INFINITY } else { (logit - largest) * scale });
    // Short sums of 32 bits, which the compiler makes vectors of, within a long one of 64.
    let part = |logits: &[f32]| {
        let mut sums = [0f32; 16];
        let (chunks, rest) = logits.as_chunks::<16>();
        for chunk in chunks {
            for (sum, logit) in sums.iter_mut().zip(chunk) {
                *sum += weight(*logit);
            }
        }
        sums.iter().chain(&rest.iter().map(|logit| weight(*logit)).collect::<Vec<_>>()).map(|sum| f64::from(*sum)).sum::<f64>()
    };
    logits.chunks(1024).map(part).sum()
}

/// Puts the best `to` of the first `most` places into order, given that the best `from` are in theirs. Equals by their number.
fn best_first(candidates: &mut [(f32, u32)], most: usize, from: usize, to: usize) {
    let (from, to) = (from.min(most), to.min(most));
    if from >= to {
        return;
    }
    let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let rest = &mut candidates[from..];
    let count = to - from;
    if count < rest.len() {
        rest.select_nth_unstable_by(count - 1, order);
    }
    rest[..count].sort_unstable_by(order);
}

/// The token with the largest logit; of equals the first.
fn likeliest(logits: &[f32]) -> Option<u32> {
    let mut best: Option<(f32, u32)> = None;
    for (logit, id) in logits.iter().zip(0u32..) {
        if !logit.is_nan() && best.is_none_or(|(most, _)| *logit > most) {
            best = Some((*logit, id));
        }
    }
    best.filter(|(logit, _)| *logit > f32::NEG_INFINITY).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sampling: Sampling, logits: &[f32], draws: usize) -> Vec<u32> {
        let mut sampler = Sampler::new(&sampling);
        (0..draws).filter_map(|_| sampler.draw(logits, &[])).collect()
    }

    fn plain() -> Sampling {
        Sampling { temperature: 1.0, top_p: None, ..Sampling::default() }
    }

    #[test]
    fn without_temperature_the_likeliest_is_drawn_and_of_equals_the_first() {
        let greedy = Sampling { temperature: 0.0, ..plain() };
        assert_eq!(drawn(greedy.clone(), &[0.5, 2.0, f32::NAN, 2.0], 1), [1]);
        assert!(drawn(greedy, &[f32::NAN; 3], 1).is_empty());
    }

    #[test]
    fn frequencies_follow_the_softmax() {
        let logits = [1f32, 2.0, 0.0, -1.0];
        let total: f64 = logits.iter().map(|l| f64::from(*l).exp()).sum();
        let draws = drawn(plain(), &logits, 20_000);
        for (id, logit) in logits.iter().enumerate() {
            let share = draws.iter().filter(|d| **d as usize == id).count() as f64 / 20_000.0;
            assert!((share - f64::from(*logit).exp() / total).abs() < 0.015, "{id}: {share}");
        }
    }

    #[test]
    fn top_k_and_top_p_cut_the_tail() {
        // Probabilities .4 .3 .2 .1.
        let logits = [0.1f32.ln(), 0.4f32.ln(), 0.2f32.ln(), 0.3f32.ln()];
        let seen = |sampling| {
            let mut seen = drawn(sampling, &logits, 500);
            seen.sort_unstable();
            seen.dedup();
            seen
        };
        assert_eq!(seen(Sampling { top_k: Some(2), ..plain() }), [1, 3]);
        assert_eq!(seen(Sampling { top_p: Some(0.65), ..plain() }), [1, 3]);
        assert_eq!(seen(Sampling { top_p: Some(0.75), ..plain() }), [1, 2, 3]);
        assert_eq!(seen(plain()), [0, 1, 2, 3]);
    }

    #[test]
    fn a_flat_distribution_over_many_tokens_is_cut_exactly() {
        let logits = vec![0.0; 10_000];
        let draws = drawn(Sampling { top_p: Some(0.5), ..plain() }, &logits, 2_000);
        assert!(draws.iter().all(|d| *d < 5_001) && draws.iter().any(|d| *d > 4_000));
    }

    #[test]
    fn what_occurred_is_less_likely() {
        let mut sampler = Sampler::new(&Sampling { temperature: 0.0, repetition_penalty: 1.5, ..plain() });
        assert_eq!(sampler.draw(&[1.0, 1.2, -0.5], &[1, 1]), Some(0));
        assert_eq!(sampler.draw(&[-1.0, -1.2, -4.0], &[0]), Some(1));
    }

    #[test]
    fn draws_depend_on_the_seed_alone() {
        let logits: Vec<f32> = (0..100).map(|i| (i as f32 * 1.7).sin()).collect();
        let with = |seed| drawn(Sampling { seed, ..plain() }, &logits, 50);
        assert_eq!(with(7), with(7));
        assert_ne!(with(7), with(8));
    }
}
