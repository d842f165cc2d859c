//! `catena dkg log --stats`: how the DKG grew.

use std::io::{BufWriter, Write, stdout};

use serde_json::json;

use crate::cli::exit;
use crate::dkg::{Day, Dkg, moment};
use crate::text::plot::{Series, line_plot};

/// Milliseconds in a day.
const DAY_MS: u64 = 86_400_000;

pub(super) fn run(dkg: &Dkg, json: bool) -> anyhow::Result<u8> {
    let all = dkg.statistics()?;
    let mut out = BufWriter::new(stdout().lock());
    if json {
        let growth: Vec<_> =
            all.growth.iter().map(|point| json!({ "record": point.record, "at_ms": point.at_ms, "learned": point.learned })).collect();
        let whole = json!({
            "records": all.records, "by_type": all.by_type, "learned": all.learned, "pending": all.pending, "redundant": all.redundant,
            "conflicting": all.conflicting, "days": all.days, "growth": growth,
        });
        writeln!(out, "{whole}")?;
        out.flush()?;
        return Ok(exit::DONE);
    }
    writeln!(out, "records     {}", all.records)?;
    writeln!(out, "learned     {} triples", all.learned)?;
    writeln!(out, "waiting     {} proposals; set aside: {} redundant, {} in conflict", all.pending, all.redundant, all.conflicting)?;
    if !all.days.is_empty() {
        let head =
            ["day (UTC)", "rated", "proposed", "redundant", "conflict", "accepted", "rejected", "edited", "undone", "imported", "learned"];
        writeln!(out, "\n{}", row(&head.map(str::to_owned)))?;
        for day in &all.days {
            writeln!(out, "{}", row(&of_day(day)))?;
        }
    }
    if all.growth.iter().any(|point| point.learned > 0) {
        let points = std::iter::once((0.0, 0.0)).chain(all.growth.iter().map(|point| (point.record as f64, point.learned as f64)));
        writeln!(out, "\n{}", line_plot(&[Series { name: String::new(), points: points.collect() }], "records", "learned triples"))?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

fn of_day(day: &Day) -> [String; 11] {
    let date = moment(day.day.saturating_mul(DAY_MS)).chars().take_while(|c| *c != ' ').collect();
    let Day { feedback, proposed, redundant, conflicting, accepted, rejected, edited, undone, imported, learned, .. } = day;
    let [a, b, c, d, e, f, g, h, i, j] =
        [feedback, proposed, redundant, conflicting, accepted, rejected, edited, undone, imported, learned].map(u64::to_string);
    [date, a, b, c, d, e, f, g, h, i, j]
}

fn row(cells: &[String; 11]) -> String {
    let rest: String = cells[1..].iter().map(|cell| format!("{cell:>10}")).collect();
    format!("{:<10}{rest}", cells[0])
}
