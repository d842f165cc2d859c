//! Where graphs and models come from: what can be chosen on the screen, and opening what was chosen.

use std::fmt;

use super::OpenedEngine;

/// What an engine is opened with; `None` stands for what the command line or the configuration says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineChoice {
    /// The name or the path of the graph.
    pub graph: Option<String>,
    /// What writes: "graph", a model's name, or "remote:NAME".
    pub generator: Option<String>,
}

/// What is chosen from a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A graph.
    Graph,
    /// What writes hypothesis and answer.
    Generator,
}

/// A graph or a model that can be chosen, or cannot now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// Its name, as the command line takes it.
    pub name: String,
    /// What it is: size, licence.
    pub detail: String,
    /// Why it cannot be used now, and what to do; `None` if it can.
    pub missing: Option<String>,
}

/// Lists what there is and opens what was chosen. Both can take long: they are called in the background.
pub trait EngineSource: Send + Sync + fmt::Debug {
    /// The graphs or models, in the order in which they are shown.
    ///
    /// # Errors
    /// If they cannot be listed, in plain words.
    fn list(&self, kind: SourceKind) -> Result<Vec<SourceEntry>, String>;

    /// Opens an engine.
    ///
    /// # Errors
    /// If graph or model cannot be opened, in plain words.
    fn open(&self, choice: &EngineChoice) -> Result<OpenedEngine, String>;
}
