//! The list of chains, a page at a time.

use crate::graph::ChainTable;
use crate::run::triage::Verdict;
use crate::run::{FoldedNames, Marks, SearchWords, Trace, Triage};

use super::phrases::chain;
use crate::words::{Language, counted_words, words};

/// The number of chains on a page.
const PAGE: usize = 20;

/// The chains of a list, and how many of them have been printed.
#[derive(Debug)]
pub(super) struct ChainPages {
    /// Numbers in the table.
    chains: Vec<u32>,
    printed: usize,
}

impl ChainPages {
    /// Chains in which every word occurs, in an entity's or a relation's name.
    pub(super) fn of(table: &ChainTable, words: &[String]) -> Self {
        let words = SearchWords::of(&words.join(" "));
        let has = FoldedNames::of(table).having(&words);
        let chains = table.chains.iter().zip(0..).filter(|(chain, _)| has(chain)).map(|(_, number)| number).collect();
        Self { chains, printed: 0 }
    }

    /// How many chains there are.
    pub(super) fn len(&self) -> usize {
        self.chains.len()
    }

    /// The sentences of the next page; empty at the end of the list.
    pub(super) fn next_page(&mut self, trace: &Trace, marks: &Marks, wanted: &Triage, l: Language) -> Vec<String> {
        let page = self.chains.get(self.printed..).unwrap_or_default();
        let page = &page[..page.len().min(PAGE)];
        let mut sentences: Vec<String> = page.iter().filter_map(|number| sentence(trace, marks, wanted, *number, l)).collect();
        self.printed += page.len();
        let left = self.chains.len() - self.printed;
        if left > 0 && !sentences.is_empty() {
            sentences.push(words!(
                l,
                "{count} left. Type more to hear the next ones.",
                count = counted_words!(l, left as u64, "chain is", "chains are")
            ));
        }
        sentences
    }
}

fn sentence(trace: &Trace, marks: &Marks, wanted: &Triage, number: u32, l: Language) -> Option<String> {
    let walk = trace.table.chains.get(number as usize)?;
    let text = chain(&trace.table, marks, walk, l);
    let kept = trace.kept_id(number).map_or_else(String::new, |id| words!(l, " It is kept chain {id}.", id = id));
    let decided = match wanted.verdict(&trace.table, walk) {
        Verdict::Pinned => words!(l, " You pinned it.").to_owned(),
        Verdict::Restored => words!(l, " You restored it.").to_owned(),
        verdict => verdict.reason().map_or_else(String::new, |_| words!(l, " You rejected it.").to_owned()),
    };
    let number = number + 1;
    Some(words!(l, "Chain {number}: {text}.{kept}{decided}", number = number, text = text, kept = kept, decided = decided))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Chain, Player, Role, TableEntity, TableRelation};

    fn table(chains: usize) -> ChainTable {
        let entity = |name: &str| TableEntity { name: name.into(), kind: "disease".into(), description: String::new() };
        let relation = |name: &str| TableRelation { name: name.into(), display: name.into(), role: Role::Related, player: Player::Tail };
        let mut walk = Chain::start(0);
        walk.push(0, true, 1);
        let mut other = Chain::start(2);
        other.push(1, true, 1);
        let mut all = vec![walk; chains];
        all.push(other);
        ChainTable {
            entities: ["Reflux", "Stomach ulcer", "Omeprazole"].map(entity).into(),
            relations: ["leads to", "treats"].map(relation).into(),
            chains: all,
            ..ChainTable::default()
        }
    }

    #[test]
    fn every_word_must_occur_in_some_name() {
        let table = table(1);
        let found = |words: &[&str]| ChainPages::of(&table, &words.iter().map(ToString::to_string).collect::<Vec<_>>()).chains;
        assert_eq!(found(&[]), [0, 1]);
        assert_eq!(found(&["ULCER", "treats"]), [1]);
        assert_eq!(found(&["reflux", "treats"]), [0u32; 0]);
    }

    #[test]
    fn pages_have_twenty_chains_and_the_last_says_no_more() {
        let mut trace = Trace::default();
        trace.table = table(24).into();
        let mut listing = ChainPages::of(&trace.table, &[]);
        let mut page = || listing.next_page(&trace, &Marks::default(), &Triage::default(), Language::English);
        let first = page();
        assert_eq!(first.len(), PAGE + 1);
        assert_eq!(
            (first[0].as_str(), first[PAGE].as_str()),
            ("Chain 1: Reflux leads to Stomach ulcer.", "5 chains are left. Type more to hear the next ones.")
        );
        assert_eq!(page().len(), 5);
        assert!(page().is_empty());
    }
}
