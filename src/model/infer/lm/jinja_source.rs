//! Rewrites what jinja2 parses and minijinja does not: the tags `{% generation %}` of transformers, and Python's `'format' % values`.

use std::borrow::Cow;

/// The filter that stands for `%` after a text.
pub(super) const FORMAT: &str = "python_format";
/// How deep operators may nest.
const DEEPEST: usize = 16;

/// A template that minijinja can parse, of the same meaning.
pub(super) fn readable(source: &str) -> Cow<'_, str> {
    if !source.contains("generation") && !source.contains('%') {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len() + 64);
    let mut rest = source;
    while let Some((at, kind)) = first_tag(rest) {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let length = match kind {
            b'#' => tag.find("#}").map_or(tag.len(), |end| end + 2),
            kind => 2 + end_of_tag(tag.get(2..).unwrap_or_default(), if kind == b'{' { "}}" } else { "%}" }),
        };
        let (mut tag, mut after) = tag.split_at(length);
        if kind == b'%' && word_of(tag) == "raw" {
            // What stands between is text.
            let end = after.find("endraw").unwrap_or(after.len());
            let begin = rest.len() - after.len() - tag.len();
            (tag, after) = rest.get(begin..).unwrap_or_default().split_at(tag.len() + end);
            out.push_str(tag);
        } else if kind == b'#' {
            out.push_str(tag);
        } else {
            match word_of(tag) {
                "generation" if kind == b'%' => out.push_str(&tag.replacen("generation", "if true", 1)),
                "endgeneration" if kind == b'%' => out.push_str(&tag.replacen("endgeneration", "endif", 1)),
                _ => rewrite(tag, &mut out, 0),
            }
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Where the first tag begins, and its second character.
fn first_tag(text: &str) -> Option<(usize, u8)> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(1)).find_map(|at| match (bytes[at], bytes[at + 1]) {
        (b'{', kind @ (b'{' | b'%' | b'#')) => Some((at, kind)),
        _ => None,
    })
}

/// The first word of a statement.
fn word_of(tag: &str) -> &str {
    let inner = tag.get(2..).unwrap_or_default().trim_start_matches(['-', '+']).trim_start();
    inner.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// How many bytes a tag has from here on, with its end.
fn end_of_tag(text: &str, end: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(end) {
            return at + end.len();
        }
        at += text_length(rest).unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
    }
    text.len()
}

/// How many bytes a quoted text has that begins here, with its quotes.
fn text_length(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Writes an expression with filters in place of `%` after texts.
fn rewrite(text: &str, out: &mut String, depth: usize) {
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let Some(length) = text_length(rest) else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(rest.get(..length).unwrap_or_default());
            at += length;
            continue;
        };
        let (quoted, after) = rest.split_at(length);
        out.push_str(quoted);
        at += length;
        let operator = after.trim_start();
        if depth >= DEEPEST || !operator.starts_with('%') || operator.starts_with("%}") {
            continue;
        }
        let operand = operator.get(1..).unwrap_or_default();
        let end = operand_length(operand);
        out.push('|');
        out.push_str(FORMAT);
        out.push('(');
        rewrite(operand.get(..end).unwrap_or_default().trim(), out, depth + 1);
        out.push(')');
        at = text.len() - operand.len() + end;
    }
}

/// How many bytes the operand has that begins here: a value, what is taken from it or called on it, and its filters.
fn operand_length(text: &str) -> usize {
    let mut at = text.len() - text.trim_start().trim_start_matches(['-', '+']).len();
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    at += value_length(rest(at));
    loop {
        let next = rest(at);
        let filter = next.trim_start();
        if next.starts_with(['(', '[']) {
            at += bracket_length(next);
        } else if let Some(name) = next.strip_prefix('.') {
            at += 1 + name_length(name);
        } else if let Some(name) = filter.strip_prefix('|') {
            let blank = name.len() - name.trim_start().len();
            at += next.len() - name.len() + blank + name_length(name.trim_start());
        } else {
            return at;
        }
    }
}

fn value_length(text: &str) -> usize {
    match text.chars().next() {
        Some('(' | '[' | '{') => bracket_length(text),
        Some('\'' | '"') => text_length(text).unwrap_or(0),
        _ => name_length(text),
    }
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// How many bytes a bracket has that opens here, with its end.
fn bracket_length(text: &str) -> usize {
    let (mut at, mut open) = (0, 0usize);
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if let Some(length) = text_length(rest) {
            at += length;
            continue;
        }
        let c = rest.chars().next().unwrap_or(' ');
        at += c.len_utf8();
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' if open <= 1 => return at,
            ')' | ']' | '}' => open -= 1,
            _ => {}
        }
    }
    text.len()
}
