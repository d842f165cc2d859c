//! The chains that are kept, packed, by length; and what one worker finds in one phase of the search.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::graph::chain::Chain;
use crate::graph::view::GraphView;

use super::packed::{Found, Layout, Words};

/// Chains from which on they are merged and written out in parallel.
const MANY: usize = 8192;

/// What one worker finds. Beyond the budget, chains that cannot be among the best are only counted.
pub(super) struct Finds<'a, const W: usize> {
    packed: Vec<Words<W>>,
    /// Paths, co-ancestors, co-occurrences.
    pub(super) counts: [u64; 3],
    layout: Layout,
    limit: usize,
    /// The worst chain that can still be kept, once that is known.
    worst: Option<Words<W>>,
    /// The highest cost that can still be kept, as far as any worker knows.
    dearest: &'a AtomicU32,
}

impl<'a, const W: usize> Finds<'a, W> {
    pub(super) fn new(layout: Layout, limit: usize, dearest: &'a AtomicU32) -> Self {
        Self { packed: Vec::new(), counts: [0; 3], layout, limit, worst: None, dearest }
    }

    /// Whether a chain of this cost would be looked at; if not, it need only be counted.
    #[inline]
    pub(super) fn wants(&self, cost: u32) -> bool {
        self.limit > 0 && cost <= self.dearest.load(Ordering::Relaxed)
    }

    /// Ends the worker's part: the best it found, in order, and the counts.
    pub(super) fn finish(mut self) -> (Vec<Words<W>>, [u64; 3]) {
        keep_best(&mut self.packed, self.limit);
        self.packed.sort_unstable();
        (self.packed, self.counts)
    }

    #[inline]
    pub(super) fn take<V: GraphView + ?Sized>(&mut self, view: &V, found: &Found) {
        let packed = self.layout.pack(view, found);
        if self.worst.is_some_and(|worst| packed > worst) {
            return;
        }
        self.packed.push(packed);
        // Twice the budget before sorting out, so that the sorting's cost is spread.
        if self.packed.len() >= self.limit.saturating_mul(2).max(1024) {
            self.worst = keep_best(&mut self.packed, self.limit);
            if let Some(worst) = self.worst {
                self.dearest.fetch_min(self.layout.cost(worst), Ordering::Relaxed);
            }
        }
    }
}

/// Cuts to the `limit` first in order, in whatever order; gives the last of those that stay if there are so many.
fn keep_best<const W: usize>(packed: &mut Vec<Words<W>>, limit: usize) -> Option<Words<W>> {
    if packed.len() < limit || limit == 0 {
        packed.truncate(limit);
        return None;
    }
    packed.select_nth_unstable(limit - 1);
    packed.truncate(limit);
    packed.last().copied()
}

/// Cuts what several workers found, each in order, to the `limit` first in order. Gives the highest cost that can still be
/// among them.
pub(super) fn cut<const W: usize>(layout: Layout, packed: &mut Vec<Words<W>>, limit: usize) -> u32 {
    if packed.len() < limit || limit == 0 {
        packed.truncate(limit);
        return u32::MAX;
    }
    merge(packed);
    packed.truncate(limit);
    packed.last().map_or(u32::MAX, |worst| layout.cost(*worst))
}

/// Puts what several workers found, each in order, in order as a whole. Stable sorts find the runs and merge them.
fn merge<const W: usize>(packed: &mut [Words<W>]) {
    if packed.len() < MANY { packed.sort() } else { packed.par_sort() }
}

/// Packed chains of one width. Which width a length takes depends on the graph; see [`Layout::words`].
#[derive(Debug)]
pub(super) enum Packed {
    Two(Vec<Words<2>>),
    Three(Vec<Words<3>>),
    Five(Vec<Words<5>>),
}

/// The same expression for whichever width it is.
macro_rules! each_width {
    ($packed:expr, $name:ident => $body:expr) => {
        match $packed {
            Packed::Two($name) => $body,
            Packed::Three($name) => $body,
            Packed::Five($name) => $body,
        }
    };
}

/// The chains of one length: some runs, each in order.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) layout: Layout,
    pub(super) packed: Packed,
    /// How many were found: paths, co-ancestors, co-occurrences.
    pub(super) counts: [u64; 3],
}

impl Kept {
    pub(super) fn new(layout: Layout) -> Self {
        let packed = match layout.words() {
            0..=2 => Packed::Two(Vec::new()),
            3 => Packed::Three(Vec::new()),
            _ => Packed::Five(Vec::new()),
        };
        Self { layout, packed, counts: [0; 3] }
    }

    pub(super) fn len(&self) -> usize {
        each_width!(&self.packed, packed => packed.len())
    }

    pub(super) fn found(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Cuts to the `limit` first in order.
    pub(super) fn cut(&mut self, limit: usize) {
        let layout = self.layout;
        each_width!(&mut self.packed, packed => cut(layout, packed, limit));
    }

    /// Writes out the chains that cost less than `below`, in order.
    pub(super) fn write<V: GraphView + ?Sized>(self, view: &V, below: u32, chains: &mut Vec<Chain>) {
        let layout = self.layout;
        each_width!(self.packed, packed => write(view, layout, packed, below, chains));
    }
}

fn write<const W: usize, V: GraphView + ?Sized>(view: &V, layout: Layout, mut packed: Vec<Words<W>>, below: u32, chains: &mut Vec<Chain>) {
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
