//! Phrase patterns: words that stand in a text in this order, adjacent except for gaps.

use crate::text::{Token, tokenise};

/// Stands for up to [`GAP`] words.
pub(super) const ANY: &str = "_";
/// The most words that a `_` stands for.
pub(super) const GAP: usize = 2;

/// The folded words of a pattern, with `_` for a gap.
pub(crate) fn words_of(turn: &str) -> Vec<String> {
    let word = |word: &str| if word == ANY { vec![word.to_owned()] } else { tokenise(word).into_iter().map(|token| token.text).collect() };
    turn.split_whitespace().flat_map(word).collect()
}

/// One past the last token of a pattern that begins at token `first`, if it matches; `own` then holds the tokens of its own words,
/// without those in its gaps.
pub(crate) fn pattern_at(tokens: &[Token], first: usize, words: &[String], own: &mut Vec<usize>) -> Option<usize> {
    let Some((word, rest)) = words.split_first() else { return Some(first) };
    if word == ANY {
        return (0..=GAP).find_map(|gap| pattern_at(tokens, first + gap, rest, own));
    }
    tokens.get(first).filter(|token| token.text == *word)?;
    let found = own.len();
    own.push(first);
    let ends_at = pattern_at(tokens, first + 1, rest, own);
    if ends_at.is_none() {
        own.truncate(found);
    }
    ends_at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_passes_over_up_to_two_words_and_they_are_not_its_own() {
        let found = |turn: &str, text: &str| {
            let mut own = Vec::new();
            pattern_at(&tokenise(text), 0, &words_of(turn), &mut own).map(|last| (last, own))
        };
        assert_eq!(found("how is _ diagnosed", "How is coeliac disease diagnosed?"), Some((5, vec![0, 1, 4])));
        assert_eq!(found("how is _ diagnosed", "how is diagnosed"), Some((3, vec![0, 1, 2])));
        assert_eq!(found("how is _ diagnosed", "how is it that she was diagnosed"), None);
        assert_eq!(found("拉肚子", "拉肚子三天了"), Some((3, vec![0, 1, 2])));
        assert_eq!(found("", "word"), Some((0, vec![])));
    }
}
