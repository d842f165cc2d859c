//! The errors of downloading and reading model files.

use std::path::PathBuf;

/// What went wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are named by the messages")]
pub enum StoreError {
    /// The embedded list of models is wrong, which a test rules out.
    #[error("the list of known models cannot be read: {0}")]
    Catalogue(String),
    /// The name is not in the list of known models.
    #[error("there is no known model {name:?}; `catena models list` shows the known ones. A model of your own needs no pull: put its .gguf file or folder into {}", folder.display())]
    Unknown { name: String, folder: PathBuf },
    /// The Hub cannot be reached or does not work.
    #[error(
        "{host} cannot be reached: {problem}; run the same command again to resume the download. Set HF_ENDPOINT to use another address of the Hub"
    )]
    Unreachable { host: String, problem: String },
    /// The file is not there.
    #[error(
        "{host} has no file {file} (HTTP {status}); it may have moved, or you may have to accept a licence there and set HF_TOKEN to your token"
    )]
    Missing { host: String, file: String, status: u16 },
    /// The Hub requires a login.
    #[error("{host} refuses {file} (HTTP {status}); accept the model's licence there, and set HF_TOKEN to your token")]
    Refused { host: String, file: String, status: u16 },
    /// The server did not behave like a file server.
    #[error("{host} did not send {file}: {problem}")]
    Odd { host: String, file: String, problem: String },
    /// The checksum of a file is wrong.
    #[error("the checksum of {file} is {found}, not {expected}; the file was removed, and the same command downloads it again")]
    Checksum { file: String, expected: String, found: String },
    /// Not enough disk space.
    #[error("there is not enough space for {what} in {}: it needs {needed}, but only {free} are free; set CATENA_MODELS to use another folder", folder.display())]
    Space { what: String, folder: PathBuf, needed: String, free: String },
    /// Files cannot be read or written.
    #[error("{}: {problem}", path.display())]
    Io { path: PathBuf, problem: String },
    /// The package cannot be downloaded or unpacked.
    #[error("the package {package} cannot be used: {problem}")]
    Package { package: String, problem: String },
    /// The user stopped it.
    #[error("stopped; run the same command again to resume the download")]
    Stopped,
}

impl StoreError {
    /// An error of the file system about a path.
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| {
            let problem = match error.kind() {
                std::io::ErrorKind::StorageFull => {
                    "the disk is full; free some space, then run the same command again to resume the download".into()
                }
                _ => error.to_string(),
            };
            Self::Io { path, problem }
        }
    }

    /// Whether the server could not be reached, so that another source may help.
    pub fn is_out_of_reach(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
