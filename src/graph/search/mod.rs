//! Chain search: every simple chain of at most `k` relations between every pair of anchors (HyKGE 2025, §4.2.2).
//!
//! The direction of a chain changes at most once: all relations forward is a *path*, forward then backward a
//! *co-ancestor*, backward then forward a *co-occurrence*.
//!
//! # Algorithm
//!
//! The search meets in the middle. It computes the levels of entities at distance 0, 1 and 2 from the anchors ([`frontier`]),
//! shared by all anchors. Two halves of `h` relations that arrive at the same entity form a chain of `2h`; two that arrive at
//! the two ends of a triple form one of `2h + 1` ([`join`]). So every chain is formed at exactly one place:
//!
//! | relations | 1 | 2 | 3 | 4 | 5 |
//! |---|---|---|---|---|---|
//! | halves of | 0 | 1 | 1 | 2 | 2 |
//! | meet | over a triple | at an entity | over a triple | at an entity | over a triple |
//!
//! A triple between two ends is taken from the end with fewer triples. If only few ends are larger than a hub, they are
//! looked up in its sorted row. Each edge stores the degree of its far end, so most edges are skipped without a look-up
//! ([`edge_filter`]). No hub's row is walked for the sake of a smaller entity.
//!
//! # Order and budgets
//!
//! Fewer relations first; then lower [`chain_cost`] (less hub-like); then the names of the entities from first to last; then the
//! names of the relations; then the kind (path, co-ancestor, co-occurrence); then the directions, forward first. A chain is packed into
//! numbers that sort in this order ([`packed`]).
//!
//! Whatever ends the search, the result is a prefix of that order. Beyond the *count budget*, the best chains are kept and
//! all are counted. When the *time budget* ends, all complete lengths stay. A length with much work is searched in phases of
//! rising hub size: first every chain whose entities between the anchors have at most 64 triples, then 4096, then all. After
//! a phase, every chain is known that costs less than the cheapest chain through a larger hub; so of the length in which time
//! ended, that prefix stays too.
//!
//! Anchors may be added in portions: each addition searches only pairs with a new anchor. The result is the same as if all
//! had been added at once.

mod cost;
mod edge_filter;
mod frontier;
mod join;
mod kept;
mod packed;
mod report;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::chain::{Chain, ChainKind, MAX_HOPS};
use super::entity::EntityId;
use super::store::Graph;
use super::view::GraphView;

pub use cost::chain_cost;

use cost::hub_cost;
use frontier::{Frontier, Halt, StopPoll};
use join::{Join, SearchPhase};
use kept::{KeptChains, PackedByWidth, WorkerChains};
use packed::{PackedChain, PackingLayout};
use report::{SearchStop, StopReason};

/// What a search may spend.
#[derive(Debug, Clone, Copy)]
pub struct ChainBudget {
    /// The most chains kept in memory; the others are only counted.
    pub chains: usize,
    /// The time for all additions together.
    pub time: Duration,
}

impl Default for ChainBudget {
    /// 250,000 chains (10 MB) and 5 seconds.
    fn default() -> Self {
        Self { chains: 250_000, time: Duration::from_secs(5) }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub struct FoundChains {
    /// The chains, in the order that the module describes.
    pub chains: Vec<Chain>,
    /// How many chains were found, kept or not. Of the length in which the search ended, only finished phases count.
    pub found: u64,
    /// The same by kind.
    pub by_kind: BTreeMap<ChainKind, u64>,
    /// Why the result is incomplete; `None` if it is complete.
    pub truncated: Option<String>,
}

/// The most anchors; the halves of chains number them in 16 bits.
const MOST_ANCHORS: usize = 1 << 16;

/// From this many steps on, the cores share the work of a phase.
const SHARED_FROM: u64 = 16 * 1024;

/// When a length is searched in phases, and how ends are looked up. This affects the speed, never the result.
#[derive(Debug, Clone, Copy)]
struct Tuning {
    /// Hub bounds of all phases but the last, which has none.
    hub_bounds: [u32; 2],
    /// From this many triples around level 1 on, a length is searched in phases: for chains of up to three relations, and for longer ones.
    phased_from: [u64; 2],
    /// See [`SearchPhase::look_up_from`].
    look_up_from: u32,
    /// See [`PackingLayout::new`].
    least_bits: u32,
}

impl Tuning {
    const USUAL: Self = Self { hub_bounds: [64, 4096], phased_from: [8_000_000, 20_000], look_up_from: 512, least_bits: 1 };
}

/// A search to which anchors are added as they are found, while the hypothesis is still being written.
/// The result depends on the order of the anchors, not on how they were divided into portions.
#[derive(Debug)]
pub struct ChainSearch<'a, V: GraphView + ?Sized = Graph> {
    view: &'a V,
    k: usize,
    budget: ChainBudget,
    tuning: Tuning,
    anchors: Vec<EntityId>,
    known: HashSet<EntityId>,
    /// The chains of each length, shortest first.
    kept: Vec<KeptChains>,
    spent: Duration,
    /// The first position in the order at which the search ended, over all additions.
    stop: Option<SearchStop>,
    /// Anchors that were added after the search ended.
    unsearched: usize,
}

impl<'a, V: GraphView + ?Sized> ChainSearch<'a, V> {
    /// Starts a search for chains of at most `k` relations (capped at [`MAX_HOPS`]).
    pub fn new(view: &'a V, k: usize, budget: ChainBudget) -> Self {
        Self {
            view,
            k: k.min(MAX_HOPS),
            budget,
            tuning: Tuning::USUAL,
            anchors: Vec::new(),
            known: HashSet::new(),
            kept: Vec::new(),
            spent: Duration::ZERO,
            stop: None,
            unsearched: 0,
        }
    }

