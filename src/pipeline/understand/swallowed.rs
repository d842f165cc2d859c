//! A drug that a small child swallowed: "our toddler swallowed one glipizide tablet". One tablet can be enough, so no number is asked for.

use super::named::{Class, Named};
use super::patient::Age;
use crate::graph::EvolvingGraph;
use crate::language::phrase_table::PhraseTable;
use crate::text::{Token, clause_around};
use std::sync::LazyLock;

/// What the graph calls it.
const SWALLOWED: &str = "Tablets swallowed by a child";
/// Months of life in which a child puts what it finds into its mouth.
const SMALL: u16 = 72;
/// How many words may stand between what the child did and the drug: "swallowed one of her gran's slow-release".
const WITHIN: usize = 8;
/// What no one says of a dose that is given. "Took" and "drank" are said of it, too.
const BY_MISTAKE: &str = "swallowed|ate|eaten|has eaten|chewed|sucked|licked|ingested|got into|gotten into|got hold of|gotten hold of|got his hands on|got her hands on|\
                          helped himself to|helped herself to|gulped|gobbled|误服|误食|误吃|误吞|偷吃|偷喝|误喝|吞了|吞下|当糖吃|吃了妈妈的|吃了爸爸的|吃了奶奶的|吃了爷爷的|吃了外婆的|\
                          吃了外公的|吃了姥姥的|吃了姥爷的|吃了大人的";
/// What makes a clause one about how to give a drug.
const GIVEN: &str = "prescribed|give|given|gave|dose|doses|can|should|how do i|cannot be|with food|usual|daily|regular|always|as directed|every day|every morning|every night|\
                     能|可以|应该|按时|每天|医生开的";
/// What is long over: how well the child is, is known.
const LONG_AGO: &str = "year ago|years ago|month ago|months ago|weeks ago|last year|last month|去年|年前|月前|周前";
/// Who may stand before what was done, and is no child.
const GROWN_UP: &str = "i|ive|we|wife|husband|dad|mum|mom|mother|father|gran|granny|grandad|grandma|grandpa|nan|partner|boyfriend|girlfriend|我|老婆|老公|妻子|丈夫";
const CHILD: &str = "old|he|she|hes|shes|they|toddler|baby|infant|child|kid|son|daughter|boy|girl|lad|twin|twins|grandson|granddaughter|nephew|niece|sister|brother|\
                     孩子|宝宝|小孩|儿子|女儿|男孩|女孩|他|她|岁";

static BY_MISTAKES: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(BY_MISTAKE.split('|')));
static LONG_AGOS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(LONG_AGO.split('|')));
/// People, and whether they are children.
static PEOPLE: LazyLock<PhraseTable<bool>> =
    LazyLock::new(|| PhraseTable::of(GROWN_UP.split('|').map(|who| (who, false)).chain(CHILD.split('|').map(|who| (who, true)))));
static GIVENS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(GIVEN.split('|')));

/// Whether an entity of this name is such an accident.
pub(super) fn is_swallowed_by_child(name: &str) -> bool {
    name == SWALLOWED
}

/// The accident, once, where a small child is told to have swallowed a drug that is named.
pub(super) fn swallowed_by_child(graph: &EvolvingGraph, tokens: &[Token], named: &[Named], age: Option<Age>) -> Option<Named> {
    let entity = graph.find(SWALLOWED).filter(|entity| !named.iter().any(|of| of.entity == *entity))?;
    let is_over = || (0..tokens.len()).any(|at| LONG_AGOS.at(tokens, at).is_some());
    if age.is_none_or(|age| age.to >= SMALL) || is_over() {
        return None;
    }
    let is_told = |drug: &&Named| {
        let clause = clause_around(tokens, drug.span.first);
        let from = clause.start.max(drug.span.first.saturating_sub(WITHIN));
        let is_there = |table: &PhraseTable<()>, at: usize| table.at(tokens, at).is_some();
        let before = || from..drug.span.first;
        // "Has she eaten with her amoxicillin" eats something else.
        let eats_with =
            tokens.get(before()).unwrap_or_default().iter().any(|token| matches!(token.text.as_str(), "with" | "after" | "before"));
        before().any(|at| is_there(&BY_MISTAKES, at) && is_of_child(tokens, clause.start, at))
            && !eats_with
            && !clause.into_iter().any(|at| is_there(&GIVENS, at))
    };
    let drug = named.iter().filter(|of| of.class == Class::Drug).find(is_told)?;
    Some(Named { span: drug.span, entity, class: Class::Condition })
}

/// Whether who did what is told at a token is a child, as far as the words before it in its clause say. Behind "and" it is whom the clause begins
/// with: "my wife has a 3 year old and swallowed her levothyroxine".
fn is_of_child(tokens: &[Token], begin: usize, at: usize) -> bool {
    let person = |at: usize| PEOPLE.at(tokens, at).map(|found| found.means);
    let joins = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|token| token.text == "and");
    let who = if joins { (begin..at).find_map(person) } else { (begin..at).rev().find_map(person) };
    who.unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::language::recognise::Span;
    use crate::text::tokenise;

    #[test]
    fn one_tablet_is_enough_in_a_small_child_and_a_dose_is_none() {
        let graph = EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")));
        let drug = graph.find("Glipizide").expect("known");
        let told = |text: &str, months: u16| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "glipizide").expect("named");
            let named = [Named { span: Span { first: at, last: at + 1 }, entity: drug, class: Class::Drug }];
            swallowed_by_child(&graph, &tokens, &named, Some(Age { from: months, to: months + 11 })).is_some()
        };
        assert!(told("toddler swallowed one glipizide tablet, seems well", 24));
        assert!(told("he has eaten two of grandad's glipizide", 36));
        assert!(told("she got hold of her gran's glipizide", 12));
        assert!(!told("swallowed one glipizide tablet", 480), "a grown-up takes it");
        assert!(!told("he takes glipizide", 24));
        assert!(!told("prescribed glipizide, cannot swallow it", 24));
        assert!(!told("has he eaten before his glipizide", 24));
        for other in [
            "my wife has a 3 year old and swallowed her glipizide with coffee",
            "I have a 2 year old and I swallowed my glipizide",
            "my dad swallowed his glipizide",
            "he swallowed his daily glipizide as usual",
            "2 years ago my son, who is 5, swallowed one glipizide",
            "she swallowed the glipizide the doctor gave her",
        ] {
            assert!(!told(other, 36), "{other}");
        }
        assert!(told("I left the room and my son swallowed a glipizide", 36));
        assert!(told("my son climbed up and swallowed a glipizide", 36));
    }
}
