//! A table of phrases, looked up by their first word, so that a long list costs no more than a short one.

use std::collections::HashMap;

use super::phrase_pattern::{pattern_at, words_of};
use crate::text::Token;

/// Phrases (folded words, `_` for a gap), each with what it stands for.
#[derive(Debug)]
pub(crate) struct PhraseTable<T> {
    by_first: HashMap<String, Vec<(Vec<String>, T)>>,
}

/// A phrase found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPhrase<T> {
    /// What it stands for.
    pub(crate) means: T,
    /// Its first token.
    pub(crate) first: usize,
    /// One past its last token.
    pub(crate) last: usize,
    /// The tokens of its own words, without those in gaps.
    pub(crate) own: Vec<usize>,
}

impl<T> Default for PhraseTable<T> {
    fn default() -> Self {
        Self { by_first: HashMap::new() }
    }
}

impl PhraseTable<()> {
    /// A table of phrases that need no telling apart.
    pub(crate) fn of_phrases<S: AsRef<str>>(phrases: impl IntoIterator<Item = S>) -> Self {
        let phrases: Vec<S> = phrases.into_iter().collect();
        Self::of(phrases.iter().map(|phrase| (phrase.as_ref(), ())))
    }
}

impl<T: Copy> PhraseTable<T> {
    /// A table of these phrases. The longest match wins, and of equally long ones the first.
    pub(crate) fn of<'a>(entries: impl IntoIterator<Item = (&'a str, T)>) -> Self {
        let mut table = Self::default();
        for (phrase, means) in entries {
            let words = words_of(phrase);
            if let Some(first) = words.first() {
                table.by_first.entry(first.clone()).or_default().push((words, means));
            }
        }
        table.by_first.values_mut().for_each(|phrases| phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
        table
    }

    /// Every phrase that begins at this token and does not go beyond its clause, the longest first.
    pub(crate) fn all_at<'t>(&'t self, tokens: &'t [Token], first: usize) -> impl Iterator<Item = FoundPhrase<T>> + 't {
        let phrases = tokens.get(first).and_then(|token| self.by_first.get(&token.text)).map_or(&[][..], Vec::as_slice);
        phrases.iter().filter_map(move |(words, means)| {
            let mut own = Vec::new();
            let last = pattern_at(tokens, first, words, &mut own)?;
            let joined = tokens.get(first + 1..last)?.iter().all(|token| !token.after_break);
            joined.then_some(FoundPhrase { means: *means, first, last, own })
        })
    }

    /// The longest phrase that begins at this token.
    pub(crate) fn at(&self, tokens: &[Token], first: usize) -> Option<FoundPhrase<T>> {
        self.all_at(tokens, first).next()
    }

    /// The phrases of a text, in order, none within another.
    pub(crate) fn find_all(&self, tokens: &[Token]) -> Vec<FoundPhrase<T>> {
        let (mut all, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            let found = self.at(tokens, at);
            at = found.as_ref().map_or(at + 1, |found| found.last.max(at + 1));
            all.extend(found);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_longest_phrase_wins_and_none_goes_beyond_its_clause() {
        let table = PhraseTable::of([("side", 1), ("side effects", 2), ("how is _ treated", 3), ("副作用", 4)]);
        let found = |text: &str| {
            table.find_all(&tokenise(text)).into_iter().map(|found| (found.means, found.first, found.last)).collect::<Vec<_>>()
        };
        assert_eq!(found("the side effects on each side"), [(2, 1, 3), (1, 5, 6)]);
        assert_eq!(found("side, effects"), [(1, 0, 1)]);
        assert_eq!(found("how is gout treated"), [(3, 0, 4)]);
        assert_eq!(found("有副作用吗"), [(4, 1, 4)]);
    }
}
