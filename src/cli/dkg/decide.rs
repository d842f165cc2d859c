//! `catena dkg accept` and `catena dkg reject`.

use std::io::{Write, stdout};
use std::path::Path;

use super::writing;
use crate::cli::dkg_args::DecisionArgs;
use crate::cli::exit;
use crate::dkg::Change;
use crate::text::counted;

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Accept,
    Reject,
}

pub(super) fn run(folder: &Path, args: DecisionArgs, decision: Decision) -> anyhow::Result<u8> {
    let mut dkg = writing(folder)?;
    let proposals = if args.all { dkg.waiting()?.pending.into_iter().map(|state| state.id).collect() } else { args.ids };
    if proposals.is_empty() {
        writeln!(stdout(), "Nothing waits.")?;
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
        "Recorded as {record}: {count} {done}; {}, {} no longer. `catena dkg undo {record}` takes that back.",
        counted(learned as u64, "triple is learned", "triples are learned"),
        counted(unlearned as u64, "is learned", "are learned"),
    )?;
    Ok(exit::DONE)
}
