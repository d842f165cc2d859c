//! `catena dkg undo`.

use std::io::{Write, stdout};
use std::path::Path;

use super::describe;
use super::writing;
use crate::cli::exit;
use crate::dkg::Change;
use crate::text::counted;

pub(super) fn run(folder: &Path, records: &[u64]) -> anyhow::Result<u8> {
    let mut dkg = writing(folder)?;
    // All of them or none.
    let appended = dkg.append(records.iter().map(|record| Change::Undo { record: *record }).collect())?;
    for (done, record) in appended.iter().zip(records) {
        let taken_back = describe::record(&dkg, &dkg.record(*record)?)?;
        let learned = counted(done.effect.learned.len() as u64, "triple is learned again", "triples are learned again");
        let gone = counted(done.effect.unlearned.len() as u64, "is learned", "are learned");
        let undo = done.seq;
        writeln!(
            stdout(),
            "Recorded as {undo}: taken back is {record} ({taken_back}). {learned}, {gone} no longer. `catena dkg undo {undo}` brings it into force again."
        )?;
    }
    Ok(exit::DONE)
}
