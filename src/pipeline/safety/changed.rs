//! One drug changed for another: "swap warfarin for apixaban" does not ask whether both may be taken.

use super::SafetyReport;
use super::statement::SafetyKind;
use super::states::entity_of;
use crate::graph::{EntityId, EvolvingGraph};
use crate::run::case::{Case, CaseDrug};
use crate::text::{Token, tokenise};

/// What says that something is changed …
const CHANGES: [&str; 18] = [
    "swap",
    "swapped",
    "swapping",
    "switch",
    "switched",
    "switching",
    "change",
    "changed",
    "changing",
    "replace",
    "replaced",
    "replacing",
    "convert",
    "converting",
    "transfer",
    "move",
    "换",
    "改",
];
/// … and what stands between the two that are changed for each other.
const FOR: [&str; 13] = ["to", "for", "with", "onto", "into", "by", "over", "from", "成", "为", "到", "换", "改"];
/// The most words before the first of the two, and between them: "swap his usual warfarin 3 mg at night to apixaban".
const BEFORE: usize = 6;
const BETWEEN: usize = 8;

/// The two drugs that a question wants to change for each other.
pub(crate) fn changed(graph: &EvolvingGraph, question: &str, case: &Case) -> Option<(EntityId, EntityId)> {
    let tokens = tokenise(question);
    let mut drugs: Vec<&CaseDrug> = case.drugs.iter().filter(|drug| drug.entity.is_some() && drug.end > drug.start).collect();
    drugs.sort_by_key(|drug| drug.start);
    let says = |token: &Token, words: &[&str]| words.contains(&token.text.as_str());
    let between = |from: usize, to: usize| tokens.iter().filter(move |token| token.start >= from && token.end <= to);
    let is_change = |(first, second): &(&CaseDrug, &CaseDrug)| {
        let of_pair: Vec<&Token> = between(first.end, second.start).collect();
        let before: Vec<&Token> = between(0, first.start).collect();
        let said_at = before.iter().rev().take(BEFORE).position(|token| says(token, &CHANGES));
        // "Switched to apixaban with bisoprolol": what stands behind it is no pair.
        let is_target = |at: usize| before.iter().rev().take(at).any(|token| says(token, &["to", "onto", "into"]));
        // In Chinese the verb stands between them.
        let is_said = said_at.is_some_and(|at| !is_target(at)) || of_pair.iter().any(|token| token.cjk && says(token, &CHANGES));
        let is_one_clause = of_pair.iter().all(|token| !token.after_break);
        is_said && is_one_clause && of_pair.len() <= BETWEEN && of_pair.iter().any(|token| says(token, &FOR))
    };
    let mut pairs = drugs.iter().zip(drugs.iter().skip(1)).map(|(first, second)| (*first, *second));
    let (first, second) = pairs.find(is_change)?;
    let find = |drug: &CaseDrug| entity_of(graph, drug.entity.as_deref()?);
    Some((find(first)?, find(second)?)).filter(|(first, second)| first != second)
}

impl SafetyReport {
    /// Takes it that one of two drugs is changed for the other: what they do together matters while they are changed, and is said last.
    pub(crate) fn change(&mut self, (first, second): (EntityId, EntityId)) {
        self.changed = Some((first, second));
        self.statements.sort_by_key(|statement| statement.kind == SafetyKind::Interaction && statement.is_about(first, second));
    }
}
