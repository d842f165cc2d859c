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
/// How far after a drug the number of tablets may stand, and how far before the drug what was done, in words: "吃了一整盒多的对乙酰氨基酚（30片）".
const AFTER_DRUG: usize = 3;
const TAKEN_BEFORE_DRUG: usize = 12;
/// What is counted.
const COUNTED: [&str; 10] = ["tablets", "tablet", "tabs", "pills", "pill", "capsules", "caps", "片", "粒", "颗"];
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
        let is_taken = |first: usize, last: usize| {
            tokens.get(first..last).unwrap_or_default().iter().any(|token| TAKEN.contains(&token.text.as_str()))
        };
        let before = number_before(tokens, drug.span.first).filter(|number| is_taken(number.saturating_sub(BEFORE_NUMBER), *number));
        let after = || {
            let number = number_after(tokens, drug.span.last)?;
            is_taken(drug.span.first.saturating_sub(TAKEN_BEFORE_DRUG), drug.span.first).then_some(number)
        };
        let span = before.map(|number| Span { first: number, last: drug.span.last });
        // With the word for what is counted.
        let span = span.or_else(|| after().map(|number| Span { first: drug.span.first, last: number + 2 }))?;
        let entity = overdose_of(knowledge, drug.entity)?;
        Some(Named { span, entity, class: Class::Condition })
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

/// Where the number of tablets stands after a drug: only beside the word for what is counted, so that no strength is taken for a number.
fn number_after(tokens: &[Token], drug: usize) -> Option<usize> {
    (drug..drug + AFTER_DRUG).find(|at| {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let is_many = word(*at).parse::<f64>().is_ok_and(|number| (TABLETS..=MOST_TABLETS).contains(&number) && number.fract() == 0.0);
        is_many && COUNTED.contains(&word(at + 1))
    })
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
    fn a_number_of_tablets_after_the_drug_stands_beside_what_is_counted() {
        let after = |text: &str| number_after(&tokenise(text), 1);
        assert_eq!(after("paracetamol 30 tablets"), Some(1));
        assert_eq!(after("paracetamol (30 tablets or so)"), Some(1));
        for text in ["paracetamol 2 tablets", "paracetamol 500 mg", "paracetamol 30 mg tablets", "paracetamol"] {
            assert_eq!(after(text), None, "{text}");
        }
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
