//! Exit codes, and how an error reaches the user: once, in words, on standard error.

use std::process::ExitCode;

use super::messages::note;

/// The command succeeded.
pub(super) const DONE: u8 = 0;
/// The command failed.
pub(super) const FAILED: u8 = 1;
/// The command line, the configuration or a prompt is wrong.
pub(super) const USAGE: u8 = 2;
/// Refused: nothing could be linked to the graph; for `show`, nothing of this name exists.
pub(super) const NOTHING_LINKED: u8 = 3;

/// The command line or the configuration is wrong; exits with [`USAGE`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// Turns a result into an exit code. Prints an error with its causes on standard error.
pub(super) fn code(result: anyhow::Result<u8>) -> ExitCode {
    let code = match result {
        Ok(code) => code,
        // The program that reads our output has closed the pipe ("| head").
        Err(error) if is_broken_pipe(&error) => DONE,
        Err(error) => {
            // If standard error is closed too, nobody can be told.
            let _ = note(&in_words(&error));
            if is_usage(&error) { USAGE } else { FAILED }
        }
    };
    ExitCode::from(code)
}

/// A command line that clap refuses, or answers itself (`--help`, `--version`).
pub(super) fn refused(error: clap::Error) -> ExitCode {
    // If nobody reads it, nobody can be told.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// An error with its causes; a cause that the words before it hold already is not said twice.
pub(super) fn in_words(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(cause.trim()) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

fn is_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<UsageError>()
            || cause.is::<crate::config::ConfigError>()
            || cause.is::<crate::language::PromptError>()
            || matches!(cause.downcast_ref(), Some(crate::method::EngineError::Setting { .. }))
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::in_words;

    #[test]
    fn a_cause_is_said_once() {
        let error = anyhow!("no such file").context("config.toml cannot be read: no such file").context("cannot start");
        assert_eq!(in_words(&error), "cannot start: config.toml cannot be read: no such file");
        let error = Err::<(), _>(anyhow!("denied")).context("cannot write x").expect_err("an error");
        assert_eq!(in_words(&error), "cannot write x: denied");
    }
}
