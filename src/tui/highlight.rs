//! Highlights JSON and Markdown, line by line. syntect parses them; its scopes map to our span styles and not to its themes, so that
//! every theme, sixteen colours and `NO_COLOR` still work.
//!
//! Meant for a thread in the background: the first call reads the grammars, and a large text takes a while.

use std::ops::Range;
use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::styled_text::SpanStyle;
use crate::text::sanitise;

/// What comes after this many bytes stays plain.
const MOST: usize = 256 * 1024;
/// A line of more bytes stays plain: grammars may look at a line again from each of its characters.
const LONGEST_LINE: usize = 4096;

/// A line as spans; neighbours differ in style.
pub(crate) type StyledLine = Vec<(String, SpanStyle)>;

/// The grammars. Each is unpacked when it is first used.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Scopes and their styles; the first that is among a span's scopes decides.
type Rules = Vec<(Scope, SpanStyle)>;

static JSON: LazyLock<Rules> = LazyLock::new(|| {
    rules(&[
        ("invalid", SpanStyle::Warning),
        ("meta.structure.dictionary.key", SpanStyle::Key),
        ("string", SpanStyle::Good),
        ("constant", SpanStyle::Heading),
        ("comment", SpanStyle::Dim),
        ("punctuation", SpanStyle::Dim),
    ])
});

static MARKDOWN: LazyLock<Rules> = LazyLock::new(|| {
    rules(&[
        ("punctuation.definition", SpanStyle::Dim),
        ("markup.heading", SpanStyle::Heading),
        ("markup.raw", SpanStyle::Key),
        ("markup.bold", SpanStyle::Strong),
        ("markup.italic", SpanStyle::Strong),
        ("markup.quote", SpanStyle::Dim),
        ("markup.underline.link", SpanStyle::Relation),
        ("comment", SpanStyle::Dim),
    ])
});

/// Highlights JSON: keys, strings, numbers and words, punctuation. What is not JSON stays plain.
pub(crate) fn json(text: &str) -> Vec<StyledLine> {
    lines(text, "json", &JSON, false)
}

/// Highlights Markdown: headings, emphasis, code, their markers; and citations, `[1]`.
pub(crate) fn markdown(text: &str) -> Vec<StyledLine> {
    lines(text, "md", &MARKDOWN, true)
}

/// A scope that cannot be written cannot occur either.
fn rules(rules: &[(&str, SpanStyle)]) -> Rules {
    rules.iter().filter_map(|(scope, span_style)| Some((Scope::new(scope).ok()?, *span_style))).collect()
}

/// The text's lines. Together they are the text, without what a terminal could obey.
fn lines(text: &str, extension: &str, rules: &Rules, cites: bool) -> Vec<StyledLine> {
    let text = sanitise(text);
    let mut reader = SyntaxReader::new(extension);
    let mut read = 0;
    let line = |line: &str| {
        read += line.len() + 1;
        if read > MOST {
            reader = None;
        }
        let spans = match &mut reader {
            Some(known) if line.len() <= LONGEST_LINE => known.read(line, rules),
            _ => Some(Vec::new()),
        };
        if spans.is_none() {
            reader = None;
        }
        let mut spans = spans.unwrap_or_default();
        if cites && line.len() <= LONGEST_LINE && read <= MOST {
            cite(line, &mut spans);
        }
        pieces(line, &spans)
    };
    text.split('\n').map(line).collect()
}

/// Where the reading of a text has come to.
struct SyntaxReader {
    state: ParseState,
    scopes: ScopeStack,
}

impl SyntaxReader {
    fn new(extension: &str) -> Option<Self> {
        let grammar = GRAMMARS.find_syntax_by_extension(extension)?;
        Some(Self { state: ParseState::new(grammar), scopes: ScopeStack::new() })
    }

    /// The spans of a line, in order; what is not among them is plain. `None` where the grammar is at its end.
    fn read(&mut self, line: &str, rules: &Rules) -> Option<Vec<(Range<usize>, SpanStyle)>> {
        let mut spans: Vec<(Range<usize>, SpanStyle)> = Vec::new();
        let mut put = |range: Range<usize>, scopes: &ScopeStack| {
            let Some(span_style) = span_style_of(scopes, rules).filter(|_| !range.is_empty()) else { return };
            match spans.last_mut() {
                Some((last, same)) if last.end == range.start && *same == span_style => last.end = range.end,
                _ => spans.push((range, span_style)),
            }
        };
        let mut at = 0;
        for (offset, change) in self.state.parse_line(&format!("{line}\n"), &GRAMMARS).ok()? {
            let offset = offset.min(line.len());
            put(at..offset, &self.scopes);
            at = at.max(offset);
            self.scopes.apply(&change).ok()?;
        }
        put(at..line.len(), &self.scopes);
        Some(spans)
    }
}

fn span_style_of(scopes: &ScopeStack, rules: &Rules) -> Option<SpanStyle> {
    let among = |rule: &Scope| scopes.as_slice().iter().any(|scope| rule.is_prefix_of(*scope));
    rules.iter().find(|(rule, _)| among(rule)).map(|(_, span_style)| *span_style)
}

