//! Where sentences end, in English and Chinese, while a text is being written and afterwards.

use std::ops::Range;

use super::citations::leading;

/// Letters before a full stop that ends a sentence; fewer are an abbreviation (`St.`, `Dr.`, `e.g.`) or a number in a list.
const WORD: usize = 3;

/// Up to where a text that is still growing consists of whole sentences. A full stop counts only once a blank follows: `1.`
/// may become `1.5`, and `St.` goes on with `John's wort`.
pub(crate) fn complete_until(text: &str) -> usize {
    let ends = text.char_indices().rev();
    for (at, c) in ends {
        let past = at + c.len_utf8();
        let ended = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => text[past..].starts_with(char::is_whitespace) && (c != '.' || ends_word(&text[..at])),
            _ => false,
        };
        if ended {
            return past;
        }
    }
    0
}

fn ends_word(before: &str) -> bool {
    before.chars().rev().take_while(|c| c.is_alphanumeric()).filter(|c| c.is_alphabetic()).count() >= WORD || before.ends_with([')', ']'])
}

/// The sentences of a line, each with the citations that follow its end.
pub(crate) fn sentences(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let past = at + c.len_utf8();
        let ended = match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => {
                let after = &line[past..];
                (after.is_empty() || after.starts_with(char::is_whitespace) || leading(after) > 0) && (c != '.' || ends_word(&line[..at]))
            }
            _ => false,
        };
        at = past;
        if ended {
            at += leading(&line[past..]);
            found.push(start..at);
            start = at;
        }
    }
    if line[start..].chars().any(char::is_alphanumeric) {
        found.push(start..line.len());
    } else if let Some(last) = found.last_mut() {
        last.end = line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_is_read_up_to_its_last_whole_sentence() {
        for (text, whole) in [
            ("Reflux is likely. Gas", "Reflux is likely."),
            ("Reflux is likely.", ""),
            ("Give 1.", ""),
            ("Give 1. ", ""),
            ("Consider St. John's wort", ""),
            ("Use e.g. omeprazole", ""),
            ("可能是胃炎。也", "可能是胃炎。"),
            ("Tests:\n1. Gastro", "Tests:\n"),
            ("Is it (GERD). Or", "Is it (GERD)."),
        ] {
            assert_eq!(&text[..complete_until(text)], whole);
        }
    }

    #[test]
    fn citations_after_a_sentence_belong_to_it() {
        let line = "- Omeprazole helps. [1][2] Avoid it in e.g. ulcers [3]. Rest";
        let cut: Vec<&str> = sentences(line).into_iter().map(|range| &line[range]).collect();
        assert_eq!(cut, ["- Omeprazole helps. [1][2]", " Avoid it in e.g. ulcers [3].", " Rest"]);
        let line = "可用奥美拉唑。[1]慎用。";
        assert_eq!(sentences(line).len(), 2);
        assert!(sentences("").is_empty());
    }
}
