//! The terminal: taken over when the screen opens, given back however it ends: by leaving, by an error,
//! by a panic, by a signal.

use std::io::{self, BufWriter, IsTerminal, Stdout, stdout};
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::TuiError;

type Hook = Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// What a thread in the background said when it panicked: it must not be printed across the screen.
static BACKGROUND_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// The terminal while the screen is open.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    previous_hook: Hook,
}

impl Screen {
    pub(crate) fn open() -> Result<Self, TuiError> {
        if !stdout().is_terminal() {
            return Err(TuiError::NoTerminal);
        }
        let previous_hook = install_panic_hook();
        let opened = enable_raw_mode()
            .and_then(|()| execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture, SetTitle("Catena")))
            .and_then(|()| Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout()))));
        match opened {
            Ok(terminal) => Ok(Self { terminal, previous_hook }),
            Err(error) => {
                restore();
                put_back(previous_hook);
                Err(error.into())
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
        // The hook cannot be changed during a panic; the program ends then anyway.
        if !thread::panicking() {
            put_back(Arc::clone(&self.previous_hook));
        }
    }
}

/// Puts a text on the clipboard of whoever sits at the terminal, also over ssh (OSC 52). Terminals that cannot do that say nothing.
pub(crate) fn copy_to_clipboard(text: &str) -> io::Result<()> {
    execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
}

/// Gives the terminal back. Each step is tried even when the one before it failed; there is no one left to
/// tell of a failure.
fn restore() {
    let _ = execute!(stdout(), DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

fn put_back(hook: Hook) {
    panic::set_hook(Box::new(move |info| hook(info)));
}

/// A panic of the screen's own thread gives the terminal back before it is reported. A panic elsewhere is
/// noted, for the screen to show, because the screen goes on.
fn install_panic_hook() -> Hook {
    let previous: Hook = Arc::from(panic::take_hook());
    let hook = Arc::clone(&previous);
    let screen_thread = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen_thread {
            restore();
            hook(info);
        } else if thread::current().name().is_none_or(|name| !name.starts_with(crate::model::MODEL_THREAD_PREFIX)) {
            // A model's thread outlives its panics, and the run goes on with a warning.
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let what = text.unwrap_or("a panic without a message");
            let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
            *BACKGROUND_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{what}{place}"));
        }
    }));
    previous
}

/// What went wrong in the background since this was last asked.
pub(crate) fn take_background_panic() -> Option<String> {
    BACKGROUND_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// How long the loop has to end by itself once the terminal is gone.
#[cfg(unix)]
const GRACE: std::time::Duration = std::time::Duration::from_millis(500);

/// Ends the program when the terminal has been gone for a while. The loop cannot be relied on for that:
/// crossterm 0.29 reads a terminal that is gone for ever without coming back.
#[cfg(unix)]
pub(crate) async fn leave_with_the_terminal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hang_up) = signal(SignalKind::hangup()) else { return };
    hang_up.recv().await;
    tokio::time::sleep(GRACE).await;
    restore();
    // What a shell reports of a program that SIGHUP (1) ended.
    std::process::exit(128 + 1);
}

/// Ends when the system asks the program to end.
pub(crate) async fn asked_to_end() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
