//! Joins two halves of a chain: at one end (chains of even length) or over a triple between two ends (odd length).

use crate::graph::entity::EntityId;
use crate::graph::store::Edge;
use crate::graph::view::{Direction, GraphView, RowReader};

use super::edge_filter::{EdgeFilter, TOGETHER};
use super::frontier::{Frontier, FrontierEnd, Halt, Level, LevelArc, StopPoll};
use super::kept::WorkerChains;
use super::packed::{SHAPES, Shape, UnpackedChain};

/// A phase of the search for chains of one length: those whose largest hub between the anchors has more than `lower` and
/// at most `upper` triples.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchPhase {
    pub(super) length: usize,
    /// 0: no lower bound.
    pub(super) lower: u32,
    pub(super) upper: u32,
    /// Ends with fewer triples than this always walk their own row; others may look up hubs in it by binary search.
    pub(super) look_up_from: u32,
}

/// A portion of work: some ends, or a part of the work at one end.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkItem {
    first: u32,
    last: u32,
    part: u32,
    parts: u32,
}

/// The steps of one work item: about a tenth of a millisecond.
const GRAIN: u64 = 32 * 1024;

/// The most parts into which the work at one end is cut.
const MOST_PARTS: u64 = 1024;

/// How many ends' rows are prefetched at a time.
const AHEAD: u32 = 16;

/// One half of a chain: a walk of `H` relations from an anchor to an end.
#[derive(Debug, Clone, Copy)]
struct HalfChain {
    /// The index of its last arc at the end.
    arc: usize,
    anchor: u32,
    /// The anchor's position in the order of addition.
    number: u16,
    fresh: bool,
    learned: bool,
    /// Directions seen from the anchor (bit `i`: step `i` runs along its relation), and seen towards it.
    outward: u8,
    inward: u8,
    /// From the anchor outwards.
    relations: [u16; 2],
    /// The entity between anchor and end, for `H` = 2.
    via: u32,
    via_degree: u32,
    cost: u32,
}

/// The triple between two halves.
#[derive(Debug, Clone, Copy)]
struct MiddleTriple {
    relation: u16,
    forward: bool,
    learned: bool,
}

/// The join of one phase over its frontier.
pub(super) struct Join<'t, V: ?Sized> {
    view: &'t V,
    rows: RowReader<'t>,
    phase: SearchPhase,
    numbers: &'t [u16],
    anchors: &'t Level,
    /// Level `H` - 1, for `H` = 2.
    between: &'t Level,
    /// Level `H`.
    top: &'t Level,
    /// For chains of odd length: selects triples between two ends.
    edge_filter: EdgeFilter<'t>,
    /// Ends that can be looked up in the rows of others, in the order of precedence.
    hubs: Vec<u32>,
}

impl<'t, V: GraphView + ?Sized> Join<'t, V> {
    pub(super) fn new(view: &'t V, frontier: &'t Frontier, phase: SearchPhase) -> Self {
        let levels = &frontier.levels;
        let half = phase.length / 2;
        let mut join = Self {
            view,
            rows: RowReader::new(view),
            phase,
            numbers: &frontier.numbers,
            anchors: &levels[0],
            between: &levels[half.saturating_sub(1)],
            top: &levels[half],
            edge_filter: EdgeFilter::none(&levels[half]),
            hubs: Vec::new(),
        };
        if phase.length % 2 == 1 {
            let ends = &join.top.ends;
            join.edge_filter = EdgeFilter::new(join.top, phase.length == 3, join.rows.growth(), |end| join.takes(end));
            let mut hubs: Vec<u32> = (0u32..)
                .zip(ends)
                .filter(|(_, end)| join.takes(end) && (!end.fresh || end.degree >= phase.look_up_from))
                .map(|(at, _)| at)
                .collect();
            hubs.sort_unstable_by_key(|at| join.edge_filter.precedence(*at));
            join.hubs = hubs;
        }
        join
    }

    /// Whether chains of this phase may pass an end. Anchors may be hubs, because the user asked about them.
    #[inline]
    fn takes(&self, end: &FrontierEnd) -> bool {
        self.phase.length == 1 || end.degree <= self.phase.upper
    }

