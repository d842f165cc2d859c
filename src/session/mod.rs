//! Sessions: runs recorded in a folder that only their owner can read, listed, searched, opened again and compared.
//!
//! A session is the run's stream of events, one a line, as `ask --events` writes it; only a large table of chains is cut. What is
//! listed comes from an index beside the sessions, which can be lost or stale: it is made from them.

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

/// Why sessions cannot be recorded or read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The folder cannot be used.
    #[error("the folder of sessions {} cannot be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A session cannot be written; the run itself goes on.
    #[error("the session {} cannot be written, so this run is not recorded: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is longer than any session.
    #[error("{} has {bytes} bytes, which is more than a recording of a run can have; it is not read", file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// A file is no recording.
    #[error("{}: {source}", file.display())]
    Recording {
        /// The file.
        file: PathBuf,
        /// The line, and what is wrong with it.
        source: RecordingError,
    },
    /// There is no such session.
    #[error("there is no session {id:?}; it may have been deleted, or removed because there were too many")]
    Unknown {
        /// What was asked for.
        id: String,
    },
}
