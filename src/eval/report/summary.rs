//! The figures of a report.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::eval::dataset::EvalQuestion;
use crate::eval::folder::{EvalFolder, EvalRow, RunEnd};
use crate::eval::plan::{Arm, EvalIdentity};
use crate::eval::score::{Measure, Ratio};
use crate::eval::statistics::{Interval, Paired, macro_paired, macro_share, paired, share};

/// The form of the report.
const SCHEMA: &str = "catena.eval/1";
/// What key-entity match is averaged over: each part counts alike, however many questions ask for it (RoK, Table 3).
const MACRO: [Measure; 3] = Measure::KEY_ENTITY;

/// An evaluation in figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalReport {
    schema: &'static str,
    /// The command that gives this report.
    pub command: String,
    /// What the figures depend on.
    pub identity: EvalIdentity,
    /// How many questions were asked, of how many in the file.
    pub questions: (usize, usize),
    /// Records of the file that could not be used: how many, and the first one's line, by reason.
    pub rejected: BTreeMap<String, (u64, u64)>,
    /// Decides which questions are drawn, and the resampling.
    pub seed: u64,
    /// The methods with their settings.
    pub arms: Vec<ArmReport>,
    /// Each other method compared with the first.
    pub pairs: Vec<PairReport>,
}

/// A method with settings, in figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmReport {
    /// Its name among the others.
    pub label: String,
    /// Method and settings.
    pub arm: Arm,
    /// Questions answered from evidence, those where nothing was found, those that failed.
    pub ended: [usize; 3],
    /// Why runs failed, counted.
    pub failures: BTreeMap<String, usize>,
    /// Questions whose search stopped early.
    pub truncated: usize,
    /// Chains found before pruning.
    pub chains: Distribution,
    /// The measures that apply to at least one question, with 95 % intervals (bootstrap over the questions).
    pub measures: BTreeMap<Measure, Interval>,
    /// Key-entity match averaged over the parts.
    pub key_entity_macro: Option<Interval>,
    /// The same by part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_entity_by_part_macro: Option<Interval>,
}

/// A second method compared with the first, on the questions that both have results of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// The first method's name.
    pub first: String,
    /// The second's.
    pub second: String,
    /// Second less first, by measure.
    pub measures: BTreeMap<Measure, Paired>,
    /// The same for key-entity match averaged over the parts.
    pub key_entity_macro: Option<Paired>,
}

/// What was evaluated.
#[derive(Debug, Clone)]
pub struct Evaluated<'a> {
    /// The command that gives the report.
    pub command: String,
    /// What the figures depend on.
    pub identity: EvalIdentity,
    /// The questions that were asked.
    pub questions: &'a [&'a EvalQuestion],
    /// How many there are in the file.
    pub in_file: usize,
    /// Records that could not be used.
    pub rejected: BTreeMap<String, (u64, u64)>,
    /// The methods.
    pub arms: &'a [Arm],
    /// Decides which questions are drawn, and the resampling.
    pub seed: u64,
}

/// Mean, median, 95th percentile and maximum of some numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Distribution {
    /// Their mean.
    pub mean: f64,
    /// Half of them are not larger.
    pub median: f64,
    /// 95 of 100 are not larger.
    pub p95: f64,
    /// The largest.
    pub most: f64,
}

impl Distribution {
    /// Of numbers in any order; all zero where there are none.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * values.len() as f64).ceil() as usize;
            values.get(place.saturating_sub(1)).copied().unwrap_or_default()
        };
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Self { mean, median: at(0.5), p95: at(0.95), most: at(1.0) }
    }
}

