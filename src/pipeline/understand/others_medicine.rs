//! Somebody else's tablets that were taken, of which neither the name nor the number is told: "took some of my nan's heart tablets". It may be an overdose
//! of anything, and is told though nobody feels ill.

use std::sync::LazyLock;

use super::named::{Class, Named};
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
/// What was done.
const TOOK: &str = "took|taken|swallowed|necked|downed|popped|had|ate|eaten|偷吃|偷吃了|吃了|吞了|吞下|服了";
/// How much, where it may be too much: one tablet is not.
const SOME: &str = "some|few|several|loads|load|lots|bunch|handful|handfuls|all|couple|two|three|four|five|six|seven|eight|nine|ten|packet|bottle|strip|many|2|3|4|5|6|7|8|9|10|\
                    一把|一瓶|半瓶|一板|好几|很多|不少|一堆|整瓶|几片|几粒|几颗";
/// Whose they are.
const OWNERS: &str = "mums|moms|mams|mummys|mommys|dads|daddys|grans|grandmas|grandads|granddads|grandpas|grannys|nans|nanas|nannys|grandmothers|grandfathers|mothers|fathers|sisters|brothers|wifes|\
                      husbands|aunts|aunties|uncles|neighbours|neighbors|flatmates|housemates|friends|partners|boyfriends|girlfriends|stepdads|stepmums|someone elses|somebody elses|\
                      奶奶的|爷爷的|外婆的|外公的|姥姥的|姥爷的|妈妈的|爸爸的|我妈的|我爸的|我奶奶的|我爷爷的|老公的|老婆的|室友的|别人的";
const MEDICINE: &str =
    "tablet|tablets|pill|pills|meds|medication|medications|medicine|medicines|capsules|tabs|药|药片|心脏药|降压药|降糖药|安眠药";
/// Tablets that everybody shares.
const SHARED: &str = "headache|hayfever|hay|fever|allergy|antihistamine|vitamin|vitamins|indigestion|heartburn|cold|cough|flu|travel|contraceptive|pain|painkiller|paracetamol|ibuprofen|感冒|维生素|过敏|胃药|止痛";
/// Words of somebody who asks or plans, denies, or took them by mistake.
const NOT_SO: &str = "can|should|may|could|would|if|not|never|didnt|havent|hasnt|wont|mistake|accident|accidentally|instead|wrongly|ago|years|误|误服|弄错|拿错|以前";

static TABLES: LazyLock<[PhraseTable<()>; 6]> =
    LazyLock::new(|| [TOOK, SOME, OWNERS, MEDICINE, SHARED, NOT_SO].map(|phrases| PhraseTable::of_phrases(phrases.split('|'))));

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
