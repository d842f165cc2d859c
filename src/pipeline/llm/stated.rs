//! A plain sentence as a statement: what stands before the relation word, what after it, and which relations the word may mean.

use std::ops::Range;

use super::cues::{CueForm, Cues, Side};
use crate::graph::Role;
use crate::text::{Token, tokenise};

/// Words between a subject and its relation word, or before an object, that say nothing about either.
const AROUND: [&str; 34] = [
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "can",
    "could",
    "may",
    "might",
    "will",
    "would",
    "should",
    "must",
    "often",
    "usually",
    "also",
    "sometimes",
    "commonly",
    "used",
    "given",
    "taken",
    "well",
    "a",
    "an",
    "the",
    "in",
    "for",
    "of",
    "to",
    "as",
    "with",
    "people",
    "patients",
];

/// A sentence that relates two things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stated {
    /// What stands before the relation word, in bytes of the sentence.
    pub(crate) subject: Range<usize>,
    /// What stands after it.
    pub(crate) object: Range<usize>,
    /// What the word may mean: a role, and whether its owner is the subject.
    pub(crate) means: Vec<(Role, bool)>,
}

/// Reads a sentence of the form "subject, relation word, object". A sentence that denies, or has no such word between two names, states
/// nothing.
pub(crate) fn stated(sentence: &str) -> Option<Stated> {
    let tokens = tokenise(sentence);
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let cues = Cues::built_in();
    if cues.denies.within(&words) && !cues.denies_nothing.within(&words) {
        return None;
    }
    for at in 1..words.len() {
        let Some((cue, length)) = cues.at(&words[at..]) else { continue };
        let (means, length) = match &cue.form {
            CueForm::Order(means) => (means.clone(), length),
            CueForm::Preposition { roles, after, denied: false } => {
                // Only a preposition behind it says which is which.
                let Some(side) = cues.to_a_side.at(&words[at + length..]) else { continue };
                let owner_first = *after == Side::Player;
                (roles.iter().map(|role| (*role, owner_first)).collect(), length + side)
            }
            CueForm::Preposition { .. } => continue,
        };
        let says_nothing = |token: &&Token| AROUND.contains(&token.text.as_str());
        let before: Vec<&Token> = tokens[..at].iter().skip_while(says_nothing).collect();
        let kept = before.len() - before.iter().rev().take_while(|token| says_nothing(token)).count();
        let after: Vec<&Token> = tokens[at + length..].iter().skip_while(says_nothing).collect();
        let span = |tokens: &[&Token]| Some(tokens.first()?.start..tokens.last()?.end);
        if let (Some(subject), Some(object)) = (span(&before[..kept]), span(&after)) {
            return Some(Stated { subject, object, means });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_sentence_is_two_things_and_a_word_between_them() {
        let read = |text: &str| stated(text).map(|s| (text[s.subject].to_owned(), text[s.object].to_owned(), s.means.first().copied()));
        let treatment = Some((Role::Treatment, false));
        assert_eq!(read("Gaviscon relieves reflux"), Some(("Gaviscon".into(), "reflux".into(), treatment)));
        assert_eq!(read("Gaviscon variant 1 treats acid reflux."), Some(("Gaviscon variant 1".into(), "acid reflux".into(), treatment)));
        assert_eq!(
            read("Peptic ulcer is diagnosed by gastroscopy"),
            Some(("Peptic ulcer".into(), "gastroscopy".into(), Some((Role::Test, true))))
        );
        assert_eq!(read("奥美拉唑可治疗胃食管反流病"), Some(("奥美拉唑".into(), "胃食管反流病".into(), treatment)));
        assert_eq!(read("Gaviscon does not relieve reflux"), None);
        assert_eq!(read("Reflux"), None);
        assert_eq!(read("treats reflux"), None, "nobody does");
    }
}
