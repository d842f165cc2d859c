//! Making foreign text safe to show: no control or escape character reaches the terminal.

use std::borrow::Cow;

/// Characters that could move the cursor, recolour the screen, reorder the line or hide text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Removes control, escape, bidirectional-override and invisible characters; newlines and tabs stay
/// (a tab becomes four spaces, a carriage return is dropped).
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => clean.push('\n'),
            '\t' => clean.push_str("    "),
            c if is_unsafe(c) => {}
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Like [`sanitise`], for text that must stay on one line: every run of white space becomes one space.
pub fn sanitise_line(text: &str) -> String {
    let clean = sanitise(text);
    let mut line = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_overrides_are_removed() {
        assert_eq!(sanitise("a\u{1b}[31mred\u{7}\r\nb\tc"), "a[31mred\nb    c");
        assert_eq!(sanitise("\u{202E}txt\u{FEFF}"), "txt");
        assert_eq!(sanitise_line(" two\n lines\u{9b} "), "two lines");
        assert!(matches!(sanitise("plain 头痛 é"), Cow::Borrowed(_)));
    }
}
