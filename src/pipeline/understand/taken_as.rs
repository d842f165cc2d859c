//! What somebody wants to treat an illness as: "the SHO wants to load aspirin as NSTEMI" says what the SHO holds it to be, and not what the patient has.

use super::layout::Layout;
use super::named::{Class, Named};
use super::scope::Scopes;
use crate::text::Token;

/// Who wants something done, and what is done to a patient for an illness.
const WANTS: [&str; 14] = [
    "want",
    "wants",
    "wanted",
    "plan",
    "plans",
    "planning",
    "keen",
    "suggests",
    "suggested",
    "thinks",
    "reckons",
    "proposes",
    "insists",
    "says",
];
const DONE: [&str; 16] = [
    "load",
    "loading",
    "treat",
    "treating",
    "manage",
    "managing",
    "give",
    "giving",
    "start",
    "starting",
    "cover",
    "covering",
    "label",
    "discharge",
    "send",
    "thrombolyse",
];

/// Marks what a patient is to be treated as as somebody's opinion.
pub(super) fn mark_taken_as(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    for condition in named.iter().filter(|named| named.class == Class::Condition) {
        let span = condition.span;
        let is_small = |at: &usize| matches!(word(*at), "a" | "an" | "likely" | "probable");
        let Some(before) = (0..span.first).rev().find(|at| !is_small(at)) else { continue };
        let begin = layout.sentence(span.first).first;
        // "Such as", "the same as", "diagnosed as".
        let is_as = word(before) == "as" && before > begin && !matches!(word(before - 1), "such" | "same" | "well" | "diagnosed" | "known");
        let wants = (begin..before).find(|at| WANTS.contains(&word(*at)));
        if is_as && wants.is_some_and(|wants| (wants + 1..before).any(|at| DONE.contains(&word(at)))) {
            scopes.mark(span.first..span.last, |marks| marks.opinion = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::ConditionStatus;

    #[test]
    fn what_a_colleague_wants_to_treat_is_his_opinion() {
        let status = |text: &str, what: &str| {
            read(text).conditions.iter().find(|condition| condition.text.to_lowercase().contains(what)).map(|condition| condition.status)
        };
        let text = "Tearing chest pain. SHO wants to load aspirin and ticagrelor as NSTEMI. ok?";
        assert_eq!(status(text, "nstemi"), Some(ConditionStatus::Suspected));
        assert_eq!(status("Diagnosed as asthma, the GP wants to start montelukast.", "asthma"), Some(ConditionStatus::Known));
    }
}
