//! Sessions: runs recorded in a folder that only their owner can read, to be listed, searched, reopened and compared.
//!
//! A session is the run's stream of events, one per line, as `ask --events` writes it, except that a large table of chains is cut. The list of
//! sessions comes from an index beside them. The index can be lost or out of date: it is rebuilt from the sessions.

mod compare;
mod index;
mod recorder;
mod shorten;
mod store;
mod summary;

use std::path::PathBuf;

pub use compare::{AnchorChange, ChainChange, Comparison, Difference, compare};
pub use recorder::Recorder;
pub(crate) use shorten::shortened;
pub use store::{KEPT_SESSIONS, Listing, Recorded, Store, Unreadable, read_events, read_events_from};
pub(crate) use store::{file_name, whole_lines};
pub use summary::{Summary, time_of_id};

use crate::run::RecordingError;

/// Why a session cannot be recorded or read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The folder cannot be used.
    #[error("the folder of sessions {} cannot be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A session cannot be written; the run itself goes on.
    #[error("the session {} cannot be written, so this run is not recorded: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file is too long to be a session.
    #[error("{} has {bytes} bytes, more than any recording of a run; it is not read", file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
        /// Its length, in bytes.
        bytes: u64,
    },
    /// A file is not a recording.
    #[error("{}: {source}", file.display())]
    Recording {
        /// The file.
        file: PathBuf,
        /// The line, and why it is not an event.
        source: RecordingError,
    },
    /// No session has this id.
    #[error("no session is called {id:?}; it may have been deleted, or removed to make room for newer ones")]
    Unknown {
        /// The id that was asked for.
        id: String,
    },
}
