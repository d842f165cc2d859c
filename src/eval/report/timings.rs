//! How long runs took, in a report of its own because times differ from run to run.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::summary::Distribution;
use crate::eval::dataset::EvalQuestion;
use crate::eval::folder::EvalFolder;
use crate::eval::plan::Arm;
use crate::eval::score::Measure;

/// The stages, in a run's order.
const TIMES: [(&str, Measure); 7] = [
    ("hypothesis", Measure::HypothesisMs),
    ("recognise", Measure::RecogniseMs),
    ("link", Measure::LinkMs),
    ("search", Measure::SearchMs),
    ("prune", Measure::PruneMs),
    ("read", Measure::ReadMs),
    ("total", Measure::TotalMs),
];

/// Milliseconds of the runs of each method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTimings {
    /// By the method's name: by stage, and in all (`total`).
    pub arms: BTreeMap<String, BTreeMap<&'static str, Distribution>>,
}

impl StageTimings {
    /// Of what a folder holds.
    pub fn of(folder: &EvalFolder, questions: &[&EvalQuestion], arms: &[Arm]) -> Self {
        let of_arm = |arm: &Arm| {
            let rows: Vec<_> = questions.iter().filter_map(|question| folder.row(*arm, &question.id)).collect();
            let of = |measure| Distribution::of(rows.iter().filter_map(|row| Some(row.scores.get(&measure)?.found)).collect());
            let stages = TIMES.map(|(name, measure)| (name, of(measure)));
            (arm.label(arms), BTreeMap::from(stages))
        };
        Self { arms: arms.iter().map(of_arm).collect() }
    }

    /// As a table, for the terminal.
    pub fn table(&self) -> String {
        let mut text = String::from("milliseconds per question: median (95th percentile)\n");
        let width = self.arms.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        // Writing to a text cannot fail.
        let _ = write!(text, "{:width$}", "");
        for (column, _) in TIMES {
            let _ = write!(text, "  {column:>16}");
        }
        for (name, stages) in &self.arms {
            let _ = write!(text, "\n{name:width$}");
            for (column, _) in TIMES {
                let spread = stages.get(column).copied().unwrap_or_default();
                let _ = write!(text, "  {:>16}", format!("{:.1} ({:.1})", spread.median, spread.p95));
            }
        }
        text
    }
}