    /// The anchors so far, in order.
    pub fn anchors(&self) -> &[EntityId] {
        &self.anchors
    }

    /// How many chains were found so far.
    pub fn found(&self) -> u64 {
        self.kept.iter().map(KeptChains::found).sum()
    }

    /// Adds anchors, ignoring known ones, and finds every chain between a new anchor and any other. `cancelled` is polled every
    /// few thousand steps. Anchors added after the time ran out or the search was cancelled are not searched; the result says so.
    pub fn add(&mut self, anchors: &[EntityId], cancelled: &(dyn Fn() -> bool + Sync)) {
        let first_new = self.anchors.len();
        let over = self.stop.is_some_and(|stop| stop.why != StopReason::Memory);
        for anchor in anchors {
            if anchor.index() < self.view.entity_count() && self.known.insert(*anchor) {
                if over || self.anchors.len() == MOST_ANCHORS {
                    self.unsearched += 1;
                } else {
                    self.anchors.push(*anchor);
                }
            }
        }
        if self.anchors.len() == first_new || self.anchors.len() < 2 {
            return;
        }
        let started = Instant::now();
        let left_time = self.budget.time.saturating_sub(self.spent);
        let (stopped, was_cancelled) = (AtomicBool::new(false), AtomicBool::new(false));
        let stop = || {
            if stopped.load(Ordering::Relaxed) {
                return true;
            }
            if cancelled() {
                was_cancelled.store(true, Ordering::Relaxed);
            } else if started.elapsed() < left_time {
                return false;
            }
            stopped.store(true, Ordering::Relaxed);
            true
        };
        let mut frontier = Frontier::new(self.view, &self.anchors, first_new);
        for length in 1..=self.k {
            if let Err((halt, below)) = self.search_length(&mut frontier, length, &stop) {
                let why = match halt {
                    Halt::Memory => StopReason::Memory,
                    Halt::Asked if was_cancelled.load(Ordering::Relaxed) => StopReason::Cancelled,
                    Halt::Asked => StopReason::Time,
                };
                let now = SearchStop { length, below, why };
                self.stop = Some(self.stop.map_or(now, |earlier| earlier.combined(now)));
                break;
            }
        }
        self.cut();
        self.spent += started.elapsed();
    }

    /// Finds the chains of exactly `length` relations that have a new anchor at one end. If it ends early, all chains below the
    /// cost in the error are known.
    fn search_length(&mut self, frontier: &mut Frontier, length: usize, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), (Halt, u32)> {
        if self.kept.len() < length {
            self.kept.push(KeptChains::new(PackingLayout::new(self.view, length, self.tuning.least_bits)));
        }
        let mut below = 0;
        let mut lower = 0;
        // Do not retry what an earlier portion had no room for.
        let most = self.stop.filter(|earlier| earlier.length <= length).map_or(u32::MAX, |earlier| earlier.below);
        frontier.reach(self.view, (length / 2).min(1), 0, stop).map_err(|halt| (halt, below))?;
        for upper in self.hub_bounds(frontier, length) {
            let known = known_below(length, upper);
            if known > most {
                return Err((Halt::Memory, below));
            }
            if stop() {
                return Err((Halt::Asked, below));
            }
            frontier.reach(self.view, length / 2, upper, stop).map_err(|halt| (halt, below))?;
            let phase = SearchPhase { length, lower, upper, look_up_from: self.tuning.look_up_from };
            let join = Join::new(self.view, frontier, phase);
            let room = self.budget.chains.saturating_sub(self.kept[..length - 1].iter().map(KeptChains::len).sum());
            let kept = &mut self.kept[length - 1];
            let done = match &mut kept.packed {
                PackedByWidth::Two(packed) => run(&join, kept.layout, room, packed, &mut kept.counts, stop),
                PackedByWidth::Three(packed) => run(&join, kept.layout, room, packed, &mut kept.counts, stop),
                PackedByWidth::Five(packed) => run(&join, kept.layout, room, packed, &mut kept.counts, stop),
            };
            if !done {
                return Err((Halt::Asked, below));
            }
            (lower, below) = (upper, known);
        }
        Ok(())
    }

