//! The best chains so far, packed, by length; and the chains that one worker finds in one phase of the search.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::graph::chain::Chain;
use crate::graph::view::GraphView;

use super::packed::{PackedChain, PackingLayout, UnpackedChain};

/// From this many chains on, they are merged and unpacked in parallel.
const MANY: usize = 8192;

/// The chains that one worker finds. Beyond the budget, chains that cannot be among the best are only counted.
pub(super) struct WorkerChains<'a, const W: usize> {
    packed: Vec<PackedChain<W>>,
    /// Chains found: paths, co-ancestors, co-occurrences.
    pub(super) counts: [u64; 3],
    layout: PackingLayout,
    limit: usize,
    /// The worst chain that can still be kept, once known.
    worst: Option<PackedChain<W>>,
    /// The highest cost that can still be kept, shared by all workers.
    highest_cost: &'a AtomicU32,
}

impl<'a, const W: usize> WorkerChains<'a, W> {
    pub(super) fn new(layout: PackingLayout, limit: usize, highest_cost: &'a AtomicU32) -> Self {
        Self { packed: Vec::new(), counts: [0; 3], layout, limit, worst: None, highest_cost }
    }

    /// Whether a chain of this cost can still be kept; if not, it is only counted.
    #[inline]
    pub(super) fn wants(&self, cost: u32) -> bool {
        self.limit > 0 && cost <= self.highest_cost.load(Ordering::Relaxed)
    }

    /// Finishes: returns the worker's best chains, in order, and its counts.
    pub(super) fn finish(mut self) -> (Vec<PackedChain<W>>, [u64; 3]) {
        keep_best(&mut self.packed, self.limit);
        self.packed.sort_unstable();
        (self.packed, self.counts)
    }

    #[inline]
    pub(super) fn take<V: GraphView + ?Sized>(&mut self, view: &V, found: &UnpackedChain) {
        let packed = self.layout.pack(view, found);
        if self.worst.is_some_and(|worst| packed > worst) {
            return;
        }
        self.packed.push(packed);
        // Collect twice the budget before cutting, to spread the cost of selection.
        if self.packed.len() >= self.limit.saturating_mul(2).max(1024) {
            self.worst = keep_best(&mut self.packed, self.limit);
            if let Some(worst) = self.worst {
                self.highest_cost.fetch_min(self.layout.cost(worst), Ordering::Relaxed);
            }
        }
    }
}

/// Cuts to the best `limit` chains, unsorted; returns the worst of them if there are that many.
fn keep_best<const W: usize>(packed: &mut Vec<PackedChain<W>>, limit: usize) -> Option<PackedChain<W>> {
    if packed.len() < limit || limit == 0 {
        packed.truncate(limit);
        return None;
    }
    packed.select_nth_unstable(limit - 1);
    packed.truncate(limit);
    packed.last().copied()
}

/// Cuts the sorted chains of several workers to the best `limit`. Returns the highest cost that can still be
/// among them.
pub(super) fn cut<const W: usize>(layout: PackingLayout, packed: &mut Vec<PackedChain<W>>, limit: usize) -> u32 {
    if packed.len() < limit || limit == 0 {
        packed.truncate(limit);
        return u32::MAX;
    }
    merge(packed);
    packed.truncate(limit);
    packed.last().map_or(u32::MAX, |worst| layout.cost(*worst))
}

/// Merges the sorted chains of several workers. Stable sorts detect the runs and merge them.
fn merge<const W: usize>(packed: &mut [PackedChain<W>]) {
    if packed.len() < MANY { packed.sort() } else { packed.par_sort() }
}

/// Packed chains, by their width in words. The width of a length depends on the graph; see [`PackingLayout::words`].
#[derive(Debug)]
pub(super) enum PackedByWidth {
    Two(Vec<PackedChain<2>>),
    Three(Vec<PackedChain<3>>),
    Five(Vec<PackedChain<5>>),
}

/// Evaluates the same expression for any width.
macro_rules! each_width {
    ($packed:expr, $name:ident => $body:expr) => {
        match $packed {
            PackedByWidth::Two($name) => $body,
            PackedByWidth::Three($name) => $body,
            PackedByWidth::Five($name) => $body,
        }
    };
}

/// The chains of one length, as sorted runs.
#[derive(Debug)]
pub(super) struct KeptChains {
    pub(super) layout: PackingLayout,
    pub(super) packed: PackedByWidth,
    /// Chains found: paths, co-ancestors, co-occurrences.
    pub(super) counts: [u64; 3],
}

impl KeptChains {
    pub(super) fn new(layout: PackingLayout) -> Self {
        let packed = match layout.words() {
            0..=2 => PackedByWidth::Two(Vec::new()),
            3 => PackedByWidth::Three(Vec::new()),
            _ => PackedByWidth::Five(Vec::new()),
        };
        Self { layout, packed, counts: [0; 3] }
    }

    pub(super) fn len(&self) -> usize {
        each_width!(&self.packed, packed => packed.len())
    }

    pub(super) fn found(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Cuts to the best `limit` chains.
    pub(super) fn cut(&mut self, limit: usize) {
        let layout = self.layout;
        each_width!(&mut self.packed, packed => cut(layout, packed, limit));
    }

    /// Unpacks the chains that cost less than `below` and appends them in order.
    pub(super) fn write<V: GraphView + ?Sized>(self, view: &V, below: u32, chains: &mut Vec<Chain>) {
        let layout = self.layout;
        each_width!(self.packed, packed => write(view, layout, packed, below, chains));
    }
}

fn write<const W: usize, V: GraphView + ?Sized>(
    view: &V,
    layout: PackingLayout,
    mut packed: Vec<PackedChain<W>>,
    below: u32,
    chains: &mut Vec<Chain>,
) {
    if below == 0 {
        return;
    }
    merge(&mut packed);
    let upto = if below == u32::MAX { packed.len() } else { packed.partition_point(|chain| layout.cost(*chain) < below) };
    if upto < MANY {
        chains.extend(packed[..upto].iter().map(|chain| layout.unpack(view, *chain)));
    } else {
        chains.par_extend(packed[..upto].par_iter().with_min_len(1024).map(|chain| layout.unpack(view, *chain)));
    }
}
