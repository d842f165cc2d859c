//! Progress bars on standard error, if it is a terminal and the accessible mode is off.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two frames of a spinner.
const SPINNER_FRAME: Duration = Duration::from_millis(120);

static BARS_OFF: AtomicBool = AtomicBool::new(false);

/// Turns progress bars off: a screen reader would read every frame.
pub(super) fn without_bars() {
    BARS_OFF.store(true, Ordering::Relaxed);
}

fn bar(template: &str) -> ProgressBar {
    if BARS_OFF.load(Ordering::Relaxed) || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Bytes done of a total.
pub(super) fn byte_bar() -> ProgressBar {
    bar("{bar:30} {bytes} of {total_bytes}, {msg}, {elapsed}")
}

/// Items done of a total.
pub(super) fn count_bar() -> ProgressBar {
    bar("{bar:30} {human_pos} of {human_len} {msg}, {elapsed}, about {eta} left")
}

/// Work of unknown length.
pub(super) fn spinner(what: &'static str) -> ProgressBar {
    let bar = bar("{spinner} {msg}, {elapsed}");
    bar.set_message(what);
    bar.enable_steady_tick(SPINNER_FRAME);
    bar
}
