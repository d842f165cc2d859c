//! Diagnoses that the question itself doubts: "Told haemochromatosis, needs venesection. Is it?", "stroke, or TGA?". What was told is then what is asked
//! about, and not what the patient has.

use super::layout::{Layout, Sentence};
use super::named::{Class, Named};
use super::scope::Scopes;
use crate::text::Token;

/// Who was told something, and what may stand between that and what it was.
const TOLD: [&str; 4] = ["told", "labelled", "labeled", "called"];
const SMALL: [&str; 14] = ["that", "he", "she", "they", "i", "it", "its", "is", "has", "had", "have", "got", "a", "as"];
/// Whole sentences that doubt it.
const DOUBTS: [&[&str]; 14] = [
    &["is", "it"],
    &["is", "he"],
    &["is", "that", "right"],
    &["is", "this", "right"],
    &["is", "it", "right"],
    &["is", "that", "correct"],
    &["is", "this", "correct"],
    &["is", "that", "so"],
    &["is", "that", "true"],
    &["is", "it", "really"],
    &["is", "this", "true"],
    &["really"],
    &["agree"],
    &["do", "you", "agree"],
];
/// How many words may say what else it could be.
const OTHER: usize = 3;

/// Marks diagnoses that were told and are doubted, and those of which a sentence asks which it is, as not sure.
pub(super) fn mark_doubted(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_doubt = |of: &Sentence| {
        let words = tokens.get(of.first..of.last).unwrap_or_default();
        DOUBTS.iter().any(|doubt| words.len() == doubt.len() && words.iter().zip(*doubt).all(|(token, word)| token.text == *word))
    };
    for condition in named.iter().filter(|named| named.class == Class::Condition) {
        let span = condition.span;
        let sentence = layout.sentence(span.first);
        let before = (sentence.first..span.first).rev().find(|at| !SMALL.contains(&word(*at)));
        let is_told = before.is_some_and(|at| TOLD.contains(&word(at)));
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
