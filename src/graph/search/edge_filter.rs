//! Selects the triples between two ends of a level that can be part of a chain. About a tenth of a million triples around the
//! anchors can. The data that decides is compact and the tests have no branches, because the processor could hardly predict them.

use crate::graph::store::{Edge, far_degree};

use super::frontier::{FrontierEnd, Level};

/// How many triples of a row are filtered at a time.
pub(super) const TOGETHER: usize = 64;

/// What decides about an end of a triple.
#[derive(Debug, Clone, Copy)]
struct EndKey {
    /// A triple is taken from the end with the lower precedence: an end where a new walk arrives before others, then the one with
    /// fewer triples; ties by number. [`BARRED`] for an end that no chain of this phase may pass.
    precedence: u32,
    /// The anchor from which all walks to the end come: two such ends of one anchor make no chain. [`SEVERAL`] if they
    /// come from several anchors, or if the walks have more than one relation.
    sole: u32,
}

/// The precedence of an end that no chain may pass: it comes before all others, so no triple to it is selected.
const BARRED: u32 = 0;

/// Added to the precedence of an end where no new walk arrives.
const OLD: u32 = 1 << 31;

/// More than one anchor.
const SEVERAL: u32 = u32::MAX;

/// The keys of all ends of a level.
#[derive(Debug)]
pub(super) struct EdgeFilter<'t> {
    top: &'t Level,
    keys: Vec<EndKey>,
    /// Whether a new walk arrives at every end.
    all_fresh: bool,
    growth: u32,
}

impl<'t> EdgeFilter<'t> {
    /// An empty filter, for chains of even length, which need none.
    pub(super) fn none(top: &'t Level) -> Self {
        Self { top, keys: Vec::new(), all_fresh: true, growth: 0 }
    }

    /// `one_step`: whether walks to the ends have one relation. `growth`: the most triples by which a degree may exceed the far degree that
    /// edges state. `takes`: whether chains may pass an end.
    pub(super) fn new(top: &'t Level, one_step: bool, growth: usize, takes: impl Fn(&FrontierEnd) -> bool) -> Self {
        let key = |(at, end): (u32, &FrontierEnd)| {
            let least = if end.fresh { 0 } else { OLD };
            let precedence = if takes(end) { least | (end.degree.min(OLD - 2) + 1) } else { BARRED };
            let sole = match top.arcs(at) {
                [first, rest @ ..] if one_step && rest.iter().all(|arc| arc.from == first.from) => first.from,
                _ => SEVERAL,
            };
            EndKey { precedence, sole }
        };
        Self {
            top,
            keys: (0u32..).zip(&top.ends).map(key).collect(),
            all_fresh: top.ends.iter().all(|end| end.fresh),
            growth: u32::try_from(growth).unwrap_or(u32::MAX),
        }
    }

    /// See [`EndKey::precedence`]; made unique by the end's number.
    #[inline]
    pub(super) fn precedence(&self, at: u32) -> u64 {
        u64::from(self.keys[at as usize].precedence) << 32 | u64::from(at)
    }

    /// The least far degree of a triple that may be taken from this end, because ends with fewer triples have precedence. 0 if there are
    /// old ends, which may have any degree.
    #[inline]
    pub(super) fn least_far_degree(&self, end: &FrontierEnd) -> u16 {
        if self.all_fresh { far_degree(end.degree.saturating_sub(self.growth) as usize) } else { 0 }
    }

    /// Selects, from at most [`TOGETHER`] triples of an end, those that lead to another end over which it has precedence and with which it
    /// can form a chain. Writes (other end, index of the triple) to `met` and returns how many. `least`: see [`Self::least_far_degree`].
    #[inline]
    pub(super) fn select(&self, edges: &[Edge], at: u32, least: u16, met: &mut [(u32, u32); TOGETHER]) -> usize {
        let mut places = [0u32; TOGETHER];
        let mut large = 0;
        for (place, edge) in (0u32..).zip(edges) {
            places[large % TOGETHER] = place;
            large += usize::from(edge.far_degree >= least);
        }
        let mut members = 0;
        for i in 0..large {
            let place = places[i % TOGETHER];
            places[members % TOGETHER] = place;
            members += usize::from(self.top.members.contains(edges[place as usize].to));
        }
        let own = self.precedence(at);
        // SEVERAL equals nothing, not even itself.
        let sole = Some(self.keys[at as usize].sole).filter(|sole| *sole != SEVERAL).unwrap_or(SEVERAL - 1);
        let mut taken = 0;
        for place in &places[..members] {
            let Some(other) = self.top.members.number(edges[*place as usize].to) else { continue };
            met[taken % TOGETHER] = (other, *place);
            taken += usize::from(self.precedence(other) > own && self.keys[other as usize].sole != sole);
        }
        taken
    }
}
