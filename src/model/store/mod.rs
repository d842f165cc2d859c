//! Models on this machine: which are known, which are there, and how they get here.

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
pub use headers::{Fit, Headers, look};
pub use hub::Hub;
pub use local::{LocalModel, Store};
pub use package::from_package;
pub use pull::{Progress, pull};
pub use receipt::{FileReceipt, FileState, Receipt};
pub use space::available_memory;
pub(crate) use space::in_words;
