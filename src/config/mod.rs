//! Settings from defaults, file and environment; and where things are kept.

mod file;
mod paths;
mod private_file;

pub use file::{Config, ConfigError};
pub use paths::{Paths, PathsError};
pub use private_file::{create_private, write_atomically};
