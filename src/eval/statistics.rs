//! Confidence intervals and paired comparisons by the bootstrap (Efron and Tibshirani 1993, chapters 13 and 16): the measure is computed on many
//! samples of the questions, drawn with replacement.

use serde::{Deserialize, Serialize};

use super::score::Ratio;
use crate::text::SplitMix64;

/// How many samples are drawn.
const RESAMPLES: usize = 2000;
/// The share outside an interval on either side: 95 % are inside.
const TAIL: f64 = 0.025;

/// A measured value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How many questions it was measured on.
    pub questions: usize,
}

/// The difference of two methods on the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The second's value less the first's.
    pub difference: Interval,
    /// How often the bootstrap gives a difference on the other side of zero, or zero, twice: two-sided, from 1/1000 or so to 1.
    pub p: f64,
    /// Questions on which the second's value is higher.
    pub better: usize,
    /// Questions on which it is lower.
    pub worse: usize,
    /// Questions on which both are equal.
    pub equal: usize,
}

/// The share Σ found / Σ all, with its interval; `None` where no question has anything to be found. The same seed gives the same interval.
pub fn share(of: &[Ratio], seed: u64) -> Option<Interval> {
    macro_share(&[of.to_vec()], seed)
}

/// The mean of the shares of several measures, each drawn anew by itself. Measures without anything to be found do not count.
pub fn macro_share(parts: &[Vec<Ratio>], seed: u64) -> Option<Interval> {
    let parts: Vec<Vec<[Ratio; 1]>> = parts.iter().map(|part| part.iter().filter(|r| counts(r)).map(|r| [*r]).collect()).collect();
    Bootstrap::of(parts).map(|bootstrap| bootstrap.run(seed, |[share]| share).0)
}

/// What the second method's share differs by from the first's: the same questions in the same order. Questions on which one of them has nothing to be found do
/// not count; `None` where none is left, or the lists are not of one length.
pub fn paired(a: &[Ratio], b: &[Ratio], seed: u64) -> Option<Paired> {
    macro_paired(&[a.to_vec()], &[b.to_vec()], seed)
}

/// The same for the mean of several measures.
pub fn macro_paired(a: &[Vec<Ratio>], b: &[Vec<Ratio>], seed: u64) -> Option<Paired> {
    if a.len() != b.len() || a.iter().zip(b).any(|(a, b)| a.len() != b.len()) {
        return None;
    }
    let pairs = |(a, b): (&Vec<Ratio>, &Vec<Ratio>)| -> Vec<[Ratio; 2]> {
        a.iter().zip(b).filter(|(a, b)| counts(a) && counts(b)).map(|(a, b)| [*a, *b]).collect()
    };
    let parts: Vec<Vec<[Ratio; 2]>> = a.iter().zip(b).map(pairs).collect();
    let of_question = |[a, b]: &[Ratio; 2]| (b.found / b.all).total_cmp(&(a.found / a.all));
    let count = |which| parts.iter().flatten().filter(|pair| of_question(pair) == which).count();
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (better, worse, equal) = (count(Greater), count(Less), count(Equal));
    let (difference, drawn) = Bootstrap::of(parts)?.run(seed, |[a, b]| b - a);
    let beyond = |is: fn(f64) -> bool| drawn.iter().filter(|drawn| is(**drawn)).count() as f64 + 1.0;
    let p = (2.0 * beyond(|d| d <= 0.0).min(beyond(|d| d >= 0.0)) / (drawn.len() as f64 + 1.0)).min(1.0);
    Some(Paired { difference, p, better, worse, equal })
}

fn counts(ratio: &Ratio) -> bool {
    ratio.all > 0.0 && ratio.all.is_finite() && ratio.found.is_finite()
}

/// Questions of several measures, with the ratios of each method.
struct Bootstrap<const METHODS: usize> {
    parts: Vec<Vec<[Ratio; METHODS]>>,
}

