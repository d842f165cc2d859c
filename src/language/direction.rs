//! Words that say that something is higher or lower than usual.

use std::sync::LazyLock;

use serde::Deserialize;

use super::phrase_pattern::{pattern_at, words_of};
use super::phrase_table::{FoundPhrase, PhraseTable};
use crate::run::ResultDirection;
use crate::text::Token;

/// In which direction something differs from the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    More,
    Less,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    more: Vec<String>,
    less: Vec<String>,
    between: Vec<String>,
    eaten: Vec<String>,
    result: ResultWords,
}

/// What only a result says by these words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultWords {
    more: Vec<String>,
    less: Vec<String>,
    normal: Vec<String>,
    positive: Vec<String>,
    negative: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../assets/direction.toml")).unwrap_or_default());

/// Words for either direction; the longest match wins.
static WORDS: LazyLock<Vec<(Vec<String>, Direction)>> = LazyLock::new(|| {
    let of = |words: &'static [String], direction| words.iter().map(move |word| (words_of(word), direction));
    let mut words: Vec<_> = of(&FILE.more, Direction::More).chain(of(&FILE.less, Direction::Less)).collect();
    words.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    words
});

static RESULTS: LazyLock<PhraseTable<ResultDirection>> = LazyLock::new(|| {
    let result = &FILE.result;
    let lists = [
        (&FILE.more, ResultDirection::High),
        (&FILE.less, ResultDirection::Low),
        (&result.more, ResultDirection::High),
        (&result.less, ResultDirection::Low),
        (&result.normal, ResultDirection::Normal),
        (&result.positive, ResultDirection::Positive),
        (&result.negative, ResultDirection::Negative),
    ];
    PhraseTable::of(lists.into_iter().flat_map(|(words, direction)| words.iter().map(move |word| (word.as_str(), direction))))
});

/// What the words from token `first` on say of a result.
pub(crate) fn result_at(tokens: &[Token], first: usize) -> Option<FoundPhrase<ResultDirection>> {
    RESULTS.at(tokens, first)
}

/// The direction stated by the words from token `first` on, and one past the last of them.
pub(crate) fn direction_at(tokens: &[Token], first: usize) -> Option<(Direction, usize)> {
    WORDS.iter().find_map(|(words, direction)| Some((*direction, pattern_at(tokens, first, words, &mut Vec::new())?)))
}

/// The direction that a text states; `None` if it states none, or both.
pub(crate) fn direction_of(tokens: &[Token]) -> Option<Direction> {
    let mut said = (0..tokens.len()).filter_map(|first| direction_at(tokens, first).map(|(direction, _)| direction));
    let direction = said.next()?;
    said.all(|other| other == direction).then_some(direction)
}

/// Whether a word may stand between an analyte and its direction.
pub(crate) fn may_stand_between(word: &Token) -> bool {
    FILE.between.contains(&word.text)
}

/// Whether the words before this one speak of eating, not of measuring.
pub(crate) fn is_eaten(word: &Token) -> bool {
    FILE.eaten.contains(&word.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_file_is_valid_and_no_word_says_both() {
        let file: File = toml::from_str(include_str!("../../assets/direction.toml")).expect("valid");
        assert!(!file.between.is_empty() && !file.eaten.is_empty());
        assert!(file.more.iter().all(|word| !file.less.contains(word)));
    }

    #[test]
    fn a_text_says_one_direction_or_none() {
        let of = |text: &str| direction_of(&tokenise(text));
        assert_eq!(of("breathing is slow"), Some(Direction::Less));
        assert_eq!(of("Increased heart rate"), Some(Direction::More));
        assert_eq!(of("Too little hair"), Some(Direction::Less));
        assert_eq!(of("heart rate"), None);
        assert_eq!(of("high and low"), None, "both");
        assert_eq!(of("血钾升高"), Some(Direction::More));
    }
}
