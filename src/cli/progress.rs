//! Progress bars: on a terminal, nothing elsewhere, and nothing where plain lines are wanted.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(120);

static WITHOUT: AtomicBool = AtomicBool::new(false);

/// No bars from here on: a screen reader would read each of their turns.
pub(super) fn without_bars() {
    WITHOUT.store(true, Ordering::Relaxed);
}

fn bar(template: &str) -> ProgressBar {
    if WITHOUT.load(Ordering::Relaxed) || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// How far a file has been read.
pub(super) fn byte_bar() -> ProgressBar {
    bar("{bar:30} {bytes} of {total_bytes}, {msg}, {elapsed}")
}

/// How many of a known number are done.
pub(super) fn count_bar() -> ProgressBar {
    bar("{bar:30} {human_pos} of {human_len} {msg}, {elapsed}, about {eta} left")
}

/// That something is being done.
pub(super) fn spinner(what: &'static str) -> ProgressBar {
    let bar = bar("{spinner} {msg}, {elapsed}");
    bar.set_message(what);
    bar.enable_steady_tick(TURN);
    bar
}
