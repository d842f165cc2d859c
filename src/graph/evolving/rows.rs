//! Rows of learned triples, in pages that graphs share until one of them changes: a change copies the pages that it touches.

use std::sync::Arc;

use crate::graph::entity::EntityId;
use crate::graph::store::Edge;

/// Entities of a page.
const PAGE: usize = 128;

/// One end of a triple that comes or goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowChange {
    /// Whose row.
    pub(super) of: EntityId,
    /// The triple, seen from there.
    pub(super) edge: Edge,
    /// The record that the triple was learned by; `None` where it goes.
    pub(super) record: Option<u64>,
}

#[derive(Debug, Clone)]
struct Page {
    /// Row `i` is `edges[starts[i]..starts[i + 1]]`.
    starts: [u32; PAGE + 1],
    edges: Vec<Edge>,
    /// For each edge the record that it was learned by.
    records: Vec<u64>,
}

/// Rows of the entities that have learned triples, each sorted by far end, then relation.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pages: Vec<Option<Arc<Page>>>,
    /// At least as many edges as the longest row has.
    longest: usize,
}

impl Rows {
    #[inline]
    fn found(&self, entity: EntityId) -> Option<(&Page, std::ops::Range<usize>)> {
        let page = self.pages.get(entity.index() / PAGE)?.as_deref()?;
        let slot = entity.index() % PAGE;
        Some((page, page.starts[slot] as usize..page.starts[slot + 1] as usize))
    }

    #[inline]
    pub(super) fn row(&self, entity: EntityId) -> &[Edge] {
        self.found(entity).map_or(&[], |(page, range)| &page.edges[range])
    }

    /// The record by which a triple was learned.
    pub(super) fn record(&self, entity: EntityId, edge: Edge) -> Option<u64> {
        let (page, range) = self.found(entity)?;
        let at = page.edges[range.clone()].binary_search(&edge).ok()?;
        page.records.get(range.start + at).copied()
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Entities with a row that is not empty, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = EntityId> + '_ {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_deref()?)));
        pages.flat_map(|(at, page)| {
            let of_slot = move |slot: usize| (page.starts[slot] < page.starts[slot + 1]).then(|| EntityId((at * PAGE + slot) as u32));
            (0..PAGE).filter_map(of_slot)
        })
    }

    /// Puts triples in and takes some out. `changes`: sorted by entity and edge, each edge once; what is put in is not there, what is
    /// taken out is.
    pub(super) fn change(&mut self, changes: &[RowChange]) {
        for of_page in changes.chunk_by(|a, b| a.of.index() / PAGE == b.of.index() / PAGE) {
            let at = of_page[0].of.index() / PAGE;
            if self.pages.len() <= at {
                self.pages.resize(at + 1, None);
            }
            let page = Page::changed(self.pages[at].as_deref(), of_page);
            self.longest = page.starts.windows(2).map(|row| (row[1] - row[0]) as usize).fold(self.longest, usize::max);
            self.pages[at] = (!page.edges.is_empty()).then(|| Arc::new(page));
        }
        if self.pages.iter().all(Option::is_none) {
            self.longest = 0;
        }
    }
}

impl Page {
    fn changed(old: Option<&Self>, changes: &[RowChange]) -> Self {
        let room = old.map_or(0, |old| old.edges.len()) + changes.len();
        let mut page = Self { starts: [0; PAGE + 1], edges: Vec::with_capacity(room), records: Vec::with_capacity(room) };
        let mut rest = changes;
        for slot in 0..PAGE {
            let here = rest.iter().take_while(|change| change.of.index() % PAGE == slot).count();
            let (mine, others) = rest.split_at(here);
            rest = others;
            let range = old.map_or(0..0, |old| old.starts[slot] as usize..old.starts[slot + 1] as usize);
            let mut kept = range.clone().peekable();
            let mut mine = mine.iter().peekable();
            while let Some(change) = mine.peek() {
                let next = kept.peek().and_then(|at| Some((old?, *at))).filter(|(old, at)| old.edges[*at] <= change.edge);
                match (next, change.record) {
                    (Some((old, at)), _) if old.edges[at] < change.edge => {
                        page.push(old.edges[at], old.records[at]);
                        kept.next();
                    }
                    // The very edge: it goes, or stays with its first record.
                    (Some((old, at)), record) => {
                        if record.is_some() {
                            page.push(old.edges[at], old.records[at]);
                        }
                        kept.next();
                        mine.next();
                    }
                    (None, record) => {
                        if let Some(record) = record {
                            page.push(change.edge, record);
                        }
                        mine.next();
                    }
                }
            }
            if let Some(old) = old {
                kept.for_each(|at| page.push(old.edges[at], old.records[at]));
            }
            page.starts[slot + 1] = page.edges.len() as u32;
        }
        page
    }

    fn push(&mut self, edge: Edge, record: u64) {
        self.edges.push(edge);
        self.records.push(record);
    }
}
