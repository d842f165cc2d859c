//! Ctrl-C during long work: the first asks the work to stop at a safe point, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code that shells use for a program ended by Ctrl-C (128 + SIGINT).
const ENDED_BY_INTERRUPT: i32 = 130;

/// Whether the user has asked to stop. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen; from now on, the first Ctrl-C no longer ends the program. If the system provides no thread or no signals,
    /// Ctrl-C works as before.
    pub(super) fn listen() -> Self {
        let interrupt = Self::default();
        let requested = Arc::clone(&interrupt.0);
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return interrupt };
        let signals = {
            let _within = runtime.enter();
            interrupts()
        };
        let Ok(mut signals) = signals else { return interrupt };
        let _ = std::thread::Builder::new().name("interrupt".into()).spawn(move || {
            runtime.block_on(async {
                while signals.recv().await.is_some() {
                    if requested.swap(true, Ordering::Relaxed) {
                        std::process::exit(ENDED_BY_INTERRUPT);
                    }
                }
            });
        });
        interrupt
    }

    /// Whether the user has pressed Ctrl-C.
    pub(super) fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
fn interrupts() -> std::io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

#[cfg(windows)]
fn interrupts() -> std::io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}
