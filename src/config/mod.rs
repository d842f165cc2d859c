//! Settings from defaults, file and environment; and where things are kept.

mod checked_file;
mod file;
mod paths;
mod private_file;

pub use checked_file::{is_verified, set_verified};
pub use file::{Config, ConfigError};
pub use paths::{Paths, PathsError};
pub use private_file::{create_private, write_atomically};
