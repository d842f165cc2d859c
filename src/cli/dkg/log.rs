//! `catena dkg log`: the records of the DKG.

use std::io::{BufWriter, Write, stdout};

use serde_json::json;

use super::describe::{self, type_name, when};
use crate::cli::exit;
use crate::dkg::Dkg;

pub(super) fn run(dkg: &Dkg, limit: u64, json: bool) -> anyhow::Result<u8> {
    let next = dkg.next_seq();
    let mut out = BufWriter::new(stdout().lock());
    let from = next.saturating_sub(limit).max(1);
    if next == 1 && !json {
        writeln!(out, "The DKG has no records yet.")?;
    }
    for record in dkg.records(from..next)? {
        let record = record?;
        let undone = dkg.is_void(record.seq)?;
        let said = describe::record(dkg, &record)?;
        if json {
            let what = type_name(&record.change);
            writeln!(out, "{}", json!({ "record": record.seq, "at_ms": record.at_ms, "type": what, "undone": undone, "text": said }))?;
        } else {
            let mark = if undone { "undone: " } else { "" };
            writeln!(out, "{:>6}  {}  {mark}{said}", record.seq, when(record.at_ms))?;
        }
    }
    if from > 1 && next > from && !json {
        writeln!(out, "({} earlier; --limit N shows more)", from - 1)?;
    }
    out.flush()?;
    Ok(exit::DONE)
}
