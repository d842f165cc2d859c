//! The order in which chains are listed: as found, or sorted, grouped, filtered. Made when something changes, never when drawing.

use std::collections::HashMap;

use crate::graph::{Chain, ChainKind, ChainTable};
use crate::run::{FoldedNames, Pruning, SearchWords};

/// How the chains are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    AsFound,
    Score,
    Length,
    Kind,
}

impl Sort {
    /// The word in the title.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::AsFound => "",
            Self::Score => "best first",
            Self::Length => "shortest first",
            Self::Kind => "by kind",
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListRow {
    /// A chain, by its number in the table.
    Chain(u32),
    /// The heading of a group: its number among the groups.
    Head(u32),
}

/// Anchors that chains connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnchorPair {
    /// Numbers of the two ends in the table.
    pub(crate) ends: (u32, u32),
    /// How many chains connect them.
    pub(crate) chains: u32,
}

#[derive(Debug, Default)]
pub(crate) struct ChainList {
    pub(crate) sort: Sort,
    pub(crate) grouped: bool,
    pub(crate) filter: String,
    /// `None`: every chain, as found.
    rows: Option<Vec<ListRow>>,
    groups: Vec<AnchorPair>,
    total: usize,
    listed: usize,
    names: Option<FoldedNames>,
}

impl ChainList {
    /// Other chains: what was made for those before is forgotten.
    pub(crate) fn forget(&mut self) {
        self.names = None;
        self.rows = None;
        self.total = 0;
        self.listed = 0;
    }

    /// The names of the table, folded once.
    pub(crate) fn names(&mut self, table: &ChainTable) -> &FoldedNames {
        self.names.get_or_insert_with(|| FoldedNames::of(table))
    }

    /// Puts the chains in order.
    pub(crate) fn arrange(&mut self, table: &ChainTable, pruning: &Pruning) {
        self.total = table.chains.len();
        self.listed = self.total;
        self.groups.clear();
        let (kind, rest) = kind_of(&self.filter);
        let words = SearchWords::of(rest);
        if self.sort == Sort::AsFound && !self.grouped && words.is_empty() && kind.is_none() {
            self.rows = None;
            return;
        }
        let mut numbers: Vec<u32> = (0..table.chains.len() as u32).collect();
        if let Some(kind) = kind {
            numbers.retain(|number| table.chains[*number as usize].kind() == kind);
        }
        if !words.is_empty() {
            let has = self.names(table).having(&words);
            numbers.retain(|number| has(&table.chains[*number as usize]));
        }
        self.listed = numbers.len();
        let chain = |number: &u32| &table.chains[*number as usize];
        match self.sort {
            Sort::AsFound => {}
            Sort::Length => numbers.sort_by_key(|number| chain(number).len()),
            Sort::Kind => numbers.sort_by_key(|number| chain(number).kind()),
            Sort::Score => {
                let rank: HashMap<u32, u32> = pruning.kept.iter().chain(&pruning.runners_up).map(|s| s.chain).zip(0..).collect();
                numbers.sort_by_key(|number| rank.get(number).copied().unwrap_or(u32::MAX));
            }
        }
        if self.grouped {
            self.rows = Some(self.group(&numbers, table));
        } else {
            self.rows = Some(numbers.into_iter().map(ListRow::Chain).collect());
        }
    }

    /// Chains by the two entities at their ends; the pair whose chain comes first is first.
    fn group(&mut self, numbers: &[u32], table: &ChainTable) -> Vec<ListRow> {
        let mut group_of: HashMap<(u32, u32), usize> = HashMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for number in numbers {
            let ends = ends(&table.chains[*number as usize]);
            let group = *group_of.entry(ends).or_insert_with(|| {
                self.groups.push(AnchorPair { ends, chains: 0 });
                members.push(Vec::new());
                members.len() - 1
            });
            self.groups[group].chains += 1;
            members[group].push(*number);
        }
        let rows = members
            .into_iter()
            .zip(0..)
            .flat_map(|(members, group)| std::iter::once(ListRow::Head(group)).chain(members.into_iter().map(ListRow::Chain)));
        rows.collect()
    }