    /// The work, in portions for [`Self::work`], and its size in steps.
    pub(super) fn items(&self) -> (Vec<WorkItem>, u64) {
        let mut items = Vec::new();
        let (mut first, mut waiting, mut total) = (0, 0, 0);
        for (at, end) in (0u32..).zip(&self.top.ends) {
            let weight = self.weight(at, end);
            total += weight;
            waiting += weight;
            if weight > GRAIN {
                if first < at {
                    items.push(WorkItem { first, last: at, part: 0, parts: 1 });
                }
                let parts = weight.div_ceil(GRAIN).min(MOST_PARTS) as u32;
                items.extend((0..parts).map(|part| WorkItem { first: at, last: at + 1, part, parts }));
                (first, waiting) = (at + 1, 0);
            } else if waiting > GRAIN {
                items.push(WorkItem { first, last: at + 1, part: 0, parts: 1 });
                (first, waiting) = (at + 1, 0);
            }
        }
        if waiting > 0 {
            items.push(WorkItem { first, last: self.top.ends.len() as u32, part: 0, parts: 1 });
        }
        (items, total)
    }

    /// Estimates the steps of the work at an end.
    fn weight(&self, at: u32, end: &FrontierEnd) -> u64 {
        if !end.fresh || !self.takes(end) {
            return 0;
        }
        let arcs = if self.phase.length == 1 { 1 } else { self.top.arcs(at).len() as u64 };
        if self.phase.length.is_multiple_of(2) {
            if arcs < 2 { 0 } else { arcs * arcs }
        } else {
            let walked = u64::from(end.degree);
            walked.min(self.looked_up(at, end).map_or(walked, |(_, steps)| steps)) * arcs
        }
    }

    /// The ends to look up in an end's row, and the steps of that, if it takes fewer steps than walking the row.
    fn looked_up(&self, at: u32, end: &FrontierEnd) -> Option<(&[u32], u64)> {
        if end.degree < self.phase.look_up_from {
            return None;
        }
        let own = self.edge_filter.precedence(at);
        let from = self.hubs.partition_point(|hub| self.edge_filter.precedence(*hub) <= own);
        let candidates = &self.hubs[from..];
        // Two rows, and a step of binary search costs about twice as much as a step along the row.
        let steps = candidates.len() as u64 * 4 * u64::from(end.degree.max(2).ilog2());
        (steps < u64::from(end.degree)).then_some((candidates, steps))
    }

    /// Performs one work item.
    pub(super) fn work<const W: usize>(
        &self,
        item: WorkItem,
        chains: &mut WorkerChains<'_, W>,
        pace: &mut StopPoll<'_>,
    ) -> Result<(), Halt> {
        for at in item.first..item.last {
            if self.phase.length % 2 == 1 && (at - item.first).is_multiple_of(AHEAD) {
                self.prefetch(at..item.last.min(at + AHEAD));
            }
            let end = &self.top.ends[at as usize];
            if !end.fresh || !self.takes(end) {
                continue;
            }
            match self.phase.length {
                1 => self.over_triples::<W, 0>(at, end, item, chains, pace)?,
                2 => self.at_end::<W, 1>(at, end, item, chains, pace)?,
                3 => self.over_triples::<W, 1>(at, end, item, chains, pace)?,
                4 => self.at_end::<W, 2>(at, end, item, chains, pace)?,
                _ => self.over_triples::<W, 2>(at, end, item, chains, pace)?,
            }
        }
        pace.step(1)
    }

    /// Reads the beginning of the rows of some ends, so that the processor fetches them together, not one after the other.
    fn prefetch(&self, ends: std::ops::Range<u32>) {
        let rows = ends.map(|at| self.rows.prefetch(EntityId(self.top.ends[at as usize].entity)));
        std::hint::black_box(rows.fold(0, |all, row| all ^ row));
    }

    /// Chains of even length: both halves arrive at this end.
    fn at_end<const W: usize, const H: usize>(
        &self,
        at: u32,
        end: &FrontierEnd,
        item: WorkItem,
        chains: &mut WorkerChains<'_, W>,
        pace: &mut StopPoll<'_>,
    ) -> Result<(), Halt> {
        let arcs = self.top.arcs(at);
        if arcs.len() < 2 {
            return Ok(());
        }
        self.halves::<H>(at, end, part(0..arcs.len(), item), &mut |left| {
            // Take each pair from its new half; if both are new, from the first.
            if !left.fresh {
                return Ok(());
            }
            self.halves::<H>(at, end, 0..arcs.len(), &mut |right| {
                if !(right.fresh && right.arc < left.arc) {
                    self.join::<W, H>(&left, &right, end, end, None, chains);
                }
                Ok(())
            })?;
            pace.step(arcs.len())
        })
    }

