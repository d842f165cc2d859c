//! `catena dkg import`: another team's export is taken over.

use std::io::{BufWriter, Write, stdout};

use serde_json::{Value, json};

use super::teacher;
use crate::cli::dkg_args::DkgImportArgs;
use crate::cli::exit;
use crate::config::{Config, Paths};
use crate::dkg::CheckNote;
use crate::feedback::exchange::import;
use crate::feedback::{ImportReport, NotImported, read_exchange};
use crate::model::CancelToken;
use crate::text::{counted, sanitise, sanitise_line};

/// So many triples of a list are printed; `--json` has up to a thousand.
const PRINTED: usize = 20;

pub(super) fn run(args: &DkgImportArgs, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    // A file that is none is refused before anything is opened.
    let file = read_exchange(&args.file)?;
    let (name, form) = (file.file.clone(), file.form);
    let teacher = teacher(&args.graph, &args.models, config, paths)?;
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
    let taken = counted(report.imported, "triple was", "triples were");
    let undo = if records.is_empty() { String::new() } else { format!(" (`catena dkg undo {}` takes that back)", records.join(" ")) };
    writeln!(out, "{name} ({form}): {taken} taken over{undo}.")?;
    if report.known > 0 {
        writeln!(out, "{} learned already.", counted(report.known, "was", "were"))?;
    }
    let lists =
        [("are redundant and were left out", &report.redundant), ("contradict a known triple and were HELD BACK", &report.conflicts)];
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
        writeln!(out, "{} rejected, {reason} (line {}{more}).", counted(rejected.count, "line was", "lines were"), lines.join(", "))?;
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
