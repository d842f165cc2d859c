//! One line to type into: for searches, and above lists to choose from.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, TextArea};
use unicode_width::UnicodeWidthStr;

use crate::text::sanitise_line;

/// More than this is no search.
const LONGEST: usize = 512;

/// Whether a key empties the line before the cursor, as in a shell.
pub(super) fn empties(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('u') && key.modifiers == KeyModifiers::CONTROL
}

#[derive(Debug)]
pub(crate) struct LineInput {
    area: TextArea<'static>,
}

impl LineInput {
    pub(crate) fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![text.to_owned()]);
        area.set_cursor_line_style(Style::new());
        area.set_cursor_style(Style::new());
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    pub(crate) fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Empties the line.
    pub(crate) fn clear(&mut self) {
        *self = Self::new("");
    }

    /// Whether the cursor stands behind the text.
    pub(crate) fn is_at_end(&self) -> bool {
        self.area.cursor().1 >= self.text().chars().count()
    }

    /// Takes a key in; `true` when the text has changed.
    pub(crate) fn input(&mut self, key: KeyEvent) -> bool {
        if empties(key) {
            return self.area.delete_line_by_head();
        }
        let breaks = match key.code {
            KeyCode::Enter | KeyCode::Tab => true,
            KeyCode::Char('j' | 'm') => key.modifiers.contains(KeyModifiers::CONTROL),
            KeyCode::Char(_) => self.text().len() >= LONGEST,
            _ => false,
        };
        !breaks && self.area.input(key)
    }

    /// Takes pasted text in, as one line.
    pub(crate) fn paste(&mut self, text: &str) {
        let text = sanitise_line(text);
        let room = LONGEST.saturating_sub(self.text().len());
        let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        self.area.insert_str(&text[..end]);
    }

    /// Cells before the cursor.
    pub(crate) fn cursor(&self) -> u16 {
        let column = self.area.cursor().1;
        let before: String = self.text().chars().take(column).collect();
        u16::try_from(before.width()).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line() {
        let mut line = LineInput::new("gas");
        for code in [KeyCode::Char('t'), KeyCode::Enter, KeyCode::Char('r')] {
            line.input(KeyEvent::new(code, KeyModifiers::NONE));
        }
        line.paste("itis\nand \u{1b}[1mmore");
        assert_eq!(line.text(), "gastritis and [1mmore");
        line.paste(&"痛".repeat(LONGEST));
        assert!(line.text().len() <= LONGEST);
        assert_eq!(LineInput::new("头痛").cursor(), 4);
    }

    #[test]
    fn ctrl_u_empties_the_line() {
        let mut line = LineInput::new("头痛 and fever");
        assert!(line.input(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
        assert_eq!(line.text(), "");
        line.paste("cough");
        assert_eq!((line.text(), line.is_at_end()), ("cough", true));
    }
}
