//! One ingredient in two products: "can I take Tylenol with Panadol?" names one drug twice, and co-codamol beside Percocet holds paracetamol twice. No
//! interaction is stored between a drug and itself, so that nothing would be said.

use std::collections::BTreeSet;

use super::SafetyReport;
use super::pairs::pair_of;
use super::states::entity_of;
use crate::graph::{EntityId, EvolvingGraph, Kind, classes_of};
use crate::run::case::{AskKind, Case, DrugStatus};
use crate::text::{Token, fold, tokenise};

/// The most words between two names of one drug that are taken together.
const BETWEEN: usize = 6;
/// What joins the two …
const JOINS: [&str; 16] =
    ["with", "and", "plus", "alongside", "after", "then", "besides", "beside", "on", "和", "跟", "与", "加", "同", "配", "再"];
/// … or says somewhere in the question that both are taken.
const TOGETHER: [&str; 8] = ["together", "both", "same time", "as well", "一起", "同时", "一块", "都吃"];
/// What stands between two names of which only one is meant …
const EITHER: [&str; 7] = ["or", "than", "is", "are", "called", "same", "或"];
/// … and what says that one is taken in the place of the other.
const CHANGES: [&str; 6] = ["switch", "swap", "chang", "replac", "instead", "换"];

/// Of which glucose and saline are kinds: it is nothing that both hold.
const NO_INGREDIENT: &str = "Intravenous fluids";

/// Two products that hold the same ingredient, as the question names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SameIngredient {
    /// Their names in the question, or the names of their entities.
    pub(super) products: [Named; 2],
    /// What both hold.
    pub(super) ingredient: EntityId,
}

/// A product as it is named: by words of the question that are another name of its drug, or by its entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Words(String),
    Entity(EntityId),
}

impl SafetyReport {
    /// Says what two products of the question hold both, where nothing is stored of the two. Then nobody asked for all that the drug must not be given with.
    pub(crate) fn add_same_ingredients(&mut self, graph: &EvolvingGraph, question: &str, case: &Case) {
        let asks = |kind| matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::Treatment | AskKind::Dose);
        if !case.asks.is_empty() && !case.asks.iter().any(|ask| asks(ask.kind)) {
            return;
        }
        let mut found: Vec<SameIngredient> = self.of_two_drugs(graph, question, case);
        found.extend(named_twice(graph, question, case).filter(|_| found.is_empty()));
        if !found.is_empty() {
            self.lists.clear();
            let is_said = |a: EntityId, b: EntityId| {
                found.iter().any(|same| match &same.products {
                    [Named::Entity(first), Named::Entity(second)] => pair_of(a, b) == pair_of(*first, *second),
                    _ => false,
                })
            };
            for none in &mut self.none_stored {
                let drug = none.drug;
                none.with.retain(|other| !is_said(drug, *other));
            }
            self.none_stored.retain(|none| !none.with.is_empty());
        }
        self.same = found;
    }

    /// Two drugs of the case that hold one ingredient, themselves or by what they are a kind of, and of which nothing is stored together.
    fn of_two_drugs(&self, graph: &EvolvingGraph, question: &str, case: &Case) -> Vec<SameIngredient> {
        let place = |entity: EntityId| {
            let is_it = |name: &str| entity_of(graph, name) == Some(entity);
            case.drugs.iter().find(|drug| drug.entity.as_deref().is_some_and(is_it)).map(|drug| (drug.start, drug.end))
        };
        // "Amoxicillin or co-amoxiclav?" means one of the two, and so does a change.
        let is_choice = |first: EntityId, second: EntityId| {
            let (Some(one), Some(other)) = (place(first), place(second)) else { return false };
            let (first, second) = if one <= other { (one, other) } else { (other, one) };
            question.get(first.1..second.0).is_some_and(|gap| means_one(question, gap))
        };
        let drugs: Vec<EntityId> = self.items.all.iter().filter(|item| item.standing.is_drug()).map(|item| item.entity).collect();
        let mut found = Vec::new();
        for (number, first) in drugs.iter().enumerate() {
            for second in drugs.iter().skip(number + 1) {
                let shared = ingredients(graph, *first).into_iter().find(|one| ingredients(graph, *second).contains(one));
                let is_known = self.statements.iter().any(|statement| statement.is_about(*first, *second));
                let (Some(ingredient), false) = (shared, is_known || is_choice(*first, *second)) else { continue };
                found.push(SameIngredient { products: [Named::Entity(*first), Named::Entity(*second)], ingredient });
            }
        }
        found
    }
}

/// A drug, and the drugs that it is a kind of: what it holds. A class of drugs is no ingredient, nor is what only tells how something is given.
fn ingredients(graph: &EvolvingGraph, drug: EntityId) -> Vec<EntityId> {
    let is_drug = |entity: &EntityId| *graph.kind(*entity) == Kind::Drug && graph.entity_name(*entity) != NO_INGREDIENT;
    std::iter::once(drug).chain(classes_of(graph, drug)).filter(is_drug).collect()
}

