//! Drawing the next token: repetition penalty, min-p, temperature, top-k, top-p, and a seeded draw.

use crate::model::Sampling;
use crate::model::infer::maths::exp;
use crate::text::SplitMix64;

/// Bins that logits are counted in.
const BINS: usize = 4096;
/// Temperatures below the likeliest token at which a token weighs less than 10⁻¹⁷ of it, and a million of them nothing.
const NEGLIGIBLE: f32 = 40.0;

/// Draws tokens for one text.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    random: SplitMix64,
    logits: Vec<f32>,
    spread: WeightHistogram,
}

impl Sampler {
    pub(super) fn new(sampling: &Sampling) -> Self {
        Self { random: SplitMix64::new(sampling.seed), sampling: sampling.clone(), logits: Vec::new(), spread: WeightHistogram::default() }
    }

    /// The next token. `occurred` are the tokens of the text so far. Logits that are not numbers are never drawn.
    pub(super) fn draw(&mut self, logits: &[f32], occurred: &[u32]) -> Option<u32> {
        let penalty = self.sampling.repetition_penalty.unwrap_or(1.0);
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
        // A share of the likeliest token's probability, before the temperature changes it.
        let most_below = self.sampling.min_p.filter(|p| *p > 0.0 && *p <= 1.0).map_or(f32::INFINITY, |p| -p.ln() as f32);
        self.spread.weigh(logits, logits[top as usize], temperature as f32, most_below);
        let mut kept = KeptTokens { last: None, weight: self.spread.total };
        if let Some(k) = self.sampling.top_k.filter(|k| *k > 0 && *k < logits.len()) {
            kept = self.spread.best(logits, |count, _| count >= k);
        }
        if let Some(p) = self.sampling.top_p.filter(|p| *p > 0.0 && *p < 1.0) {
            let most = p * kept.weight;
            kept = self.spread.best(logits, |_, weight| weight >= most);
        }
        let mut left = self.random.next_f64() * kept.weight;
        let mut drawn = None;
        for ((logit, weight), id) in logits.iter().zip(&self.spread.weights).zip(0u32..) {
            if *weight > 0.0 && kept.holds(*logit, id) {
                drawn = Some(id);
                left -= f64::from(*weight);
                if left < 0.0 {
                    break;
                }
            }
        }
        drawn.or(Some(top))
    }
}

/// The tokens that are drawn from: down to the last of them, in the order of falling logits, equals by number.
#[derive(Debug, Clone, Copy)]
struct KeptTokens {
    last: Option<(f32, u32)>,
    /// Of all of them.
    weight: f64,
}

impl KeptTokens {
    fn holds(&self, logit: f32, id: u32) -> bool {
        self.last.is_none_or(|(least, last)| logit > least || (logit == least && id <= last))
    }
}

/// The weights of all tokens relative to the likeliest one, and how they are spread. Nothing is sorted but the few tokens among which
/// the line is drawn: a vocabulary has hundreds of thousands.
#[derive(Debug, Default)]
struct WeightHistogram {
    /// 1 for the likeliest; 0 where it is negligible or not a number.
    weights: Vec<f32>,
    total: f64,
    /// How many tokens, and what weight, in each bin of logits, from the likeliest down.
    bins: Vec<(usize, f64)>,
    largest: f32,
    scale: f32,
}

impl WeightHistogram {
    fn weigh(&mut self, logits: &[f32], largest: f32, temperature: f32, most_below: f32) {
        (self.largest, self.scale) = (largest, 1.0 / temperature);
        let scale = self.scale;
        self.weights.resize(logits.len(), 0.0);
        for (weight, logit) in self.weights.iter_mut().zip(logits) {
            let below = (largest - logit) * scale;
            // Not numbers compare false.
            *weight = if below <= NEGLIGIBLE && largest - logit <= most_below { exp(-below) } else { 0.0 };
        }
        // Short sums of 32 bits within a long one of 64.
        self.total = self.weights.chunks(256).map(|part| f64::from(part.iter().sum::<f32>())).sum();
        self.bins.clear();
        if self.total.is_finite() && self.total > 0.0 {
            self.bins.resize(BINS + 1, (0, 0.0));
            for (logit, weight) in logits.iter().zip(&self.weights).filter(|(_, weight)| **weight > 0.0) {
                let bin = &mut self.bins[bin(largest, *logit, scale)];
                bin.0 += 1;
                bin.1 += f64::from(*weight);
            }
        }
    }

    /// The best tokens, as few as are `enough` by their number and weight.
    fn best(&self, logits: &[f32], enough: impl Fn(usize, f64) -> bool) -> KeptTokens {
        let (mut count, mut weight) = (0, 0.0);
        for (number, of_bin) in self.bins.iter().enumerate() {
            if !enough(count + of_bin.0, weight + of_bin.1) {
                count += of_bin.0;
                weight += of_bin.1;
                continue;
            }
            let within = |(logit, id): (&f32, u32)| {
                (self.weights[id as usize] > 0.0 && bin(self.largest, *logit, self.scale) == number).then_some((*logit, id))
            };
            let mut tokens: Vec<(f32, u32)> = logits.iter().zip(0u32..).filter_map(within).collect();
            tokens.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (logit, id) in tokens {
                count += 1;
                weight += f64::from(self.weights[id as usize]);
                if enough(count, weight) {
                    return KeptTokens { last: Some((logit, id)), weight };
                }
            }
        }
        KeptTokens { last: None, weight: self.total }
    }
}

/// The bin of a logit: so many to a temperature.
fn bin(largest: f32, logit: f32, scale: f32) -> usize {
    (((largest - logit) * scale * (BINS as f32 / NEGLIGIBLE)) as usize).min(BINS)
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
        assert_eq!(seen(Sampling { min_p: Some(0.6), ..plain() }), [1, 3]);
        assert_eq!(seen(Sampling { min_p: Some(0.4), temperature: 5.0, ..plain() }), [1, 2, 3]);
        assert_eq!(seen(Sampling { min_p: Some(1.0), ..plain() }), [1]);
        assert_eq!(seen(Sampling { min_p: Some(f64::NAN), ..plain() }), [0, 1, 2, 3]);
    }

    #[test]
    fn a_flat_distribution_over_many_tokens_is_cut_exactly() {
        let logits = vec![0.0; 10_000];
        let draws = drawn(Sampling { top_p: Some(0.5), ..plain() }, &logits, 2_000);
        assert!(draws.iter().all(|d| *d < 5_001) && draws.iter().any(|d| *d > 4_000));
    }

    #[test]
    fn what_occurred_is_less_likely() {
        let mut sampler = Sampler::new(&Sampling { temperature: 0.0, repetition_penalty: Some(1.5), ..plain() });
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
