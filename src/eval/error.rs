//! Errors of an evaluation, each with what to do about it.

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
        /// The file or folder.
        path: PathBuf,
        /// The attempted action ("read", "created").
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another Catena is writing to the folder.
    #[error("another Catena is writing the evaluation in {}; wait for it, or name another folder (--out)", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder has results of another evaluation.
    #[error(
        "{} has the results of another evaluation ({differs} differs), and results must not be mixed: name another folder (--out), or delete this one",
        folder.display()
    )]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        differs: String,
    },
    /// A line of the results is damaged.
    #[error("line {line} of {} is not a result ({reason}); delete the line and run the same command again, and its question is asked again", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// It was stopped.
    #[error("stopped after {done} of {all} questions; these results are kept, and the same command continues from there")]
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
    /// An error of the system about a file.
    pub(super) fn io(path: &Path, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, what, source }
    }
}
