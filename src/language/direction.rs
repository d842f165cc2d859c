//! Whether words say that something is more or less than usual.

use std::sync::LazyLock;

use serde::Deserialize;

use super::phrase_pattern::{turn_at, words_of};
use crate::text::Token;

/// Which way something differs from what is usual.
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
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../assets/direction.toml")).unwrap_or_default());

/// Words of either direction; the longest that fits counts.
static WORDS: LazyLock<Vec<(Vec<String>, Direction)>> = LazyLock::new(|| {
    let of = |words: &'static [String], direction| words.iter().map(move |word| (words_of(word), direction));
    let mut words: Vec<_> = of(&FILE.more, Direction::More).chain(of(&FILE.less, Direction::Less)).collect();
    words.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    words
});

/// The direction that the words at token `first` say, and one past the last of them.
pub(crate) fn direction_at(tokens: &[Token], first: usize) -> Option<(Direction, usize)> {
    WORDS.iter().find_map(|(words, direction)| Some((*direction, turn_at(tokens, first, words, &mut Vec::new())?)))
}

/// The direction that a text says; `None` where it says none, or both.
pub(crate) fn direction_of(tokens: &[Token]) -> Option<Direction> {
    let mut said = (0..tokens.len()).filter_map(|first| direction_at(tokens, first).map(|(direction, _)| direction));
    let direction = said.next()?;
    said.all(|other| other == direction).then_some(direction)
}

/// Whether a word may stand between what is measured and the direction that it is said to have.
pub(crate) fn may_stand_between(word: &Token) -> bool {
    FILE.between.contains(&word.text)
}

/// Whether what stands before this word is eaten, not measured.
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
