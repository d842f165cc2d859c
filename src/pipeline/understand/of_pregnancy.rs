//! Pregnancies that nobody has: "he is sick in the morning" is no *Hyperemesis gravidarum*, where nothing tells of a pregnancy, and "I can't be pregnant, I'm
//! at university" tells of none.

use super::case::Draft;
use super::patient::state::is_no_pregnancy_told;
use super::patient::{Patient, is_word_of_pregnancy, tells_of_pregnancy};
use crate::graph::{EvolvingGraph, Kind};
use crate::language::link::meant_by;
use crate::language::recognise::{NameMention, REORDERED, Span};
use crate::text::Token;

/// The state, by its name in the graph.
const STATE: &str = "Pregnancy";

/// Whether reordered words name a condition that can only be had in a pregnancy, of which the question tells nothing, or words
/// tell of a pregnancy that is only feared.
pub(super) fn is_without_pregnancy(graph: &EvolvingGraph, draft: &Draft<'_>, patient: &Patient, name: &NameMention) -> bool {
    let meant = meant_by(graph, name).map(|(entity, _)| entity);
    if meant.is_some_and(|of| graph.entity_name(of) == STATE) && is_no_pregnancy_told(&draft.tokens, name.span.first) {
        return true;
    }
    let condition = meant.filter(|entity| matches!(graph.kind(*entity), Kind::Disease));
    let lacks = |condition| lacks_pregnancy(graph.entity_name(condition), (draft.text, &draft.tokens), name.span, patient);
    name.recogniser == REORDERED && condition.is_some_and(lacks)
}

/// Whether a condition of this name needs a pregnancy that is not told: neither by a word of one nor, of somebody who may be pregnant, by the words that
/// name it (`span`).
fn lacks_pregnancy(name: &str, (text, tokens): (&str, &[Token]), span: Span, patient: &Patient) -> bool {
    let is_told = patient.pregnant == Some(true) || patient.postpartum || tells_of_pregnancy(text);
    let says_it =
        || patient.may_conceive() && tokens.get(span.first..span.last).is_some_and(|words| words.iter().any(is_word_of_pregnancy));
    tells_of_pregnancy(name) && !is_told && !says_it()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn a_feared_pregnancy_is_none() {
        let is_none = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "pregnant" || token.text == "怀").expect("is there");
            is_no_pregnancy_told(&tokens, at)
        };
        for text in ["i cant be pregnant im at uni", "I really don't want to get pregnant", "我不想怀孕"] {
            assert!(is_none(text), "{text}");
        }
        for text in ["I could be pregnant", "she is pregnant", "I might be pregnant, I can't sleep", "我怀孕了"] {
            assert!(!is_none(text), "{text}");
        }
    }

    #[test]
    fn a_condition_of_pregnancy_needs_a_word_of_one() {
        let lacks = |text: &str, name: &str| {
            let tokens = tokenise(text);
            lacks_pregnancy(name, (text, &tokens), Span { first: 0, last: tokens.len() }, &Patient::of(&tokens))
        };
        for text in ["sick in the morning", "he is 6 and sick in the mornings", "30 year old man, sick every morning"] {
            assert!(lacks(text, "Hyperemesis gravidarum"), "{text}");
            assert!(!lacks(text, "Gastroenteritis"), "{text}");
        }
        for text in ["8 weeks pregnant and sick in the morning", "sick in the morning since my pregnancy began"] {
            assert!(!lacks(text, "Hyperemesis gravidarum"), "{text}");
        }
        assert!(!lacks("I am losing the baby", "Miscarriage"), "the words tell of it themselves");
    }
}
