//! A learning curve as a table and a plot, for the terminal and for a report.

use std::fmt::Write;

use super::trial::{KeyEntityScore, LearningCurve};
use crate::text::plot::{Series, line_plot};

/// The scores before, between and after the two phases, as a Markdown table.
pub fn table(curve: &LearningCurve) -> String {
    let mut text = String::from("| key-entity match | conditions | tests | treatments | mean |\n|---|---|---|---|---|\n");
    let rows = [
        ("before", curve.before),
        ("after the apprenticeship", curve.after_apprenticeship),
        ("answers given during the mastership", curve.during_mastership),
        ("after the mastership", curve.after_mastership),
    ];
    for (name, score) in rows {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "| {name} | {} | {} | {} | {:.3} |", share(&score, 0), share(&score, 1), share(&score, 2), score.mean());
    }
    text
}

fn share(score: &KeyEntityScore, part: usize) -> String {
    let (found, all, _) = score.parts[part];
    score.share(part).map_or_else(|| "–".into(), |share| format!("{share:.3} ({found} of {all})"))
}

/// The table, the counts and the plot of learned triples, as Markdown.
pub fn markdown(curve: &LearningCurve) -> String {
    let points: Vec<(f64, f64)> = curve.learned.iter().map(|(questions, learned)| (*questions as f64, *learned as f64)).collect();
    let [learned, redundant, conflicting, rejected] = curve.proposals;
    let (good, bad) = curve.ratings;
    let (apprenticeship, mastership) = curve.questions;
    format!(
        "{}\nApprenticeship: {apprenticeship} questions with a mentor's answer. Mastership: {mastership} questions; {good} answers were rated \
         good (they name at least half of the expected entities) and {bad} bad.\nProposals: {learned} learned, {redundant} redundant, {conflicting} \
         in conflict with known triples, {rejected} unusable.\n\n```text\n{}\n```\n",
        table(curve),
        line_plot(&[Series { name: String::new(), points }], "questions", "learned triples")
    )
}
