//! A learning curve as a table and a plot, for the terminal and for a report.

use std::fmt::Write;

use super::trial::{KeyEntityScore, LearningCurve};
use crate::eval::statistics::{Interval, paired};
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

/// What each phase gained, over the questions of the mastership, all parts together.
fn gains(curve: &LearningCurve) -> String {
    let [before, taught, practised] = &curve.by_question;
    let mut text = String::new();
    for (name, from, to) in [("apprenticeship", before, taught), ("mastership", taught, practised)] {
        if let Some(gain) = paired(from, to, 0) {
            let Interval { value, low, high, .. } = gain.difference;
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "Gain of the {name}: {value:+.3} [{low:+.3}, {high:+.3}], p {:.3} (paired bootstrap over {} questions).",
                gain.p,
                from.len()
            );
        }
    }
    text
}

/// The table, the gains, the counts and the plot of learned and redundant triples, as Markdown.
pub fn markdown(curve: &LearningCurve) -> String {
    let points = |of: &[(usize, u64)]| of.iter().map(|(questions, count)| (*questions as f64, *count as f64)).collect::<Vec<_>>();
    let series = [("learned", &curve.learned), ("redundant", &curve.redundant)];
    let series = series.map(|(name, of)| Series { name: name.to_owned(), points: points(of) });
    let [learned, redundant, conflicting, rejected] = curve.proposals;
    let (good, bad) = curve.ratings;
    let (apprenticeship, mastership) = curve.questions;
    let known = match curve.known_already {
        0 => String::new(),
        count => format!(" From {count} questions nothing was learned: they were answered with confidence from what is near."),
    };
    format!(
        "{}\n{}\nApprenticeship: {apprenticeship} questions with a mentor's answer. Mastership: {mastership} questions; {good} answers were rated \
         good (they name at least half of the expected entities) and {bad} bad.\nProposals: {learned} learned, {redundant} redundant, {conflicting} \
         in conflict with known triples, {rejected} unusable.{known}\n\n```text\n{}\n```\n",
        table(curve),
        gains(curve),
        line_plot(&series, "questions", "learned triples")
    )
}
