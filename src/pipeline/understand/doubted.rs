//! Diagnoses that the question itself doubts: "Told haemochromatosis, needs venesection. Is it?", "stroke, or TGA?". What was told is then what is asked
//! about, and not what the patient has.
//!
//! The words are in `assets/doubted.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::{Layout, Sentence};
use super::named::{Class, Named};
use super::scope::Scopes;
use crate::language::word_list::WordList;
use crate::text::{Token, word};

/// How many words may say what else it could be.
const OTHER: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    told: WordList,
    small: WordList,
    doubts: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/doubted.toml")).unwrap_or_default());

/// Marks diagnoses that were told and are doubted, and those of which a sentence asks which it is, as not sure.
pub(super) fn mark_doubted(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let word = |at: usize| word(tokens, at);
    let is_doubt = |of: &Sentence| {
        let words: Vec<&str> = (of.first..of.last).map(word).collect();
        WORDS.doubts.has(&words.join(" "))
    };
    for condition in named.iter().filter(|named| named.class == Class::Condition) {
        let span = condition.span;
        let sentence = layout.sentence(span.first);
        let before = (sentence.first..span.first).rev().find(|at| !WORDS.small.has(word(*at)));
        let is_told = before.is_some_and(|at| WORDS.told.has(word(at)));
        let is_doubted = || layout.sentences.iter().any(|other| other.first >= sentence.last && other.asks && is_doubt(other));
        // "Stroke, or TGA, and does she need aspirin?"
        let is_first = span.first == sentence.first && word(span.last) == "or";
        let breaks = |at: usize| at >= sentence.last || tokens.get(at).is_none_or(|token| token.after_break);
        let is_open = is_first && (span.last + 2..=span.last + 1 + OTHER).any(breaks);
        if (is_told && is_doubted()) || (is_open && sentence.asks) {
            scopes.mark(span.first..span.last, |marks| marks.uncertain = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::ConditionStatus;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<super::Words>(include_str!("../../../assets/doubted.toml")).expect("valid");
    }

    fn status(text: &str, what: &str) -> Option<ConditionStatus> {
        read(text).conditions.iter().find(|condition| condition.text.to_lowercase().contains(what)).map(|condition| condition.status)
    }

    #[test]
    fn what_was_told_and_is_doubted_is_not_known() {
        assert_eq!(status("Ferritin 2100. Told asthma, needs an inhaler. Is it?", "asthma"), Some(ConditionStatus::Suspected));
        assert_eq!(status("She was told she has asthma. Is this right?", "asthma"), Some(ConditionStatus::Suspected));
        assert_eq!(status("Asthma, or TGA, and does she need aspirin?", "asthma"), Some(ConditionStatus::Suspected));
        // What is not doubted stays, and so does what another question is about.
        assert_eq!(status("She was told she has asthma. Is montelukast right?", "asthma"), Some(ConditionStatus::Known));
        assert_eq!(status("She has asthma and takes montelukast. Is this right?", "asthma"), Some(ConditionStatus::Known));
    }
}
