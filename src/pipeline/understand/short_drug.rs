//! Drugs that are called by the first word of their names: "isosorbide" for the mononitrate or the dinitrate, "tranexamic". Which of
//! several is meant is not known, so their class stands for them.

use crate::graph::{EntityId, EvolvingGraph, Kind, classes_of};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::{NameMention, Span};
use crate::text::{StopWords, Token};

/// The drugs whose names have several words, by first and last token, and one more: in "combined pill" no word asks for anything. "The pill" may be
/// any.
pub(super) fn drug_names(graph: &EvolvingGraph, tokens: &[Token]) -> Vec<(usize, usize)> {
    let is_drug = |entity: EntityId| matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass);
    let says_enough = |first: usize, last: usize| {
        let words = tokens.get(first..last).unwrap_or_default();
        let content = words.iter().filter(|word| !StopWords::built_in().contains(&word.text)).count();
        content > 1 || words.first().is_some_and(|word| word.text == "on")
    };
    let names = (0..tokens.len()).filter_map(|at| graph.names().longest_at(tokens, at));
    let of_drugs = names.filter(|hit| hit.entities.iter().any(|(entity, exact)| *exact && is_drug(*entity)));
    of_drugs.filter(|hit| hit.last > hit.first + 1 && says_enough(hit.first, hit.last)).map(|hit| (hit.first, hit.last)).collect()
}

/// What a single name of a drug goes on with where its first word says enough.
const ACID: &str = "acid";

/// The drugs that single words begin. `is_open`: whether a token belongs to no name yet.
pub(super) fn short_drug_names(knowledge: &Knowledge, tokens: &[Token], is_open: impl Fn(usize) -> bool) -> Vec<NameMention> {
    let named = |(at, token): (usize, &Token)| {
        if token.cjk || !is_open(at) || !knowledge.graph.names().lookup_exact(&token.text).is_empty() {
            return None;
        }
        let entity = meant(knowledge, knowledge.spellings().drugs_begun_by(&token.text))?;
        Some(NameMention { span: Span { first: at, last: at + 1 }, entities: vec![(entity, false)], recogniser: "short name" })
    };
    tokens.iter().enumerate().filter_map(named).collect()
}

/// The one drug, or the nearest class that all of several have in common.
fn meant(knowledge: &Knowledge, drugs: &[EntityId]) -> Option<EntityId> {
    let graph = &knowledge.graph;
    match drugs {
        [] => None,
        [only] => graph.entity_name(*only).ends_with(ACID).then_some(*only),
        [first, others @ ..] => {
            let classes: Vec<Vec<EntityId>> = others.iter().map(|drug| classes_of(graph, *drug)).collect();
            classes_of(graph, *first).into_iter().find(|class| classes.iter().all(|of_other| of_other.contains(class)))
        }
    }
}
