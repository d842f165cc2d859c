//! Ctrl-C during long work: the first asks it to stop where nothing is left half-made, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell gives a program that was ended by Ctrl-C.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Whether the user has asked to stop. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Begins to listen; from here on Ctrl-C no longer ends the program by itself. Where the system gives no thread
    /// or no signals, it does as it always did.
    pub(super) fn listen() -> Self {
        let interrupt = Self::default();
        let asked = Arc::clone(&interrupt.0);
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return interrupt };
        let signals = {
            let _within = runtime.enter();
            interrupts()
        };
        let Ok(mut signals) = signals else { return interrupt };
        let _ = std::thread::Builder::new().name("interrupt".into()).spawn(move || {
            runtime.block_on(async {
                while signals.recv().await.is_some() {
                    if asked.swap(true, Ordering::Relaxed) {
                        std::process::exit(ENDED_BY_INTERRUPT);
                    }
                }
            });
        });
        interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn asked(&self) -> bool {
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
