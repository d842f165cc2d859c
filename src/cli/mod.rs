//! The command line (design §6): one file a subcommand. Data goes to standard output, everything else to
//! standard error.

mod args;
mod ask;
mod batch;
mod check;
mod exit;
mod export;
mod import_args;
mod interrupt;
mod kg;
mod model_sources;
mod models;
mod models_open;
mod open;
mod progress;
mod screen;
mod vectors;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => screen::run(cli.graph, cli.models, cli.accessible),
        Some(Command::Replay { file }) => screen::replay(&file),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Ask(args)) => ask::run(args),
        Some(Command::Kg { command }) => kg::run(command),
        Some(Command::Models { command }) => models::run(command),
        Some(Command::Check) => check::run(),
    };
    exit::code(result)
}
