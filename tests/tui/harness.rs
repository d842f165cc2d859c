//! A screen without a terminal, an engine without a graph, and fingers.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, Case, EngineInfo, Event, RunHandle, Triage};
use catena::tui::{App, Colours, Effect, TuiOptions, draw};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream::{Stream, unfold};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc;

use crate::cells::text_of;
use crate::support::sample;

/// Options that depend on nothing around the test.
pub(crate) fn options() -> TuiOptions {
    TuiOptions { colours: Colours::Full, ..TuiOptions::default() }
}

/// A key as keymaps write it.
pub(crate) fn key(name: &str) -> Input {
    let (modifiers, name) = match name.split_once('+') {
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("alt", rest)) => (KeyModifiers::ALT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "pagedown" => KeyCode::PageDown,
        "pageup" => KeyCode::PageUp,
        "end" => KeyCode::End,
        "home" => KeyCode::Home,
        "backspace" => KeyCode::Backspace,
        "space" => KeyCode::Char(' '),
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        name if name.len() > 1 && name.starts_with('f') => KeyCode::F(name[1..].parse().expect("a function key has a number")),
        one => KeyCode::Char(one.chars().next().expect("a key has a name")),
    };
    Input::Key(KeyEvent::new(code, modifiers))
}

/// The screen's state and a terminal to draw it on, without the loop.
pub(crate) struct Bench {
    pub(crate) app: App,
    pub(crate) terminal: Terminal<TestBackend>,
    pub(crate) cancel: CancelToken,
    clock: Duration,
}

impl Bench {
    /// The first screen with an open graph.
    pub(crate) fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, &options())
    }

    pub(crate) fn with(width: u16, height: u16, options: &TuiOptions) -> Self {
        let mut bench = Self::without_engine(width, height, options);
        bench.app.engine_opened(Ok(sample::info()));
        bench.draw();
        bench
    }

    /// What is shown needs no graph: runs that were recorded.
    pub(crate) fn without_engine(width: u16, height: u16, options: &TuiOptions) -> Self {
        let app = App::new(options).expect("the built-in keymap is sound");
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal opens");
        let mut bench = Self { app, terminal, cancel: CancelToken::new(), clock: Duration::ZERO };
        bench.draw();
        bench
    }

    /// Time passes.
    pub(crate) fn wait(&mut self, ms: u64) -> &mut Self {
        self.clock += Duration::from_millis(ms);
        self.app.on_tick(self.clock);
        self.draw();
        self
    }

    pub(crate) fn draw(&mut self) {
        self.terminal.draw(|frame| draw(frame, &mut self.app)).expect("a test terminal is drawn on");
    }

    /// Presses keys, one after another, each long enough after the one before.
    pub(crate) fn press(&mut self, keys: &[&str]) -> &mut Self {
        for name in keys {
            self.app.on_input(key(name));
            self.draw();
        }
        self
    }

    pub(crate) fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.app.on_input(key(&c.to_string()));
        }
        self.draw();
        self
    }

    /// Asks by key and plays a script as the run.
    pub(crate) fn run(&mut self, script: &[Event]) -> &mut Self {
        self.begin(&script[0].run);
        for event in script {
            self.app.on_event(event);
        }
        self.wait(1000)
    }

    /// Carries out what is to be done: the run begins.
    pub(crate) fn begin(&mut self, id: &Arc<str>) -> &mut Self {
        while self.app.next_effect().is_some() {}
        self.cancel = CancelToken::new();
        self.app.run_began(RunHandle { id: Arc::clone(id), cancel: self.cancel.clone() });
        self
    }

    /// What the screen has asked for since the last time.
    pub(crate) fn effects(&mut self) -> Vec<Effect> {
        std::iter::from_fn(|| self.app.next_effect()).collect()
    }

    /// The decisions of the revision that the screen asks for.
    pub(crate) fn decided(&mut self) -> Option<Triage> {
        self.effects().into_iter().find_map(|effect| match effect {
            Effect::Revise { triage, .. } => Some((*triage).clone()),
            _ => None,
        })
    }

    /// Carries out what is to be done: the run goes on with what was decided.
    pub(crate) fn carry_on(&mut self, script: &[Event]) -> &mut Self {
        self.begin(&script[0].run);
        for event in script {
            self.app.on_event(event);
        }
        self.draw();
        self
    }

    pub(crate) fn screen(&self) -> String {
        text_of(self.terminal.backend())
    }

    /// The text of a row that contains a word.
    pub(crate) fn row_with(&self, word: &str) -> String {
        let screen = self.screen();
        screen.lines().find(|line| line.contains(word)).unwrap_or_else(|| panic!("{word} is not on the screen:\n{screen}")).to_owned()
    }
}

/// An engine that lets the test send each run's events.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) runs: Mutex<Vec<ScriptedRun>>,
}

/// A run that the test plays.
#[derive(Clone)]
pub(crate) struct ScriptedRun {
    pub(crate) question: String,
    pub(crate) follows: Option<Arc<Case>>,
    pub(crate) id: Arc<str>,
    pub(crate) cancel: CancelToken,
    pub(crate) events: mpsc::Sender<Event>,
}

impl ScriptedRun {
    pub(crate) async fn play(&self, script: &[Event]) {
        for event in script {
            assert_eq!(event.run, self.id, "the script is made for this run");
            if self.events.send(event.clone()).await.is_err() {
                return;
            }
        }
    }
}

impl Script {
    /// Waits for the run of this number, from 0.
    pub(crate) async fn run(&self, number: usize) -> ScriptedRun {
        for _ in 0..400 {
            if let Some(run) = self.runs.lock().expect("not poisoned").get(number) {
                return run.clone();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("run {number} was never asked for");
    }
}

impl Ask for Script {
    fn ask(&self, question: &str, options: AskOptions, events: mpsc::Sender<Event>) -> RunHandle {
        let mut runs = self.runs.lock().expect("not poisoned");
        let run = ScriptedRun {
            question: question.to_owned(),
            follows: options.follows,
            id: format!("run-{}", runs.len()).into(),
            cancel: CancelToken::new(),
            events,
        };
        let handle = RunHandle { id: Arc::clone(&run.id), cancel: run.cancel.clone() };
        runs.push(run);
        handle
    }

    fn info(&self) -> EngineInfo {
        sample::info()
    }
}

/// Input that the test sends; it ends when the sender is dropped.
pub(crate) fn fingers() -> (mpsc::UnboundedSender<Input>, impl Stream<Item = io::Result<Input>> + Unpin + Send + 'static) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let stream = unfold(receiver, |mut receiver| async move { receiver.recv().await.map(|input| (Ok(input), receiver)) });
    (sender, Box::pin(stream))
}
