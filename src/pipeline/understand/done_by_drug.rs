//! What a question says that a drug has done: "ramipril caused cough". If the question asks for another drug, this effect is why the patient stops the
//! drug, and the other conditions named are what the drug was for.

use super::named::{Class, Named};
use crate::language::recognise::Span;
use crate::text::{Token, word};

/// The most words between what a drug has done and the word that says so, and between that and the drug.
const BEFORE_EFFECT: usize = 3;
const BEHIND_DRUG: usize = 2;

/// Whether a word says that what stands before it has done what stands behind.
fn causes(tokens: &[Token], at: usize) -> bool {
    matches!(word(tokens, at), "caused" | "induced" | "triggered" | "gave" | "致" | "引" | "导")
}

/// Where the clause begins that a drug is the subject of, if a word behind it says that it caused something. "We gave him amoxicillin" has another subject.
pub(super) fn caused_by(tokens: &[Token], drug_last: usize) -> Option<usize> {
    let is_between = |at: usize| {
        matches!(word(tokens, at), "has" | "had" | "have" | "which" | "that" | "just" | "only" | "then" | "also" | "mg")
            || causes(tokens, at)
    };
    let cue = (drug_last..=drug_last + BEHIND_DRUG).find(|at| causes(tokens, *at))?;
    let is_relative = |at: usize| matches!(word(tokens, at), "which" | "that");
    let joined = (drug_last..=cue).all(|at| tokens.get(at).is_some_and(|token| !token.after_break || is_relative(at)));
    ((drug_last..cue).all(is_between) && joined).then_some(cue)
}

/// Whether a drug has caused something, as the words right before that say. What stands in another clause is none of it: in "ramipril caused cough, heart
/// failure", the heart failure is what ramipril was for.
pub(super) fn is_done_by_drug(tokens: &[Token], effect: Span, named: &[Named]) -> bool {
    let drugs = named.iter().filter(|drug| drug.class == Class::Drug && drug.span.last <= effect.first);
    let mut causing = drugs.filter_map(|drug| caused_by(tokens, drug.span.last));
    causing.any(|cue| {
        // Of a list, what is named before it counts for nothing: "caused cough and a rash".
        let is_named = |at: &usize| named.iter().any(|other| (other.span.first..other.span.last).contains(at));
        let between = (cue + 1..effect.first).filter(|at| !is_named(at)).count();
        let breaks = (cue + 1..=effect.first).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
        cue < effect.first && between <= BEFORE_EFFECT && !breaks
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn a_drug_has_done_what_follows_in_its_clause() {
        let caused = |text: &str, drug_last: usize| caused_by(&tokenise(text), drug_last).is_some();
        assert!(caused("ramipril caused cough, heart failure", 1) && caused("colchicine gave him diarrhoea", 1));
        assert!(caused("on ramipril, which gave him a cough", 2) && caused("ramipril has caused a cough", 1));
        for (text, last) in [("amoxicillin. We gave him fluids", 1), ("amoxicillin, gave fluids", 1), ("ramipril for a cough", 1)] {
            assert!(!caused(text, last), "{text}");
        }
    }
}
