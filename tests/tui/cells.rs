//! A screen in memory that tests and benchmarks look at while the loop draws on it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ratatui::backend::{Backend, ClearType, TestBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use tokio::sync::watch;

/// What a backend shows, without trailing blanks.
pub(crate) fn text_of(backend: &TestBackend) -> String {
    let buffer = backend.buffer();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            // The second cell of a wide character shows nothing of its own.
            if skip == 0 {
                line.push_str(symbol);
            }
            // What that cell held before is no longer there.
            let width = if skip == 0 { unicode_width::UnicodeWidthStr::width(symbol) } else { skip };
            skip = width.saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A test backend that can be looked at, and resized, while the loop draws on it; whoever waits is told of each frame.
#[derive(Clone)]
pub(crate) struct SharedBackend {
    pub(crate) inner: Arc<Mutex<TestBackend>>,
    pub(crate) frames: watch::Sender<usize>,
}

impl SharedBackend {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        Self { inner: Arc::new(Mutex::new(TestBackend::new(width, height))), frames: watch::channel(0).0 }
    }

    pub(crate) fn screen(&self) -> String {
        text_of(&self.inner.lock().expect("not poisoned"))
    }

    pub(crate) fn frames(&self) -> usize {
        *self.frames.borrow()
    }

    /// Waits until the screen shows something.
    pub(crate) async fn shows(&self, what: &str) {
        for _ in 0..400 {
            if self.screen().contains(what) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the screen never showed {what:?}:\n{}", self.screen());
    }
}

impl Backend for SharedBackend {
    type Error = std::convert::Infallible;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<(), Self::Error> {
        let mut inner = self.inner.lock().expect("not poisoned");
        // Between a resize and the next frame, cells outside may be drawn; a terminal ignores them.
        let area = inner.buffer().area;
        inner.draw(content.filter(|(x, y, _)| *x < area.width && *y < area.height))
    }

    fn hide_cursor(&mut self) -> Result<(), Self::Error> {
        self.inner.lock().expect("not poisoned").hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), Self::Error> {
        self.inner.lock().expect("not poisoned").show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
        self.inner.lock().expect("not poisoned").get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Self::Error> {
        self.inner.lock().expect("not poisoned").set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        self.inner.lock().expect("not poisoned").clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), Self::Error> {
        self.inner.lock().expect("not poisoned").clear_region(region)
    }

    fn size(&self) -> Result<Size, Self::Error> {
        self.inner.lock().expect("not poisoned").size()
    }

    fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
        self.inner.lock().expect("not poisoned").window_size()
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.frames.send_modify(|frames| *frames += 1);
        Ok(())
    }
}
