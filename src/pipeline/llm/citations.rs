//! Citations in a text: `[2]`, `[1][4]`, `[1, 4]`, `[2-4]`, also in full-width brackets. A model's own are taken out: its sentences get theirs from
//! the chains that state them.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::run::PassageId;

/// The most characters between a citation's brackets; more is text.
const LONGEST: usize = 60;

/// The citations of a piece of a text in the one form.
pub(crate) fn ids_in(text: &str) -> BTreeSet<u32> {
    groups(text).filter_map(|range| text[range.start + 1..range.end - 1].parse().ok()).collect()
}

/// Where citations in the one form stand.
fn groups(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (range, _) = next_group(&text[from..])?;
        let range = from + range.start..from + range.end;
        from = range.end;
        Some(range)
    })
}

/// A text without its citations.
pub(crate) fn without(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    for range in groups(text) {
        plain.push_str(text[at..range.start].trim_end_matches(' '));
        at = range.end;
    }
    plain.push_str(&text[at..]);
    plain
}

/// A foreign text in which nothing looks like a citation: what does stands in round brackets.
pub(crate) fn in_round_brackets(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut at = 0;
    for range in groups(text) {
        harmless.push_str(&text[at..range.start]);
        let inside = text[range.clone()].trim_matches(['[', ']', '【', '】', '［', '］']);
        harmless.push_str(&format!("({inside})"));
        at = range.end;
    }
    harmless.push_str(&text[at..]);
    harmless
}

/// The bytes at the beginning of a text that are citations, with blanks before and between them; 0 where there is none.
pub(crate) fn leading(text: &str) -> usize {
    let mut end = 0;
    while let Some((range, _)) = next_group(&text[end..])
        && text[end..end + range.start].chars().all(|c| c == ' ')
    {
        end += range.end;
    }
    end
}

/// The next brackets that hold a citation, and what they hold.
fn next_group(text: &str) -> Option<(Range<usize>, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find(['[', '【', '［'])?;
        let begin = open + text[open..].chars().next().map_or(1, char::len_utf8);
        let mut end = None;
        for (at, c) in text[begin..].char_indices().take(LONGEST) {
            if matches!(c, ']' | '】' | '］') {
                end = Some((begin + at, begin + at + c.len_utf8()));
                break;
            }
            if digit(c).is_none()
                && !is_separator(c)
                && !is_dash(c)
                && !c.is_ascii_alphabetic()
                && !matches!(c, '#' | '链' | '第' | '条' | '和')
            {
                break;
            }
        }
        if let Some((close, end)) = end
            && is_citation(&text[begin..close])
        {
            return Some((open..end, &text[begin..close]));
        }
        from = begin;
    }
}

/// Whether what stands in brackets is numbers, perhaps called chains, or the id of a passage.
fn is_citation(inside: &str) -> bool {
    if inside.parse::<PassageId>().is_ok() {
        return true;
    }
    let words = inside.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    inside.chars().any(|c| digit(c).is_some())
        && words.into_iter().all(|w| matches!(w.to_ascii_lowercase().as_str(), "chain" | "chains" | "and"))
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | ' ' | '&' | '，' | '、' | '；' | '和')
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–' | '—' | '‐' | '‑' | '~' | '～' | '－')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_known_in_every_form_and_a_unit_is_none() {
        for (written, plain) in [
            ("a [1].", "a."),
            ("a [1][4].", "a."),
            ("a [1, 4].", "a."),
            ("a [2-4]", "a"),
            ("a [2 – 4]", "a"),
            ("a [3][D1].", "a."),
            ("甲【1】乙", "甲乙"),
            ("甲［１、３］。", "甲。"),
            ("a [chain 2 and 3]", "a"),
            ("a [#2]", "a"),
            ("lactate [mmol/l], [see text], [A1], []", "lactate [mmol/l], [see text], [A1], []"),
        ] {
            assert_eq!(without(written), plain);
        }
        assert_eq!(ids_in("a [1][4]. b [2]"), BTreeSet::from([1, 2, 4]));
        assert_eq!(in_round_brackets("a [1][D4], [see 5.1]【2】"), "a (1)(D4), [see 5.1](2)");
    }

    #[test]
    fn a_text_without_its_citations_reads_on() {
        assert_eq!(without("Omeprazole [1][2]. Then [3]"), "Omeprazole. Then");
        assert_eq!(leading(" [1] [2]. x"), 8);
        assert_eq!(leading("x [1]"), 0);
    }
}
