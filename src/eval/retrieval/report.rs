//! What came of a retrieval set: each method's measures with 95 % intervals, and the difference of each from the first.

use std::fmt::Write;

use serde::Serialize;

use super::usefulness::MOST;
use super::{MEASURES, RankingScores};
use crate::eval::score::Ratio;
use crate::eval::statistics::{Interval, Paired, paired, share};
use crate::text::counted;

/// A method's scores on each question, in the order of the set.
#[derive(Debug, Clone, Serialize)]
pub struct MeasuredRanking {
    /// The method.
    pub method: String,
    /// With unjudged passages as not relevant.
    #[serde(skip)]
    pub full: Vec<RankingScores>,
    /// Without unjudged passages.
    #[serde(skip)]
    pub judged_only: Vec<RankingScores>,
    /// Milliseconds for a question, the median.
    pub median_ms: f64,
    /// How useful a judge holds the passages of each question, 0 to 10; empty without a judge. `None` where its reply was none.
    #[serde(skip)]
    pub usefulness: Vec<Option<f64>>,
}

/// One value of a report.
#[derive(Debug, Clone, Serialize)]
struct Row {
    method: String,
    measure: &'static str,
    judged_only: bool,
    value: Option<Interval>,
    /// Beside the first method.
    difference: Option<Paired>,
}

/// The report of a retrieval set.
#[derive(Debug, Clone, Serialize)]
pub struct RetrievalReport {
    questions: usize,
    medians_ms: Vec<(String, f64)>,
    rows: Vec<Row>,
    /// By a judge, 0 to 10; only where there was one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    usefulness: Vec<UsefulnessRow>,
}

/// How useful a method's passages are.
#[derive(Debug, Clone, Serialize)]
struct UsefulnessRow {
    method: String,
    mean: Option<Interval>,
    /// Replies that were no number; they do not count.
    unreadable: usize,
}

impl RetrievalReport {
    /// Sums up; the seed decides the resampling of the intervals.
    pub fn of(measured: &[MeasuredRanking], seed: u64) -> Self {
        let ratios = |scores: &[RankingScores], at: usize| -> Vec<Ratio> {
            scores.iter().map(|scores| Ratio { found: scores.get(at).copied().unwrap_or(0.0), all: 1.0 }).collect()
        };
        let mut rows = Vec::new();
        for (judged_only, of) in [(false, (|m| &m.full) as fn(&MeasuredRanking) -> &Vec<RankingScores>), (true, |m| &m.judged_only)] {
            for method in measured {
                for (at, measure) in MEASURES.into_iter().enumerate() {
                    let own = ratios(of(method), at);
                    let first = measured.first().filter(|first| first.method != method.method);
                    rows.push(Row {
                        method: method.method.clone(),
                        measure,
                        judged_only,
                        value: share(&own, seed),
                        difference: first.and_then(|first| paired(&ratios(of(first), at), &own, seed)),
                    });
                }
            }
        }
        let medians_ms = measured.iter().map(|measured| (measured.method.clone(), measured.median_ms)).collect();
        let judged = measured.iter().filter(|method| !method.usefulness.is_empty()).map(|method| {
            let ratios: Vec<Ratio> = method.usefulness.iter().flatten().map(|found| Ratio { found: *found, all: MOST }).collect();
            let in_ten = |mean: Interval| Interval { value: mean.value * MOST, low: mean.low * MOST, high: mean.high * MOST, ..mean };
            let unreadable = method.usefulness.len() - ratios.len();
            UsefulnessRow { method: method.method.clone(), mean: share(&ratios, seed).map(in_ten), unreadable }
        });
        let usefulness = judged.collect();
        Self { questions: measured.first().map_or(0, |first| first.full.len()), medians_ms, rows, usefulness }
    }

    /// The report as a table in Markdown.
    pub fn table(&self) -> String {
        let mut text =
            format!("{} questions; 95 % intervals by bootstrap\n\n| method | {} | ms |\n|---|", self.questions, MEASURES.join(" | "));
        text.push_str(&"---:|".repeat(MEASURES.len() + 1));
        for judged_only in [false, true] {
            for (method, median) in &self.medians_ms {
                let note = if judged_only { " (judged only)" } else { "" };
                let _ = write!(text, "\n| {method}{note} |");
                for row in self.rows.iter().filter(|row| row.method == *method && row.judged_only == judged_only) {
                    match &row.value {
                        Some(Interval { value, low, high, .. }) => {
                            let _ = write!(text, " {value:.3} ({low:.3}–{high:.3}) |");
                        }
                        None => text.push_str(" – |"),
                    }
                }
                let _ = write!(text, " {median:.1} |");
            }
        }
        for row in self.rows.iter().filter(|row| row.measure == "nDCG@10" && !row.judged_only) {
            if let Some(Paired { difference, better, worse, equal, .. }) = &row.difference {
                let Interval { value, low, high, .. } = difference;
                let method = &row.method;
                let _ = write!(
                    text,
                    "\n\n{method}, nDCG@10 less that of the first: {value:+.3} ({low:+.3} to {high:+.3}); better on {better}, worse on {worse}, equal on {equal}."
                );
            }
        }
        for row in &self.usefulness {
            let (method, unreadable) = (&row.method, counted(row.unreadable as u64, "reply was", "replies were"));
            let mean = row.mean.as_ref().map_or_else(
                || "none could be read".to_owned(),
                |Interval { value, low, high, .. }| format!("{value:.2} ({low:.2}–{high:.2})"),
            );
            let _ =
                write!(text, "\n\n{method}, usefulness of the first ten passages by the judge, 0 to 10: {mean}; {unreadable} no number.");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_method_and_the_difference_from_the_first() {
        let of = |method: &str, value: f64| MeasuredRanking {
            method: method.into(),
            full: vec![[value; 5]; 4],
            judged_only: vec![[1.0; 5]; 4],
            median_ms: 2.0,
            usefulness: if method == "idep" { vec![Some(7.0), Some(7.0), None, Some(7.0)] } else { Vec::new() },
        };
        let table = RetrievalReport::of(&[of("bm25", 0.5), of("idep", 0.75)], 1).table();
        assert!(table.contains("| bm25 | 0.500 (0.500–0.500) |") && table.contains("| idep (judged only) | 1.000"), "{table}");
        assert!(table.contains("idep, nDCG@10 less that of the first: +0.250 (+0.250 to +0.250); better on 4, worse on 0, equal on 0."));
        assert!(
            table.contains("idep, usefulness of the first ten passages by the judge, 0 to 10: 7.00 (7.00–7.00); 1 reply was no number.")
        );
        assert!(!table.contains("bm25, usefulness"), "there was no judge: {table}");
    }
}
