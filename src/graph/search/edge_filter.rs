//! Which triples between two ends of a level are worth a look. Of a million triples around the anchors a tenth is, so what
//! decides has to lie close together, and is asked without branches: hardly any of the answers can be foreseen.

use crate::graph::store::{Edge, far_degree};

use super::frontier::{End, Level};

/// How many triples of a row are looked at together.
pub(super) const TOGETHER: usize = 64;

/// What decides about an end.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// Which of two ends a triple is taken from: the one where this is less (an end where something new arrives, then one with
    /// fewer triples); equals by number. [`BARRED`] for an end that no chain of this phase may pass.
    precedence: u32,
    /// The anchor from which all walks to the end come: two such ends of one anchor make no chain. [`SEVERAL`] where they
    /// come from several, and where the walks are not of one relation.
    sole: u32,
}

/// The precedence of an end that no chain may pass: it comes before all others, so that no triple is taken to it.
const BARRED: u32 = 0;

/// Added to the precedence of an end where nothing new arrives.
const OLD: u32 = 1 << 31;

/// More than one anchor.
const SEVERAL: u32 = u32::MAX;

/// The keys of all ends of a level.
#[derive(Debug)]
pub(super) struct Sift<'t> {
    top: &'t Level,
    keys: Vec<Key>,
    /// Whether something new arrives at every end.
    all_fresh: bool,
    grown: u32,
}

impl<'t> Sift<'t> {
    /// For chains of even length, which need none.
    pub(super) fn none(top: &'t Level) -> Self {
        Self { top, keys: Vec::new(), all_fresh: true, grown: 0 }
    }

    /// `one_step`: walks to the ends are of one relation. `grown`: by how many triples any entity may have more than an edge to it says. `takes`: whether chains may
    /// pass an end.
    pub(super) fn new(top: &'t Level, one_step: bool, grown: usize, takes: impl Fn(&End) -> bool) -> Self {
        let key = |(at, end): (u32, &End)| {
            let least = if end.fresh { 0 } else { OLD };
            let precedence = if takes(end) { least | (end.degree.min(OLD - 2) + 1) } else { BARRED };
            let sole = match top.arcs(at) {
                [first, rest @ ..] if one_step && rest.iter().all(|arc| arc.from == first.from) => first.from,
                _ => SEVERAL,
            };
            Key { precedence, sole }
        };
        Self {
            top,
            keys: (0u32..).zip(&top.ends).map(key).collect(),
            all_fresh: top.ends.iter().all(|end| end.fresh),
            grown: u32::try_from(grown).unwrap_or(u32::MAX),
        }
    }

    /// See [`Key::precedence`]; no two ends have the same.
    #[inline]
    pub(super) fn precedence(&self, at: u32) -> u64 {
        u64::from(self.keys[at as usize].precedence) << 32 | u64::from(at)
    }

    /// How many triples the far end of a triple must have, as the edge says, if it is to be taken from this end: ends of fewer triples
    /// have precedence. Where old ends are about, they may have any number.
    #[inline]
    pub(super) fn least(&self, end: &End) -> u16 {
        if self.all_fresh { far_degree(end.degree.saturating_sub(self.grown) as usize) } else { 0 }
    }

    /// Which of at most [`TOGETHER`] triples of an end lead to another over which it has precedence, and with which it can have a chain: that
    /// end, and the triple's place. `least`: far ends of fewer triples need no look. Gives how many.
    #[inline]
    pub(super) fn met(&self, edges: &[Edge], at: u32, least: u16, met: &mut [(u32, u32); TOGETHER]) -> usize {
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
        // Several equal nothing, themselves neither.
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