    /// The words of the filter, without the kind of chain that it may begin with.
    pub(crate) fn filter_words(&self) -> &str {
        kind_of(&self.filter).1
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.total, Vec::len)
    }

    /// How many chains are listed, and how many there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.listed, self.total)
    }

    pub(crate) fn row(&self, at: usize) -> Option<ListRow> {
        match &self.rows {
            Some(rows) => rows.get(at).copied(),
            None => (at < self.total).then_some(ListRow::Chain(at as u32)),
        }
    }

    pub(crate) fn group_at(&self, group: u32) -> Option<AnchorPair> {
        self.groups.get(group as usize).copied()
    }

    /// Where a chain stands; `None` when it is filtered out.
    pub(crate) fn place(&self, chain: u32) -> Option<usize> {
        match &self.rows {
            Some(rows) => rows.iter().position(|row| *row == ListRow::Chain(chain)),
            None => ((chain as usize) < self.total).then_some(chain as usize),
        }
    }

    /// The chain at or nearest to a place, first in the given direction.
    pub(crate) fn chain_near(&self, at: usize, down: bool) -> Option<u32> {
        let chain = |at: usize| match self.row(at) {
            Some(ListRow::Chain(chain)) => Some(chain),
            _ => None,
        };
        let below = || (at..self.len()).find_map(chain);
        let above = || (0..=at.min(self.len())).rev().find_map(chain);
        if down { below().or_else(above) } else { above().or_else(below) }
    }
}

/// A filter may begin with a kind of chain in words: “shared cause aspirin”. The rest are words of the chain.
fn kind_of(filter: &str) -> (Option<ChainKind>, &str) {
    let filter = filter.trim_start();
    let begins = |kind: &ChainKind| filter.get(..kind.word().len()).is_some_and(|start| start.eq_ignore_ascii_case(kind.word()));
    match ChainKind::ALL.into_iter().find(begins) {
        Some(kind) if filter[kind.word().len()..].chars().next().is_none_or(char::is_whitespace) => {
            (Some(kind), &filter[kind.word().len()..])
        }
        _ => (None, filter),
    }
}

/// The entities that a chain connects, in one order whichever way it is read.
fn ends(chain: &Chain) -> (u32, u32) {
    let (first, last) = (chain.nodes()[0], chain.nodes()[chain.len()]);
    (first.min(last), first.max(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::TableEntity;
    use crate::run::ScoredChain;

    fn table() -> ChainTable {
        let chain = |nodes: &[u32], kind| {
            let mut chain = Chain::start(nodes[0]);
            for node in &nodes[1..] {
                chain.push(0, true, *node);
            }
            chain.of_kind(kind)
        };
        let entity = |name: &str| TableEntity { name: name.into(), kind: String::new(), description: String::new() };
        ChainTable {
            entities: ["Reflux", "Acid", "Omeprazole"].map(entity).to_vec(),
            learned: Vec::new(),
            qualified: Vec::new(),
            relations: Vec::new(),
            chains: vec![
                chain(&[0, 1, 2], ChainKind::CoAncestor),
                chain(&[0, 1], ChainKind::Path),
                chain(&[2, 1, 0], ChainKind::Path),
                chain(&[1, 2], ChainKind::Path),
            ],
        }
    }

    fn listed(list: &ChainList) -> Vec<u32> {
        (0..list.len()).filter_map(|at| list.row(at)).filter_map(|row| if let ListRow::Chain(c) = row { Some(c) } else { None }).collect()
    }

    #[test]
    fn chains_are_sorted_filtered_and_grouped() {
        let (table, mut list) = (table(), ChainList::default());
        let scored = |chain| ScoredChain { chain, score: 0.5, by_fragment: Vec::new() };
        let pruning = Pruning { kept: vec![scored(3)], runners_up: vec![scored(1)], ..Pruning::default() };
        list.arrange(&table, &pruning);
        assert_eq!(listed(&list), [0, 1, 2, 3]);
        for (sort, order) in [(Sort::Score, [3, 1, 0, 2]), (Sort::Length, [1, 3, 0, 2]), (Sort::Kind, [1, 2, 3, 0])] {
            list.sort = sort;
            list.arrange(&table, &pruning);
            assert_eq!(listed(&list), order, "{sort:?}");
        }
        list.sort = Sort::AsFound;
        list.filter = "omep reflux".into();
        list.arrange(&table, &pruning);
        assert_eq!((listed(&list), list.counts(), list.place(3)), (vec![0, 2], (2, 4), None));
        list.filter = "shared result".into();
        list.arrange(&table, &pruning);
        assert_eq!(listed(&list), [0]);
        list.filter = "Path acid omep".into();
        list.arrange(&table, &pruning);
        assert_eq!(listed(&list), [2, 3], "a kind, and words of the chain");
        list.filter.clear();
        list.grouped = true;
        list.arrange(&table, &pruning);
        assert_eq!(listed(&list), [0, 2, 1, 3], "0 and 2 connect the same two, read from either end");
        assert_eq!(list.row(0), Some(ListRow::Head(0)));
        assert_eq!(list.group_at(0), Some(AnchorPair { ends: (0, 2), chains: 2 }));
        assert_eq!((list.len(), list.chain_near(0, true), list.chain_near(3, false), list.place(1)), (7, Some(0), Some(2), Some(4)));
    }
}
