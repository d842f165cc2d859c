//! Drugs that are to be exchanged for others ("swap warfarin to apixaban"), and drugs of somebody else that are asked for ("husband has
//! doxycycline, can I share his?"). The words are `exchange` and `share` in `assets/drug-status.toml`.

use serde::Deserialize;

use super::layout::Sentence;
use crate::language::phrase_pattern::{pattern_at, words_of};
use crate::language::recognise::Span;
use crate::text::Token;

/// The most words between the verb and its object: "switch her over from".
const OBJECT: usize = 4;

/// One past the longest of some phrases that begins at a token.
pub(super) fn ends_at(phrases: &[String], tokens: &[Token], first: usize) -> Option<usize> {
    phrases.iter().filter_map(|says| pattern_at(tokens, first, &words_of(says), &mut Vec::new())).max()
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    verbs: Vec<String>,
    joins: Vec<String>,
    over: Vec<String>,
    within: usize,
}

impl Exchange {
    /// Whether a sentence wants the first drug exchanged for the second. What is over is no wish: "switched from A to B".
    pub(super) fn says(&self, tokens: &[Token], sentence: Sentence, (from, to): (Span, Span), asks: bool) -> bool {
        if to.first < from.last || to.first - from.last > self.within {
            return false;
        }
        let is_joined = (from.last..to.first).any(|at| ends_at(&self.joins, tokens, at).is_some_and(|end| end <= to.first));
        // In Chinese the verb itself stands between; it may tell of what is over.
        if tokens.get(from.last).is_some_and(|token| token.cjk) {
            return is_joined && asks;
        }
        is_joined && self.wishes(tokens, from.first.saturating_sub(OBJECT + 1).max(sentence.first), from.first)
    }

    /// Whether a drug is the one to be left: "switch to apixaban from warfarin".
    pub(super) fn leaves(&self, tokens: &[Token], sentence: Sentence, drug: Span) -> bool {
        let is_from = drug.first.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.text == "from");
        is_from && self.wishes(tokens, drug.first.saturating_sub(2 * OBJECT).max(sentence.first), drug.first)
    }

    /// Whether a verb of exchange stands in some words, of something to come: not "had to change", "was switched".
    fn wishes(&self, tokens: &[Token], first: usize, last: usize) -> bool {
        let is_over =
            |verb: usize| tokens.get(verb.saturating_sub(2)..verb).is_some_and(|before| before.iter().any(|t| self.over.contains(&t.text)));
        (first..last).any(|at| ends_at(&self.verbs, tokens, at).is_some_and(|end| end <= last) && !is_over(at))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Share {
    may: Vec<String>,
    verbs: Vec<String>,
    within: usize,
}

impl Share {
    /// Whether the words behind a drug ask for it: "can I share his?".
    pub(super) fn asks_for(&self, tokens: &[Token], drug: Span) -> bool {
        let end = tokens.len().min(drug.last + self.within);
        (drug.last..end).filter_map(|at| ends_at(&self.may, tokens, at)).any(|may| {
            // "Can I just share …"
            (may..may + 2).any(|at| ends_at(&self.verbs, tokens, at).is_some())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn exchange() -> Exchange {
        Exchange {
            verbs: vec!["swap".into(), "switch".into(), "change".into()],
            joins: vec!["to".into(), "for".into(), "换成".into()],
            over: vec!["had".into(), "was".into()],
            within: 6,
        }
    }

    fn says(text: &str, (from, to): (&str, &str), asks: bool) -> bool {
        let tokens = tokenise(text);
        let span = |word: &str| {
            let words = words_of(word);
            let first = (0..tokens.len()).find(|at| pattern_at(&tokens, *at, &words, &mut Vec::new()).is_some()).expect("is there");
            Span { first, last: first + words.len() }
        };
        let sentence = Sentence { first: 0, last: tokens.len(), asks };
        exchange().says(&tokens, sentence, (span(from), span(to)), asks)
    }

    #[test]
    fn the_first_is_left_for_the_second() {
        assert!(says("could we swap her ramipril 5 mg for losartan", ("ramipril", "losartan"), true));
        assert!(says("plan: switch from citalopram to mirtazapine", ("citalopram", "mirtazapine"), false));
        assert!(!says("citalopram and mirtazapine", ("citalopram", "mirtazapine"), true));
        assert!(!says("had to change ramipril to losartan for a cough", ("ramipril", "losartan"), false), "it is over");
        assert!(says("氯沙坦换成缬沙坦行吗", ("氯沙坦", "缬沙坦"), true) && !says("氯沙坦换成缬沙坦后头晕", ("氯沙坦", "缬沙坦"), false));
    }
}
