//! A course in tables and curves, for the terminal and for a report.

use std::fmt::Write;

use super::learning_curve::{Course, Score};
use crate::text::plot::{Series, line_plot};

/// The scores before, between and after.
pub fn table(course: &Course) -> String {
    let mut text = String::from("| key-entity match | conditions | tests | treatments | mean |\n|---|---|---|---|---|\n");
    let rows = [
        ("before", course.before),
        ("after the apprenticeship", course.taught),
        ("answers given during the mastership", course.meanwhile),
        ("after the mastership", course.practised),
    ];
    for (name, score) in rows {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "| {name} | {} | {} | {} | {:.3} |", share(&score, 0), share(&score, 1), share(&score, 2), score.mean());
    }
    text
}

fn share(score: &Score, part: usize) -> String {
    let (found, all, _) = score.parts[part];
    score.share(part).map_or_else(|| "–".into(), |share| format!("{share:.3} ({found} of {all})"))
}

/// The whole course as Markdown.
pub fn markdown(course: &Course) -> String {
    let points: Vec<(f64, f64)> = course.curve.iter().map(|(questions, learned)| (*questions as f64, *learned as f64)).collect();
    let [learned, redundant, conflicting, rejected] = course.proposals;
    let (good, bad) = course.ratings;
    let (taught, asked) = course.questions;
    format!(
        "{}\nApprenticeship: {taught} questions with a mentor's answers. Mastership: {asked} questions, of whose answers {good} were found good \
         (at least half of the entities) and {bad} bad.\nProposals: {learned} learned, {redundant} said nothing new, {conflicting} contradicted something \
         known, {rejected} could not be used.\n\n```text\n{}\n```\n",
        table(course),
        line_plot(&[Series { name: String::new(), points }], "questions", "learned triples")
    )
}
