//! Entities that were found, of those that should have been.
//!
//! **Key-entity match** (RoK, section 5.1, Table 3): the hit rate of the reference answer's entities, for conditions, tests and treatments separately. As a long
//! list would hit everything, only the first five conditions or twelve tests or treatments of an answer count.
//!
//! **Recall** of a set of entities is the share of the gold entities that are in it, **precision** the share of its entities that are gold. They say where an
//! entity is lost: in the search, in the choice of chains, or in the answer.

use std::collections::BTreeSet;

use crate::run::AnswerPart;
use crate::text::fold;

/// How many of an answer's entities count for a part in key-entity match: the first five conditions, the first twelve tests or treatments.
pub fn entities_counted(part: AnswerPart) -> usize {
    if part == AnswerPart::Conditions { 5 } else { 12 }
}

/// How many gold entities are among some names, of how many. Names are equal after folding.
fn found_among<'a>(gold: &[Vec<String>], names: impl IntoIterator<Item = &'a str>) -> (usize, usize) {
    let names: BTreeSet<String> = names.into_iter().map(fold).collect();
    let is_found = |entity: &&Vec<String>| entity.iter().any(|name| names.contains(&fold(name)));
    (gold.iter().filter(is_found).count(), gold.len())
}

/// How many gold entities of a part are among the first that an answer states, of how many. An entity has all names that are right; names are equal
/// after folding.
pub fn key_entity_match(part: AnswerPart, gold: &[Vec<String>], stated: &[String]) -> (usize, usize) {
    found_among(gold, stated.iter().take(entities_counted(part)).map(String::as_str))
}

/// How many gold entities are in a set, of how many.
pub fn recall(gold: &[Vec<String>], names: &BTreeSet<String>) -> (usize, usize) {
    found_among(gold, names.iter().map(String::as_str))
}

/// How many of a set's entities are gold, of how many.
pub fn precision(gold: &[Vec<String>], names: &BTreeSet<String>) -> (usize, usize) {
    let right: BTreeSet<String> = gold.iter().flatten().map(|name| fold(name)).collect();
    let folded: BTreeSet<String> = names.iter().map(|name| fold(name)).collect();
    (folded.intersection(&right).count(), folded.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn only_the_first_places_count() {
        let gold = [entity(&["Gastritis"]), entity(&["Reflux", "GORD"])];
        let stated: Vec<String> = ["a", "gord", "b", "c", "d", "Gastritis"].map(str::to_owned).to_vec();
        assert_eq!(key_entity_match(AnswerPart::Conditions, &gold, &stated), (1, 2));
        assert_eq!(key_entity_match(AnswerPart::Tests, &gold, &stated), (2, 2));
        assert_eq!(key_entity_match(AnswerPart::Tests, &[], &stated), (0, 0));
    }

    #[test]
    fn recall_and_precision_count_an_entity_once() {
        let gold = [entity(&["Gastritis"]), entity(&["Reflux", "GORD"]), entity(&["Ulcer"])];
        let found: BTreeSet<String> = ["gastritis", "GORD", "Cough", "Fever"].map(str::to_owned).into();
        assert_eq!(recall(&gold, &found), (2, 3));
        assert_eq!(precision(&gold, &found), (2, 4));
        assert_eq!((recall(&gold, &BTreeSet::new()), precision(&gold, &BTreeSet::new())), ((0, 3), (0, 0)));
    }
}
