//! `catena dkg undo`: undoes records.

use std::io::{Write, stdout};
use std::path::Path;

use super::describe;
use super::writable_dkg;
use crate::cli::exit;
use crate::dkg::Change;
use crate::text::counted;

pub(super) fn run(folder: &Path, records: &[u64]) -> anyhow::Result<u8> {
    let mut dkg = writable_dkg(folder)?;
    // Undo all of them or none.
    let appended = dkg.append(records.iter().map(|record| Change::Undo { record: *record }).collect())?;
    for (done, record) in appended.iter().zip(records) {
        let what = describe::record(&dkg, &dkg.record(*record)?)?;
        let learned = counted(done.effect.learned.len() as u64, "triple", "triples");
        let unlearned = done.effect.unlearned.len();
        let undo = done.seq;
        writeln!(
            stdout(),
            "Recorded as {undo}: undid {record} ({what}); {learned} learned again, {unlearned} unlearned. To redo: catena dkg undo {undo}"
        )?;
    }
    Ok(exit::DONE)
}
