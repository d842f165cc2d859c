//! Catena line by line, for screen readers and braille displays: questions and commands come in as lines, each fact goes out as a
//! sentence on a line of its own. No cursor is moved, nothing is coloured or drawn, and every sign is a word.
//!
//! It drives the same engine as the screen (`tui/`), and decides as little.

mod command;
mod decide;
mod describe;
mod feedback;
mod lines;
mod listing;
mod progress;
mod session;
mod speaker;
mod why;
mod words;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::feedback::Teacher;
use crate::run::Ask;

/// Answers lines until there are no more or the user leaves. `teacher` learns from ratings; without one, nothing can be learned. Needs tokio's
/// runtime. Ctrl-C stops the run, not the program.
///
/// # Errors
/// If `input` cannot be read, `out` cannot be written to, or the system gives no thread.
pub async fn run(engine: Arc<dyn Ask>, teacher: Option<Teacher>, input: impl BufRead + Send + 'static, out: impl Write) -> io::Result<()> {
    let lines = lines::read(input)?;
    session::Session::new(engine, teacher, out, interrupts()).run(lines).await
}

/// Each Ctrl-C from here on, from the very moment on that this returns; where the system tells none, none ever comes.
fn interrupts() -> mpsc::Receiver<()> {
    // One that nobody has taken in is as good as two.
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
