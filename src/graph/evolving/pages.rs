//! The rows that contain learned triples, in pages that clones share until one of them changes: a change copies the pages it touches.
//! An entity without a page has the base graph's rows.
//!
//! A page holds the complete rows of its entities, with base and learned triples next to each other, so a search has as many cache
//! misses as in a base graph.

use std::sync::Arc;

use rayon::prelude::*;

use crate::graph::entity::EntityId;
use crate::graph::store::{Edge, far_degree};
use crate::graph::view::{Direction, Edges, GraphRows};

/// Entities of a page.
const PAGE: usize = 64;
/// Parts of an entity's rows: outgoing of the base, outgoing learned, incoming of the base, incoming learned.
const PARTS: usize = 4;

/// One end of a triple that is added or removed.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowChange {
    /// The entity whose row changes.
    pub(super) of: EntityId,
    /// The direction of the row.
    pub(super) direction: Direction,
    /// The triple, seen from that entity.
    pub(super) edge: Edge,
    /// Whether the triple is added; otherwise it is removed.
    pub(super) comes: bool,
}

impl RowChange {
    fn key(&self) -> (EntityId, bool, Edge) {
        (self.of, self.direction == Direction::In, self.edge)
    }
}

#[derive(Debug, Clone)]
struct Page {
    /// Part `i` of entity `s` is `edges[starts[4s + i]..starts[4s + i + 1]]`.
    starts: [u32; PAGE * PARTS + 1],
    edges: Vec<Edge>,
}

/// The rows that differ from the base graph's because triples were learned.
#[derive(Debug, Clone, Default)]
pub struct LearnedRows {
    pages: Vec<Option<Arc<Page>>>,
    /// The most triples by which any entity may have grown since its edges' far degrees were refreshed.
    growth: usize,
    /// How many triples changed since then.
    stale: usize,
}

impl LearnedRows {
    /// The most triples by which an entity's degree may exceed the far degree that edges to it state ([`Edge`]).
    pub(in crate::graph) fn growth(&self) -> usize {
        self.growth
    }

    #[inline]
    fn page(&self, entity: EntityId) -> Option<&Page> {
        self.pages.get(entity.index() / PAGE)?.as_deref()
    }

