//! `catena dkg accept` and `catena dkg reject`: decides about proposals.

use std::io::{Write, stdout};
use std::path::Path;

use super::writable_dkg;
use crate::cli::dkg_args::DecisionArgs;
use crate::cli::exit;
use crate::dkg::Change;
use crate::text::counted;

/// The decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Accept,
    Reject,
}

pub(super) fn run(folder: &Path, args: DecisionArgs, decision: Decision) -> anyhow::Result<u8> {
    let mut dkg = writable_dkg(folder)?;
    let proposals = if args.all { dkg.waiting()?.pending.into_iter().map(|state| state.id).collect() } else { args.ids };
    if proposals.is_empty() {
        writeln!(stdout(), "No proposals are waiting.")?;
        return Ok(exit::DONE);
    }
    let count = counted(proposals.len() as u64, "proposal", "proposals");
    let (change, done) = match decision {
        Decision::Accept => (Change::Accept { proposals }, "accepted"),
        Decision::Reject => (Change::Reject { proposals }, "rejected"),
    };
    let appended = dkg.append(vec![change])?;
    let learned: usize = appended.iter().map(|one| one.effect.learned.len()).sum();
    let unlearned: usize = appended.iter().map(|one| one.effect.unlearned.len()).sum();
    let record = appended.last().map_or(0, |last| last.seq);
    writeln!(
        stdout(),
        "Recorded as {record}: {count} {done}; {} learned, {} unlearned. To undo: catena dkg undo {record}",
        counted(learned as u64, "triple", "triples"),
        unlearned,
    )?;
    Ok(exit::DONE)
}
