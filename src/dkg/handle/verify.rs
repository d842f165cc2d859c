//! Proving the journal, from its first record to its last.

use std::path::Path;

use super::Dkg;
use crate::dkg::error::DkgError;
use crate::dkg::journal::{self, Position};
use crate::dkg::lock::{self, Tried};
use crate::dkg::store::{self, Checkpoint, Found};

/// A journal whose every record is what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many records it has.
    pub records: u64,
    /// The hash of the last one, hexadecimal: it stands for all of them. Zeros where there is none.
    pub head: String,
    /// How many bytes come after it that were never confirmed; they are cut off when it is next opened for writing.
    pub torn: u64,
    /// Whether the store agrees.
    pub store: StoreCheck,
}

/// What the store says about the journal. The chain alone cannot tell that records were taken away at its end; the store remembers how far
/// it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreCheck {
    /// It knows of these records and no more.
    Agrees,
    /// It has not taken in the latest records yet.
    Behind {
        /// How many it has taken in.
        records: u64,
    },
    /// It knows of more records: the last ones were removed from the journal, or this is an older copy.
    Ahead {
        /// How many it knows of.
        records: u64,
    },
    /// The record that it went up to is another one here: this is another journal, or it was written anew.
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
    /// It is damaged, and will be made again; why.
    Damaged(String),
    /// Another instance has it.
    InUse(String),
}

impl Dkg {
    /// Reads the whole journal of a folder and checks every record, and whether the store, if it can be had, agrees. Changes nothing.
    ///
    /// # Errors
    /// [`DkgError::Broken`] with the first line that is not what was written; if the journal cannot be read.
    pub fn verify(folder: &Path) -> Result<Verified, DkgError> {
        if !folder.is_dir() {
            return verify(folder, &Known::Nothing(StoreCheck::Missing));
        }
        let known = match lock::try_lock(folder) {
            Ok(Tried::Taken(who)) => Known::Nothing(StoreCheck::InUse(who)),
            Err(error) => Known::Nothing(StoreCheck::InUse(error.to_string())),
            Ok(Tried::Ours(_lock)) => match store::open(folder) {
                Found::Whole(_, checkpoint) => Known::Checkpoint(checkpoint),
                Found::Nothing => Known::Nothing(StoreCheck::Missing),
                Found::Damaged(reason) => Known::Nothing(StoreCheck::Damaged(reason)),
            },
        };
        verify(folder, &known)
    }

    /// The same for what is open: compares with what it knows.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn verify_open(&self) -> Result<Verified, DkgError> {
        verify(&self.folder, &Known::Checkpoint(self.checkpoint))
    }
}

enum Known {
    Checkpoint(Checkpoint),
    Nothing(StoreCheck),
}

fn verify(folder: &Path, known: &Known) -> Result<Verified, DkgError> {
    let mut at_checkpoint = Position::default();
    let walked = journal::walk(folder, Position::default(), &mut |_, end| {
        if matches!(known, Known::Checkpoint(checkpoint) if checkpoint.position.seq == end.seq) {
            at_checkpoint = end;
        }
        Ok(())
    })?;
    let (records, head) = (walked.position.seq, walked.position.sum.to_string());
    let store = match known {
        Known::Nothing(check) => check.clone(),
        Known::Checkpoint(Checkpoint { position, .. }) if position.seq > records => StoreCheck::Ahead { records: position.seq },
        Known::Checkpoint(Checkpoint { position, .. }) if at_checkpoint.sum != position.sum => {
            StoreCheck::Differs { record: position.seq, known: position.sum.to_string(), found: at_checkpoint.sum.to_string() }
        }
        Known::Checkpoint(Checkpoint { position, .. }) if position.seq < records => StoreCheck::Behind { records: position.seq },
        Known::Checkpoint(_) => StoreCheck::Agrees,
    };
    Ok(Verified { records, head, torn: walked.torn, store })
}
