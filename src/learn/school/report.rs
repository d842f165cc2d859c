//! A course in tables and curves, for the terminal and for a report.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::course::{Course, Score};

/// Columns and rows of a curve.
const CURVE: (u16, u16) = (72, 16);

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

/// How many triples were learned after so many questions, as a drawing in characters.
pub fn curve(points: &[(f64, f64)], along: &str, up: &str) -> String {
    let most = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).fold(1.0, f64::max);
    let (right, top) = (most(|point| point.0), most(|point| point.1));
    let area = Rect::new(0, 0, CURVE.0, CURVE.1);
    let mut buffer = Buffer::empty(area);
    let labels = |end: f64| [Line::from("0"), Line::from(format!("{:.0}", end / 2.0)), Line::from(format!("{end:.0}"))];
    let data = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).data(points);
    let chart = Chart::new(vec![data])
        .x_axis(Axis::default().title(along.to_owned()).bounds([0.0, right]).labels(labels(right)))
        .y_axis(Axis::default().title(up.to_owned()).bounds([0.0, top]).labels(labels(top)));
    chart.render(area, &mut buffer);
    let row = |y: u16| (0..CURVE.0).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..CURVE.1).map(row).collect::<Vec<_>>().join("\n")
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
        curve(&points, "questions", "learned triples")
    )
}
