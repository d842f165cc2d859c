//! On which questions two methods differ.

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
    /// What they differ most in.
    pub measure: Measure,
    /// What the first comes to, and the second.
    pub shares: (f64, f64),
    /// What only the first answer states.
    pub only_first: Vec<String>,
    /// What only the second answer states.
    pub only_second: Vec<String>,
}

/// What the answers of two methods differ in, question by question: those first on which the second gains or loses most.
/// `measure`: the one to compare by; the first that applies to a question where none is given.
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
        return Err(EvalError::Compare("two methods are compared, and both are the same; name two (--method A,B)".into()));
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
