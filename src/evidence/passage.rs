//! Cuts a text: sentences and list items, which become evidence, and units, which are searched. All are spans of the text, in bytes, and so
//! word for word what stands there.

use std::ops::Range;

/// The longest sentence, in bytes; a longer one is cut between words.
const LONGEST: usize = 800;
/// The fewest letters and digits of a sentence; a shorter one belongs to the next.
const SHORTEST: usize = 8;
/// The size of a unit, in words (EbmKG, appendix A.3: 1,024 tokens).
pub(super) const UNIT_WORDS: usize = 1024;
/// What neighbouring units share, in words (there: 200 tokens).
pub(super) const UNIT_OVERLAP: usize = 200;
/// Words that end with a full stop within a sentence.
const ABBREVIATIONS: [&str; 25] = [
    "e.g", "i.e", "dr", "vs", "mr", "mrs", "ms", "st", "fig", "no", "approx", "etc", "al", "cf", "inc", "jr", "prof", "subsp", "spp", "sp",
    "ca", "resp", "u.s", "n.b", "viz",
];

/// Sentences of this many characters are quoted rather than shorter or longer ones …
const QUOTABLE: std::ops::RangeInclusive<usize> = 30..=300;
/// … and longer ones than this never: they are tables, or cut.
const MOST_QUOTED: usize = 450;

/// A list or a table's row may be cited, without being quoted, up to this many characters; it is the least handy.
const MOST_LISTED: usize = 900;
const LISTED: u8 = 4;

/// How little a sentence is fit to be quoted: 0 is fit; `None`: it cannot be quoted.
pub(super) fn unhandy(text: &str) -> Option<u8> {
    let text = text.trim();
    let length = text.chars().count();
    if length > MOST_QUOTED {
        return None;
    }
    let begins = !text.starts_with(|c: char| c.is_lowercase() || matches!(c, ')' | ',' | ';'));
    let ends = text.ends_with(['.', '!', '?', ')', ']', '。', '！', '？']);
    Some(u8::from(!QUOTABLE.contains(&length)) + u8::from(!begins) + u8::from(!ends))
}

/// As [`unhandy`], for a passage that is cited and need not be quoted: a list that begins where a sentence does. What was cut from a longer one may
/// have lost its denial, and is none.
pub(super) fn unhandy_list(section: &str, span: Range<usize>) -> Option<u8> {
    let text = section.get(span.clone())?;
    let before = section.get(..span.start)?.trim_end_matches([' ', '\t']);
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', ')', ']', '•']);
    unhandy(text).or_else(|| (begins && text.trim().chars().count() <= MOST_LISTED).then_some(LISTED))
}

/// Whether a passage is short enough to be quoted.
pub(crate) fn is_quotable(text: &str) -> bool {
    unhandy(text).is_some()
}

/// The sentences and list items of a text, in order.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut close = |start: &mut usize, end: usize, must: bool| {
        let piece = text.get(*start..end).unwrap_or_default();
        let letters = piece.chars().filter(|c| c.is_alphanumeric()).take(SHORTEST).count();
        if letters >= SHORTEST || (must && letters > 0) {
            push_trimmed(text, *start..end, &mut found);
            *start = end;
        }
    };
    while let Some((at, c)) = chars.next() {
        let past = at + c.len_utf8();
        let rest = text.get(past..).unwrap_or_default();
        match c {
            '\n' if rest.starts_with(['\n', '-', '*', '•', '\r']) => close(&mut start, at, true),
            '•' | '▪' | '◦' | '●' => close(&mut start, at, true),
            // " - Item" in texts whose line breaks are lost.
            '-' | '–' if text.get(..at).is_some_and(|before| before.ends_with([' ', '\n'])) && begins_item(rest) => {
                close(&mut start, at, true)
            }
            '。' | '！' | '？' => close(&mut start, past, false),
            '.' | '!' | '?' if ends_sentence(text.get(start..at).unwrap_or_default(), c, rest) => {
                // Closing brackets and quotation marks belong to the sentence.
                let closing = rest.chars().take_while(|c| matches!(c, ')' | ']' | '"' | '”' | '’')).map(char::len_utf8).sum::<usize>();
                close(&mut start, past + closing, false);
                while chars.peek().is_some_and(|(at, _)| *at < past + closing) {
                    chars.next();
                }
            }
            _ => {}
        }
    }
    close(&mut start, text.len(), true);
    found
}

/// Whether a hyphen with this behind it begins a list item: a blank and then a capital letter.
fn begins_item(rest: &str) -> bool {
    rest.strip_prefix(' ').and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase)
}

fn ends_sentence(before: &str, mark: char, rest: &str) -> bool {
    let mut after = rest.chars().skip_while(|c| matches!(c, ')' | ']' | '"' | '”' | '’'));
    match after.next() {
        None => return true,
        Some(c) if !c.is_whitespace() => return false,
        _ => {}
    }
    let next = after.find(|c| !c.is_whitespace());
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    // An initial ("J. Smith") and a number of a list ("1. Take …") end nothing.
    let is_initial = word.chars().count() == 1;
    !is_initial && !ABBREVIATIONS.contains(&word.as_str())
}

