//! The real loop on a screen in memory: keys in, screens out.

use std::future::Future;
use std::time::Duration;

use catena::tui::{OpenedEngine, TuiError, TuiOptions, run_on};
use ratatui::Terminal;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::cells::SharedBackend;
use crate::harness::{fingers, key};

pub(crate) struct Driven {
    pub(crate) screen: SharedBackend,
    input: UnboundedSender<crossterm::event::Event>,
    running: JoinHandle<Result<(), TuiError>>,
}

impl Driven {
    /// Starts the loop at 160 columns and 48 rows.
    pub(crate) fn start(open: impl Future<Output = Result<OpenedEngine, String>> + Send + 'static, options: TuiOptions) -> Self {
        Self::start_at((160, 48), open, options)
    }

    /// The same at a number of columns and rows.
    pub(crate) fn start_at(
        (width, height): (u16, u16),
        open: impl Future<Output = Result<OpenedEngine, String>> + Send + 'static,
        options: TuiOptions,
    ) -> Self {
        let screen = SharedBackend::new(width, height);
        let (input, stream) = fingers();
        let mut terminal = Terminal::new(screen.clone()).expect("a test terminal opens");
        let running = tokio::spawn(async move { run_on(&mut terminal, stream, open, options).await });
        Self { screen, input, running }
    }

    pub(crate) fn press(&self, keys: &[&str]) {
        for name in keys {
            self.input.send(key(name)).expect("the loop listens");
        }
    }

    pub(crate) fn type_text(&self, text: &str) {
        for c in text.chars() {
            self.press(&[&c.to_string()]);
        }
    }

    /// Waits until the screen is as described; gives it.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        for _ in 0..1500 {
            let screen = self.screen.screen();
            if holds(&screen) {
                return screen;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never: {what}\n{}", self.screen.screen());
    }

    pub(crate) async fn shows(&self, what: &str) -> String {
        self.until(what, |screen| screen.contains(what)).await
    }

    pub(crate) async fn ends(self) {
        self.press(&["ctrl+c"]);
        tokio::time::timeout(Duration::from_secs(5), self.running).await.expect("the loop ends").expect("no panic").expect("no error");
    }
}
