//! Configuration: settings from file and environment, the folders that Catena uses, and private files.

mod checked_file;
mod file;
mod language;
mod models;
mod paths;
mod private_file;
mod remote;

pub use checked_file::{is_verified, mark_verified};
pub use file::{Config, ConfigError, DkgConfig};
pub use language::{LanguageChoice, UnknownLanguage};
pub use models::{DeviceChoice, ModelChoice, ModelRole, PromptSize, UnknownDevice, UnknownPromptSize};
pub use paths::{Paths, PathsError};
pub use private_file::{create_private, create_private_folder, write_atomically};
pub use remote::{KeySource, Preset, ProxyAddress, ProxyChoice, RemoteConfig, RemoteTable, ScoreScale};