    /// Chains of odd length: over each triple between this end and an end over which it has precedence.
    fn over_triples<const W: usize, const H: usize>(
        &self,
        at: u32,
        end: &FrontierEnd,
        item: WorkItem,
        chains: &mut WorkerChains<'_, W>,
        pace: &mut StopPoll<'_>,
    ) -> Result<(), Halt> {
        if let Some((candidates, _)) = self.looked_up(at, end) {
            for other in &candidates[part(0..candidates.len(), item)] {
                for direction in Direction::BOTH {
                    let row = self.rows.edges(EntityId(end.entity), direction);
                    for (edges, learned) in row.parts() {
                        for edge in between(edges, EntityId(self.top.ends[*other as usize].entity)) {
                            let middle = MiddleTriple { relation: edge.relation.0, forward: direction.is_forward(), learned };
                            self.across::<W, H>((at, end), *other, middle, chains, pace)?;
                        }
                    }
                }
                pace.step(32)?;
            }
            return Ok(());
        }
        let least = self.edge_filter.least_far_degree(end);
        let rows = Direction::BOTH.map(|direction| (direction, self.rows.edges(EntityId(end.entity), direction)));
        let mut range = part(0..rows.iter().map(|(_, row)| row.len()).sum(), item);
        for (direction, row) in rows {
            for (edges, learned) in row.parts() {
                let here: &[Edge] = &edges[range.start.min(edges.len())..range.end.min(edges.len())];
                range = range.start.saturating_sub(edges.len())..range.end.saturating_sub(edges.len());
                for edges in here.chunks(TOGETHER) {
                    let mut met = [(0, 0); TOGETHER];
                    let count = self.edge_filter.select(edges, at, least, &mut met);
                    for (other, place) in &met[..count] {
                        let middle = MiddleTriple { relation: edges[*place as usize].relation.0, forward: direction.is_forward(), learned };
                        self.across::<W, H>((at, end), *other, middle, chains, pace)?;
                    }
                }
                pace.step(here.len())?;
            }
        }
        Ok(())
    }

    /// Every chain over one triple.
    #[inline]
    fn across<const W: usize, const H: usize>(
        &self,
        (at, end): (u32, &FrontierEnd),
        other: u32,
        middle: MiddleTriple,
        chains: &mut WorkerChains<'_, W>,
        pace: &mut StopPoll<'_>,
    ) -> Result<(), Halt> {
        let far = &self.top.ends[other as usize];
        if H == 1 && self.phase.lower > 0 && end.degree.max(far.degree) <= self.phase.lower {
            return Ok(());
        }
        let count = |at| if H == 0 { 1 } else { self.top.arcs(at).len() };
        let (near_arcs, far_arcs) = (count(at), count(other));
        self.halves::<H>(at, end, 0..near_arcs, &mut |left| {
            self.halves::<H>(other, far, 0..far_arcs, &mut |right| {
                if left.fresh || right.fresh {
                    self.join::<W, H>(&left, &right, end, far, Some(middle), chains);
                }
                Ok(())
            })?;
            pace.step(far_arcs)
        })
    }

    /// Visits the halves that arrive at an end by some of its arcs.
    #[inline]
    fn halves<const H: usize>(
        &self,
        at: u32,
        end: &FrontierEnd,
        arcs: std::ops::Range<usize>,
        visit: &mut impl FnMut(HalfChain) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let of_anchor = |anchor: u32, arc: usize| {
            let from = &self.anchors.ends[anchor as usize];
            HalfChain {
                arc,
                anchor: from.entity,
                number: self.numbers[anchor as usize],
                fresh: from.fresh,
                learned: false,
                outward: 0,
                inward: 0,
                relations: [0; 2],
                via: u32::MAX,
                via_degree: 0,
                cost: 0,
            }
        };
        if H == 0 {
            return visit(of_anchor(at, 0));
        }
        let all = self.top.arcs(at);
        for (number, arc) in all.iter().enumerate().take(arcs.end).skip(arcs.start) {
            if H == 1 {
                visit(step(of_anchor(arc.from, number), 0, arc))?;
                continue;
            }
            let via = &self.between.ends[arc.from as usize];
            if via.degree > self.phase.upper {
                continue;
            }
            for first in self.between.arcs(arc.from) {
                let half = of_anchor(first.from, number);
                if half.anchor != end.entity {
                    let half = HalfChain { via: via.entity, via_degree: via.degree, cost: via.cost, ..half };
                    visit(step(step(half, 0, first), 1, arc))?;
                }
            }
        }
        Ok(())
    }

