//! What can go wrong with the evolving graph, in words that say what to do.

use std::io;
use std::path::{Path, PathBuf};

use super::record::ProposalId;

/// Why the evolving graph cannot be opened, read or changed.
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
    /// A line of the journal is not what was written.
    #[error(
        "{}, line {line}: {reason}. The journal was damaged or changed by someone else, so nothing is added to it. The {sound} records before that \
         line are sound. Put the file back from a backup (an older one lacks what came after it), or export what precedes the line and \
         import it into a new folder",
        file.display()
    )]
    Broken {
        /// The journal.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// How many records before it are sound.
        sound: u64,
    },
    /// Someone else writes, or nobody may.
    #[error("what is learned can only be read here: {reason}")]
    ReadOnly {
        /// Why.
        reason: String,
    },
    /// The records could not be written; the journal is as it was.
    #[error("nothing was recorded, and what was learned before is unharmed: {} cannot be written: {source}{}", file.display(), room(source))]
    NotWritten {
        /// The journal.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not known whether the last records are on disk.
    #[error(
        "the disk did not confirm what was written to {}, so nothing more is written to it: {reason}. Start Catena anew; it then checks \
         what the file holds",
        file.display()
    )]
    Unconfirmed {
        /// The journal.
        file: PathBuf,
        /// What happened.
        reason: String,
    },
    /// Somebody else changed the journal while it was open.
    #[error("{} was changed by another program while it was open, so nothing is added to it. Start Catena anew; it then checks the file", file.display())]
    Changed {
        /// The journal.
        file: PathBuf,
    },
    /// The store of what is queried fails; the journal is not concerned.
    #[error(
        "the store of learned triples cannot be read ({reason}). Nothing is lost: start Catena anew, and it is made again from the journal"
    )]
    Store {
        /// What is wrong with it.
        reason: String,
    },
    /// The change makes no sense.
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

/// What to do where the disk is full.
fn room(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::StorageFull { "; make room on the disk and try again" } else { "" }
}

/// Why a change is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No proposal has this number.
    #[error("there is no proposal {0}")]
    NoProposal(ProposalId),
    /// What led to the proposal was undone.
    #[error("proposal {0} is void, because what led to it was undone")]
    VoidProposal(ProposalId),
    /// A proposal is named more than once.
    #[error("proposal {0} is named twice")]
    Twice(ProposalId),
    /// The change says nothing.
    #[error("there is nothing to record: no {0} named")]
    Nothing(&'static str),
    /// No record has this number.
    #[error("there is no record {0}")]
    NoRecord(u64),
    /// It was undone before.
    #[error("record {0} is undone already")]
    AlreadyUndone(u64),
    /// Proposals refer to a record that is no feedback.
    #[error("record {0} is no feedback, so nothing can be proposed because of it")]
    NoFeedback(u64),
    /// Proposals refer to feedback that was undone.
    #[error("feedback {0} was undone, so nothing can be proposed because of it")]
    VoidFeedback(u64),
    /// A name cannot be used.
    #[error("\"{name}\" cannot be a name: {reason}")]
    Name {
        /// The name, made safe to show.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A distance is no number.
    #[error("the distance of a proposal is no number")]
    Distance,
    /// The record is longer than a line may be.
    #[error("the record would have {bytes} bytes, more than the {most} that a line of the journal may have; split it")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The most a line may have.
        most: usize,
    },
}
