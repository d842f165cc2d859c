//! The command line: one file or folder per subcommand. Data goes to standard output, everything else to standard error.

mod args;
mod ask;
mod batch;
mod check;
mod check_answer;
mod completions;
mod dkg;
mod dkg_args;
mod docs;
mod docs_args;
#[cfg(test)]
mod documented_defaults;
mod engine_sources;
mod eval;
mod eval_args;
mod exit;
mod export;
mod graphs;
mod import_args;
mod interrupt;
mod kg;
mod library;
mod look;
mod man;
mod messages;
mod model_sources;
mod models;
mod name_vectors;
mod open_engine;
mod progress;
mod recogniser;
mod reproduce;
mod screen;
mod sessions;
mod setup;
mod start_models;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use args::{Cli, Command};

use crate::model::MODEL_THREAD_PREFIX;
use crate::text::suggest::nearest;

/// Adds the nearest command to an error about an unknown one, also where two letters changed places; and to an error about an option before its
/// command, the order that is right.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    if error.kind() == ErrorKind::ArgumentConflict {
        let option = error.get(ContextKind::PriorArg).map(ToString::to_string).unwrap_or_default();
        let tip = format!("write the command first: `catena {typed} {option} …`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let command = Cli::command();
    let known = command.get_subcommands().chain(command.get_subcommands().flat_map(clap::Command::get_subcommands));
    let nearest = nearest(&typed, known.map(clap::Command::get_name)).map(str::to_owned);
    if let (Some(nearest), None) = (nearest, error.get(ContextKind::SuggestedSubcommand)) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::String(nearest));
    }
    error
}

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::refused(with_suggestion(error)),
    };
    let default_hook = std::panic::take_hook();
    // The threads of models and of the store survive a panic and report it themselves, in plain words.
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name().is_none_or(|name| !name.starts_with(MODEL_THREAD_PREFIX)) {
            default_hook(panic);
        }
    }));
    let result = match cli.command {
        None => screen::run(cli.graph, cli.models, cli.method, cli.accessible),
        Some(Command::Replay { file, pace }) => screen::replay(file.as_deref(), pace),
        Some(Command::Tour) => screen::tour(),
        Some(Command::Sessions { limit, json }) => sessions::run(limit, json),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Ask(args)) => ask::run(args),
        Some(Command::Kg { command }) => kg::run(command),
        Some(Command::Docs { command }) => docs::run(command),
        Some(Command::CheckAnswer(args)) => check_answer::run(&args),
        Some(Command::Models { command }) => models::run(command),
        Some(Command::Dkg { command }) => dkg::run(command),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Reproduce(args)) => reproduce::run(&args),
        Some(Command::Check) => check::run(),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man { folder }) => man::run(&folder),
    };
    exit::code(result)
}
