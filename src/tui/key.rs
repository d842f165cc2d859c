//! Keys as keymaps write them and help shows them.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, in the one form in which a terminal's reports and a keymap's text are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyPress {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl KeyPress {
    fn normal(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = code;
        match code {
            // A capital already says that Shift is held, and terminals differ in whether they report it too.
            KeyCode::Char(c) => {
                if modifiers.contains(KeyModifiers::CONTROL) {
                    code = KeyCode::Char(c.to_ascii_lowercase());
                } else if modifiers.contains(KeyModifiers::SHIFT) {
                    code = KeyCode::Char(c.to_ascii_uppercase());
                }
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => code = KeyCode::BackTab,
            _ => {}
        }
        if code == KeyCode::BackTab {
            modifiers -= KeyModifiers::SHIFT;
        }
        Self { code, modifiers }
    }

    /// Reads a key as keymaps write it: `q`, `G`, `ctrl+p`, `alt+enter`, `shift+tab`, `pagedown`, `f2`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text.trim();
        while let Some((name, after)) = rest.split_once('+').filter(|(name, after)| !name.is_empty() && !after.is_empty()) {
            modifiers |= match name.trim().to_ascii_lowercase().as_str() {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return None,
            };
            rest = after.trim();
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => KeyCode::Char(c),
            _ => match rest.to_ascii_lowercase().as_str() {
                "enter" => KeyCode::Enter,
                "esc" => KeyCode::Esc,
                "tab" => KeyCode::Tab,
                "space" => KeyCode::Char(' '),
                "backspace" => KeyCode::Backspace,
                "delete" => KeyCode::Delete,
                "insert" => KeyCode::Insert,
                "up" => KeyCode::Up,
                "down" => KeyCode::Down,
                "left" => KeyCode::Left,
                "right" => KeyCode::Right,
                "home" => KeyCode::Home,
                "end" => KeyCode::End,
                "pageup" => KeyCode::PageUp,
                "pagedown" => KeyCode::PageDown,
                name => KeyCode::F(name.strip_prefix('f')?.parse().ok().filter(|n| (1..=24).contains(n))?),
            },
        };
        Some(Self::normal(code, modifiers))
    }
}

impl KeyPress {
    /// The event that a terminal reports for it.
    pub(crate) fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl From<KeyEvent> for KeyPress {
    fn from(event: KeyEvent) -> Self {
        Self::normal(event.code, event.modifiers)
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl+")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt+")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("Shift+")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(c) if self.modifiers.contains(KeyModifiers::CONTROL) => write!(f, "{}", c.to_ascii_uppercase()),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::BackTab => f.write_str("Shift+Tab"),
            code => write!(f, "{code:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keymaps_text_equals_what_terminals_report() {
        let cases = [
            ("G", KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT)),
            ("G", KeyEvent::new(KeyCode::Char('G'), KeyModifiers::NONE)),
            ("shift+g", KeyEvent::new(KeyCode::Char('G'), KeyModifiers::NONE)),
            ("shift+tab", KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)),
            ("ctrl+P", KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL)),
            ("alt+enter", KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)),
            ("+", KeyEvent::new(KeyCode::Char('+'), KeyModifiers::NONE)),
            ("f2", KeyEvent::new(KeyCode::F(2), KeyModifiers::NONE)),
        ];
        for (text, event) in cases {
            assert_eq!(KeyPress::parse(text), Some(KeyPress::from(event)), "{text}");
        }
        for text in ["", "hyper+x", "f99", "pagedwon"] {
            assert_eq!(KeyPress::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_key_that_help_shows_can_be_told_apart() {
        assert_eq!(KeyPress::parse("ctrl+p").map(|k| k.to_string()).as_deref(), Some("Ctrl+P"));
        assert_eq!(KeyPress::parse("shift+tab").map(|k| k.to_string()).as_deref(), Some("Shift+Tab"));
        assert_eq!(KeyPress::parse("alt+e").map(|k| k.to_string()).as_deref(), Some("Alt+e"));
    }
}
