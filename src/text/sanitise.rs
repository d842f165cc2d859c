//! Making foreign text safe to show: no control or escape character reaches the terminal.

use std::borrow::Cow;

/// Characters that could move the cursor, recolour the screen, reorder the line or hide text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Whether a control character separates words: vertical tab, form feed, next line, line and paragraph separator.
fn is_gap(c: char) -> bool {
    matches!(c, '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Removes control, escape, bidirectional-override and invisible characters; newlines and tabs stay
/// (a tab becomes four spaces, the carriage return before a newline is dropped). What separates words becomes a blank.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => clean.push('\n'),
            '\t' => clean.push_str("    "),
            '\r' if chars.peek().is_some_and(|next| *next != '\n') => clean.push(' '),
            c if is_gap(c) => clean.push(' '),
            c if is_unsafe(c) => {}
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Like [`sanitise`], for text that must stay on one line: every run of white space becomes one space.
pub fn sanitise_line(text: &str) -> String {
    clean_line(text).into_owned()
}

/// [`sanitise_line`] that borrows text which needs no cleaning, as nearly every name in a large graph.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    if is_clean_line(text) {
        return Cow::Borrowed(text);
    }
    let clean = sanitise(text);
    let mut line = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    Cow::Owned(line)
}

/// Whether cleaning would change nothing: no unsafe character, and no white space but single spaces between words.
fn is_clean_line(text: &str) -> bool {
    let mut after_space = true;
    for byte in text.bytes() {
        match byte {
            b'!'..=b'~' => after_space = false,
            b' ' if !after_space => after_space = true,
            0x80.. => return is_clean_unicode_line(text),
            _ => return false,
        }
    }
    !after_space || text.is_empty()
}

fn is_clean_unicode_line(text: &str) -> bool {
    let mut after_space = true;
    for c in text.chars() {
        if c == ' ' {
            if after_space {
                return false;
            }
            after_space = true;
        } else if c.is_whitespace() || is_unsafe(c) {
            return false;
        } else {
            after_space = false;
        }
    }
    !after_space
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_overrides_are_removed() {
        assert_eq!(sanitise("a\u{1b}[31mred\u{7}\r\nb\tc"), "a[31mred\nb    c");
        assert_eq!(sanitise("\u{202E}txt\u{FEFF}"), "txt");
        assert_eq!(sanitise_line(" two\n lines\u{9b} "), "two lines");
        // Python's str.split() separates words at each of these, too.
        for gap in ["\u{b}", "\u{c}", "\r", "\u{85}", "\u{2028}", "\u{2029}"] {
            assert_eq!(sanitise_line(&format!("abdominal{gap}pain")), "abdominal pain", "{gap:?}");
        }
        assert!(matches!(sanitise("plain 头痛 é"), Cow::Borrowed(_)));
    }

    #[test]
    fn clean_lines_are_borrowed_and_others_become_what_cleaning_makes_of_them() {
        for clean in ["", "a", "two words", "头痛 é", "a\u{301}"] {
            assert!(matches!(clean_line(clean), Cow::Borrowed(same) if same == clean), "{clean:?}");
        }
        for (text, line) in [(" a", "a"), ("a ", "a"), (" ", ""), ("a  b", "a b"), ("头  痛", "头 痛"), ("头\u{3000}痛", "头 痛")] {
            assert_eq!(clean_line(text), line);
        }
        for (text, line) in [("a\tb", "a b"), ("a\0b", "ab"), ("\u{7f}", ""), ("头\u{200b}痛 ", "头痛"), ("\u{202e}", "")] {
            assert_eq!(clean_line(text), line);
        }
    }
}
