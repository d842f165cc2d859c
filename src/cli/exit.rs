//! Exit codes and the last word on errors.

use std::io::Write;
use std::process::ExitCode;

/// Everything was done.
pub(super) const DONE: u8 = 0;
/// Something failed.
pub(super) const FAILED: u8 = 1;
/// The command line or the configuration makes no sense.
pub(super) const USAGE: u8 = 2;
/// Nothing in the question could be linked.
pub(super) const NOTHING_LINKED: u8 = 3;

/// An error of the user's making: the command line or the configuration.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// Turns a result into an exit code; an error is told on standard error, with what led to it.
pub(super) fn code(result: anyhow::Result<u8>) -> ExitCode {
    let code = match result {
        Ok(code) => code,
        // Whoever reads our output has read enough ("| head").
        Err(error) if is_broken_pipe(&error) => DONE,
        Err(error) => {
            // Nothing can be done if standard error is closed too.
            let _ = writeln!(std::io::stderr(), "catena: {}", crate::text::sanitise(&format!("{error:#}")));
            if is_usage(&error) { USAGE } else { FAILED }
        }
    };
    ExitCode::from(code)
}

fn is_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<Usage>()
            || cause.is::<crate::config::ConfigError>()
            || cause.is::<crate::language::PromptError>()
            || matches!(cause.downcast_ref(), Some(crate::method::EngineError::Setting { .. }))
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe))
}
