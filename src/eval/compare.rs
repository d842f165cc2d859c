//! Finds the questions on which two methods differ.

use std::collections::BTreeSet;

use super::dataset::EvalQuestion;
use super::error::EvalError;
use super::folder::{EvalFolder, EvalRow};
use super::plan::Arm;
use super::score::{Measure, Ratio};

/// A question on which two methods differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Differing<'a> {
    /// The question.
    pub question: &'a EvalQuestion,
    /// The measure that they are compared by.
    pub measure: Measure,
    /// The first method's share and the second's, 0 to 1.
    pub shares: (f64, f64),
    /// Entities that only the first answer names.
    pub only_first: Vec<String>,
    /// Entities that only the second answer names.
    pub only_second: Vec<String>,
}

/// The questions on which two methods differ, largest differences first. `measure` is the measure to compare by; without one, the first that
/// applies to each question.
///
/// # Errors
/// If a method is not among those evaluated.
pub fn differing<'a>(
    folder: &EvalFolder,
    questions: &[&'a EvalQuestion],
    first: Arm,
    second: Arm,
    measure: Option<Measure>,
) -> Result<Vec<Differing<'a>>, EvalError> {
    if first == second {
        return Err(EvalError::Compare("the two methods to compare are the same; name two different ones (--method A,B)".into()));
    }
    let mut differing: Vec<Differing<'_>> = questions
        .iter()
        .filter_map(|question| {
            let (a, b) = (folder.row(first, &question.id)?, folder.row(second, &question.id)?);
            let measure = measure.or_else(|| Measure::ALL.into_iter().find(|measure| a.scores.contains_key(measure)))?;
            let shares = (of(a, measure)?, of(b, measure)?);
            let only = |here: &EvalRow, there: &EvalRow| -> Vec<String> {
                let there: BTreeSet<&String> = there.entities.iter().collect();
                here.entities.iter().filter(|entity| !there.contains(entity)).cloned().collect()
            };
            let (only_first, only_second) = (only(a, b), only(b, a));
            (shares.0 != shares.1).then_some(Differing { question, measure, shares, only_first, only_second })
        })
        .collect();
    let by = |d: &Differing<'_>| (d.shares.1 - d.shares.0).abs();
    // Stable: equals stay in the order of the file.
    differing.sort_by(|a, b| by(b).total_cmp(&by(a)));
    Ok(differing)
}

fn of(row: &EvalRow, measure: Measure) -> Option<f64> {
    let Ratio { found, all } = *row.scores.get(&measure)?;
    (all > 0.0).then(|| found / all)
}
