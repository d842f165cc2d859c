//! Why a model cannot be fetched or used from where it lies.

use std::path::PathBuf;

/// What went wrong, with what to do.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are named by the messages")]
pub enum StoreError {
    /// The embedded list of models is wrong, which a test rules out.
    #[error("the list of known models cannot be read: {0}")]
    Catalogue(String),
    /// No such model is known.
    #[error("no model {name:?} is known; `catena models list` shows those that are. A model of your own needs no pull: put its .gguf file or folder into {}", folder.display())]
    Unknown { name: String, folder: PathBuf },
    /// The Hub cannot be reached or does not work.
    #[error(
        "{host} cannot be reached: {problem}; what has been fetched is kept, and the same command goes on from there. HF_ENDPOINT names another address of the Hub"
    )]
    Unreachable { host: String, problem: String },
    /// The file is not there.
    #[error(
        "{host} has no file {file} (HTTP {status}); it may have been moved, or need a licence to be accepted there and a token in HF_TOKEN"
    )]
    Missing { host: String, file: String, status: u16 },
    /// The Hub wants to know who asks.
    #[error("{host} refuses {file} (HTTP {status}); accept the model's licence there, and set HF_TOKEN to a token of yours")]
    Refused { host: String, file: String, status: u16 },
    /// The server does something that no file server does.
    #[error("{host} does not send {file}: {problem}")]
    Odd { host: String, file: String, problem: String },
    /// What came is not what it should be.
    #[error(
        "{file} is not what it should be: its checksum is {found}, not {expected}; it was removed, and the same command fetches it anew"
    )]
    Checksum { file: String, expected: String, found: String },
    /// Too little room.
    #[error("there is not enough space for {what} in {}: it needs {needed}, and {free} are free; CATENA_MODELS names another folder", folder.display())]
    Space { what: String, folder: PathBuf, needed: String, free: String },
    /// Files cannot be read or written.
    #[error("{}: {problem}", path.display())]
    Io { path: PathBuf, problem: String },
    /// The package cannot be fetched or unpacked.
    #[error("the package {package} cannot be used: {problem}")]
    Package { package: String, problem: String },
    /// The user stopped it.
    #[error("stopped; what has been fetched is kept, and the same command goes on from there")]
    Stopped,
}

impl StoreError {
    /// An error of the file system about a path.
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| {
            let problem = match error.kind() {
                std::io::ErrorKind::StorageFull => {
                    "the disk is full; what has been fetched is kept, and the same command goes on from there".into()
                }
                _ => error.to_string(),
            };
            Self::Io { path, problem }
        }
    }

    /// Whether another source may have what this one did not give.
    pub fn is_out_of_reach(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
