//! What can go wrong with an evaluation, and what to do.

use std::path::{Path, PathBuf};

use super::dataset::DatasetError;

/// Why an evaluation cannot be run or reported.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The questions cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file or folder of the evaluation cannot be used.
    #[error("{} cannot be {what}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What was to be done.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another program writes there.
    #[error("another Catena is writing the evaluation in {}; wait for it, or give this one a folder of its own (--out)", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds results of something else.
    #[error(
        "{} holds the results of another evaluation ({differs} is not the same), and results must not be mixed: give this one a folder of its own (--out), or remove that one",
        folder.display()
    )]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        differs: String,
    },
    /// A line of the results is not what was written.
    #[error("line {line} of {} is no result ({reason}); remove the line and run the same command again: its question is then asked again", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// It was stopped.
    #[error("stopped after {done} of {all} questions; what is done is kept, and the same command goes on from there")]
    Stopped {
        /// Questions done, over all methods.
        done: usize,
        /// Of so many.
        all: usize,
    },
    /// Two methods cannot be compared.
    #[error("{0}")]
    Compare(String),
}

impl EvalError {
    /// The system would not do something with a file.
    pub(super) fn io(path: &Path, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, what, source }
    }
}
