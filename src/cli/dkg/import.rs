//! `catena dkg import`: imports another team's export.

use std::io::{BufWriter, Write, stdout};

use serde_json::{Value, json};

use super::open_teacher;
use crate::cli::dkg_args::DkgImportArgs;
use crate::cli::exit;
use crate::cli::setup::Setup;
use crate::dkg::CheckNote;
use crate::feedback::exchange::import;
use crate::feedback::{ImportReport, NotImported, read_exchange};
use crate::model::CancelToken;
use crate::text::{counted, sanitise, sanitise_line};

/// The most triples of a list to print; `--json` has up to a thousand.
const PRINTED: usize = 20;

pub(super) fn run(args: &DkgImportArgs, setup: &Setup) -> anyhow::Result<u8> {
    // Refuse a file of another kind before opening anything.
    let file = read_exchange(&args.file)?;
    let (name, form) = (file.file.clone(), file.form);
    let teacher = open_teacher(&args.graph, &args.models, setup)?;
    let report = import(&teacher, file, &CancelToken::new())?;
    let mut out = BufWriter::new(stdout().lock());
    if args.json {
        writeln!(out, "{}", sanitise(&as_json(&name, &report).to_string()))?;
    } else {
        print(&mut out, &name, form.name(), &report)?;
    }
    out.flush()?;
    let nothing_fits = report.imported == 0 && report.known == 0 && report.redundant.0 == 0 && report.conflicts.0 == 0;
    Ok(if nothing_fits && !report.rejected.is_empty() { exit::FAILED } else { exit::DONE })
}

fn print(out: &mut dyn Write, name: &str, form: &str, report: &ImportReport) -> std::io::Result<()> {
    let records: Vec<String> = report.records.iter().map(u64::to_string).collect();
    let imported = counted(report.imported, "triple", "triples");
    let undo = if records.is_empty() { String::new() } else { format!(" (to undo: catena dkg undo {})", records.join(" ")) };
    writeln!(out, "{name} ({form}): {imported} imported{undo}.")?;
    if report.known > 0 {
        writeln!(out, "{} already known.", counted(report.known, "triple is", "triples are"))?;
    }
    let lists = [("redundant, left out", &report.redundant), ("in conflict with something known, NOT imported", &report.conflicts)];
    for (said, (count, held)) in lists {
        if *count == 0 {
            continue;
        }
        writeln!(out, "{count} {said}:")?;
        for NotImported { line, triple, standing } in held.iter().take(PRINTED) {
            let note = CheckNote::of(standing).map_or_else(String::new, |note| format!(". {}", note.line()));
            writeln!(out, "  line {line}: {}{note}", sanitise_line(&triple.text()))?;
        }
        if *count > PRINTED as u64 {
            writeln!(out, "  and {} more", count - PRINTED as u64)?;
        }
    }
    for (reason, rejected) in &report.rejected {
        let lines: Vec<String> = rejected.lines.iter().map(u64::to_string).collect();
        let more = if rejected.count > rejected.lines.len() as u64 { ", …" } else { "" };
        let reason = sanitise_line(reason);
        writeln!(out, "{} rejected: {reason} (line {}{more}).", counted(rejected.count, "line", "lines"), lines.join(", "))?;
    }
    Ok(())
}

fn as_json(name: &str, report: &ImportReport) -> Value {
    let list = |(count, held): &(u64, Vec<NotImported>)| {
        let listed: Vec<Value> =
            held.iter().map(|held| json!({ "line": held.line, "text": held.triple.text(), "standing": held.standing })).collect();
        json!({ "count": count, "first": listed })
    };
    let rejected: serde_json::Map<String, Value> = report
        .rejected
        .iter()
        .map(|(reason, rejected)| (reason.clone(), json!({ "count": rejected.count, "lines": rejected.lines })))
        .collect();
    json!({
        "file": name, "records": report.records, "imported": report.imported, "known": report.known,
        "redundant": list(&report.redundant), "conflicts": list(&report.conflicts), "rejected": rejected,
    })
}
