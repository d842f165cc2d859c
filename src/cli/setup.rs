//! What every command starts from: the user's folders and configuration.

use super::progress::without_bars;
use crate::config::{Config, Paths};
use crate::model::Store;

/// The folders and the configuration of this user.
pub(super) struct Setup {
    pub(super) paths: Paths,
    pub(super) config: Config,
}

impl Setup {
    /// Finds the folders and reads the configuration.
    ///
    /// # Errors
    /// If there is no home folder, or the configuration cannot be read or has an unknown key or a value out of range.
    pub(super) fn load() -> anyhow::Result<Self> {
        let paths = Paths::discover()?;
        let config = Config::load(&paths.config_file())?;
        if config.is_accessible() {
            without_bars();
        }
        Ok(Self { paths, config })
    }

    /// The folder of models.
    pub(super) fn model_store(&self) -> Store {
        Store::at(&self.config.models.clone().unwrap_or_else(|| self.paths.models()))
    }
}
