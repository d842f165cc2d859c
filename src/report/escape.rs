//! Escapes values for the format of a report, as they are put into a template; the templates themselves need not do it.

use minijinja::value::Value;
use minijinja::{AutoEscape, Error, Output, State, escape_formatter};

const MARKDOWN: &str = "markdown";
const DOT: &str = "dot";

/// How the values of a template are escaped, by the extension of its name.
pub(super) fn by_name(name: &str) -> AutoEscape {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("md") => AutoEscape::Custom(MARKDOWN.into()),
        Some("dot") => AutoEscape::Custom(DOT.into()),
        _ => AutoEscape::Html,
    }
}

/// Writes an escaped value into a template.
pub(super) fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let escaped = match state.auto_escape() {
        AutoEscape::Custom(form) if form == MARKDOWN && !value.is_safe() => markdown(&value.to_string()),
        AutoEscape::Custom(form) if form == DOT && !value.is_safe() => dot(&value.to_string()),
        AutoEscape::Custom(_) => value.to_string(),
        _ => return escape_formatter(out, state, value),
    };
    out.write_str(&escaped).map_err(Error::from)
}

/// Escapes text so that Markdown reads it as plain text: not as a link, an image, a table border, HTML, a list or a heading.
fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            escaped.push('\n');
        }
        // Four blanks at the beginning would be code, and so would a tab; a blank stays, for texts that come in pieces.
        let content = line.trim_start();
        if content.len() < line.len() {
            escaped.push(' ');
        }
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        for (at, c) in content.char_indices() {
            let at_begin = at == 0 && matches!(c, '-' | '+' | '=');
            let ends = content[at..].chars().nth(1).is_none_or(char::is_whitespace);
            let numbers_a_list = at > 0 && at == digits && ends && matches!(c, '.' | ')');
            // Without its colon an address is no link of itself.
            let address = c == ':' && content[at..].starts_with("://");
            if at_begin
                || numbers_a_list
                || address
                || matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '$' | '!')
            {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
    escaped
}

/// Text within the quotes of DOT.
fn dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markdown() {
        for (text, escaped) in [
            ("![x](http://a.b)", "\\!\\[x\\](http\\://a.b)"),
            ("a|b", "a\\|b"),
            ("`code` **bold** _it_ <b> &amp; ~~x~~", "\\`code\\` \\*\\*bold\\*\\* \\_it\\_ \\<b\\> \\&amp; \\~\\~x\\~\\~"),
            ("- item\n1. one\n# head\n    code\n===", "\\- item\n1\\. one\n\\# head\n code\n\\==="),
            ("Gastro-oesophageal 1.5 (mild)", "Gastro-oesophageal 1.5 (mild)"),
            ("back\\slash", "back\\\\slash"),
        ] {
            assert_eq!(markdown(text), escaped);
        }
        assert_eq!(dot("a \"b\" \\n\nc"), "a \\\"b\\\" \\\\n c");
    }
}
