//! The screen while it is used: from a key to the frame that shows it while a question keeps both cores busy, and the memory of
//! one session over a thousand questions.
//!
//! `cargo bench --bench tui_session`, or `cargo bench --bench tui_session -- memory` for the second alone.
//!
//! The real loop draws on cells in memory; the real engine answers. What a terminal takes to show the cells is not in the figures.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot be set up has nothing to measure; it prints its figures"
)]

#[path = "../tests/tui/cells.rs"]
#[allow(dead_code, clippy::panic, reason = "shared with the tests, which may fail")]
mod cells;
mod support;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catena::graph::Graph;
use catena::method::{Engine, EngineOptions};
use catena::run::{Ask, AskOptions, EngineInfo, Event, EventKind, Explanation, RunHandle, Stage, Trace, Triage};
use catena::tui::{Colours, TuiOptions, run_on};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream::unfold;
use ratatui::Terminal;
use tokio::sync::mpsc::{self, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use cells::SharedBackend;
use support::{dense, starter};

/// Keys that are timed.
const KEYS: usize = 1000;
/// Questions of the session whose memory is looked at.
const QUESTIONS: usize = 1000;
/// How long a frame may be waited for before the benchmark is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a frame in which something holds.
async fn until(cells: &SharedBackend, holds: impl Fn(&SharedBackend) -> bool) {
    let mut frames = cells.frames.subscribe();
    while !holds(cells) {
        let drawn = tokio::time::timeout(PATIENCE, frames.changed()).await;
        assert!(drawn.is_ok(), "no frame shows what was waited for:\n{}", cells.screen());
    }
}

/// Whether the screen has a text.
fn shows(cells: &SharedBackend, what: &str) -> bool {
    cells.screen().contains(what)
}

fn symbol(cells: &SharedBackend, at: (u16, u16)) -> String {
    cells.inner.lock().expect("not poisoned").buffer()[at].symbol().to_owned()
}

/// An engine that says how many runs have come to their end.
struct Counted {
    engine: Arc<Engine>,
    finished: watch::Sender<usize>,
}

impl Ask for Counted {
    fn ask(&self, question: &str, options: AskOptions, events: mpsc::Sender<Event>) -> RunHandle {
        let (sender, mut from_engine) = mpsc::channel(1024);
        let handle = self.engine.ask(question, options, sender);
        let finished = self.finished.clone();
        tokio::spawn(async move {
            while let Some(event) = from_engine.recv().await {
                let is_over = matches!(event.what, EventKind::RunFinished { .. });
                if events.send(event).await.is_err() {
                    return;
                }
                if is_over {
                    finished.send_modify(|runs| *runs += 1);
                }
            }
        });
        handle
    }

    fn info(&self) -> EngineInfo {
        self.engine.info()
    }

    fn revise(&self, trace: Arc<Trace>, triage: Arc<Triage>, from: Stage, events: mpsc::Sender<Event>) -> Option<RunHandle> {
        self.engine.revise(trace, triage, from, events)
    }

    fn explain(&self, trace: &Trace, chain: u32) -> Option<Explanation> {
        self.engine.explain(trace, chain)
    }
}

fn press(input: &UnboundedSender<Input>, code: KeyCode) {
    input.send(Input::Key(KeyEvent::new(code, KeyModifiers::NONE))).expect("the loop listens");
}

/// Opens the screen on a graph; gives the keyboard, the cells and how many runs are over.
async fn open(graph: Graph, k: usize) -> (UnboundedSender<Input>, SharedBackend, watch::Receiver<usize>) {
    let (finished, runs) = watch::channel(0);
    let cells = SharedBackend::new(200, 60);
    let (input, keys) = unbounded_channel();
    let stream = Box::pin(unfold(keys, |mut keys| async move { keys.recv().await.map(|key| (Ok::<_, io::Error>(key), keys)) }));
    let mut terminal = Terminal::new(cells.clone()).expect("cells in memory");
    let open = async move {
        let engine = tokio::task::spawn_blocking(move || {
            let encoder = Engine::start_encoder().expect("a thread");
            let options = EngineOptions { k: Some(k), ..EngineOptions::default() };
            Engine::open(graph, encoder, &options, Vec::new()).expect("the engine opens")
        });
        let engine = Arc::new(engine.await.expect("no panic"));
        Ok((Arc::new(Counted { engine, finished }) as Arc<dyn Ask>).into())
    };
    let options = TuiOptions { colours: Colours::Full, ..TuiOptions::default() };
    tokio::spawn(async move { run_on(&mut terminal, stream, open, options).await });
    until(&cells, |cells| shows(cells, "entities")).await;
    (input, cells, runs)
}

/// From a key to the frame that shows it, while a question runs that takes minutes on both cores. The key lets a pane fill
/// the screen, or shrink again, so that every cell changes.
async fn key_to_frame() {
    let (input, cells, _) = open(dense(), 5).await;
    for c in "zorb1, zorb2, zorb3, zorb5 and zorb8".chars() {
        press(&input, KeyCode::Char(c));
    }
    press(&input, KeyCode::Enter);
    until(&cells, |cells| shows(cells, "Searching")).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut times = Vec::with_capacity(KEYS);
    let corner = (2, 1);
    while times.len() < KEYS {
        // A search ends when its time is up; then the question is asked again.
        if !shows(&cells, "working") {
            press(&input, KeyCode::Char('i'));
            press(&input, KeyCode::Enter);
            until(&cells, |cells| shows(cells, "working")).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let before = symbol(&cells, corner);
        let pressed = Instant::now();
        press(&input, KeyCode::Char('z'));
        until(&cells, |cells| symbol(cells, corner) != before).await;
        times.push(pressed.elapsed());
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
    times.sort();
    let ms = |share: f64| times[((KEYS - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!(
        "key to frame while a question runs, 200x60, {KEYS} keys: median {:.2} ms, 99% {:.2} ms, slowest {:.2} ms",
        ms(0.5),
        ms(0.99),
        ms(1.0)
    );
    press(&input, KeyCode::Esc);
}

/// Memory that the process has in use, in MiB (Linux).
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}

/// One session, a thousand questions, and now and then a decision.
async fn memory() {
    let (input, cells, mut runs) = open(starter(), 3).await;
    let questions = [
        "I feel stomach reflux after eating. What medicine should I take?",
        "Which tests are needed in type 2 diabetes?",
        "Chest pain on exertion in a man of 60. What could it be?",
        "What can cause a dry cough at night?",
    ];
    let started = Instant::now();
    for number in 0..QUESTIONS {
        // From the panes to the editor; on the first screen the digit would ask an example.
        if number > 0 {
            press(&input, KeyCode::Char('1'));
        }
        input.send(Input::Key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL))).expect("the loop listens");
        for c in questions[number % questions.len()].chars() {
            press(&input, KeyCode::Char(c));
        }
        press(&input, KeyCode::Enter);
        runs.wait_for(|runs| *runs > number).await.expect("the engine answers");
        until(&cells, |cells| shows(cells, "Answer from ") && shows(cells, "✓ read")).await;
        if number % 10 == 9 {
            press(&input, KeyCode::Char('5'));
            press(&input, KeyCode::Char('x'));
            until(&cells, |cells| shows(cells, "▌✗")).await;
        }
        if [50, 100, 250, 500, 750, QUESTIONS].contains(&(number + 1)) {
            println!("{:>5} questions: {:.1} MiB resident, {:.0} s", number + 1, resident(), started.elapsed().as_secs_f64());
        }
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let only_memory = std::env::args().any(|argument| argument == "memory");
    runtime.block_on(async {
        if !only_memory {
            key_to_frame().await;
        }
        memory().await;
    });
    runtime.shutdown_background();
}
