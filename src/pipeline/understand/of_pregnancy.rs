//! Conditions of pregnancy that only reordered words name: "he is sick in the morning" is no *Hyperemesis gravidarum*, where nothing tells of a pregnancy.

use super::case::Draft;
use super::patient::{Patient, is_word_of_pregnancy, tells_of_pregnancy};
use crate::graph::{EvolvingGraph, Kind};
use crate::language::link::meant_by;
use crate::language::recognise::{NameMention, REORDERED, Span};
use crate::text::Token;

/// Whether reordered words name a condition that can only be had in a pregnancy, of which the question tells nothing.
pub(super) fn is_without_pregnancy(graph: &EvolvingGraph, draft: &Draft<'_>, patient: &Patient, name: &NameMention) -> bool {
    let condition = meant_by(graph, name).map(|(entity, _)| entity).filter(|entity| matches!(graph.kind(*entity), Kind::Disease));
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
