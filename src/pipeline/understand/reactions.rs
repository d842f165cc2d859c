//! Reactions of long ago to a drug, which are an allergy to it though nobody says so: "came up in hives and needed adrenaline after it years
//! ago". What happens now is a finding, and the drug may have caused it.

use serde::Deserialize;

use super::layout::Sentence;
use crate::language::phrase_pattern::{pattern_at, words_of};
use crate::language::recognise::Span;
use crate::text::Token;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactionWords {
    says: Vec<String>,
    to: Vec<String>,
    gave: Vec<String>,
    long_ago: Vec<String>,
    within: usize,
}

impl ReactionWords {
    /// Whether a sentence tells of a reaction of long ago to the drug in it.
    pub(super) fn tell_of(&self, tokens: &[Token], sentence: Sentence, drug: Span) -> bool {
        let said = |phrases: &[String], first: usize, last: usize| {
            let tokens = tokens.get(..last)?;
            let at = |at: usize| phrases.iter().find_map(|says| pattern_at(tokens, at, &words_of(says), &mut Vec::new()));
            (first..last).find_map(at)
        };
        if said(&self.long_ago, sentence.first, sentence.last).is_none() {
            return false;
        }
        let before = said(&self.says, sentence.first, drug.first).is_some()
            && said(&self.to, drug.first.saturating_sub(2).max(sentence.first), drug.first).is_some();
        let behind = said(&self.says, drug.last, sentence.last.min(drug.last + self.within)).is_some()
            && said(&self.gave, drug.last, sentence.last.min(drug.last + 2)).is_some();
        before || behind
    }

    /// Whether a drug stands among the words that tell of a reaction: the adrenaline that was needed.
    pub(super) fn name(&self, tokens: &[Token], drug: Span) -> bool {
        let ends_with = |says: &String| {
            let words = words_of(says);
            let first = drug.last.checked_sub(words.len())?;
            (words.len() > 1 && pattern_at(tokens, first, &words, &mut Vec::new())? == drug.last).then_some(())
        };
        self.says.iter().any(|says| ends_with(says).is_some())
    }
}
