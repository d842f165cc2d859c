//! Searches for words: in the names of chains, and in texts.

use crate::graph::{Chain, ChainTable};
use crate::text::fold;

/// Words to search for, folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchWords(Vec<String>);

impl SearchWords {
    pub(crate) fn of(typed: &str) -> Self {
        Self(typed.split_whitespace().map(fold).filter(|word| !word.is_empty()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text contains all of them; `false` if there are none.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let text = fold(text);
        self.0.iter().all(|word| text.contains(word.as_str()))
    }
}

/// The folded names of a table, so that a search through 100,000 chains compares a few thousand names.
#[derive(Debug, Default)]
pub(crate) struct FoldedNames {
    entities: Vec<String>,
    relations: Vec<String>,
}

impl FoldedNames {
    pub(crate) fn of(table: &ChainTable) -> Self {
        Self {
            entities: table.entities.iter().map(|entity| fold(&entity.name)).collect(),
            relations: table.relations.iter().map(|relation| fold(&relation.display)).collect(),
        }
    }

    /// A test for chains: whether each word occurs in the name of one of their entities or relations.
    pub(crate) fn having(&self, words: &SearchWords) -> impl Fn(&Chain) -> bool + use<> {
        let per_word: Vec<(Vec<bool>, Vec<bool>)> = words
            .0
            .iter()
            .map(|word| {
                let has = |name: &String| name.contains(word.as_str());
                (self.entities.iter().map(has).collect(), self.relations.iter().map(has).collect())
            })
            .collect();
        move |chain| {
            per_word.iter().all(|(entities, relations)| {
                chain.nodes().iter().any(|node| entities.get(*node as usize).copied().unwrap_or(false))
                    || chain.relations().iter().any(|relation| relations.get(usize::from(*relation)).copied().unwrap_or(false))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there_in_any_order_and_case() {
        let words = SearchWords::of("  Reflux omeprazole ");
        assert!(words.are_in("Omeprazole → treats → gastro-oesophageal REFLUX disease"));
        assert!(!words.are_in("Omeprazole"));
        assert!(!SearchWords::of("   ").are_in("anything"), "no words are nowhere");
    }
}
