//! JSON and Markdown in inks, line by line. syntect reads them; its scopes are mapped to our inks and not to its themes, so that
//! every theme, sixteen colours and `NO_COLOR` go on to work.
//!
//! Meant for a thread in the background: the first call reads the grammars, and a large text takes a while.

use std::ops::Range;
use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::styled_text::Ink;
use crate::text::sanitise;

/// What comes after this many bytes stays plain.
const MOST: usize = 256 * 1024;
/// A line of more bytes stays plain: grammars may look at a line again from each of its characters.
const LONGEST_LINE: usize = 4096;

/// A line as pieces, neighbours of different inks.
pub(crate) type Line = Vec<(String, Ink)>;

/// The grammars. Each is unpacked when it is first used.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Scopes and their inks; the first that is among a piece's scopes decides.
type Rules = Vec<(Scope, Ink)>;

static JSON: LazyLock<Rules> = LazyLock::new(|| {
    rules(&[
        ("invalid", Ink::Warning),
        ("meta.structure.dictionary.key", Ink::Key),
        ("string", Ink::Good),
        ("constant", Ink::Heading),
        ("comment", Ink::Dim),
        ("punctuation", Ink::Dim),
    ])
});

static MARKDOWN: LazyLock<Rules> = LazyLock::new(|| {
    rules(&[
        ("punctuation.definition", Ink::Dim),
        ("markup.heading", Ink::Heading),
        ("markup.raw", Ink::Key),
        ("markup.bold", Ink::Strong),
        ("markup.italic", Ink::Strong),
        ("markup.quote", Ink::Dim),
        ("markup.underline.link", Ink::Relation),
        ("comment", Ink::Dim),
    ])
});

/// JSON in inks: keys, strings, numbers and words, punctuation. What is no JSON stays as it is.
pub(crate) fn json(text: &str) -> Vec<Line> {
    lines(text, "json", &JSON, false)
}

/// Markdown in inks: headings, emphasis, code, what marks them; and citations, `[1]`.
pub(crate) fn markdown(text: &str) -> Vec<Line> {
    lines(text, "md", &MARKDOWN, true)
}

/// A scope that cannot be written cannot occur either.
fn rules(rules: &[(&str, Ink)]) -> Rules {
    rules.iter().filter_map(|(scope, ink)| Some((Scope::new(scope).ok()?, *ink))).collect()
}

/// The text's lines. Together they are the text, without what a terminal could obey.
fn lines(text: &str, extension: &str, rules: &Rules, cites: bool) -> Vec<Line> {
    let text = sanitise(text);
    let mut reader = Reader::new(extension);
    let mut read = 0;
    let line = |line: &str| {
        read += line.len() + 1;
        if read > MOST {
            reader = None;
        }
        let inks = match &mut reader {
            Some(known) if line.len() <= LONGEST_LINE => known.read(line, rules),
            _ => Some(Vec::new()),
        };
        if inks.is_none() {
            reader = None;
        }
        let mut inks = inks.unwrap_or_default();
        if cites && line.len() <= LONGEST_LINE && read <= MOST {
            cite(line, &mut inks);
        }
        pieces(line, &inks)
    };
    text.split('\n').map(line).collect()
}

/// Where the reading of a text has come to.
struct Reader {
    state: ParseState,
    scopes: ScopeStack,
}

impl Reader {
    fn new(extension: &str) -> Option<Self> {
        let grammar = GRAMMARS.find_syntax_by_extension(extension)?;
        Some(Self { state: ParseState::new(grammar), scopes: ScopeStack::new() })
    }

