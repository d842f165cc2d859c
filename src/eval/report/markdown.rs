//! The report as Markdown, and its tables for the terminal.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::chart::charts;
use super::groups::{MeasureGroup, explained, group};
use super::summary::{EvalReport, PairReport};
use crate::eval::score::Measure;
use crate::eval::statistics::{Interval, Paired};
use crate::text::sanitise_line;

/// The whole report.
pub fn markdown(report: &EvalReport) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = write_markdown(report, &mut text);
    text
}

fn write_markdown(report: &EvalReport, out: &mut String) -> std::fmt::Result {
    let (identity, (asked, in_file)) = (&report.identity, report.questions);
    let (dataset, kg, settings) = (&identity.dataset, &identity.kg, &identity.settings);
    writeln!(out, "# {} on {}\n", line(&dataset.name), line(&kg.name))?;
    writeln!(out, "```sh\n{}\n```\n", report.command.replace("```", ""))?;
    writeln!(out, "| | |\n|---|---|")?;
    writeln!(out, "| questions | {asked} of {in_file}, drawn with seed {} |", report.seed)?;
    for (reason, (count, first)) in &report.rejected {
        writeln!(out, "| unusable | {count} × {} (first in line {first}) |", line(reason))?;
    }
    writeln!(out, "| file | {} ({}), SHA-256 {} |", line(&dataset.name), dataset.format, dataset.digest)?;
    writeln!(
        out,
        "| graph | {}: {} entities, {} triples, {} learned; fingerprint {} |",
        line(&kg.name),
        kg.entities,
        kg.triples,
        kg.learned,
        kg.fingerprint
    )?;
    writeln!(
        out,
        "| models | {} (encoder's fingerprint {}) |",
        identity.models.iter().map(|m| line(m)).collect::<Vec<_>>().join(", "),
        identity.encoder
    )?;
    writeln!(out, "| prompts | {} |", identity.prompts)?;
    writeln!(
        out,
        "| settings | δ {}, fragments of {} words with overlap {}, seed {} |",
        settings.delta, settings.fragment_words, settings.fragment_overlap, settings.seed
    )?;
    writeln!(out, "| Catena | {}, program {} |\n", identity.version, identity.program)?;
    writeln!(out, "Shares with 95 % confidence intervals (percentile bootstrap over the questions).\n")?;
    for group in MeasureGroup::ALL {
        if let Some(rows) = columns(report, group) {
            writeln!(out, "## {}\n\n{}", group.title(), as_markdown(&rows))?;
            group_notes(report, group, out)?;
        }
    }
    writeln!(out, "## Runs\n\n{}", as_markdown(&runs(report)))?;
    for arm in &report.arms {
        for (why, count) in &arm.failures {
            writeln!(out, "- {}: {count} failed: {}", arm.label, line(why))?;
        }
    }
    if !report.pairs.is_empty() {
        writeln!(out, "\n## Compared with {}\n", report.pairs[0].first)?;
        writeln!(
            out,
            "Differences on the same questions (paired bootstrap), and on how many questions the method is higher, lower or equal.\n"
        )?;
        writeln!(out, "{}", as_markdown(&pairs(report, |_| true)))?;
    }
    let drawn = charts(report);
    if !drawn.is_empty() {
        writeln!(out, "## Plots\n\n```text\n{drawn}\n```")?;
    }
    Ok(())
}

/// What the measures of a group are, in a line each.
fn group_notes(report: &EvalReport, group: MeasureGroup, out: &mut String) -> std::fmt::Result {
    for measure in of_group(report, group) {
        writeln!(out, "- {}: {}", measure.label(), explained(measure))?;
    }
    writeln!(out)
}

