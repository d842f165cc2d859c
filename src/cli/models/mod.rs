//! `catena models`: which there are, fetching them, checking them. One file a verb.

mod check;
mod list;
mod pull;

use super::args::ModelsCommand;
use super::open::surroundings;
use crate::config::{Config, ModelChoice, ModelRole, Paths};
use crate::model::{Headers, MemoryFit, Store, devices};

pub(super) fn run(command: ModelsCommand) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let store = store(&config, &paths);
    match command {
        ModelsCommand::List => list::run(&store, &config),
        ModelsCommand::Pull { name } => pull::run(&store, &name),
        ModelsCommand::Check { name } => check::run(&store, name.as_deref()),
    }
}

/// The folder of models.
pub(super) fn store(config: &Config, paths: &Paths) -> Store {
    Store::at(&config.models.clone().unwrap_or_else(|| paths.models()))
}

/// The roles in which a local model of this name is configured.
fn used_as(config: &Config, name: &str) -> anyhow::Result<Vec<ModelRole>> {
    let mut roles = Vec::new();
    for role in ModelRole::ALL {
        if matches!(config.choice(role, None)?, ModelChoice::Local(used) if used == name) {
            roles.push(role);
        }
    }
    Ok(roles)
}

/// How much memory a model takes, and on which devices it fits now.
pub(super) fn memory_in_words(headers: &Headers) -> String {
    let mut fits = Vec::new();
    for device in devices() {
        fits.push(match headers.fit(device.memory.map(|(_, free)| free)) {
            MemoryFit::Fits => format!("fits on {}", device.name),
            MemoryFit::TooLarge => format!("does NOT fit on {} now", device.name),
            MemoryFit::Unknown => format!("{} does not say what is free", device.name),
        });
    }
    format!("about {} of memory ({})", headers.memory_in_words(), fits.join(", "))
}
