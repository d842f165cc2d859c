//! Somebody else's tablets that were taken, of which neither the name nor the number is told: "took some of my nan's heart tablets". It may be an overdose
//! of anything, and is told though nobody feels ill.
//!
//! The words are in `assets/swallowed.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::named::{Class, Named};
use super::swallowed::WORDS;
use crate::graph::EvolvingGraph;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::text::{Token, clause_around};

/// What the graph calls too much of any medicine.
const OF_TABLETS: &str = "Deliberate overdose of tablets";
/// How many words may stand between what was done and the tablets, behind them, and between them and their owner.
const WITHIN: usize = 11;
const BEHIND: usize = 3;
const OWNED: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OthersWords {
    took: Vec<String>,
    some: Vec<String>,
    owners: Vec<String>,
    medicine: Vec<String>,
    shared: Vec<String>,
    not_so: Vec<String>,
}

static TABLES: LazyLock<[PhraseTable<()>; 6]> = LazyLock::new(|| {
    let of = &WORDS.others;
    let owners = PhraseTable::of_phrases(WORDS.owners.iter().chain(&of.owners));
    let [took, some, medicine, shared, not_so] = [&of.took, &of.some, &of.medicine, &of.shared, &of.not_so].map(PhraseTable::of_phrases);
    [took, some, owners, medicine, shared, not_so]
});

/// The overdose that it may be; once, and not where the text names one.
pub(super) fn took_of_others(graph: &EvolvingGraph, tokens: &[Token], named: &[Named]) -> Option<Named> {
    let entity = graph.find(OF_TABLETS).filter(|entity| !named.iter().any(|of| of.entity == *entity))?;
    let span = (0..tokens.len()).find_map(|at| told_at(tokens, at))?;
    Some(Named { span, entity, class: Class::Condition })
}

/// Where it is told from a token on: what was done, how much, whose, and that they are medicines.
fn told_at(tokens: &[Token], at: usize) -> Option<Span> {
    let [took, some, owners, medicine, shared, not_so] = &*TABLES;
    let done = took.at(tokens, at)?;
    let clause = clause_around(tokens, at);
    let end = clause.end.min(at + WITHIN);
    let find =
        |table: &PhraseTable<()>, from: usize, to: usize| (from..to).find_map(|at| table.at(tokens, at).map(|found| (at, found.last)));
    let owner = find(owners, done.last, end)?;
    let what = find(medicine, owner.1, end.min(owner.1 + OWNED + 1))?;
    // 吃了奶奶的降压药好几片: Chinese may say behind it how many.
    let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
    let until = if is_chinese { clause.end.min(what.1 + BEHIND) } else { owner.0 };
    find(some, done.last, until)?;
    // "For my back": they were taken as a medicine.
    let is_for = (what.1..clause.end.min(what.1 + BEHIND)).any(|at| tokens.get(at).is_some_and(|token| token.text == "for"));
    let is_else = find(shared, done.last, what.1).is_some() || find(not_so, clause.start, clause.end).is_some() || is_for;
    (!is_else).then_some(Span { first: at, last: what.1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn is_told(text: &str) -> bool {
        let tokens = tokenise(text);
        (0..tokens.len()).any(|at| told_at(&tokens, at).is_some())
    }

    #[test]
    fn tablets_of_somebody_else_may_be_an_overdose() {
        for text in [
            "took some of my nans heart tablets last nite dont know why",
            "she swallowed a handful of her dad's pills",
            "i took a few of my mums blood pressure meds",
            "偷吃了奶奶的降压药好几片",
        ] {
            assert!(is_told(text), "{text}");
        }
    }

    #[test]
    fn one_tablet_shared_tablets_and_a_mistake_are_none() {
        for text in [
            "took one of my wifes tablets for my back",
            "took some of my mums headache tablets",
            "took some of my wifes tablets for my knee",
            "can i take some of my mums tablets",
            "should she have taken some of her mums tablets",
            "he took two of my dads pills by mistake",
            "took some of my tablets with water",
            "吃了妈妈的药，感觉好多了",
        ] {
            assert!(!is_told(text), "{text}");
        }
    }
}
