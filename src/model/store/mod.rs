//! Model files on this machine: the list of known models, the installed ones, and downloads.

mod catalogue;
mod error;
mod headers;
mod hub;
mod local;
mod package;
mod pull;
mod receipt;
mod space;

pub use catalogue::{KnownModel, KnownPackage, known_models};
pub use error::StoreError;
pub use headers::{Headers, MemoryFit, read_headers};
pub use hub::Hub;
pub use local::{LocalModel, Store};
pub use package::from_package;
pub use pull::{PullProgress, pull};
pub use receipt::{FileReceipt, FileState, Receipt};
pub use space::available_memory;
pub(crate) use space::in_words;
