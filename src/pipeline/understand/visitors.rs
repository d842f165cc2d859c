//! What people who may visit have or take: "can Grandad visit? He's on chemo" tells nothing of the child who is asked about.
//!
//! The words are in `assets/visitors.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::scope::Scopes;
use super::whose::is_relative;
use crate::language::word_list::WordList;
use crate::text::{Token, word};

/// How many words behind somebody it may be told that he comes.
const WITHIN: usize = 3;
/// How many words before somebody it may be asked.
const ASKED_WITHIN: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    comes: WordList,
    may: WordList,
    he: WordList,
    of_him: WordList,
    she: WordList,
    of_her: WordList,
    is: WordList,
    between: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/visitors.toml")).unwrap_or_default());

impl Scopes {
    /// Marks what is told of somebody who asks to visit, behind another patient: up to the end of his sentence, and the next one if it begins with him.
    pub(super) fn find_visitors(&mut self, tokens: &[Token], layout: &Layout) {
        let word = |at: usize| word(tokens, at);
        for at in (0..tokens.len()).filter(|at| is_relative(tokens, *at)) {
            let sentence = layout.sentence(at);
            let asks = (at.saturating_sub(ASKED_WITHIN).max(sentence.first)..at).any(|before| WORDS.may.has(word(before)));
            let comes = (at + 1..sentence.last.min(at + 1 + WITHIN)).find(|next| WORDS.comes.has(word(*next)));
            // "Can my dad see a doctor" asks for him: somebody else is told of in a sentence before.
            let is_behind = sentence.first > 0 && !matches!(word(comes.unwrap_or(at) + 1), "a" | "the" | "doctor" | "gp" | "off" | "back");
            let Some(comes) = comes.filter(|_| asks && is_behind) else { continue };
            // "My son has chickenpox. Can grandad visit, he's drowsy": the boy may be.
            let is_told_before = |others: &WordList| (0..at).any(|before| others.has(word(before)));
            let is_him = |at: usize| {
                let is_sure = |pronouns: &WordList, others: &WordList| pronouns.has(word(at)) && !is_told_before(others);
                let next = (at + 1..at + 1 + WITHIN).find(|next| !WORDS.between.has(word(*next)));
                let is_state = next.is_some_and(|next| WORDS.is.has(word(next)));
                is_state && (is_sure(&WORDS.he, &WORDS.of_him) || is_sure(&WORDS.she, &WORDS.of_her) || matches!(word(at), "who" | "whos"))
            };
            let ends = |at: &usize| matches!(word(*at), "i" | "im" | "ive" | "my" | "our" | "but" | "and" | "also");
            let told = |from: usize, last: usize| (from..last).find(ends).unwrap_or(last);
            let begin = (comes + 1..sentence.last).find(|next| is_him(*next));
            if let Some(begin) = begin {
                self.mark(begin..told(begin + 1, sentence.last), |marks| marks.family = true);
            } else if is_him(sentence.last) && sentence.last < tokens.len() {
                let next = layout.sentence(sentence.last);
                self.mark(sentence.last..told(sentence.last + 1, next.last), |marks| marks.family = true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_of_another;
    use super::*;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Words>(include_str!("../../../assets/visitors.toml")).expect("valid");
    }

    #[test]
    fn what_a_visitor_takes_is_not_the_patients() {
        assert!(is_of_another("My 3 year old has chickenpox. Also can Grandad visit, he's on chemo.", "chemo"));
        assert!(is_of_another("My son has shingles. Can grandma visit? She is on methotrexate.", "methotrexate"));
        assert!(!is_of_another("My daughter has shingles. Can grandma visit? She is drowsy and on antibiotics.", "drowsy"));
        assert!(!is_of_another("My baby has chickenpox. Can grandma visit? She is drowsy.", "drowsy"));
        assert!(!is_of_another("Can Grandad see a doctor today, he's on chemo", "chemo"));
        assert!(!is_of_another("My dad has shingles. He's on chemo. Can I visit?", "chemo"));
    }
}