/// Inks the citations of a line that is no code.
fn cite(line: &str, spans: &mut Vec<(Range<usize>, SpanStyle)>) {
    for (at, _) in line.match_indices('[') {
        let Some(digits) = line[at + 1..].find(']').map(|end| &line[at + 1..at + 1 + end]) else { return };
        let range = at..at + digits.len() + 2;
        let Some(id) = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit())) else { continue };
        let covers = |(other, _): &(Range<usize>, SpanStyle)| other.start < range.end && range.start < other.end;
        if spans.iter().any(|span_style| span_style.1 == SpanStyle::Key && covers(span_style)) {
            continue;
        }
        let mut kept = Vec::with_capacity(spans.len() + 2);
        for (other, span_style) in spans.drain(..) {
            kept.extend([other.start..other.end.min(range.start), other.start.max(range.end)..other.end].map(|part| (part, span_style)));
        }
        kept.push((range, SpanStyle::Citation(id)));
        kept.retain(|(part, _)| part.start < part.end);
        kept.sort_by_key(|(part, _)| part.start);
        *spans = kept;
    }
}

/// A line cut where its style changes.
fn pieces(line: &str, spans: &[(Range<usize>, SpanStyle)]) -> StyledLine {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (range, span_style) in spans {
        for (part, span_style) in [(at..range.start, SpanStyle::Plain), (range.clone(), *span_style)] {
            if let Some(text) = line.get(part).filter(|text| !text.is_empty()) {
                pieces.push((text.to_owned(), span_style));
            }
        }
        at = range.end;
    }
    if let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        pieces.push((rest.to_owned(), SpanStyle::Plain));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text that stands in the lines.
    fn text_of(lines: &[StyledLine]) -> String {
        let line = |line: &StyledLine| line.iter().map(|(text, _)| text.as_str()).collect::<String>();
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The style of the span that holds a text.
    fn span_style(lines: &[StyledLine], text: &str) -> SpanStyle {
        let piece = lines.iter().flatten().find(|(piece, _)| piece.contains(text));
        piece.unwrap_or_else(|| panic!("{text} in {lines:?}")).1
    }

    #[test]
    fn keys_strings_numbers_and_words_of_json_differ() {
        let lines = json("{\"name\": \"reflux\",\n \"score\": -12.5e3, \"kept\": true, \"of\": {\"inner\": [null]}}");
        assert_eq!((span_style(&lines, "name"), span_style(&lines, "inner")), (SpanStyle::Key, SpanStyle::Key));
        assert_eq!(span_style(&lines, "reflux"), SpanStyle::Good);
        assert_eq!([span_style(&lines, "12.5e3"), span_style(&lines, "true"), span_style(&lines, "null")], [SpanStyle::Heading; 3]);
        assert_eq!([span_style(&lines, ":"), span_style(&lines, "{")], [SpanStyle::Dim; 2]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn markdown_has_its_inks_and_its_citations() {
        let lines = markdown("# Plan\n\nGive **antacids** or `x[3]` first [1][12], see [this].\n\n- item [sic] [4]\n");
        assert_eq!(
            (span_style(&lines, "Plan"), span_style(&lines, "antacids"), span_style(&lines, "x[3]")),
            (SpanStyle::Heading, SpanStyle::Strong, SpanStyle::Key)
        );
        assert_eq!(
            (span_style(&lines, "[1]"), span_style(&lines, "[12]"), span_style(&lines, "[4]")),
            (SpanStyle::Citation(1), SpanStyle::Citation(12), SpanStyle::Citation(4))
        );
        assert_eq!(
            (span_style(&lines, "Give"), span_style(&lines, "sic"), span_style(&lines, "**")),
            (SpanStyle::Plain, SpanStyle::Plain, SpanStyle::Dim)
        );
    }

    #[test]
    fn what_a_terminal_could_obey_is_not_let_through() {
        for lines in [json("{\"a\u{1b}[31m\": \"\u{9b}2J\u{202e}x\u{7}\"}"), markdown("# a\u{1b}]0;t\u{7}\r\n`\u{9b}1m`\tb")] {
            let text = text_of(&lines);
            assert!(!text.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{text:?}");
        }
    }

    #[test]
    fn long_lines_and_long_texts_stay_plain_beyond_the_limit() {
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(LONGEST_LINE));
        assert_eq!(json(&long), [vec![(long.clone(), SpanStyle::Plain)]]);
        let many = "{\"a\": 1}\n".repeat(MOST / 9 + 10);
        let lines = json(&many);
        assert_eq!(text_of(&lines), many);
        assert_eq!(span_style(&lines[..1], "1"), SpanStyle::Heading);
        assert_eq!(lines[lines.len() - 2], [("{\"a\": 1}".to_owned(), SpanStyle::Plain)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn nothing_is_lost(text in "[\\[\\]{}\"`*#_>!<0-9a-z头 \\\\,:\\n\u{1b}-]{0,120}") {
            let clean = sanitise(&text);
            for lines in [json(&text), markdown(&text)] {
                prop_assert_eq!(text_of(&lines), clean.as_ref());
                prop_assert!(lines.iter().flatten().all(|(piece, _)| !piece.is_empty()));
            }
        }
    }
}