/// The tables for a terminal: one a group of measures.
pub fn table(report: &EvalReport) -> String {
    let tables =
        MeasureGroup::ALL.into_iter().filter_map(|group| Some(format!("{}\n{}", group.title(), aligned(&columns(report, group)?))));
    let runs = std::iter::once(format!("Runs\n{}", aligned(&runs(report))));
    // All of them are in the report; a screen has room for what speaks for an evaluation.
    let leads = |measure: Measure| {
        measure == Measure::RecallKept || matches!(group(measure), Some(MeasureGroup::KeyEntities | MeasureGroup::Options))
    };
    let pairs = (!report.pairs.is_empty()).then(|| format!("Compared with {}\n{}", report.pairs[0].first, aligned(&pairs(report, leads))));
    tables.chain(runs).chain(pairs).collect::<Vec<_>>().join("\n")
}

fn of_group(report: &EvalReport, wanted: MeasureGroup) -> BTreeSet<Measure> {
    report.arms.iter().flat_map(|arm| arm.measures.keys().copied()).filter(|measure| group(*measure) == Some(wanted)).collect()
}

/// The rows of a group's table, the heading first; `None` where none of its measures applies.
fn columns(report: &EvalReport, group: MeasureGroup) -> Option<Vec<Vec<String>>> {
    let measures = of_group(report, group);
    if measures.is_empty() {
        return None;
    }
    let with_macro = group == MeasureGroup::KeyEntities && report.arms.iter().any(|arm| arm.key_entity_macro.is_some());
    let mut heading = vec!["method".to_owned()];
    heading.extend(measures.iter().map(|measure| measure.label().to_owned()));
    heading.extend(with_macro.then(|| "mean of the parts".to_owned()));
    let mut rows = vec![heading];
    for arm in &report.arms {
        let mut row = vec![arm.label.clone()];
        row.extend(measures.iter().map(|measure| interval(arm.measures.get(measure))));
        row.extend(with_macro.then(|| interval(arm.key_entity_macro.as_ref())));
        rows.push(row);
    }
    Some(rows)
}

fn runs(report: &EvalReport) -> Vec<Vec<String>> {
    let heading = ["method", "answered", "nothing found", "failed", "chains, median", "95th percentile", "most", "search cut short"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for arm in &report.arms {
        let [answered, nothing, failed] = arm.ended;
        let chains = [arm.chains.median, arm.chains.p95, arm.chains.most].map(|value| format!("{value:.0}"));
        let mut row = vec![arm.label.clone(), answered.to_string(), nothing.to_string(), failed.to_string()];
        row.extend(chains);
        row.push(arm.truncated.to_string());
        rows.push(row);
    }
    rows
}

fn pairs(report: &EvalReport, is_told: impl Fn(Measure) -> bool) -> Vec<Vec<String>> {
    let mut rows = vec![["method", "measure", "difference", "p", "higher", "lower", "equal"].map(str::to_owned).to_vec()];
    let of_pair = |pair: &PairReport| -> Vec<(String, String, Paired)> {
        let mean = pair.key_entity_macro.map(|paired| (pair.second.clone(), "key entities, mean of the parts".to_owned(), paired));
        let told = pair.measures.iter().filter(|(measure, _)| is_told(**measure));
        let measures = told.map(|(measure, paired)| (pair.second.clone(), measure.label().to_owned(), *paired));
        mean.into_iter().chain(measures).collect()
    };
    for (second, measure, paired) in report.pairs.iter().flat_map(of_pair) {
        let difference = format!("{:+.3} [{:+.3}, {:+.3}]", paired.difference.value, paired.difference.low, paired.difference.high);
        let p = if paired.p < 0.001 { "< 0.001".to_owned() } else { format!("{:.3}", paired.p) };
        let counts = [paired.better, paired.worse, paired.equal].map(|count| count.to_string());
        let mut row = vec![second, measure, difference, p];
        row.extend(counts);
        rows.push(row);
    }
    rows
}

fn interval(of: Option<&Interval>) -> String {
    of.map_or_else(|| "–".into(), |of| format!("{:.3} [{:.3}, {:.3}]", of.value, of.low, of.high))
}

fn as_markdown(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| line(cell).replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if at == 0 {
            text.push_str(&format!("|{}\n", "---|".repeat(row.len())));
        }
    }
    text
}

/// Columns of equal width, two spaces between them.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str("  ");
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn line(text: &str) -> String {
    sanitise_line(text)
}
