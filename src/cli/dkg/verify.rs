//! `catena dkg verify`: verifies the journal, and compares the store with it.

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
    writeln!(out, "journal   {}: all {} records are intact", sanitise_line(&folder.display().to_string()), verified.records)?;
    writeln!(out, "head      {}", verified.head)?;
    if verified.torn > 0 {
        let what = "bytes after the last record were never confirmed; the next record moves them to a separate file";
        writeln!(out, "note      {} {what}", verified.torn)?;
    }
    writeln!(out, "store     {}", sanitise_line(&store))?;
    Ok(code)
}

/// How the store compares with the journal, in words, and whether the journal can be trusted.
fn store(check: &StoreCheck, records: u64) -> (String, bool) {
    match check {
        StoreCheck::Agrees => ("agrees".into(), true),
        StoreCheck::Behind { records } => (format!("has {records} records; it catches up the next time Catena opens it"), true),
        StoreCheck::Ahead { records: stored } => {
            let lost = stored - records;
            (format!("has {stored} records: the last {lost} were REMOVED from the journal, or the journal is an older copy"), false)
        }
        StoreCheck::Differs { record, .. } => {
            (format!("has a different record {record}: the journal was REWRITTEN, or is another one"), false)
        }
        StoreCheck::Missing => ("none to compare with; Catena creates it from the journal".into(), true),
        StoreCheck::Damaged(reason) => (format!("is damaged ({reason}); Catena rebuilds it from the journal, and nothing is lost"), true),
        StoreCheck::InUse(who) => (format!("cannot be compared now: {who}"), true),
    }
}