    /// Joins two halves if the result is a simple chain whose direction changes at most once.
    #[inline]
    fn join<const W: usize, const H: usize>(
        &self,
        left: &HalfChain,
        right: &HalfChain,
        end: &FrontierEnd,
        far: &FrontierEnd,
        middle: Option<MiddleTriple>,
        chains: &mut WorkerChains<'_, W>,
    ) {
        if left.number == right.number || (H > 0 && middle.is_some() && (left.anchor == far.entity || right.anchor == end.entity)) {
            return;
        }
        if H == 2 {
            let outside = |half: &HalfChain, other: &HalfChain, entity: u32| half.via != other.anchor && half.via != entity;
            if left.via == right.via || !outside(left, right, far.entity) || !outside(right, left, end.entity) {
                return;
            }
        }
        if H > 0 && self.phase.lower > 0 {
            let largest = end.degree.max(far.degree).max(left.via_degree).max(right.via_degree);
            if largest <= self.phase.lower {
                return;
            }
        }
        let length = 2 * H + usize::from(middle.is_some());
        let directions = match middle {
            None => left.outward | right.inward << H,
            Some(middle) => left.outward | u8::from(middle.forward) << H | right.inward << (H + 1),
        };
        let shape = SHAPES[length][usize::from(directions)];
        if shape.number == Shape::NONE {
            return;
        }
        // Paths are read along their arrows, other chains from the anchor that came first.
        let turn = shape.number == Shape::BACKWARD || (shape.number != 0 && left.number > right.number);
        let shape = if turn { shape.reversed } else { shape.number };
        chains.counts[match usize::from(shape) {
            0 => 0,
            n if n < length => 1,
            _ => 2,
        }] += 1;
        let between = match (H, middle.is_some()) {
            (0, _) => 0,
            (_, false) => end.cost,
            (_, true) => end.cost + far.cost,
        };
        let cost = left.cost + right.cost + between;
        if !chains.wants(cost) {
            return;
        }
        let ((left, end), (right, far)) = if turn { ((right, far), (left, end)) } else { ((left, end), (right, far)) };
        let learned = left.learned | right.learned | middle.is_some_and(|middle| middle.learned);
        let mut found = UnpackedChain { nodes: [0; 6], relations: [0; 5], shape, learned, cost };
        found.nodes[0] = left.anchor;
        found.nodes[length] = right.anchor;
        if H == 2 {
            found.nodes[1] = left.via;
            found.nodes[length - 1] = right.via;
        }
        if H > 0 {
            found.nodes[H] = end.entity;
            found.nodes[length - H] = far.entity;
        }
        found.relations[..H].copy_from_slice(&left.relations[..H]);
        if let Some(middle) = middle {
            found.relations[H] = middle.relation;
        }
        for i in 0..H {
            found.relations[length - 1 - i] = right.relations[i];
        }
        chains.take(self.view, &found);
    }
}

/// The half with one more step, the `at`-th from the anchor.
#[inline]
fn step(half: HalfChain, at: usize, arc: &LevelArc) -> HalfChain {
    let mut longer = half;
    longer.outward |= u8::from(arc.forward) << at;
    // Towards the anchor the last step comes first, with its direction reversed.
    longer.inward = half.inward << 1 | u8::from(!arc.forward);
    longer.relations[at] = arc.relation;
    longer.learned |= arc.learned;
    longer
}

/// The edges of a part of a row that lead to one entity, by binary search.
#[inline]
fn between(edges: &[Edge], to: EntityId) -> &[Edge] {
    let rest = &edges[edges.partition_point(|edge| edge.to < to)..];
    let count = rest.iter().take_while(|edge| edge.to == to).count();
    &rest[..count]
}

/// The item's part of a range.
fn part(range: std::ops::Range<usize>, item: WorkItem) -> std::ops::Range<usize> {
    let cut = |part: u32| range.start + (range.len() as u64 * u64::from(part) / u64::from(item.parts)) as usize;
    cut(item.part)..cut(item.part + 1)
}