    /// An entity's row; `None` if it is the base graph's.
    #[inline]
    pub(in crate::graph) fn row(&self, entity: EntityId, direction: Direction) -> Option<Edges<'_>> {
        let page = self.page(entity)?;
        let at = entity.index() % PAGE * PARTS + if direction == Direction::In { 2 } else { 0 };
        let [from, learned, to] = [page.starts[at], page.starts[at + 1], page.starts[at + 2]];
        let edges = |from: u32, to: u32| page.edges.get(from as usize..to as usize).unwrap_or(&[]);
        Some(Edges { base: edges(from, learned), learned: edges(learned, to) })
    }

    /// How many triples an entity takes part in; `None` if its rows are the base graph's.
    #[inline]
    pub(in crate::graph) fn degree(&self, entity: EntityId) -> Option<usize> {
        let page = self.page(entity)?;
        let at = entity.index() % PAGE * PARTS;
        Some((page.starts[at + PARTS] - page.starts[at]) as usize)
    }

    /// Reads the beginning of an entity's rows, so that the processor fetches them into its cache; `None` if they are the base graph's.
    #[inline]
    pub(in crate::graph) fn prefetch(&self, entity: EntityId) -> Option<u32> {
        let page = self.page(entity)?;
        let from = page.starts[entity.index() % PAGE * PARTS] as usize;
        Some(page.edges.get(from).map_or(0, |edge| edge.to.0))
    }

    fn degree_in(&self, base: &GraphRows<'_>, entity: EntityId) -> usize {
        self.degree(entity).unwrap_or_else(|| base.both(entity).len())
    }

    /// Adds and removes triples; `changes` holds each end once. Added triples must be absent, removed ones present. `entities`: the number
    /// of entities.
    pub(super) fn change(&mut self, base: &GraphRows<'_>, entities: usize, mut changes: Vec<RowChange>) {
        changes.par_sort_unstable_by_key(RowChange::key);
        let of_pages: Vec<&[RowChange]> = changes.chunk_by(|a, b| a.of.index() / PAGE == b.of.index() / PAGE).collect();
        let changed: Vec<(usize, Page)> = of_pages
            .par_iter()
            .map(|of_page| {
                let at = of_page[0].of.index() / PAGE;
                (at, Page::changed(self, base, at, of_page))
            })
            .collect();
        self.pages.resize(entities.div_ceil(PAGE), None);
        for (at, page) in changed {
            self.pages[at] = Some(Arc::new(page));
        }
        let most = changes.chunk_by(|a, b| a.of == b.of).map(|of_one| of_one.iter().filter(|change| change.comes).count()).max();
        self.growth += most.unwrap_or(0);
        self.stale += changes.len() / 2;
        if self.stale > base.edge_count() / 8 + 4096 {
            self.refresh_all(base, entities);
        } else {
            let refreshed: Vec<(usize, Page)> =
                of_pages.iter().filter_map(|of_page| self.refreshed(base, of_page[0].of.index() / PAGE)).collect();
            for (at, page) in refreshed {
                self.pages[at] = Some(Arc::new(page));
            }
        }
    }

    /// A page with the current degrees of its edges' far ends.
    fn refreshed(&self, base: &GraphRows<'_>, at: usize) -> Option<(usize, Page)> {
        let mut page = self.pages.get(at)?.as_deref()?.clone();
        for edge in &mut page.edges {
            edge.far_degree = far_degree(self.degree_in(base, edge.to));
        }
        Some((at, page))
    }

    /// Lets every edge say how many triples its far end has now. Then the base's rows are used no longer.
    fn refresh_all(&mut self, base: &GraphRows<'_>, entities: usize) {
        let degrees: Vec<u16> =
            (0..entities as u32).into_par_iter().map(|entity| far_degree(self.degree_in(base, EntityId(entity)))).collect();
        let pages: Vec<Option<Arc<Page>>> = (0..self.pages.len())
            .into_par_iter()
            .map(|at| {
                let mut page = match self.pages[at].as_deref() {
                    Some(page) => page.clone(),
                    None => Page::changed(self, base, at, &[]),
                };
                for edge in &mut page.edges {
                    edge.far_degree = degrees.get(edge.to.index()).copied().unwrap_or(0);
                }
                Some(Arc::new(page))
            })
            .collect();
        *self = Self { pages, growth: 0, stale: 0 };
    }
}

impl Page {
    /// A page with some changes, sorted by entity, direction and edge.
    fn changed(rows: &LearnedRows, base: &GraphRows<'_>, at: usize, changes: &[RowChange]) -> Self {
        let mut page = Self { starts: [0; PAGE * PARTS + 1], edges: Vec::new() };
        let entity = |slot: usize| EntityId((at * PAGE + slot) as u32);
        page.edges.reserve_exact((0..PAGE).map(|slot| rows.degree_in(base, entity(slot))).sum::<usize>() + changes.len());
        let mut rest = changes;
        for slot in 0..PAGE {
            for (part, direction) in Direction::BOTH.into_iter().enumerate() {
                let is_mine = |change: &&RowChange| change.of == entity(slot) && change.direction == direction;
                let (mine, others) = rest.split_at(rest.iter().take_while(is_mine).count());
                rest = others;
                let of_base = || Edges { base: base.row(entity(slot), direction), learned: &[] };
                let before = rows.row(entity(slot), direction).unwrap_or_else(of_base);
                page.edges.extend_from_slice(before.base);
                page.starts[slot * PARTS + 2 * part + 1] = page.edges.len() as u32;
                merge(before.learned, mine, &mut page.edges);
                page.starts[slot * PARTS + 2 * part + 2] = page.edges.len() as u32;
            }
        }
        page
    }
}

/// A row with added and without removed edges; both are sorted.
fn merge(row: &[Edge], changes: &[RowChange], merged: &mut Vec<Edge>) {
    let mut rest = row;
    for change in changes {
        let (before, after) = rest.split_at(rest.partition_point(|edge| *edge < change.edge));
        merged.extend_from_slice(before);
        rest = after;
        if rest.first() == Some(&change.edge) {
            rest = &rest[1..];
        }
        if change.comes {
            merged.push(change.edge);
        }
    }
    merged.extend_from_slice(rest);
}
