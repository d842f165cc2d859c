//! Questions for what changes the level of a drug: "which drugs push the lithium level up?", 哪些药会升高地高辛浓度. Of the interactions only those are listed that
//! do so; that both prolong the QT interval is another matter.

use super::lists::{ListEntry, ListKind, SafetyList};
use crate::graph::{EntityId, EvolvingGraph, classes_of, qualifier_keys as keys};
use crate::text::{Token, is_chinese, tokenise};

/// How many words stand between what is done and the level, at most.
const APART: usize = 5;
/// Words for a level, and for what raises or lowers one.
const LEVEL: [&str; 5] = ["level", "levels", "concentration", "concentrations", "浓"];
const RAISES: [&str; 15] = [
    "push",
    "pushes",
    "pushing",
    "raise",
    "raises",
    "raising",
    "increase",
    "increases",
    "increasing",
    "elevate",
    "elevates",
    "boosts",
    "up",
    "升",
    "增",
];
const LOWERS: [&str; 12] =
    ["lower", "lowers", "lowering", "reduce", "reduces", "reducing", "decrease", "decreases", "decreasing", "down", "降", "减"];
/// Words of an effect that says so.
const HIGHER: [&str; 7] = ["higher", "raised", "toxicity", "build-up", "accumulation", "altered", "changed"];
const LOWER: [&str; 4] = ["lower", "reduced", "altered", "changed"];
/// … unless it says that the level stays.
const SAME: [&str; 3] = ["neurotoxicity", "nerve toxicity", "normal"];

/// The direction in which a level is asked to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedLevel {
    /// What raises it.
    Higher,
    /// What lowers it.
    Lower,
}

impl AskedLevel {
    /// What a question asks for; `None` if it asks for neither, or for both.
    pub(crate) fn of(question: &str) -> Option<Self> {
        let tokens = tokenise(question);
        let is_one_of = |token: &Token, words: &[&str]| words.contains(&token.text.as_str());
        let levels: Vec<usize> = (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| is_one_of(token, &LEVEL))).collect();
        let says = |words: &[&str]| {
            let is_near = |at: usize| levels.iter().any(|level| level.abs_diff(at) <= APART);
            tokens.iter().enumerate().any(|(at, token)| is_one_of(token, words) && is_near(at))
        };
        match (says(&RAISES), says(&LOWERS)) {
            (true, false) => Some(Self::Higher),
            (false, true) => Some(Self::Lower),
            _ => None,
        }
    }

    /// What the list is then called, in the language of the question.
    pub(super) fn said(self, question: &str) -> &'static str {
        match (self, is_chinese(question)) {
            (Self::Higher, false) => "what raises its level",
            (Self::Lower, false) => "what lowers its level",
            (Self::Higher, true) => "升高其浓度者",
            (Self::Lower, true) => "降低其浓度者",
        }
    }

    /// The list with only what changes the level of its subject so; `None` where nothing is stored of that.
    pub(super) fn only(self, graph: &EvolvingGraph, question: &str, list: &SafetyList) -> Option<SafetyList> {
        let entries: Vec<ListEntry> = list.entries.iter().filter(|entry| self.holds(graph, list.of, entry)).cloned().collect();
        let is_meant = list.kind == ListKind::Interactions && !entries.is_empty();
        is_meant.then(|| SafetyList { entries, omitted: 0, only: Some(self.said(question).to_owned()), ..list.clone() })
    }

    /// Whether an entry says that the level of the subject changes so: it names the subject, a class of it, or at least not the other.
    fn holds(self, graph: &EvolvingGraph, of: EntityId, entry: &ListEntry) -> bool {
        let effect = entry.qualifiers.get(keys::EFFECT).unwrap_or_default().to_lowercase();
        let words = match self {
            Self::Higher => HIGHER.as_slice(),
            Self::Lower => LOWER.as_slice(),
        };
        let says = |words: &[&str]| words.iter().any(|word| effect.contains(word));
        let names = |entity: EntityId| effect.contains(&graph.entity_name(entity).to_lowercase());
        let is_of_subject = std::iter::once(of).chain(classes_of(graph, of)).any(names);
        // A lower seizure threshold is no lower level.
        let is_level = says(&["level", "concentration", "toxicity", "build-up", "accumulation"]);
        says(words) && is_level && !says(&SAME) && (is_of_subject || !names(entry.other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_asked_to_change_in_one_direction() {
        for text in [
            "which drugs push the lithium level up?",
            "lithium: which common drugs interact and push level up?",
            "what raises digoxin levels",
        ] {
            assert_eq!(AskedLevel::of(text), Some(AskedLevel::Higher), "{text}");
        }
        assert_eq!(AskedLevel::of("what lowers lamotrigine levels"), Some(AskedLevel::Lower));
        for text in [
            "which drugs interact with lithium?",
            "what affects lithium levels",
            "lithium level 1.2, raise the dose next month, when to see the GP?",
        ] {
            assert_ne!(AskedLevel::of(text), Some(AskedLevel::Lower), "{text}");
        }
    }
}
