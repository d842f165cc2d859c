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
                          helped himself to|helped herself to|gulped|gobbled|误服|误食|误吃|偷吃|偷喝|误喝|吞了|吞下|当糖吃";
/// What makes a clause one about how to give a drug.
const GIVEN: &str = "prescribed|give|given|dose|doses|can|should|how do i|cannot be|with food|能|可以|应该";

static BY_MISTAKES: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(BY_MISTAKE.split('|')));
static GIVENS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(GIVEN.split('|')));

/// The accident, once, where a small child is told to have swallowed a drug that is named.
pub(super) fn swallowed_by_child(graph: &EvolvingGraph, tokens: &[Token], named: &[Named], age: Option<Age>) -> Option<Named> {
    let entity = graph.find(SWALLOWED).filter(|entity| !named.iter().any(|of| of.entity == *entity))?;
    if !age.is_some_and(|age| age.to < SMALL) {
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
        before().any(|at| is_there(&BY_MISTAKES, at)) && !eats_with && !clause.into_iter().any(|at| is_there(&GIVENS, at))
    };
    let drug = named.iter().filter(|of| of.class == Class::Drug).find(is_told)?;
    Some(Named { span: drug.span, entity, class: Class::Condition })
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
    }
}