impl<const METHODS: usize> Bootstrap<METHODS> {
    fn of(mut parts: Vec<Vec<[Ratio; METHODS]>>) -> Option<Self> {
        parts.retain(|part| !part.is_empty());
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// The value of what is measured, its interval, and its values on all resamples, ascending.
    fn run(&self, seed: u64, measured: impl Fn([f64; METHODS]) -> f64) -> (Interval, Vec<f64>) {
        let mut random = SplitMix64::new(seed);
        let value = measured(self.means(|part, at| part[at]));
        let mut drawn: Vec<f64> = (0..RESAMPLES).map(|_| measured(self.means(|part, _| part[random.next_below(part.len())]))).collect();
        drawn.sort_by(f64::total_cmp);
        let at = |share: f64| drawn[((share * RESAMPLES as f64) as usize).min(RESAMPLES - 1)];
        let questions = self.parts.iter().map(Vec::len).sum();
        // The ends of the middle 95 %: as many values are left out below as above.
        (Interval { value, low: at(TAIL), high: at(1.0 - TAIL - 1.0 / RESAMPLES as f64), questions }, drawn)
    }

    /// For each method the mean over the measures of Σ found / Σ all, of the questions that `draw` gives.
    fn means(&self, mut draw: impl FnMut(&[[Ratio; METHODS]], usize) -> [Ratio; METHODS]) -> [f64; METHODS] {
        let mut means = [0.0; METHODS];
        for part in &self.parts {
            let mut sums = [(0.0, 0.0); METHODS];
            for at in 0..part.len() {
                for (sum, ratio) in sums.iter_mut().zip(draw(part, at)) {
                    *sum = (sum.0 + ratio.found, sum.1 + ratio.all);
                }
            }
            for (mean, (found, all)) in means.iter_mut().zip(sums) {
                *mean += found / all / self.parts.len() as f64;
            }
        }
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(of: &[(f64, f64)]) -> Vec<Ratio> {
        of.iter().map(|(found, all)| Ratio { found: *found, all: *all }).collect()
    }

    /// Questions of which so many in a hundred are right.
    fn right(percent: usize, questions: usize) -> Vec<Ratio> {
        (0..questions).map(|i| Ratio { found: f64::from(u8::from(i * 37 % 100 < percent)), all: 1.0 }).collect()
    }

    #[test]
    fn a_share_is_found_of_all_whatever_question_it_is_in() {
        let share = share(&ratios(&[(1.0, 1.0), (0.0, 3.0), (0.0, 0.0)]), 1).expect("two questions");
        assert_eq!((share.value, share.questions), (0.25, 2));
        // Both drawn alike: 1/1, 0/6; the interval holds both.
        assert_eq!((share.low, share.high), (0.0, 1.0));
        assert!(super::share(&ratios(&[(0.0, 0.0)]), 1).is_none() && super::share(&[], 1).is_none());
        let sure = super::share(&ratios(&[(1.0, 2.0); 5]), 1).expect("five");
        assert_eq!((sure.value, sure.low, sure.high), (0.5, 0.5, 0.5));
    }

    #[test]
    fn the_interval_is_that_of_the_binomial() {
        // 300 of 1000: ±1.96 √(0.3 · 0.7 / 1000) = ±0.0284.
        let share = share(&right(30, 1000), 5).expect("questions");
        assert_eq!(share.value, 0.3);
        assert!((share.low - 0.2716).abs() < 0.004 && (share.high - 0.3284).abs() < 0.004, "{share:?}");
        assert_eq!(super::share(&right(30, 1000), 5), Some(share), "a seed gives one interval");
        assert_ne!(super::share(&right(30, 1000), 6).map(|other| other.low), None);
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let mut random = SplitMix64::new(11);
        let truth = 0.4;
        let held = (0..200)
            .filter(|round| {
                let drawn: Vec<Ratio> =
                    (0..120).map(|_| Ratio { found: f64::from(u8::from(random.next_below(1000) < 400)), all: 1.0 }).collect();
                let interval = share(&drawn, *round).expect("questions");
                interval.low <= truth && truth <= interval.high
            })
            .count();
        assert!((180..=199).contains(&held), "95 % of 200 are 190, and {held} hold it");
    }

    #[test]
    fn a_mean_of_shares_weighs_measures_alike_however_many_questions_they_have() {
        let (few, many) = (right(80, 100), right(20, 900));
        let mean = macro_share(&[few.clone(), many.clone(), Vec::new()], 3).expect("two measures");
        assert!((mean.value - 0.5).abs() < 1e-12, "{mean:?}");
        assert_eq!(mean.questions, 1000);
        // √(0.16/100 + 0.16/900) / 2 = 0.0211, times 1.96.
        assert!((mean.high - mean.low - 2.0 * 0.0413).abs() < 0.008, "{mean:?}");
        assert!(mean.high - mean.low < 0.2 && macro_share(&[], 3).is_none());
    }

    #[test]
    fn equal_answers_differ_by_nothing() {
        let a = right(30, 200);
        let same = paired(&a, &a, 1).expect("questions");
        assert_eq!((same.difference.value, same.difference.low, same.difference.high, same.p), (0.0, 0.0, 0.0, 1.0));
        assert_eq!((same.better, same.worse, same.equal), (0, 0, 200));
    }

    #[test]
    fn a_difference_on_the_same_questions_is_surer_than_that_of_two_samples() {
        let a = right(30, 400);
        let mut b = a.clone();
        for ratio in b.iter_mut().filter(|ratio| ratio.found == 0.0).take(20) {
            ratio.found = 1.0;
        }
        let paired = paired(&a, &b, 9).expect("questions");
        assert!((paired.difference.value - 0.05).abs() < 1e-12);
        assert_eq!((paired.better, paired.worse, paired.equal), (20, 0, 380));
        assert!(paired.difference.low > 0.0 && paired.p < 0.01, "{paired:?}");
        let back = super::paired(&b, &a, 9).expect("questions");
        assert_eq!((back.better, back.worse), (0, 20));
        assert!((back.difference.value + 0.05).abs() < 1e-12 && back.difference.high < 0.0 && back.p < 0.01, "{back:?}");
        let (low, high) = (share(&b, 9).expect("b").low, share(&a, 9).expect("a").high);
        assert!(low < high, "apart the two cannot be told: {low} {high}");
        assert!(super::paired(&a, &b[1..], 9).is_none() && super::paired(&[], &[], 9).is_none());
    }

    #[test]
    fn chance_is_no_difference() {
        let a = right(50, 100);
        let b: Vec<Ratio> = a.iter().rev().copied().collect();
        let chance = macro_paired(&[a.clone(), Vec::new()], &[b, Vec::new()], 2).expect("questions");
        assert_eq!(chance.difference.value, 0.0);
        assert!(chance.p > 0.5 && chance.better == chance.worse, "{chance:?}");
        assert!(macro_paired(&[a], &[], 2).is_none());
    }
}
