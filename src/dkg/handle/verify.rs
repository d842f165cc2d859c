//! Verifies the journal, from its first record to its last.

use std::path::Path;

use super::Dkg;
use crate::dkg::error::DkgError;
use crate::dkg::journal::{self, Position};
use crate::dkg::lock::{self, TriedLock};
use crate::dkg::store::{self, Checkpoint, StoreState};

/// A journal in which every record is intact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many records it has.
    pub records: u64,
    /// The SHA-256 of the last one, hexadecimal; it covers all of them. Zeros where there is none.
    pub head: String,
    /// How many unconfirmed bytes follow it; they are cut off when the journal is next opened for writing.
    pub torn: u64,
    /// Whether the store agrees.
    pub store: StoreCheck,
}

/// How the store compares with the journal. The chain of hashes alone cannot show that records were removed at the end; the store remembers
/// the last record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreCheck {
    /// It has exactly these records.
    Agrees,
    /// It does not have the latest records yet.
    Behind {
        /// How many it has.
        records: u64,
    },
    /// It has more records: the last ones were removed from the journal, or this is an older copy.
    Ahead {
        /// How many it has.
        records: u64,
    },
    /// Its last record is different here: this is another journal, or a rewritten one.
    Differs {
        /// That record.
        record: u64,
        /// The hash that the store knows.
        known: String,
        /// The hash in the journal.
        found: String,
    },
    /// There is none to compare with.
    Missing,
    /// It is damaged, and will be rebuilt; why.
    Damaged(String),
    /// Another instance has it.
    InUse(String),
}

impl Dkg {
    /// Reads the whole journal of a folder, checks every record, and compares with the store if it can be opened. Changes nothing.
    ///
    /// # Errors
    /// [`DkgError::Broken`] with the first damaged line; [`DkgError::Io`] if the journal cannot be read.
    pub fn verify(folder: &Path) -> Result<Verified, DkgError> {
        if !folder.is_dir() {
            return verify(folder, &Expected::Nothing(StoreCheck::Missing));
        }
        let known = match lock::try_lock(folder) {
            Ok(TriedLock::Taken(who)) => Expected::Nothing(StoreCheck::InUse(who)),
            Err(error) => Expected::Nothing(StoreCheck::InUse(error.to_string())),
            Ok(TriedLock::Ours(_lock)) => match store::open(folder) {
                StoreState::Whole(_, checkpoint) => Expected::Checkpoint(checkpoint),
                StoreState::Nothing => Expected::Nothing(StoreCheck::Missing),
                StoreState::Damaged(reason) => Expected::Nothing(StoreCheck::Damaged(reason)),
            },
        };
        verify(folder, &known)
    }

    /// The same for an open DKG.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn verify_open(&self) -> Result<Verified, DkgError> {
        verify(&self.folder, &Expected::Checkpoint(self.checkpoint))
    }
}

enum Expected {
    Checkpoint(Checkpoint),
    Nothing(StoreCheck),
}

fn verify(folder: &Path, known: &Expected) -> Result<Verified, DkgError> {
    let mut at_checkpoint = Position::default();
    let walked = journal::walk(folder, Position::default(), &mut |_, end| {
        if matches!(known, Expected::Checkpoint(checkpoint) if checkpoint.position.seq == end.seq) {
            at_checkpoint = end;
        }
        Ok(())
    })?;
    let (records, head) = (walked.position.seq, walked.position.sum.to_string());
    let store = match known {
        Expected::Nothing(check) => check.clone(),
        Expected::Checkpoint(Checkpoint { position, .. }) if position.seq > records => StoreCheck::Ahead { records: position.seq },
        Expected::Checkpoint(Checkpoint { position, .. }) if at_checkpoint.sum != position.sum => {
            StoreCheck::Differs { record: position.seq, known: position.sum.to_string(), found: at_checkpoint.sum.to_string() }
        }
        Expected::Checkpoint(Checkpoint { position, .. }) if position.seq < records => StoreCheck::Behind { records: position.seq },
        Expected::Checkpoint(_) => StoreCheck::Agrees,
    };
    Ok(Verified { records, head, torn: walked.torn, store })
}
