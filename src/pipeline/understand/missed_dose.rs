//! A dose that was missed, is late or was not taken: the question asks for no dose, and the drug has not been stopped.
//!
//! The words are in `assets/missed-dose.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::drugs::{DrugReader, Says};
use super::named::{Class, Named};
use crate::language::phrase_table::FoundPhrase;
use crate::language::recognise::Span;
use crate::language::word_list::WordList;
use crate::run::DrugStatus;
use crate::text::{Token, clause_around, word};

/// How far from the dose it is told what became of it.
const WITHIN: usize = 6;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    missed: WordList,
    forgotten: WordList,
    not: WordList,
    taken: WordList,
    is: WordList,
    asks: WordList,
    due: WordList,
    for_long: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/missed-dose.toml")).unwrap_or_default());

/// Whether a word for a dose among these tokens is one that was missed: "forgot this morning's dose of apixaban", "if a dose is skipped". Who has forgotten
/// the dose of a drug wants to know it.
pub(super) fn is_missed_dose(tokens: &[Token], first: usize, last: usize) -> bool {
    let Some(at) = (first..last).find(|at| matches!(word(tokens, *at), "dose" | "doses")) else { return false };
    let clause = clause_around(tokens, at);
    let is_due = || clause.clone().any(|at| WORDS.due.has(word(tokens, at)));
    let is_unknown = word(tokens, at.saturating_sub(1)) == "the" && !is_due();
    let before = (clause.start.max(at.saturating_sub(WITHIN))..at).rev().take_while(|at| !WORDS.asks.has(word(tokens, *at)));
    let tells = |at: usize| {
        let said = word(tokens, at);
        let is_not_taken = WORDS.taken.has(said) && at > clause.start && WORDS.not.has(word(tokens, at - 1));
        WORDS.missed.has(said) || is_not_taken || WORDS.forgotten.has(said) && !is_unknown
    };
    let mut behind = at + 1..clause.end.min(at + 1 + WITHIN);
    let is_over = |said: &str| WORDS.missed.has(said) || WORDS.forgotten.has(said);
    before.into_iter().any(tells) || behind.any(|at| WORDS.is.has(word(tokens, at)) && is_over(word(tokens, at + 1)))
}

/// Whether a cue tells of a dose or two that were missed, and of no more.
fn is_missed_once(tokens: &[Token], cue: &FoundPhrase<Says>) -> bool {
    let mut behind = cue.last..clause_around(tokens, cue.first).end;
    cue.last == cue.first + 1 && word(tokens, cue.first) == "missed" && !behind.any(|at| WORDS.for_long.has(word(tokens, at)))
}

impl DrugReader<'_> {
    /// What was missed once is still taken, as long as nothing is told that may come of it: a complaint, or what was measured.
    pub(super) fn read_missed_doses(&mut self, named: &[Named]) {
        let tokens = self.tokens;
        if named.iter().all(|named| matches!(named.class, Class::Drug | Class::Other)) {
            for cue in self.cues.iter_mut().filter(|cue| is_missed_once(tokens, cue)) {
                cue.means.0 = DrugStatus::Taken;
            }
        }
    }

    /// The status of a drug of which a dose was missed: when it was due is not since when it is taken.
    pub(super) fn missed_once(&self, span: Span, drugs: &[Named]) -> Option<DrugStatus> {
        let nearest = self.governing(span, drugs).min_by_key(|cue| self.distance(cue, span, drugs))?;
        (nearest.means.0 == DrugStatus::Taken && is_missed_once(self.tokens, nearest)).then_some(DrugStatus::Taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Words>(include_str!("../../../assets/missed-dose.toml")).expect("valid");
    }

    #[test]
    fn a_missed_dose_asks_for_no_dose_and_a_forgotten_figure_does() {
        let is_missed = |question: &str| {
            let tokens = tokenise(question);
            is_missed_dose(&tokens, 0, tokens.len())
        };
        for question in [
            "Forgot this morning's dose of apixaban, it's 2pm now, what to do?",
            "missed a dose of apixaban",
            "what if a dose of levetiracetam is forgotten?",
            "she hasn't had her dose of warfarin",
            "Late dose of rivaroxaban",
            "forgot the dose this morning",
        ] {
            assert!(is_missed(question), "{question}");
        }
        for question in [
            "I have forgotten the dose of apixaban in renal impairment",
            "forgot which dose of apixaban to take",
            "Missed his clinic, what dose of apixaban?",
            "dose of apixaban for an 82 year old",
            "not sure of the dose of apixaban",
        ] {
            assert!(!is_missed(question), "{question}");
        }
    }
}
