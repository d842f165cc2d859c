//! The command line (design §6): one file a subcommand. Data goes to standard output, everything else to
//! standard error.

mod args;
mod ask;
mod batch;
mod check;
mod dkg;
mod dkg_args;
mod dkg_overlay;
#[cfg(test)]
mod documented_defaults;
mod eval;
mod eval_args;
mod exit;
mod export;
mod import_args;
mod interrupt;
mod kg;
mod model_sources;
mod models;
mod models_open;
mod name_vectors;
mod open;
mod progress;
mod screen;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

use crate::model::MODEL_THREAD_PREFIX;

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let report = std::panic::take_hook();
    // Models and the store have threads that outlive a fault, and say in plain words what it means.
    std::panic::set_hook(Box::new(move |fault| {
        if std::thread::current().name().is_none_or(|name| !name.starts_with(MODEL_THREAD_PREFIX)) {
            report(fault);
        }
    }));
    let result = match cli.command {
        None => screen::run(cli.graph, cli.models, cli.accessible),
        Some(Command::Replay { file }) => screen::replay(&file),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Ask(args)) => ask::run(args),
        Some(Command::Kg { command }) => kg::run(command),
        Some(Command::Models { command }) => models::run(command),
        Some(Command::Dkg { command }) => dkg::run(command),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Check) => check::run(),
    };
    exit::code(result)
}