    /// The inks of a line, in order; what is not among them is plain. `None` where the grammar is at its end.
    fn read(&mut self, line: &str, rules: &Rules) -> Option<Vec<(Range<usize>, Ink)>> {
        let mut inks: Vec<(Range<usize>, Ink)> = Vec::new();
        let mut put = |range: Range<usize>, scopes: &ScopeStack| {
            let Some(ink) = ink_of(scopes, rules).filter(|_| !range.is_empty()) else { return };
            match inks.last_mut() {
                Some((last, same)) if last.end == range.start && *same == ink => last.end = range.end,
                _ => inks.push((range, ink)),
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
        Some(inks)
    }
}

fn ink_of(scopes: &ScopeStack, rules: &Rules) -> Option<Ink> {
    let among = |rule: &Scope| scopes.as_slice().iter().any(|scope| rule.is_prefix_of(*scope));
    rules.iter().find(|(rule, _)| among(rule)).map(|(_, ink)| *ink)
}

/// Inks the citations of a line that is no code.
fn cite(line: &str, inks: &mut Vec<(Range<usize>, Ink)>) {
    for (at, _) in line.match_indices('[') {
        let Some(digits) = line[at + 1..].find(']').map(|end| &line[at + 1..at + 1 + end]) else { return };
        let range = at..at + digits.len() + 2;
        let Some(id) = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit())) else { continue };
        let covers = |(other, _): &(Range<usize>, Ink)| other.start < range.end && range.start < other.end;
        if inks.iter().any(|ink| ink.1 == Ink::Key && covers(ink)) {
            continue;
        }
        let mut kept = Vec::with_capacity(inks.len() + 2);
        for (other, ink) in inks.drain(..) {
            kept.extend([other.start..other.end.min(range.start), other.start.max(range.end)..other.end].map(|part| (part, ink)));
        }
        kept.push((range, Ink::Citation(id)));
        kept.retain(|(part, _)| part.start < part.end);
        kept.sort_by_key(|(part, _)| part.start);
        *inks = kept;
    }
}

/// A line cut where its ink changes.
fn pieces(line: &str, inks: &[(Range<usize>, Ink)]) -> Line {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (range, ink) in inks {
        for (part, ink) in [(at..range.start, Ink::Plain), (range.clone(), *ink)] {
            if let Some(text) = line.get(part).filter(|text| !text.is_empty()) {
                pieces.push((text.to_owned(), ink));
            }
        }
        at = range.end;
    }
    if let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        pieces.push((rest.to_owned(), Ink::Plain));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text that stands in the lines.
    fn text_of(lines: &[Line]) -> String {
        let line = |line: &Line| line.iter().map(|(text, _)| text.as_str()).collect::<String>();
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The ink of the piece that holds a text.
    fn ink(lines: &[Line], text: &str) -> Ink {
        let piece = lines.iter().flatten().find(|(piece, _)| piece.contains(text));
        piece.unwrap_or_else(|| panic!("{text} in {lines:?}")).1
    }

    #[test]
    fn keys_strings_numbers_and_words_of_json_differ() {
        let lines = json("{\"name\": \"reflux\",\n \"score\": -12.5e3, \"kept\": true, \"of\": {\"inner\": [null]}}");
        assert_eq!((ink(&lines, "name"), ink(&lines, "inner")), (Ink::Key, Ink::Key));
        assert_eq!(ink(&lines, "reflux"), Ink::Good);
        assert_eq!([ink(&lines, "12.5e3"), ink(&lines, "true"), ink(&lines, "null")], [Ink::Heading; 3]);
        assert_eq!([ink(&lines, ":"), ink(&lines, "{")], [Ink::Dim; 2]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn markdown_has_its_inks_and_its_citations() {
        let lines = markdown("# Plan\n\nGive **antacids** or `x[3]` first [1][12], see [this].\n\n- item [sic] [4]\n");
        assert_eq!((ink(&lines, "Plan"), ink(&lines, "antacids"), ink(&lines, "x[3]")), (Ink::Heading, Ink::Strong, Ink::Key));
        assert_eq!((ink(&lines, "[1]"), ink(&lines, "[12]"), ink(&lines, "[4]")), (Ink::Citation(1), Ink::Citation(12), Ink::Citation(4)));
        assert_eq!((ink(&lines, "Give"), ink(&lines, "sic"), ink(&lines, "**")), (Ink::Plain, Ink::Plain, Ink::Dim));
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
        assert_eq!(json(&long), [vec![(long.clone(), Ink::Plain)]]);
        let many = "{\"a\": 1}\n".repeat(MOST / 9 + 10);
        let lines = json(&many);
        assert_eq!(text_of(&lines), many);
        assert_eq!(ink(&lines[..1], "1"), Ink::Heading);
        assert_eq!(lines[lines.len() - 2], [("{\"a\": 1}".to_owned(), Ink::Plain)]);
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