impl EvalReport {
    /// Sums up what a folder holds.
    pub fn of(folder: &EvalFolder, evaluated: Evaluated<'_>) -> Self {
        let Evaluated { command, identity, questions, in_file, rejected, arms, seed } = evaluated;
        let rows = |arm: &Arm| -> Vec<&EvalRow> { questions.iter().filter_map(|question| folder.any_row(*arm, &question.id)).collect() };
        let of_arms: Vec<(String, Vec<&EvalRow>)> = arms.iter().map(|arm| (arm.label(arms), rows(arm))).collect();
        let pairs = match of_arms.split_first() {
            None => Vec::new(),
            Some((first, others)) => others.iter().map(|second| PairReport::of(first, second, seed)).collect(),
        };
        let arms = arms.iter().zip(of_arms).map(|(arm, (label, rows))| ArmReport::of(*arm, label, &rows, seed)).collect();
        Self { schema: SCHEMA, command, identity, questions: (questions.len(), in_file), rejected, seed, arms, pairs }
    }
}

impl PairReport {
    fn of((first, theirs): &(String, Vec<&EvalRow>), (second, ours): &(String, Vec<&EvalRow>), seed: u64) -> Self {
        let both = |measure| both(theirs, ours, measure);
        let measures = measures(theirs).into_iter().filter_map(|measure| {
            let (a, b) = both(measure);
            Some((measure, paired(&a, &b, seed)?))
        });
        let measures = measures.collect();
        let (a, b): (Vec<_>, Vec<_>) = MACRO.into_iter().map(both).filter(|(a, _)| !a.is_empty()).unzip();
        let key_entity_macro = if a.is_empty() { None } else { macro_paired(&a, &b, seed) };
        Self { first: first.clone(), second: second.clone(), measures, key_entity_macro }
    }
}

impl ArmReport {
    fn of(arm: Arm, label: String, rows: &[&EvalRow], seed: u64) -> Self {
        let mut ended = [0; 3];
        let mut failures = BTreeMap::new();
        for row in rows {
            match &row.ended {
                RunEnd::Answered => ended[0] += 1,
                RunEnd::NothingFound => ended[1] += 1,
                RunEnd::Failed(why) => {
                    ended[2] += 1;
                    *failures.entry(why.clone()).or_default() += 1;
                }
            }
        }
        let ratios = |measure: Measure| -> Vec<Ratio> { rows.iter().filter_map(|row| row.scores.get(&measure).copied()).collect() };
        let measures: BTreeMap<Measure, Interval> =
            measures(rows).into_iter().filter_map(|measure| Some((measure, share(&ratios(measure), seed)?))).collect();
        let mean = |of: [Measure; 3]| {
            let parts: Vec<Vec<Ratio>> = of.into_iter().map(ratios).filter(|ratios| !ratios.is_empty()).collect();
            if parts.is_empty() { None } else { macro_share(&parts, seed) }
        };
        let (key_entity_macro, key_entity_by_part_macro) = (mean(MACRO), mean(Measure::KEY_ENTITY_BY_PART));
        let truncated = rows.iter().filter(|row| row.truncated).count();
        let chains = Distribution::of(rows.iter().map(|row| row.chains as f64).collect());
        Self { label, arm, ended, failures, truncated, chains, measures, key_entity_macro, key_entity_by_part_macro }
    }
}

/// The measures that apply to at least one of the questions, but for times, which no two runs share.
fn measures(rows: &[&EvalRow]) -> Vec<Measure> {
    let mut all: Vec<Measure> = rows.iter().flat_map(|row| row.scores.keys().copied()).filter(|measure| !measure.is_time()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A measure of the questions that both have it of.
fn both(first: &[&EvalRow], second: &[&EvalRow], measure: Measure) -> (Vec<Ratio>, Vec<Ratio>) {
    let of = |rows: &[&EvalRow]| -> BTreeMap<String, Ratio> {
        rows.iter().filter_map(|row| Some((row.id.clone(), row.scores.get(&measure).copied()?))).collect()
    };
    let second = of(second);
    of(first).into_iter().filter_map(|(id, ratio)| Some((ratio, *second.get(&id)?))).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_of_the_nearest_rank() {
        let spread = Distribution::of((1..=100).rev().map(f64::from).collect());
        assert_eq!(spread, Distribution { mean: 50.5, median: 50.0, p95: 95.0, most: 100.0 });
        assert_eq!(Distribution::of(vec![7.0]), Distribution { mean: 7.0, median: 7.0, p95: 7.0, most: 7.0 });
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }
}
