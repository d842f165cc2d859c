//! Overdoses that are told as a number of tablets: "I took about 30 paracetamol" names no overdose, and is one.

use super::named::{Class, Named};
use crate::graph::{EntityId, classes_of};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::Span;
use crate::text::Token;

/// From this number of tablets on, no prescription is meant.
const TABLETS: f64 = 9.0;
/// More are a weight or a year.
const MOST_TABLETS: f64 = 400.0;
/// How far before a drug the number may stand, and how far before the number what was done, in words.
const BEFORE_DRUG: usize = 4;
const BEFORE_NUMBER: usize = 4;
/// Words that tell of taking.
const TAKEN: [&str; 16] = [
    "took",
    "taken",
    "take",
    "swallowed",
    "ate",
    "eaten",
    "ingested",
    "had",
    "downed",
    "overdosed",
    "overdose",
    "od",
    "吃",
    "吞",
    "服",
    "喝",
];
/// Words that may stand between the number and the drug.
const BETWEEN: [&str; 18] = [
    "x", "of", "the", "my", "her", "his", "tablets", "tablet", "tabs", "pills", "pill", "capsules", "of", "several", "片", "粒", "颗", "了",
];

/// The overdoses that a text tells of, as the graph names them. `named`: what it names.
pub(super) fn overdoses(knowledge: &Knowledge, tokens: &[Token], named: &[Named]) -> Vec<Named> {
    let of_drug = |drug: &Named| {
        let number = number_before(tokens, drug.span.first)?;
        let begin = number.saturating_sub(BEFORE_NUMBER);
        let is_taken = tokens.get(begin..number)?.iter().any(|token| TAKEN.contains(&token.text.as_str()));
        let entity = overdose_of(knowledge, drug.entity).filter(|_| is_taken)?;
        Some(Named { span: Span { first: number, last: drug.span.last }, entity, class: Class::Condition })
    };
    named.iter().filter(|named| named.class == Class::Drug).filter_map(of_drug).collect()
}

/// Where the number of tablets stands.
fn number_before(tokens: &[Token], drug: usize) -> Option<usize> {
    for at in (drug.saturating_sub(BEFORE_DRUG)..drug).rev() {
        let word = tokens.get(at)?.text.as_str();
        if let Ok(number) = word.parse::<f64>() {
            return ((TABLETS..=MOST_TABLETS).contains(&number) && number.fract() == 0.0).then_some(at);
        }
        if !BETWEEN.contains(&word) {
            return None;
        }
    }
    None
}

/// Whether a condition is, by its name, that too much of something was taken.
pub(crate) fn is_overdose(name: &str) -> bool {
    ["overdose", "poisoning"].iter().any(|what| name.to_lowercase().ends_with(what))
}

/// The overdose of a drug, or of a class that it belongs to.
fn overdose_of(knowledge: &Knowledge, drug: EntityId) -> Option<EntityId> {
    let graph = &knowledge.graph;
    let names = |entity: EntityId| ["overdose", "poisoning", "toxicity"].map(|what| format!("{} {what}", graph.entity_name(entity)));
    let find = |entity: EntityId| names(entity).iter().find_map(|name| graph.names().lookup_exact(name).first().copied());
    std::iter::once(drug).chain(classes_of(graph, drug)).find_map(find).filter(|found| knowledge.is_condition(*found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn an_overdose_is_known_by_its_name() {
        assert!(is_overdose("Paracetamol overdose") && is_overdose("Carbon monoxide poisoning") && !is_overdose("Digoxin toxicity"));
    }

    #[test]
    fn a_number_of_tablets_stands_right_before_the_drug() {
        let at = |text: &str| number_before(&tokenise(text), tokenise(text).len() - 1);
        assert_eq!(at("I took about 30 paracetamol"), Some(3));
        assert_eq!(at("took 24 tablets of paracetamol"), Some(1));
        for text in ["took 2 paracetamol", "took 1000 paracetamol", "aged 30 on long-term paracetamol", "paracetamol"] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
