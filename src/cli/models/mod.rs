//! `catena models`: one file per subcommand.

mod check;
mod list;
mod pull;

use super::args::ModelsCommand;
use super::setup::Setup;
use crate::config::{Config, ModelChoice, ModelRole};
use crate::model::{Headers, MemoryFit, devices};

pub(super) fn run(command: ModelsCommand) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let store = setup.model_store();
    match command {
        ModelsCommand::List => list::run(&store, &setup.config),
        ModelsCommand::Pull { name } => pull::run(&store, &name),
        ModelsCommand::Check { name } => check::run(&store, name.as_deref()),
    }
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

/// How much memory a model needs, and on which devices it fits now.
pub(super) fn memory_in_words(headers: &Headers) -> String {
    let mut fits = Vec::new();
    for device in devices() {
        fits.push(match headers.fit(device.memory.map(|(_, free)| free)) {
            MemoryFit::Fits => format!("fits on {}", device.name),
            MemoryFit::TooLarge => format!("does NOT fit on {} now", device.name),
            MemoryFit::Unknown => format!("{} does not report its free memory", device.name),
        });
    }
    format!("about {} of memory ({})", headers.memory_in_words(), fits.join(", "))
}