    /// The hub bounds of the phases in which a length is searched; the last is unbounded.
    fn hub_bounds(&self, frontier: &Frontier, length: usize) -> Vec<u32> {
        let mut bounds = Vec::new();
        if let Some(one) = frontier.levels.get(1).filter(|_| length > 1) {
            let largest = one.ends.iter().map(|end| end.degree).max().unwrap_or(0);
            let phased_from = self.tuning.phased_from[usize::from(length > 3)];
            if one.effort() >= phased_from {
                // Up to three relations, level 1 holds every entity between the anchors.
                bounds.extend(self.tuning.hub_bounds.into_iter().filter(|bound| length > 3 || *bound < largest));
            }
        }
        bounds.push(u32::MAX);
        bounds
    }

    /// Cuts the chains to the count budget.
    fn cut(&mut self) {
        let mut room = self.budget.chains;
        for kept in &mut self.kept {
            kept.cut(room);
            room -= kept.len();
        }
    }

    /// Finishes the search: returns the chains in order, the counts, and why the result is incomplete if it is.
    pub fn finish(self) -> FoundChains {
        let counts = self.kept.iter().fold([0; 3], |sum, kept| [0, 1, 2].map(|kind| sum[kind] + kept.counts[kind]));
        let by_kind = [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence].into_iter().zip(counts).collect();
        let found = self.found();
        let mut chains = Vec::with_capacity(self.kept.iter().map(KeptChains::len).sum());
        for (length, kept) in (1..).zip(self.kept) {
            let below = match self.stop {
                Some(stop) if stop.length == length => stop.below,
                Some(stop) if stop.length < length => 0,
                _ => u32::MAX,
            };
            kept.write(self.view, below, &mut chains);
        }
        let full = chains.len() == self.budget.chains && found > chains.len() as u64;
        let truncated = report::truncated(self.stop, self.budget, full.then_some(chains.len()), found, self.unsearched);
        FoundChains { chains, found, by_kind, truncated }
    }
}

/// The cost below which every chain of a length is known once all chains with hubs of at most `upper` triples are: a missing
/// chain has a larger hub, and its other entities between the anchors have at least two triples.
fn known_below(length: usize, upper: u32) -> u32 {
    if upper == u32::MAX { u32::MAX } else { hub_cost(upper as usize + 1) + (length as u32).saturating_sub(2) * hub_cost(2) }
}

/// Runs a phase on all cores. Returns `false`, and keeps nothing it found, if the phase did not finish.
fn run<const W: usize, V: GraphView + ?Sized>(
    join: &Join<'_, V>,
    layout: PackingLayout,
    room: usize,
    packed: &mut Vec<PackedChain<W>>,
    counts: &mut [u64; 3],
    stop: &(dyn Fn() -> bool + Sync),
) -> bool {
    let highest_cost = AtomicU32::new(kept::cut(layout, packed, room));
    let (items, steps) = join.items();
    let next = AtomicUsize::new(0);
    let worker = |_| {
        let mut chains = WorkerChains::<W>::new(layout, room, &highest_cost);
        let mut pace = StopPoll::new(stop);
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            join.work(*item, &mut chains, &mut pace)?;
        }
        Ok(chains.finish())
    };
    let workers = if steps < SHARED_FROM { 1 } else { rayon::current_num_threads() };
    let chains: Result<Vec<_>, Halt> =
        if workers == 1 { worker(0).map(|chains| vec![chains]) } else { (0..workers).into_par_iter().map(worker).collect() };
    let Ok(chains) = chains else { return false };
    for (found, counted) in chains {
        if packed.is_empty() {
            *packed = found;
        } else {
            packed.extend_from_slice(&found);
        }
        for (sum, count) in counts.iter_mut().zip(counted) {
            *sum += count;
        }
    }
    kept::cut(layout, packed, room);
    true
}
