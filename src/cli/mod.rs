//! The command line: one file or folder per subcommand. Data goes to standard output, everything else to standard error.

mod args;
mod ask;
mod batch;
mod check;
mod completions;
mod dkg;
mod dkg_args;
mod docs;
mod docs_args;
#[cfg(test)]
mod documented_defaults;
mod eval;
mod eval_args;
mod exit;
mod export;
mod graphs;
mod import_args;
mod interrupt;
mod kg;
mod man;
mod messages;
mod model_sources;
mod models;
mod name_vectors;
mod open_engine;
mod progress;
mod recogniser;
mod screen;
mod setup;
mod start_models;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

use crate::model::MODEL_THREAD_PREFIX;

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let default_hook = std::panic::take_hook();
    // The threads of models and of the store survive a panic and report it themselves, in plain words.
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name().is_none_or(|name| !name.starts_with(MODEL_THREAD_PREFIX)) {
            default_hook(panic);
        }
    }));
    let result = match cli.command {
        None => screen::run(cli.graph, cli.models, cli.accessible),
        Some(Command::Replay { file }) => screen::replay(&file),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Ask(args)) => ask::run(args),
        Some(Command::Kg { command }) => kg::run(command),
        Some(Command::Docs { command }) => docs::run(command),
        Some(Command::Models { command }) => models::run(command),
        Some(Command::Dkg { command }) => dkg::run(command),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Check) => check::run(),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man { folder }) => man::run(&folder),
    };
    exit::code(result)
}
