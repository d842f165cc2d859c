//! `catena dkg verify`: the journal is proved.

use std::io::{Write, stdout};
use std::path::Path;

use serde_json::json;

use crate::cli::exit;
use crate::dkg::{Dkg, StoreCheck};
use crate::text::sanitise_line;

pub(super) fn run(folder: &Path, json: bool) -> anyhow::Result<u8> {
    let verified = Dkg::verify(folder)?;
    let (store, holds) = store(&verified.store, verified.records);
    let code = if holds { exit::DONE } else { exit::FAILED };
    let mut out = stdout().lock();
    if json {
        let all = json!({
            "folder": folder.display().to_string(), "records": verified.records, "head": verified.head, "torn_bytes": verified.torn,
            "store": store, "whole": holds,
        });
        writeln!(out, "{all}")?;
        return Ok(code);
    }
    writeln!(
        out,
        "journal   {}: every one of its {} records is what was written",
        sanitise_line(&folder.display().to_string()),
        verified.records
    )?;
    writeln!(out, "head      {}", verified.head)?;
    if verified.torn > 0 {
        let what = "bytes after the last record were never confirmed; they are cut off and kept aside when something is next recorded";
        writeln!(out, "note      {} {what}", verified.torn)?;
    }
    writeln!(out, "store     {}", sanitise_line(&store))?;
    Ok(code)
}

/// What the store says about the journal, and whether nothing speaks against it.
fn store(check: &StoreCheck, records: u64) -> (String, bool) {
    match check {
        StoreCheck::Agrees => ("agrees".into(), true),
        StoreCheck::Behind { records } => (format!("has taken in {records} records; it catches up when it is next opened"), true),
        StoreCheck::Ahead { records: known } => {
            let lost = known - records;
            (format!("knows of {known} records: the last {lost} were REMOVED from the journal, or it is an older copy"), false)
        }
        StoreCheck::Differs { record, .. } => {
            (format!("knows another record {record}: the journal was written ANEW, or is another one"), false)
        }
        StoreCheck::Missing => ("there is none to compare with; it is made from the journal".into(), true),
        StoreCheck::Damaged(reason) => (format!("is damaged ({reason}); it is made again from the journal, nothing is lost"), true),
        StoreCheck::InUse(who) => (format!("cannot be compared now: {who}"), true),
    }
}
