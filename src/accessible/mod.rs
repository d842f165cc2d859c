//! The accessible mode, for screen readers and braille displays: it reads questions and commands line by line, and prints each fact as
//! a sentence on a line of its own. No colours, no drawings, no moving cursor; every symbol is a word.
//!
//! It uses the same engine as the terminal interface (`tui/`).

mod case;
mod chain_pages;
mod claims;
mod command;
mod decide;
mod describe;
mod explain;
mod feedback;
mod input;
mod output;
mod phrases;
mod progress;
mod session;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::config::LanguageChoice;
use crate::feedback::Teacher;
use crate::run::Ask;

/// Reads lines and answers them, until the input ends or the user quits. `teacher` learns from ratings; without it, the user cannot teach.
/// It speaks the language that is set, or that of the latest question. Must run within a tokio runtime. Ctrl-C stops the current run, not the program.
///
/// # Errors
/// If `input` cannot be read, `out` cannot be written, or the system cannot start a thread.
pub async fn run(
    engine: Arc<dyn Ask>,
    teacher: Option<Teacher>,
    language: LanguageChoice,
    input: impl BufRead + Send + 'static,
    out: impl Write,
) -> io::Result<()> {
    let lines = input::read(input)?;
    session::AccessibleSession::new(engine, teacher, out, interrupts(), language).run(lines).await
}

/// Receives each Ctrl-C from now on. If the system reports none, nothing ever arrives.
fn interrupts() -> mpsc::Receiver<()> {
    // Several that nobody has received yet count as one.
    let (sender, receiver) = mpsc::channel(1);
    #[cfg(unix)]
    let signals = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    #[cfg(windows)]
    let signals = tokio::signal::windows::ctrl_c();
    if let Ok(mut signals) = signals {
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if let Err(mpsc::error::TrySendError::Closed(())) = sender.try_send(()) {
                    return;
                }
            }
        });
    }
    receiver
}
