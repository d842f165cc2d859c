//! Settings from defaults, file and environment; and where things are kept.

mod file;
mod paths;

pub use file::{Config, ConfigError};
pub use paths::{Paths, PathsError};
