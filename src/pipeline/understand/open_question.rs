//! Whether a drug is told before an open question ("warfarin, AF, toothache: which painkiller?"), so that it is taken rather than considered. The words
//! are `open_question` in `assets/drug-status.toml`.

use serde::Deserialize;

use super::exchange::ends_at;
use super::intent::asks_permission;
use super::layout::Sentence;
use crate::language::recognise::Span;
use crate::text::Token;

/// The words of an open question.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenQuestion {
    /// What begins it.
    open: Vec<String>,
    /// What asks about the drug itself.
    of_drug: Vec<String>,
    /// What makes a drug one of two that are compared.
    either: Vec<String>,
}

impl OpenQuestion {
    /// Whether an open question that is not about the drug follows it in another clause of the sentence.
    pub(super) fn follows(&self, tokens: &[Token], sentence: Sentence, drug: Span) -> bool {
        let is_at = |phrases: &[String], at: usize| ends_at(phrases, tokens, at).is_some_and(|end| end <= sentence.last);
        let Some(open) = (drug.last..sentence.last).find(|at| is_at(&self.open, *at)) else { return false };
        let breaks = (drug.last..=open).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
        let begin = drug.first.saturating_sub(2).max(sentence.first);
        let is_either = is_at(&self.either, drug.last)
            || (begin..drug.first).any(|at| ends_at(&self.either, tokens, at).is_some_and(|end| end == drug.first));
        let is_of_drug = (open..sentence.last).any(|at| is_at(&self.of_drug, at));
        breaks && !is_either && !is_of_drug && asks_permission(tokens, sentence.first, sentence.last).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::DrugStatus::{Proposed, Taken};

    #[test]
    fn a_drug_before_an_open_question_is_taken() {
        for (text, expected) in [
            ("Warfarin, AF, toothache: which painkiller?", Taken),
            ("华法林，房颤，牙痛用什么止痛药？", Taken),
            ("Cellulitis, clarithromycin: what dose?", Proposed),
            ("AF, CKD: apixaban or warfarin, which?", Proposed),
            ("Amoxicillin, pregnant, can she take it?", Proposed),
            ("Methotrexate: what monitoring?", Proposed),
        ] {
            let case = read(text);
            assert!(case.drugs.iter().all(|drug| drug.status == expected) && !case.drugs.is_empty(), "{text}: {:?}", case.drugs);
        }
    }
}