/// Takes a span without the white space around it, cut where it is too long.
fn push_trimmed(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = text.get(span.clone()).unwrap_or_default();
    let begin = span.start + (piece.len() - piece.trim_start().len());
    let end = begin + piece.trim().len();
    let mut start = begin;
    while end - start > LONGEST {
        let limit = (start..=start + LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(end);
        let window = text.get(start..limit).unwrap_or_default();
        let cut = window.rfind(char::is_whitespace).filter(|cut| *cut > 0).map_or(limit, |cut| start + cut);
        if cut <= start {
            break;
        }
        found.push(start..cut);
        let rest = text.get(cut..end).unwrap_or_default();
        start = cut + (rest.len() - rest.trim_start().len());
    }
    if start < end {
        found.push(start..end);
    }
}

/// Units of a text: all of it, or, where it is long, windows of [`UNIT_WORDS`] words that begin and end with a sentence and share about
/// [`UNIT_OVERLAP`] words. `sentences` are those of the text.
pub(super) fn units(text: &str, sentences: &[Range<usize>]) -> Vec<Range<usize>> {
    let words = |span: &Range<usize>| text.get(span.clone()).map_or(0, |piece| piece.split_whitespace().count());
    let counts: Vec<usize> = sentences.iter().map(words).collect();
    let mut units = Vec::new();
    let mut first = 0;
    while let Some(begin) = sentences.get(first) {
        let mut last = first;
        let mut sum = 0;
        while let Some(count) = counts.get(last).filter(|count| last == first || sum + **count <= UNIT_WORDS) {
            sum += count;
            last += 1;
        }
        let end = sentences.get(last - 1).map_or(begin.end, |sentence| sentence.end);
        units.push(begin.start..end);
        if last >= sentences.len() {
            break;
        }
        // Back by the overlap, but always on.
        let mut shared = 0;
        let mut next = last;
        while next > first + 1 && shared + counts.get(next - 1).copied().unwrap_or(0) <= UNIT_OVERLAP {
            next -= 1;
            shared += counts.get(next).copied().unwrap_or(0);
        }
        first = next;
    }
    units
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn sentences_and_items_are_told_apart() {
        assert_eq!(
            cut(
                "Take 2.5 mg daily (see Dr. Smith, e.g. today). Do not crush! Signs include: - Fever of 38.5 - Painful joints\n- Rest well"
            ),
            [
                "Take 2.5 mg daily (see Dr. Smith, e.g. today).",
                "Do not crush!",
                "Signs include:",
                "- Fever of 38.5",
                "- Painful joints",
                "- Rest well"
            ]
        );
        assert_eq!(
            cut("• Hypersensitivity • Renal failure [see Warnings ( 5.1 )] ."),
            ["• Hypersensitivity", "• Renal failure [see Warnings ( 5.1 )] ."]
        );
        assert_eq!(
            cut("患者应避免驾驶车辆和操作机器。孕妇禁用本品请遵医嘱。"),
            ["患者应避免驾驶车辆和操作机器。", "孕妇禁用本品请遵医嘱。"]
        );
        assert_eq!(cut(" … "), Vec::<&str>::new());
    }

    #[test]
    fn long_texts_become_units_that_overlap() {
        let text: String = (0..600).map(|i| format!("Sentence number {i} has six words. ")).collect();
        let spans = sentences(&text);
        let units = units(&text, &spans);
        assert!(units.len() > 3);
        for pair in units.windows(2) {
            let shared = text[pair[1].start..pair[0].end].split_whitespace().count();
            assert!((UNIT_OVERLAP - 6..=UNIT_OVERLAP).contains(&shared), "{shared}");
        }
        assert!(units.iter().all(|unit| text[unit.clone()].split_whitespace().count() <= UNIT_WORDS));
        assert_eq!(units.last().map(|unit| unit.end), spans.last().map(|span| span.end));
    }

    proptest! {
        #[test]
        fn every_word_is_in_a_sentence_and_every_sentence_in_a_unit(text in "[a-zé。 .!•\n(-]{0,400}") {
            let spans = sentences(&text);
            let mut end = 0;
            for span in &spans {
                prop_assert!(span.start >= end && text.get(span.clone()).is_some_and(|piece| !piece.is_empty() && piece.trim() == piece));
                prop_assert!(!text[end..span.start].chars().any(char::is_alphanumeric), "nothing is lost");
                end = span.end;
            }
            prop_assert!(!text[end..].chars().any(char::is_alphanumeric));
            let units = units(&text, &spans);
            prop_assert!(spans.iter().all(|span| units.iter().any(|unit| unit.start <= span.start && span.end <= unit.end)));
        }
    }
}
