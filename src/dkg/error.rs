//! Errors of the DKG, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::record::ProposalId;

/// Why the DKG cannot be opened, read or changed.
#[derive(Debug, thiserror::Error)]
pub enum DkgError {
    /// A file or folder cannot be used.
    #[error("{} cannot be {doing}: {source}", file.display())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// What was tried ("read", "made").
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A line of the journal was damaged or edited, or a newer version wrote it.
    #[error("{}, line {line}: {reason}. {}", file.display(), what_to_do(*sound, *newer))]
    Broken {
        /// The journal.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// How many records before it are intact.
        sound: u64,
        /// Whether nothing is wrong with it but that a newer version wrote it.
        newer: bool,
    },
    /// Another program is writing, or the folder is write-protected.
    #[error("the DKG can only be read here: {reason}")]
    ReadOnly {
        /// Why.
        reason: String,
    },
    /// The records could not be written; the journal is as it was.
    #[error("nothing was recorded, and everything learned before is safe: {} cannot be written: {source}{}", file.display(), room(source))]
    NotWritten {
        /// The journal.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk did not confirm the last records.
    #[error(
        "the disk did not confirm the last records in {}, so Catena writes nothing more to it: {reason}. Restart Catena; it then checks the \
         file",
        file.display()
    )]
    Unconfirmed {
        /// The journal.
        file: PathBuf,
        /// What happened.
        reason: String,
    },
    /// Another program changed the journal while it was open.
    #[error("another program changed {} while it was open, so Catena adds nothing to it. Restart Catena; it then checks the file", file.display())]
    Changed {
        /// The journal.
        file: PathBuf,
    },
    /// The store fails; the journal is unaffected.
    #[error(
        "the store of learned triples cannot be read ({reason}). Nothing is lost: restart Catena, and it rebuilds the store from the journal"
    )]
    Store {
        /// What is wrong with it.
        reason: String,
    },
    /// The change is invalid.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl DkgError {
    pub(crate) fn io(file: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { file: file.to_path_buf(), doing, source }
    }

    pub(crate) fn store(reason: impl Into<String>) -> Self {
        Self::Store { reason: reason.into() }
    }
}

/// Advice for a journal that cannot be read to its end.
fn what_to_do(sound: u64, newer: bool) -> String {
    if newer {
        return format!(
            "This version adds nothing to it; use the newer version with this journal. The {sound} records before that line can be read here"
        );
    }
    format!(
        "The journal was damaged or edited, so Catena adds nothing to it. The {sound} records before that line are intact. Restore the file \
         from a backup (records made after the backup are lost), or export the intact records and import them into a new folder"
    )
}

/// Advice for a full disk; empty for other errors.
fn room(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::StorageFull { "; make room on the disk and try again" } else { "" }
}

/// Why a change is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No proposal has this number.
    #[error("there is no proposal {0}")]
    NoProposal(ProposalId),
    /// The feedback behind the proposal was undone.
    #[error("proposal {0} is void, because the feedback behind it was undone")]
    VoidProposal(ProposalId),
    /// The change names a proposal more than once.
    #[error("proposal {0} appears twice")]
    Twice(ProposalId),
    /// The change is empty.
    #[error("there is nothing to record: no {0} is given")]
    Nothing(&'static str),
    /// No record has this number.
    #[error("there is no record {0}")]
    NoRecord(u64),
    /// The record is already undone.
    #[error("record {0} is already undone")]
    AlreadyUndone(u64),
    /// Proposals refer to a record that is not feedback.
    #[error("record {0} is not feedback, so no proposal can be based on it")]
    NoFeedback(u64),
    /// Proposals refer to feedback that was undone.
    #[error("feedback {0} was undone, so no proposal can be based on it")]
    VoidFeedback(u64),
    /// A name is invalid.
    #[error("\"{name}\" cannot be a name: {reason}")]
    Name {
        /// The name, made safe to show.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A distance is not a finite number.
    #[error("the distance of a proposal is not a number")]
    Distance,
    /// The record is longer than a line of the journal may be.
    #[error("the record has {bytes} bytes, but a line of the journal may have at most {most}; split it")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The most a line may have.
        most: usize,
    },
}
