//! The folders and files that Catena uses. `CATENA_HOME` moves all of them into one folder.

use std::path::{Path, PathBuf};

use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};

/// The system names no home folder.
#[derive(Debug, thiserror::Error)]
#[error("Catena finds no home folder for its files; set CATENA_HOME to a folder of your own")]
pub struct PathsError;

/// The folders of the user.
#[derive(Debug, Clone)]
pub struct Paths {
    config: PathBuf,
    data: PathBuf,
}

impl Paths {
    /// The folders for this process: under `CATENA_HOME`, otherwise the platform's usual ones.
    ///
    /// # Errors
    /// If the system names no home folder.
    pub fn discover() -> Result<Self, PathsError> {
        if let Some(home) = std::env::var_os("CATENA_HOME").filter(|home| !home.is_empty()) {
            return Ok(Self::under(Path::new(&home)));
        }
        let args = AppStrategyArgs { top_level_domain: String::new(), author: String::new(), app_name: "catena".into() };
        let strategy = choose_app_strategy(args).map_err(|_| PathsError)?;
        Ok(Self { config: strategy.config_dir(), data: strategy.data_dir() })
    }

    /// Everything under one folder.
    pub fn under(home: &Path) -> Self {
        Self { config: home.to_path_buf(), data: home.to_path_buf() }
    }

    /// The configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's key bindings.
    pub fn keymap_file(&self) -> PathBuf {
        self.config.join("keymap.toml")
    }

    /// What the screen remembers: its layout.
    pub fn screen_file(&self) -> PathBuf {
        self.data.join("screen.toml")
    }

    /// The user's own prompts for language models.
    pub fn prompts(&self) -> PathBuf {
        self.config.join("prompts")
    }

    /// Imported graphs.
    pub fn graphs(&self) -> PathBuf {
        self.data.join("graphs")
    }

    /// Collections of documents.
    pub fn documents(&self) -> PathBuf {
        self.data.join("documents")
    }

    /// Downloaded models, unless the configuration names another folder.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// The DKG: what was learned from feedback.
    pub fn dkg(&self) -> PathBuf {
        self.data.join("dkg")
    }

    /// Recorded runs.
    pub fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }

    /// Evaluations: results, recordings and reports.
    pub fn evaluations(&self) -> PathBuf {
        self.data.join("evaluations")
    }

    /// Past questions, if the user keeps them.
    pub fn history_file(&self) -> PathBuf {
        self.data.join("history.jsonl")
    }
}
