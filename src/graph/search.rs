//! Chain search: every simple chain of at most `k` relations between every pair of anchors (HyKGE §4.3).
//!
//! A chain turns at most once: all relations forward is a *path*, forward then backward a *co-ancestor*,
//! backward then forward a *co-occurrence*. The search meets in the middle. A chain of `n` relations is a
//! left half of `⌈n/2⌉` relations from one anchor and a right half of `⌊n/2⌋` from the other; all right
//! halves of all anchors are filed under the entity where they end, and every left half that is walked
//! looks up what it can be joined with. Frontiers are thus shared by all pairs.
//!
//! Order of the result, and so of what a budget keeps: fewer relations first, then lower
//! [`chain_cost`] (less hub-like), then entity and relation names. Under a budget the result is a prefix
//! of that order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::chain::{Chain, ChainKind, MAX_HOPS};
use super::entity::EntityId;
use super::store::{Edge, Graph};

/// What a search may spend.
#[derive(Debug, Clone, Copy)]
pub struct ChainBudget {
    /// How many chains may be kept in memory; the others are only counted.
    pub chains: usize,
    /// How long it may take, all parts added up.
    pub time: Duration,
}

impl Default for ChainBudget {
    /// 250,000 chains (10 MB) and 5 seconds.
    fn default() -> Self {
        Self { chains: 250_000, time: Duration::from_secs(5) }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct FoundChains {
    /// The chains, in the order described in the module's text.
    pub chains: Vec<Chain>,
    /// How many were found in all, kept or not.
    pub found: u64,
    /// The same by kind.
    pub by_kind: BTreeMap<ChainKind, u64>,
    /// Why the result is not complete; `None` when it is.
    pub truncated: Option<String>,
}

/// The cost by which chains of one length are ordered: the sum of `ln(1 + degree)` of the entities
/// between the two anchors. A chain over a hub says little about the pair.
pub fn chain_cost(graph: &Graph, chain: &Chain) -> f32 {
    let nodes = chain.nodes();
    nodes[1..nodes.len() - 1].iter().map(|node| (1.0 + graph.degree(EntityId(*node)) as f32).ln()).sum()
}

/// A search to which anchors are added as they become known, while the hypothesis is still being written.
/// The result does not depend on how the anchors were portioned out, only on their order.
#[derive(Debug)]
pub struct ChainSearch<'a> {
    graph: &'a Graph,
    k: usize,
    budget: ChainBudget,
    anchors: Vec<EntityId>,
    kept: Vec<(f32, Chain)>,
    dropped: bool,
    counts: [u64; 3],
    spent: Duration,
    /// The first length at which time ran out, over all additions.
    stopped_at: Option<usize>,
    cancelled: bool,
}

/// One right half: its anchor and its steps from the middle to that anchor.
#[derive(Debug, Clone, Copy)]
struct RightHalf {
    anchor: u32,
    /// Starts at the anchor, ends in the middle.
    walk: Chain,
}

/// Right halves filed by the entity in the middle.
struct RightHalves {
    starts: Vec<u32>,
    halves: Vec<RightHalf>,
}

impl RightHalves {
    fn file(graph: &Graph, anchors: &[EntityId], hops: usize, stop: &dyn Fn() -> bool) -> Option<Self> {
        let mut all = Vec::new();
        for (anchor, entity) in (0u32..).zip(anchors) {
            let mut complete = true;
            walk(graph, Chain::start(entity.0), hops, &mut |half| {
                all.push(RightHalf { anchor, walk: *half });
                if all.len() % 4096 == 0 && stop() {
                    complete = false;
                }
                complete
            });
            if !complete {
                return None;
            }
        }
        let end = |half: &RightHalf| half.walk.nodes()[half.walk.len()] as usize;
        let mut starts = vec![0u32; graph.entity_count() + 1];
        for half in &all {
            starts[end(half) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut halves = all.clone();
        for half in all {
            let slot = &mut next[end(&half)];
            halves[*slot as usize] = half;
            *slot += 1;
        }
        Some(Self { starts, halves })
    }

    fn ending_at(&self, node: u32) -> &[RightHalf] {
        &self.halves[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// Visits every simple walk of exactly `hops` relations that begins as `from` does and turns at most once;
/// `visit` says whether to go on.
fn walk(graph: &Graph, from: Chain, hops: usize, visit: &mut impl FnMut(&Chain) -> bool) -> bool {
    if hops == 0 {
        return visit(&from);
    }
    let node = EntityId(from.nodes()[from.len()]);
    for (forward, edges) in [(true, graph.outgoing(node)), (false, graph.incoming(node))] {
        if turns_after(&from, forward) > 1 {
            continue;
        }
        for edge in edges {
            if from.nodes().contains(&edge.to.0) {
                continue;
            }
            let mut longer = from;
            longer.push(edge.relation.0, forward, edge.to.0);
            if !walk(graph, longer, hops - 1, visit) {
                return false;
            }
        }
    }
    true
}

/// How often a chain turns once a step in this direction is added.
fn turns_after(chain: &Chain, forward: bool) -> usize {
    let mut turns = 0;
    for i in 1..chain.len() {
        turns += usize::from(chain.is_forward(i) != chain.is_forward(i - 1));
    }
    turns + usize::from(!chain.is_empty() && chain.is_forward(chain.len() - 1) != forward)
}

/// Joins a left half with a right half that ends at the same entity, if that gives a simple chain that
/// turns at most once. A path is turned so that it runs forward.
fn join(left: &Chain, right: &Chain) -> Option<Chain> {
    let disjoint = right.nodes()[..right.len()].iter().all(|node| !left.nodes().contains(node));
    if !disjoint {
        return None;
    }
    let mut chain = *left;
    for i in (0..right.len()).rev() {
        chain.push(right.relations()[i], !right.is_forward(i), right.nodes()[i]);
    }
    let kind = chain.kind_of_directions()?;
    let chain = chain.of_kind(kind);
    Some(if kind == ChainKind::Path && !chain.is_forward(0) { chain.reversed() } else { chain })
}

#[derive(Default)]
struct Partial {
    chains: Vec<(f32, Chain)>,
    dropped: bool,
    counts: [u64; 3],
}

impl Partial {
    fn take(&mut self, graph: &Graph, chain: Chain, limit: usize) {
        self.counts[slot(chain.kind())] += 1;
        self.chains.push((chain_cost(graph, &chain), chain));
        // Twice the budget before sorting out, so that the sorting's cost is spread.
        if self.chains.len() >= limit.saturating_mul(2).max(1024) {
            self.dropped |= keep_best(&mut self.chains, limit);
        }
    }
}

fn slot(kind: ChainKind) -> usize {
    match kind {
        ChainKind::Path => 0,
        ChainKind::CoAncestor => 1,
        ChainKind::CoOccurrence | ChainKind::Neighbour => 2,
    }
}

fn order(a: &(f32, Chain), b: &(f32, Chain)) -> std::cmp::Ordering {
    let key = |c: &Chain| c.len();
    key(&a.1)
        .cmp(&key(&b.1))
        .then_with(|| a.0.total_cmp(&b.0))
        // Entities and relations are numbered by name, so this is the order of names.
        .then_with(|| a.1.nodes().cmp(b.1.nodes()))
        .then_with(|| a.1.relations().cmp(b.1.relations()))
        .then_with(|| a.1.kind().cmp(&b.1.kind()))
        .then_with(|| {
            let directions = |c: &Chain| (0..c.len()).map(|i| c.is_forward(i)).collect::<Vec<_>>();
            directions(&b.1).cmp(&directions(&a.1))
        })
}

/// Cuts to the `limit` first in order (unsorted); says whether anything was cut.
fn keep_best(chains: &mut Vec<(f32, Chain)>, limit: usize) -> bool {
    if chains.len() <= limit {
        return false;
    }
    if limit > 0 {
        chains.select_nth_unstable_by(limit - 1, order);
    }
    chains.truncate(limit);
    true
}

impl<'a> ChainSearch<'a> {
    /// Begins a search for chains of at most `k` relations (capped at [`MAX_HOPS`]).
    pub fn new(graph: &'a Graph, k: usize, budget: ChainBudget) -> Self {
        Self {
            graph,
            k: k.min(MAX_HOPS),
            budget,
            anchors: Vec::new(),
            kept: Vec::new(),
            dropped: false,
            counts: [0; 3],
            spent: Duration::ZERO,
            stopped_at: None,
            cancelled: false,
        }
    }

    /// The anchors so far, in order.
    pub fn anchors(&self) -> &[EntityId] {
        &self.anchors
    }

    /// How many chains were found so far.
    pub fn found(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds anchors (those that are known already are passed over) and finds every chain between a new
    /// one and any other. `cancelled` is asked every few thousand steps.
    pub fn add(&mut self, anchors: &[EntityId], cancelled: &(dyn Fn() -> bool + Sync)) {
        let first_new = self.anchors.len();
        for anchor in anchors {
            if !self.anchors.contains(anchor) {
                self.anchors.push(*anchor);
            }
        }
        if self.anchors.len() == first_new || self.anchors.len() < 2 {
            return;
        }
        let started = Instant::now();
        let left_time = self.budget.time.saturating_sub(self.spent);
        let stopped = AtomicBool::new(false);
        let stop = || {
            if stopped.load(Ordering::Relaxed) {
                return true;
            }
            let over = cancelled() || started.elapsed() > left_time;
            if over {
                stopped.store(true, Ordering::Relaxed);
            }
            over
        };
        for length in 1..=self.k {
            if stop() || self.stopped_at.is_some_and(|stopped| length >= stopped) {
                self.note_stop(length);
                break;
            }
            self.search_length(first_new, length, &stop);
            if stopped.load(Ordering::Relaxed) {
                self.note_stop(length);
                break;
            }
        }
        self.cancelled |= cancelled();
        self.spent += started.elapsed();
    }

    fn note_stop(&mut self, length: usize) {
        self.stopped_at = Some(self.stopped_at.map_or(length, |earlier| earlier.min(length)));
    }

    /// Finds the chains of exactly `length` relations that have a new anchor at one end.
    fn search_length(&mut self, first_new: usize, length: usize, stop: &(dyn Fn() -> bool + Sync)) {
        let (left_hops, right_hops) = (length.div_ceil(2), length / 2);
        let Some(right) = RightHalves::file(self.graph, &self.anchors, right_hops, &stop) else { return };
        // Which end of a pair of new anchors is walked from: the one with fewer triples, so that hubs are
        // looked up rather than walked through.
        let effort: Vec<(usize, usize)> = self.anchors.iter().enumerate().map(|(i, a)| (self.graph.degree(*a), i)).collect();
        let walks_to = |from: usize, to: usize| from != to && (to < first_new || effort[from] < effort[to]);

        let graph = self.graph;
        let limit = self.budget.chains;
        let first_steps: Vec<(usize, bool, Edge)> = (first_new..self.anchors.len())
            .flat_map(|from| {
                let entity = self.anchors[from];
                let out = graph.outgoing(entity).iter().map(move |edge| (from, true, *edge));
                out.chain(graph.incoming(entity).iter().map(move |edge| (from, false, *edge)))
            })
            .collect();
        let ticks = AtomicU64::new(0);
        let partials: Vec<Partial> = first_steps
            .par_chunks(first_steps.len().div_ceil(4 * rayon::current_num_threads()).max(16))
            .map(|steps| {
                let mut partial = Partial::default();
                for (from, forward, edge) in steps {
                    let from = *from;
                    if edge.to == self.anchors[from] {
                        continue;
                    }
                    let mut start = Chain::start(self.anchors[from].0);
                    start.push(edge.relation.0, *forward, edge.to.0);
                    let on = walk(graph, start, left_hops - 1, &mut |left| {
                        let middle = left.nodes()[left.len()];
                        let partners = right.ending_at(middle);
                        for half in partners {
                            if !walks_to(from, half.anchor as usize) {
                                continue;
                            }
                            if let Some(chain) = join(left, &half.walk) {
                                // Chains other than paths are read from the anchor that came first.
                                let turned = chain.kind() != ChainKind::Path && (half.anchor as usize) < from;
                                partial.take(graph, if turned { chain.reversed() } else { chain }, limit);
                            }
                        }
                        let tick = ticks.fetch_add(1 + partners.len() as u64, Ordering::Relaxed);
                        (tick ^ (tick + 1 + partners.len() as u64)) < 4096 || !stop()
                    });
                    if !on || stop() {
                        break;
                    }
                }
                // Of a length that is not complete only the count is of use.
                if stop() {
                    partial.chains = Vec::new();
                }
                partial.dropped |= keep_best(&mut partial.chains, limit);
                partial
            })
            .collect();
        for partial in partials {
            self.dropped |= partial.dropped;
            self.kept.extend(partial.chains);
            for (total, count) in self.counts.iter_mut().zip(partial.counts) {
                *total += count;
            }
        }
        self.dropped |= keep_best(&mut self.kept, limit);
    }

    /// Ends the search: the chains in order, the counts, and why it is not complete if it is not.
    pub fn finish(mut self) -> FoundChains {
        self.kept.par_sort_unstable_by(order);
        let found = self.found();
        let by_kind = [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence].into_iter().zip(self.counts).collect();
        let truncated = if self.cancelled {
            Some(format!("the search was stopped; {found} chains had been found"))
        } else if let Some(length) = self.stopped_at {
            // What is longer than the last complete length is not a prefix of the order, so it is left out.
            let complete = length - 1;
            self.kept.retain(|(_, chain)| chain.len() <= complete);
            Some(format!(
                "the time budget of {} ms ended the search among chains of {length} relations; all chains of up to {complete} are here",
                self.budget.time.as_millis()
            ))
        } else if self.dropped {
            Some(format!("{found} chains were found; the {} shortest and least hub-like of them are kept (count budget)", self.kept.len()))
        } else {
            None
        };
        FoundChains { chains: self.kept.into_iter().map(|(_, chain)| chain).collect(), found, by_kind, truncated }
    }
}
