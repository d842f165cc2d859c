//! The loop: events of the run first, then input, then time; whatever is queued is taken in, then one
//! frame is drawn, and none when nothing has changed.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, EventStream};
use futures_util::{Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::app::App;
use super::effect_runner::{Clipboard, EffectRunner};
use super::effects::Effect;
use super::screen_layout::ScreenLayout;
#[cfg(unix)]
use super::terminal::leave_with_the_terminal;
use super::terminal::{Screen, asked_to_end, copy_to_clipboard, take_background_panic};
use super::{OpenedEngine, TuiError, TuiOptions, view};

/// What is taken in before a frame is drawn, so that a flood cannot hold the screen up.
const BATCH: usize = 4096;
/// How often what moves by itself is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Opens the screen on the terminal and runs it until the user leaves. The engine is opened in the
/// background; the first frame does not wait for it. With a recording in the options, that is played and
/// `open` is dropped; the same holds for pairs of runs, which are shown side by side.
///
/// Await it on the main thread (as `#[tokio::main]` does): panics are distinguished by their thread.
///
/// # Errors
/// If there is no terminal, or it fails.
pub async fn run<F>(open: F, options: TuiOptions) -> Result<(), TuiError>
where
    F: Future<Output = Result<OpenedEngine, String>> + Send + 'static,
{
    let app = App::new(&options)?;
    let mut screen = Screen::open()?;
    // Lets a test see that a panic of the screen gives the terminal back; never part of a release.
    #[cfg(debug_assertions)]
    #[allow(clippy::panic, reason = "it is what the test is about")]
    if std::env::var_os("CATENA_TEST_PANIC").is_some() {
        std::panic::panic_any("a panic for the test");
    }
    #[cfg(unix)]
    tokio::spawn(leave_with_the_terminal());
    drive(app, &mut screen.terminal, EventStream::new(), open, options, asked_to_end(), Box::new(copy_to_clipboard)).await
}

/// The same on any backend with any input: for tests, and for other places to draw. The screen is left
/// when the input ends.
///
/// # Errors
/// If drawing fails.
pub async fn run_on<B, S, F>(terminal: &mut Terminal<B>, input: S, open: F, options: TuiOptions) -> Result<(), TuiError>
where
    B: Backend,
    S: Stream<Item = io::Result<Input>> + Unpin,
    F: Future<Output = Result<OpenedEngine, String>> + Send + 'static,
{
    drive(App::new(&options)?, terminal, input, open, options, pending(), Box::new(|_| Ok(()))).await
}

async fn drive<B, S, F>(
    mut app: App,
    terminal: &mut Terminal<B>,
    input: S,
    open: F,
    options: TuiOptions,
    end: impl Future<Output = io::Result<()>>,
    clipboard: Clipboard,
) -> Result<(), TuiError>
where
    B: Backend,
    S: Stream<Item = io::Result<Input>> + Unpin,
    F: Future<Output = Result<OpenedEngine, String>> + Send + 'static,
{
    let began = Instant::now();
    // Input that has ended is asked once more before the loop is left; not every stream bears that.
    let mut input = input.fuse();
    let mut effects = EffectRunner::new(&options, clipboard);
    draw(terminal, &mut app)?;
    let mut opening: Option<JoinHandle<Result<OpenedEngine, String>>> = match options.recording {
        _ if !options.pairs.is_empty() => None,
        Some(recording) => {
            let paused = options.layout == ScreenLayout::Demo;
            effects.play(Arc::new(recording), (options.pace, paused), &mut app);
            if options.tour {
                app.begin_tour();
            }
            None
        }
        None => Some(tokio::spawn(open)),
    };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut end = pin!(end);

    while !app.wants_to_quit() {
        if app.is_dirty() {
            draw(terminal, &mut app)?;
        }
        let animated = app.is_animated();
        tokio::select! {
            biased;
            // What a run says before it is known here waits for it.
            Some(event) = effects.events.recv(), if !app.run.is_starting() => {
                app.now = began.elapsed();
                app.on_event(&event);
            }
            opened = finished(&mut opening) => {
                app.now = began.elapsed();
                let opened = opened.map(|opened| {
                    let info = opened.engine.info();
                    effects.open(opened, &mut app);
                    info
                });
                app.engine_opened(opened);
            }
            Some(reply) = effects.replies.recv() => {
                app.now = began.elapsed();
                effects.reply_arrived(&reply);
                app.on_reply(reply);
            }
            next = input.next() => {
                app.now = began.elapsed();
                match next {
                    Some(Ok(input)) => app.on_input(input),
                    // The terminal is gone, and with it whoever could be told.
                    Some(Err(_)) | None => break,
                }
            }
            _ = &mut end => break,
            _ = ticks.tick(), if animated => app.on_tick(began.elapsed()),
        }
        // Events that wait are older than input that waits: Esc must not be outrun by what it stops.
        for _ in 0..BATCH {
            let Some(event) = effects.next_event(&app) else { break };
            app.on_event(&event);
        }
        for _ in 0..BATCH {
            let Some(Ok(next)) = ready(&mut input).await else { break };
            app.on_input(next);
        }
        if let Some(message) = take_background_panic() {
            app.on_background_failure(&message);
        }
        while let Some(effect) = app.next_effect() {
            match effect {
                Effect::Reopen(choice) => opening = effects.reopen(choice),
                effect => effects.carry_out(effect, &mut app),
            }
        }
    }
    effects.leave();
    if let Some(opening) = opening {
        opening.abort();
    }
    Ok(())
}

fn draw<B: Backend>(terminal: &mut Terminal<B>, app: &mut App) -> Result<(), TuiError> {
    terminal.draw(|frame| view::draw(frame, app)).map(|_| ()).map_err(|error| TuiError::Draw(error.to_string()))
}

/// What came of opening the engine; never ends when there is nothing to wait for (any more).
async fn finished(opening: &mut Option<JoinHandle<Result<OpenedEngine, String>>>) -> Result<OpenedEngine, String> {
    let Some(handle) = opening else { return pending().await };
    let result = handle.await.unwrap_or_else(|error| Err(format!("an internal error: {error}")));
    *opening = None;
    result
}

/// The next item if it is there already. Polled with the loop's own waker: a terminal's stream wakes
/// whoever polled it last.
async fn ready<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|context| {
        Poll::Ready(match stream.poll_next_unpin(context) {
            Poll::Ready(item) => item,
            Poll::Pending => None,
        })
    })
    .await
}
