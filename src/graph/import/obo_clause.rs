//! Parses clauses of OBO 1.2 and 1.4: `tag: value {modifiers} ! comment`.

use crate::graph::build::Synonymy;

/// Splits a line into tag and value.
pub(super) fn clause(line: &str) -> Option<(&str, &str)> {
    let (tag, value) = line.split_once(':')?;
    let tag = tag.trim();
    (!tag.is_empty() && !tag.contains(char::is_whitespace)).then(|| (tag, value.trim()))
}

/// The text of a value, without comment and modifiers, unescaped.
pub(super) fn text(value: &str) -> String {
    unescape(without_end(value).trim())
}

/// The identifier at the beginning of a value, and the rest.
pub(super) fn identifier(value: &str) -> (String, &str) {
    let value = value.trim_start();
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    (unescape(&value[..end]), &value[end..])
}

/// The quoted text at the beginning of a value, and the rest; `None` if there is no quote or it is not closed.
pub(super) fn quoted(value: &str) -> Option<(String, &str)> {
    let inner = value.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    for (i, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((unescape(&inner[..i]), &inner[i + 1..])),
            _ => {}
        }
    }
    None
}

/// A synonym and its scope. OBO 1.2 writes the scope after the text (default RELATED), OBO 1.0 in the tag.
pub(super) fn synonym(tag: &str, value: &str) -> Option<(String, Synonymy)> {
    let (text, rest) = quoted(value)?;
    let scope = rest.split_whitespace().next().unwrap_or_default();
    let exact = tag == "exact_synonym" || (tag == "synonym" && scope == "EXACT");
    Some((text, if exact { Synonymy::Exact } else { Synonymy::Loose }))
}

/// A value without the comment and the modifiers in braces at its end.
fn without_end(value: &str) -> &str {
    let value = unescaped(value, '!').map_or(value, |end| &value[..end]).trim_end();
    match unescaped(value, '{') {
        Some(begin) if value.ends_with('}') => &value[..begin],
        _ => value,
    }
}

/// The offset of the first unescaped occurrence of a character after white space.
fn unescaped(value: &str, wanted: char) -> Option<usize> {
    let mut escaped = false;
    let mut after_space = true;
    for (i, c) in value.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == wanted && after_space {
            return Some(i);
        }
        after_space = c.is_whitespace();
    }
    None
}

fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 't' | 'W') | None => plain.push(' '),
                Some(other) => plain.push(other),
            },
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_freed_of_comments_modifiers_and_escapes() {
        assert_eq!(clause("is_a: DOID:4 ! disease"), Some(("is_a", "DOID:4 ! disease")));
        assert_eq!(clause("no clause: here"), None);
        assert_eq!(clause("nothing"), None);
        assert_eq!(text(r#"a\:b\, c {source="x"} ! note"#), "a:b, c");
        assert_eq!(text(r"wow! \{kept\}"), "wow! {kept}");
        assert_eq!(identifier("DOID:4 ! disease"), ("DOID:4".to_owned(), " ! disease"));
        assert_eq!(quoted(r#""say \"a\" \\" [x]"#), Some((r#"say "a" \"#.to_owned(), " [x]")));
        assert_eq!(quoted("\"open"), None);
        assert_eq!(synonym("synonym", "\"a\" EXACT []"), Some(("a".to_owned(), Synonymy::Exact)));
        assert_eq!(synonym("synonym", "\"a\" []"), Some(("a".to_owned(), Synonymy::Loose)));
        assert_eq!(synonym("exact_synonym", "\"a\" []"), Some(("a".to_owned(), Synonymy::Exact)));
        assert_eq!(synonym("synonym", "a EXACT []"), None);
    }
}
