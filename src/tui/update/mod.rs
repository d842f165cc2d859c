//! Input and events change the state; one verb a file. Nothing here waits, draws, or does anything
//! outside the state: what is to be done outside is left as a [`Command`](super::Command).

mod ask;
mod follow;
mod mouse;
mod scroll;
mod select;

use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::action::{Action, Pane};
use super::app::{App, Engine, Overlay, Weight};
use super::examples::EXAMPLES;
use super::keymap::Context;
use scroll::Step;

/// Two keys within this time belong to one text.
const TYPED_TOGETHER: Duration = Duration::from_millis(600);

impl App {
    /// Takes in a key, a click, a paste or a change of the terminal's size.
    pub fn on_input(&mut self, input: Input) {
        match input {
            Input::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key),
            Input::Paste(text) => self.on_paste(&text),
            Input::Mouse(mouse) => self.on_mouse(mouse),
            Input::Resize(..) => self.dirty = true,
            _ => {}
        }
    }

    /// Time has passed.
    pub fn on_tick(&mut self, now: Duration) {
        self.now = now;
        // Elapsed times and the spinner have moved.
        self.dirty |= self.is_animated();
    }

    fn contexts(&self) -> &'static [Context] {
        match (self.overlay, self.first_screen, self.focus) {
            (Some(_), ..) => &[Context::Overlay, Context::Panes],
            (None, true, _) if self.editor.text().is_empty() => &[Context::FirstScreen, Context::Question],
            (None, true, _) | (None, _, Pane::Question) => &[Context::Question],
            _ => &[Context::Panes],
        }
    }

    fn is_typing(&self) -> bool {
        self.overlay.is_none() && (self.first_screen || self.focus == Pane::Question)
    }

    fn on_key(&mut self, key: KeyEvent) {
        self.dirty = true;
        let example_key = self.example_key.take();
        let digit = match key.code {
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
            _ => None,
        };
        if let (Some((first, at)), Some(c)) = (example_key, digit)
            && (c.is_ascii_digit() || matches!(c, ' ' | '-'))
            && self.now.saturating_sub(at) < TYPED_TOGETHER
            && !self.editor.is_blank()
        {
            self.take_back_example(first, c);
            return;
        }
        match self.keymap.action(key, self.contexts()) {
            Some(action) => {
                self.act(action);
                if let (Action::Example(_), Some(c)) = (action, digit) {
                    self.example_key = Some((c, self.now));
                }
            }
            None if self.is_typing() => {
                self.editor.input(key);
            }
            None => {}
        }
    }

    /// Clinical questions often begin with an age: "54 year old …" and "5-year-old …" must not ask example
    /// 5. When such a key follows at once, a text was meant.
    fn take_back_example(&mut self, first: char, second: char) {
        self.stop_run();
        self.focus = Pane::Question;
        self.editor.set_text(&format!("{first}{second}"));
        self.first_screen = true;
    }

    fn on_paste(&mut self, text: &str) {
        self.dirty = true;
        if self.overlay.is_some() {
            return;
        }
        // What is pasted is a question, wherever the focus is.
        self.focus = Pane::Question;
        if !self.editor.paste(text) {
            self.say(Weight::Warning, "The pasted text was too long for a question; its end was cut off.");
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::Ask => self.ask_editor(),
            Action::NewLine => self.editor.new_line(),
            Action::HistoryPrevious => self.editor.previous(),
            Action::HistoryNext => self.editor.next(),
            Action::NextExample => self.next_example(),
            Action::Example(number) => self.ask_example(number),
            Action::Clear => self.clear(),
            Action::Stop => self.close_or_stop(),
            Action::Quit => {
                self.stop_run();
                self.quit = true;
            }
            Action::Help => self.toggle(Overlay::Help),
            Action::Messages => self.toggle(Overlay::Messages),
            Action::Focus(pane) => self.go_to(pane),
            Action::FocusNext => self.step_focus(1),
            Action::FocusPrevious => self.step_focus(-1),
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::NextTheme => {
                if let Some(theme) = self.theme.next(self.colours) {
                    let text = format!("Theme: {}", theme.name);
                    self.theme = theme;
                    self.say(Weight::Note, text);
                }
            }
            Action::Up if self.is_typing() => self.editor.up(),
            Action::Down if self.is_typing() => self.editor.down(),
            Action::Up => self.scroll_focused(Step::Rows(-1)),
            Action::Down => self.scroll_focused(Step::Rows(1)),
            Action::PageUp => self.scroll_focused(Step::Pages(-1)),
            Action::PageDown => self.scroll_focused(Step::Pages(1)),
            Action::First => self.scroll_focused(Step::First),
            Action::Last => self.scroll_focused(Step::Last),
            Action::NextKept => self.step_kept(1),
            Action::PreviousKept => self.step_kept(-1),
        }
    }

    fn toggle(&mut self, overlay: Overlay) {
        self.overlay = if self.overlay == Some(overlay) { None } else { Some(overlay) };
        self.sheet_offset = 0;
    }

    fn close_or_stop(&mut self) {
        if self.overlay.take().is_some() {
            self.sheet_offset = 0;
        } else if self.is_running() || self.waiting.is_some() {
            self.stop_run();
        } else if self.zoomed {
            self.zoomed = false;
        } else if self.focus == Pane::Question && !self.first_screen {
            self.focus = Pane::Answer;
        }
    }

    fn go_to(&mut self, pane: Pane) {
        self.overlay = None;
        self.focus = pane;
    }

    fn step_focus(&mut self, step: isize) {
        if self.overlay.is_some() {
            return;
        }
        if self.first_screen {
            // There are panes to go to only when something was asked before.
            if !self.trace.id.is_empty() {
                self.first_screen = false;
                self.focus = Pane::Answer;
            }
            return;
        }
        self.focus = self.focus.step(step);
    }

    fn clear(&mut self) {
        self.overlay = None;
        if self.editor.text().is_empty() && !self.is_running() {
            self.first_screen = self.engine != Engine::Recording;
            self.sheet_offset = 0;
        }
        self.editor.set_text("");
        self.focus = Pane::Question;
    }

    fn next_example(&mut self) {
        let example = EXAMPLES[self.next_example % EXAMPLES.len()];
        self.next_example = (self.next_example + 1) % EXAMPLES.len();
        self.overlay = None;
        self.editor.set_text(example.question);
        self.focus = Pane::Question;
    }
}