/// The first drug of the case that the question names by two different names, as two things that are taken together.
fn named_twice(graph: &EvolvingGraph, question: &str, case: &Case) -> Option<SameIngredient> {
    let tokens = tokenise(question);
    let in_play: BTreeSet<EntityId> = case
        .drugs
        .iter()
        .filter(|drug| matches!(drug.status, DrugStatus::Proposed | DrugStatus::New | DrugStatus::Taken))
        .filter_map(|drug| entity_of(graph, drug.entity.as_deref()?))
        .filter(|entity| *graph.kind(*entity) == Kind::Drug)
        .collect();
    let mut named: Vec<(usize, usize, EntityId)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let hit = graph.names().longest_at(&tokens, at);
        let drug = hit.as_ref().and_then(|hit| hit.entities.iter().map(|(entity, _)| *entity).find(|entity| in_play.contains(entity)));
        let last = hit.map_or(at + 1, |hit| hit.last.max(at + 1));
        named.extend(drug.map(|drug| (at, last, drug)));
        at = last;
    }
    let words = |from: usize, to: usize| {
        let (start, end) = (tokens.get(from)?.start, tokens.get(to.checked_sub(1)?)?.end);
        question.get(start..end)
    };
    let is_pair = |(first, second): (&(usize, usize, EntityId), &(usize, usize, EntityId))| {
        let one = words(first.0, first.1)?;
        let other = words(second.0, second.1)?;
        let is_other = first.2 == second.2 && fold(one) != fold(other);
        (is_other && taken_together(question, &tokens, first.1, second.0)).then(|| SameIngredient {
            products: [Named::Words(one.to_owned()), Named::Words(other.to_owned())],
            ingredient: ingredients(graph, first.2).last().copied().unwrap_or(first.2),
        })
    };
    named.iter().zip(named.iter().skip(1)).find_map(is_pair)
}

/// Whether the words between two names (tokens `from..to`) say that both are taken: not "Tylenol (paracetamol)", "Tylenol or Panadol".
fn taken_together(question: &str, tokens: &[Token], from: usize, to: usize) -> bool {
    let (Some(between), Some(next)) = (tokens.get(from..to), tokens.get(to)) else { return false };
    let Some(gap) = from.checked_sub(1).and_then(|last| question.get(tokens.get(last)?.end..next.start)) else { return false };
    let is_join = |token: &Token| JOINS.contains(&token.text.as_str());
    let is_joined = between.iter().any(is_join) || gap.contains(['+', '&', '、']);
    let lower = question.to_lowercase();
    let is_together = TOGETHER.iter().any(|word| lower.contains(word));
    between.len() <= BETWEEN && !means_one(question, gap) && (is_joined || is_together)
}

/// Whether what stands between two names says that only one of the two is meant, or the question that one is changed for the other.
fn means_one(question: &str, gap: &str) -> bool {
    let lower = question.to_lowercase();
    let is_either = tokenise(gap).iter().any(|token| EITHER.contains(&token.text.as_str()));
    is_either || gap.contains("还是") || gap.contains(['(', '（', '=', '/']) || CHANGES.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two names in a sentence are taken together.
    fn together(question: &str, first: &str, second: &str) -> bool {
        let tokens = tokenise(question);
        let end = question.find(first).expect("is there") + first.len();
        let start = question.rfind(second).expect("is there");
        let from = tokens.iter().position(|token| token.start >= end).expect("a word");
        let to = tokens.iter().position(|token| token.start >= start).expect("a word");
        taken_together(question, &tokens, from, to)
    }

    #[test]
    fn two_names_are_two_products_only_where_both_are_taken() {
        for (question, first, second) in [
            ("Can I take Tylenol with Panadol?", "Tylenol", "Panadol"),
            ("Took Calpol and then Disprol, is that ok", "Calpol", "Disprol"),
            ("泰诺和快克能一起吃吗", "泰诺", "快克"),
            ("Nurofen + Brufen at night?", "Nurofen", "Brufen"),
            ("吃了白加黑，再吃泰诺行吗", "白加黑", "泰诺"),
        ] {
            assert!(together(question, first, second), "{question}");
        }
        for (question, first, second) in [
            ("Is Tylenol (Panadol) safe with warfarin?", "Tylenol", "Panadol"),
            ("Tylenol or Panadol for a headache with warfarin?", "Tylenol", "Panadol"),
            ("Is Tylenol the same as Panadol?", "Tylenol", "Panadol"),
            ("Can I switch from Tylenol to Panadol?", "Tylenol", "Panadol"),
            ("吃泰诺还是快克好", "泰诺", "快克"),
            ("Tylenol makes me sick and so I would like to try a new packet, Panadol", "Tylenol", "Panadol"),
        ] {
            assert!(!together(question, first, second), "{question}");
        }
    }
}
