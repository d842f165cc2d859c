//! What fills the cells of a table: the evaluations that it needs, and the figure of a cell in them.

use serde::Serialize;

use super::papers::{Cell, PaperTable, PapersError};
use crate::eval::plan::Arm;
use crate::eval::report::{EvalReport, StageTimings};
use crate::eval::score::Measure;
use crate::eval::statistics::Interval;
use crate::run::MethodName;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A measure of the evaluation.
    Measure(Measure),
    /// Key-entity match, the mean of the parts.
    KeyEntity,
    /// The same by part.
    KeyEntityByPart,
    /// Seconds for a question. They differ from run to run, and stand apart.
    Seconds,
    /// A share of a judge's duels, or the advantage.
    Duels,
    /// A count of the data.
    Counts,
}

impl Source {
    /// By its name in the list of papers.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "key_entity" => Self::KeyEntity,
            "key_entity_by_part" => Self::KeyEntityByPart,
            "seconds" => Self::Seconds,
            "recall_win" | "recall_tie" | "recall_loss" | "precision_win" | "precision_tie" | "precision_loss" | "advantage" => Self::Duels,
            "questions" | "relations" | "entities" => Self::Counts,
            name => Self::Measure(name.parse().ok()?),
        })
    }

    /// Whether it is a share, which a table of percentages shows as such.
    pub fn is_share(self) -> bool {
        match self {
            Self::Measure(measure) => measure.is_share(),
            Self::KeyEntity | Self::KeyEntityByPart | Self::Duels => true,
            Self::Seconds | Self::Counts => false,
        }
    }
}

/// The evaluation that a table needs of a set: the methods, the paper's own first, each with the longest chain if the table names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedsOfSet<'a> {
    /// The set.
    pub set: &'a str,
    /// The methods.
    pub arms: Vec<(MethodName, Option<usize>)>,
}

/// What a table needs, by set.
///
/// # Errors
/// If it names a method that there is not.
pub fn needs(table: &PaperTable) -> Result<Vec<NeedsOfSet<'_>>, PapersError> {
    let own = table.own.as_deref().map(str::parse::<MethodName>).transpose()?;
    let mut needs: Vec<NeedsOfSet<'_>> = table.sets().into_iter().map(|set| NeedsOfSet { set, arms: Vec::new() }).collect();
    for row in &table.rows {
        for column in &table.columns {
            let Some(Cell { set, method: Some(method), k, .. }) = table.cell(row, column)? else { continue };
            if let Some(of_set) = needs.iter_mut().find(|needs| needs.set == set)
                && !of_set.arms.contains(&(method, k))
            {
                of_set.arms.push((method, k));
            }
        }
    }
    for of_set in &mut needs {
        of_set.arms.sort_by_key(|(method, _)| Some(*method) != own);
    }
    Ok(needs)
}

/// A figure of ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filled {
    /// The value; over several seeds, the mean.
    pub value: f64,
    /// The 95 % interval over the questions, of one seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// The standard deviation over seeds, and their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<(f64, usize)>,
    /// How likely chance alone makes the difference from the paper's own method (paired bootstrap); over several seeds, the largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

impl Filled {
    /// A plain count.
    pub fn count(value: f64) -> Self {
        Self { value, interval: None, deviation: None, p: None }
    }

    /// Of one value for each seed; `interval`: that of the first. `None` of no seed.
    fn of_seeds(values: &[f64], interval: Option<Interval>, p: Option<f64>) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        match count {
            0 => None,
            1 => Some(Self { value: mean, interval: interval.map(|of| (of.low, of.high)), deviation: None, p }),
            _ => {
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                Some(Self { value: mean, interval: None, deviation: Some(((squares / (count - 1) as f64).sqrt(), count)), p })
            }
        }
    }
}

/// What a cell's evaluations say, one for each seed; `None` where it was not measured.
pub fn ours(cell: &Cell<'_>, runs: &[(EvalReport, StageTimings)], usual_k: usize) -> Option<Filled> {
    let (source, method, k) = (Source::of(cell.by)?, cell.method?, cell.k.unwrap_or(usual_k));
    let is_it = |arm: &Arm| arm.method == method && arm.k == k;
    let mut values = Vec::new();
    let (mut first, mut p): (Option<Interval>, Option<f64>) = (None, None);
    for (report, timings) in runs {
        let arm = report.arms.iter().find(|arm| is_it(&arm.arm))?;
        let interval = match source {
            Source::Measure(measure) => *arm.measures.get(&measure)?,
            Source::KeyEntity => arm.key_entity_macro?,
            Source::KeyEntityByPart => arm.key_entity_by_part_macro?,
            Source::Seconds => {
                let seconds = timings.arms.get(&arm.label)?.get("total")?.mean / 1000.0;
                values.push(seconds);
                continue;
            }
            Source::Duels | Source::Counts => return None,
        };
        values.push(interval.value);
        first = first.or(Some(interval));
        let pair = report.pairs.iter().find(|pair| pair.second == arm.label);
        let of_pair = pair.and_then(|pair| match source {
            Source::Measure(measure) => pair.measures.get(&measure).copied(),
            Source::KeyEntity => pair.key_entity_macro,
            _ => None,
        });
        p = [p, of_pair.map(|pair| pair.p)].into_iter().flatten().max_by(f64::total_cmp);
    }
    Filled::of_seeds(&values, first, p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::reproduce::papers;

    #[test]
    fn several_seeds_give_a_mean_and_the_sample_deviation() {
        let of = Filled::of_seeds(&[0.2, 0.4, 0.6], None, Some(0.04)).expect("a figure");
        assert!((of.value - 0.4).abs() < 1e-12);
        let (deviation, seeds) = of.deviation.expect("a deviation");
        assert!((deviation - 0.2).abs() < 1e-12 && seeds == 3 && of.interval.is_none());
        let one = Filled::of_seeds(&[0.5], Some(Interval { value: 0.5, low: 0.4, high: 0.6, questions: 9 }), None).expect("a figure");
        assert_eq!((one.interval, one.deviation), (Some((0.4, 0.6)), None));
        assert_eq!(Filled::of_seeds(&[], None, None), None);
    }

    #[test]
    fn a_table_needs_each_method_once_its_own_first() {
        let papers = papers().expect("TOML");
        let table = |paper: &str, number: usize| &papers.paper.iter().find(|known| known.name == paper).expect("a paper").table[number - 1];
        let of_rok = needs(table("rok", 3)).expect("methods");
        let names = |needs: &NeedsOfSet<'_>| needs.arms.iter().map(|(method, _)| method.to_string()).collect::<Vec<_>>();
        assert_eq!(of_rok.iter().map(|needs| needs.set).collect::<Vec<_>>(), ["GenMedGPT-5k", "CMCQA"]);
        assert_eq!(names(&of_rok[0]), ["rok", "base", "embed", "mindmap"]);
        let of_wts = needs(table("wts", 3)).expect("methods");
        assert_eq!(of_wts[1].arms, (1..=4).map(|k| ("wts".parse().expect("a method"), Some(k))).collect::<Vec<_>>());
        assert!(needs(table("ebmkg", 2)).expect("sets").iter().all(|needs| needs.arms.is_empty()));
    }
}
