//! The question editor: several lines, a history, and a cursor that is the terminal's own, so that input
//! methods for Chinese open where the text goes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_width::UnicodeWidthStr;

use super::history::History;
use super::line_input::empties;
use crate::text::sanitise;

/// The longest question, in bytes; pasted text beyond it is cut off, with a warning.
pub(crate) const LONGEST: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) area: TextArea<'static>,
    history: History,
}

impl Editor {
    pub(crate) fn new(history: History) -> Self {
        Self { area: text_area(""), history }
    }

    /// What is in the editor.
    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    /// Rows that the text takes at a width; about so many, for words are not broken.
    pub(crate) fn rows_in(&self, width: u16) -> usize {
        let width = usize::from(width.max(1));
        self.area.lines().iter().map(|line| (line.width() + line.width() / 10).div_ceil(width).max(1)).sum()
    }

    /// Replaces the text; the cursor goes to its end.
    pub(crate) fn set_text(&mut self, text: &str) {
        self.area = text_area(text);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// The cursor goes to the end of the first line.
    pub(crate) fn go_to_first_line_end(&mut self) {
        self.area.move_cursor(CursorMove::Top);
        self.area.move_cursor(CursorMove::End);
    }

    /// A key that the keymap leaves to the editor.
    pub(crate) fn input(&mut self, key: KeyEvent) -> bool {
        let cursor = self.area.cursor();
        if key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('z') {
            return self.area.undo();
        }
        if empties(key) {
            return self.area.delete_line_by_head();
        }
        self.area.input(key) || cursor != self.area.cursor()
    }

    pub(crate) fn new_line(&mut self) {
        self.area.insert_newline();
    }

    /// Pastes; `false` when not everything had room.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        // Old Macintosh line ends are line ends too.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let clean = sanitise(&text);
        let room = LONGEST.saturating_sub(self.text().len());
        let end = if clean.len() <= room { clean.len() } else { (0..=room).rev().find(|at| clean.is_char_boundary(*at)).unwrap_or(0) };
        self.area.insert_str(&clean[..end]);
        end == clean.len()
    }

    /// Cursor up, or the question before when there is no line above.
    pub(crate) fn up(&mut self) {
        if self.area.screen_cursor().row == 0 {
            self.previous();
        } else {
            self.area.move_cursor(CursorMove::Up);
        }
    }

    /// Cursor down, or the question after when there is no line below.
    pub(crate) fn down(&mut self) {
        let row = self.area.screen_cursor().row;
        self.area.move_cursor(CursorMove::Down);
        if self.area.screen_cursor().row == row {
            self.next();
        }
    }

    pub(crate) fn previous(&mut self) {
        let draft = self.text();
        if let Some(text) = self.history.previous(&draft).map(str::to_owned) {
            self.set_text(&text);
        }
    }

    pub(crate) fn next(&mut self) {
        if let Some(text) = self.history.next().map(str::to_owned) {
            self.set_text(&text);
        }
    }

    /// Whether the text was asked before, so that nothing is lost when it goes.
    pub(crate) fn was_asked(&self) -> bool {
        self.history.has(&self.text())
    }

    /// The questions asked before, the newest first.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &str> {
        self.history.newest()
    }

    /// Takes the text into the history.
    pub(crate) fn remember(&mut self, question: &str) {
        self.history.push(question);
    }

    /// Where the cursor stands on the screen, when it is within `inner`.
    pub(crate) fn cursor_in(&self, inner: Rect) -> Option<Position> {
        let cursor = self.area.screen_cursor();
        let (top, left) = self.area.scroll_offset();
        let x = usize::from(inner.x) + cursor.col.checked_sub(usize::from(left))?;
        let y = usize::from(inner.y) + cursor.row.checked_sub(usize::from(top))?;
        // At the end of a full line the cursor waits on the last cell.
        let x = x.min(usize::from(inner.right()).saturating_sub(1));
        let at = Position::new(u16::try_from(x).ok()?, u16::try_from(y).ok()?);
        inner.contains(at).then_some(at)
    }
}

fn text_area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(Style::new());
    // The terminal's own cursor is shown instead of a drawn one.
    area.set_cursor_style(Style::new());
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_keeps_the_draft() {
        let mut editor = Editor::new(History::new(vec!["first".into(), "second".into()]));
        editor.set_text("draft");
        editor.up();
        assert_eq!(editor.text(), "second");
        editor.up();
        editor.up();
        assert_eq!(editor.text(), "first");
        editor.down();
        editor.down();
        assert_eq!(editor.text(), "draft");
    }

    #[test]
    fn a_question_asked_again_comes_back_once() {
        let mut editor = Editor::new(History::new(vec!["first".into(), "second".into(), "first".into()]));
        editor.remember("second");
        assert_eq!(editor.earlier().collect::<Vec<_>>(), ["second", "first"]);
        editor.set_text("second");
        assert!(editor.was_asked());
        editor.up();
        assert_eq!(editor.text(), "first", "what is in the editor already is not offered");
    }

    #[test]
    fn ctrl_z_takes_typing_back() {
        let mut editor = Editor::new(History::new(Vec::new()));
        editor.paste("fever");
        assert!(editor.input(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL)));
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn pasted_text_is_made_safe_and_bounded() {
        let mut editor = Editor::new(History::new(Vec::new()));
        assert!(editor.paste("fever\r\nand \u{1b}[31mcough"));
        assert_eq!(editor.text(), "fever\nand [31mcough");
        assert!(!editor.paste(&"痛".repeat(LONGEST)));
        assert!(editor.text().len() <= LONGEST);
    }
}
