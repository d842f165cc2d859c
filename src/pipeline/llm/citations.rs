//! Citations in a model's text: `[2]`, `[1][4]`, `[1, 4]`, `[2-4]`, also in full-width brackets. They are brought into one
//! form, `[1][4]`, and those of chains that the model was not shown are taken out.

use std::collections::BTreeSet;
use std::ops::Range;

/// The most characters between a citation's brackets; more is text.
const LONGEST: usize = 60;

/// A text whose citations are all of chains that exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cited {
    /// The text, citations as `[n]`.
    pub(crate) text: String,
    /// What was cited.
    pub(crate) citations: BTreeSet<u32>,
    /// Citations that were taken out, as they were written, each once.
    pub(crate) removed: Vec<String>,
}

/// Brings a text's citations into one form; those that are not `known` are taken out.
pub(crate) fn cited(text: &str, known: &BTreeSet<u32>) -> Cited {
    let mut cited = Cited::default();
    let mut rest = text;
    while let Some((range, inside)) = next_group(rest) {
        cited.text.push_str(&rest[..range.start]);
        let mut of_group: Vec<u32> = Vec::new();
        for piece in pieces(inside) {
            let (ids, whole) = resolve(piece, known);
            for id in ids {
                if !of_group.contains(&id) {
                    of_group.push(id);
                }
            }
            let written = piece.trim().to_owned();
            if !whole && !cited.removed.contains(&written) {
                cited.removed.push(written);
            }
        }
        if of_group.is_empty() {
            // With the citation goes the blank before it.
            cited.text.truncate(cited.text.trim_end_matches(' ').len());
        }
        for id in of_group {
            cited.text.push_str(&format!("[{id}]"));
            cited.citations.insert(id);
        }
        rest = &rest[range.end..];
    }
    cited.text.push_str(rest);
    cited
}

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

/// Whether what stands in brackets is numbers, perhaps called chains.
fn is_citation(inside: &str) -> bool {
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

/// Single numbers and ranges, as written.
fn pieces(inside: &str) -> impl Iterator<Item = &str> {
    // A blank parts two numbers only where no dash stands beside it.
    inside
        .split([',', ';', '&', '，', '、', '；', '和'])
        .flat_map(|piece| if piece.chars().any(is_dash) { vec![piece] } else { piece.split(' ').collect() })
        .filter(|piece| piece.chars().any(|c| digit(c).is_some()))
}

/// The known chains that a number or range means, and whether those are all that it means.
fn resolve(piece: &str, known: &BTreeSet<u32>) -> (Vec<u32>, bool) {
    let numbers: Vec<u64> = piece
        .split(|c| digit(c).is_none())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.chars().take(18).filter_map(digit).fold(0u64, |number, digit| number * 10 + u64::from(digit)))
        .collect();
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else { return (Vec::new(), false) };
    let (first, last) = (first.min(last), first.max(last));
    let ids: Vec<u32> = known.iter().copied().filter(|id| (first..=last).contains(&u64::from(*id))).collect();
    let whole = ids.len() as u64 == last - first + 1;
    (ids, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Cited {
        cited(text, &(1..=5).collect())
    }

    #[test]
    fn every_way_to_cite_comes_into_one_form() {
        for (written, form) in [
            ("a [1].", "a [1]."),
            ("a [1][4].", "a [1][4]."),
            ("a [1, 4].", "a [1][4]."),
            ("a [4,1,4]", "a [4][1]"),
            ("a [2-4]", "a [2][3][4]"),
            ("a [2 – 4]", "a [2][3][4]"),
            ("甲【1】乙", "甲[1]乙"),
            ("甲［１、３］。", "甲[1][3]。"),
            ("a [chain 2 and 3]", "a [2][3]"),
            ("a [#2]", "a [2]"),
            ("lactate [mmol/l], [see text], [A1], []", "lactate [mmol/l], [see text], [A1], []"),
        ] {
            let cited = of(written);
            assert_eq!(cited.text, form);
            assert!(cited.removed.is_empty(), "{written}: {:?}", cited.removed);
            assert_eq!(ids_in(&cited.text), cited.citations, "{written}");
        }
    }

    #[test]
    fn what_does_not_exist_is_taken_out_and_told() {
        let found = of("a [7]. b [1, 9] c [4-400000000000000000000] d [0]");
        assert_eq!(found.text, "a. b [1] c [4][5] d");
        assert_eq!(found.citations, BTreeSet::from([1, 4, 5]));
        assert_eq!(found.removed, ["7", "9", "4-400000000000000000000", "0"]);
    }

    #[test]
    fn a_text_without_its_citations_reads_on() {
        assert_eq!(without("Omeprazole [1][2]. Then [3]"), "Omeprazole. Then");
        assert_eq!(leading(" [1] [2]. x"), 8);
        assert_eq!(leading("x [1]"), 0);
    }
}
