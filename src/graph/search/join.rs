//! Joining halves: at one end (chains of even length) or over a triple between two ends (odd length).

use crate::graph::entity::EntityId;
use crate::graph::store::Edge;
use crate::graph::view::{Direction, GraphView, Reader};

use super::edge_filter::{Sift, TOGETHER};
use super::frontier::{Arc, End, Frontier, Halt, Level, Pace};
use super::kept::Finds;
use super::packed::{Found, SHAPES, Shape};

/// A phase of the search for chains of one length: those whose largest hub between the anchors has more than `lower` and
/// at most `upper` triples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phase {
    pub(super) length: usize,
    /// 0: no lower bound.
    pub(super) lower: u32,
    pub(super) upper: u32,
    /// Ends of fewer triples are never looked up in others' rows but walked from.
    pub(super) look_up_from: u32,
}

/// Work for one worker at a time: some ends, or a part of the work at one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    first: u32,
    last: u32,
    part: u32,
    parts: u32,
}

/// Work of one item, in steps: about a tenth of a millisecond.
const GRAIN: u64 = 32 * 1024;

/// The most parts into which the work at one end is cut.
const MOST_PARTS: u64 = 1024;

/// How many ends' rows are fetched at a time.
const AHEAD: u32 = 16;

/// One half of a chain: a walk of `H` relations from an anchor to an end.
#[derive(Debug, Clone, Copy)]
struct Half {
    /// Which arc of the end it came by.
    arc: usize,
    anchor: u32,
    /// When the anchor came.
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
struct Middle {
    relation: u16,
    forward: bool,
    learned: bool,
}

/// A phase on its frontier.
pub(super) struct Join<'t, V: ?Sized> {
    view: &'t V,
    rows: Reader<'t>,
    phase: Phase,
    numbers: &'t [u16],
    anchors: &'t Level,
    /// Level `H` - 1, for `H` = 2.
    between: &'t Level,
    /// Level `H`.
    top: &'t Level,
    /// For chains of odd length: which triples between two ends are worth a look.
    sift: Sift<'t>,
    /// Ends that can be looked up in the rows of others, in the order in which they have precedence.
    hubs: Vec<u32>,
}

impl<'t, V: GraphView + ?Sized> Join<'t, V> {
    pub(super) fn new(view: &'t V, frontier: &'t Frontier, phase: Phase) -> Self {
        let levels = &frontier.levels;
        let half = phase.length / 2;
        let mut join = Self {
            view,
            rows: Reader::new(view),
            phase,
            numbers: &frontier.numbers,
            anchors: &levels[0],
            between: &levels[half.saturating_sub(1)],
            top: &levels[half],
            sift: Sift::none(&levels[half]),
            hubs: Vec::new(),
        };
        if phase.length % 2 == 1 {
            let ends = &join.top.ends;
            join.sift = Sift::new(join.top, phase.length == 3, join.rows.grown(), |end| join.takes(end));
            let mut hubs: Vec<u32> = (0u32..)
                .zip(ends)
                .filter(|(_, end)| join.takes(end) && (!end.fresh || end.degree >= phase.look_up_from))
                .map(|(at, _)| at)
                .collect();
            hubs.sort_unstable_by_key(|at| join.sift.precedence(*at));
            join.hubs = hubs;
        }
        join
    }

    /// Whether chains of this phase may pass an end. Anchors may be hubs: they are what was asked about.
    #[inline]
    fn takes(&self, end: &End) -> bool {
        self.phase.length == 1 || end.degree <= self.phase.upper
    }

    /// The work, in portions for [`Self::work`]; and how much it is, in steps.
    pub(super) fn items(&self) -> (Vec<Item>, u64) {
        let mut items = Vec::new();
        let (mut first, mut waiting, mut total) = (0, 0, 0);
        for (at, end) in (0u32..).zip(&self.top.ends) {
            let weight = self.weight(at, end);
            total += weight;
            waiting += weight;
            if weight > GRAIN {
                if first < at {
                    items.push(Item { first, last: at, part: 0, parts: 1 });
                }
                let parts = weight.div_ceil(GRAIN).min(MOST_PARTS) as u32;
                items.extend((0..parts).map(|part| Item { first: at, last: at + 1, part, parts }));
                (first, waiting) = (at + 1, 0);
            } else if waiting > GRAIN {
                items.push(Item { first, last: at + 1, part: 0, parts: 1 });
                (first, waiting) = (at + 1, 0);
            }
        }
        if waiting > 0 {
            items.push(Item { first, last: self.top.ends.len() as u32, part: 0, parts: 1 });
        }
        (items, total)
    }

    /// About how many steps the work at an end takes.
    fn weight(&self, at: u32, end: &End) -> u64 {
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

    /// The ends that are to be looked up in an end's row if that takes fewer steps than walking the row.
    fn looked_up(&self, at: u32, end: &End) -> Option<(&[u32], u64)> {
        if end.degree < self.phase.look_up_from {
            return None;
        }
        let own = self.sift.precedence(at);
        let from = self.hubs.partition_point(|hub| self.sift.precedence(*hub) <= own);
        let candidates = &self.hubs[from..];
        // Two rows, and about twice as long for a step of binary search as for one along the row.
        let steps = candidates.len() as u64 * 4 * u64::from(end.degree.max(2).ilog2());
        (steps < u64::from(end.degree)).then_some((candidates, steps))
    }

    /// Does one item.
    pub(super) fn work<const W: usize>(&self, item: Item, finds: &mut Finds<'_, W>, pace: &mut Pace<'_>) -> Result<(), Halt> {
        for at in item.first..item.last {
            if self.phase.length % 2 == 1 && (at - item.first).is_multiple_of(AHEAD) {
                self.touch(at..item.last.min(at + AHEAD));
            }
            let end = &self.top.ends[at as usize];
            if !end.fresh || !self.takes(end) {
                continue;
            }
            match self.phase.length {
                1 => self.over_triples::<W, 0>(at, end, item, finds, pace)?,
                2 => self.at_end::<W, 1>(at, end, item, finds, pace)?,
                3 => self.over_triples::<W, 1>(at, end, item, finds, pace)?,
                4 => self.at_end::<W, 2>(at, end, item, finds, pace)?,
                _ => self.over_triples::<W, 2>(at, end, item, finds, pace)?,
            }
        }
        pace.step(1)
    }

    /// Looks at the rows of some ends, so that memory fetches them all at a time rather than one after the other.
    fn touch(&self, ends: std::ops::Range<u32>) {
        let rows = ends.map(|at| self.rows.touch(EntityId(self.top.ends[at as usize].entity)));
        std::hint::black_box(rows.fold(0, |all, row| all ^ row));
    }

    /// Chains of even length: both halves end here.
    fn at_end<const W: usize, const H: usize>(
        &self,
        at: u32,
        end: &End,
        item: Item,
        finds: &mut Finds<'_, W>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt> {
        let arcs = self.top.arcs(at);
        if arcs.len() < 2 {
            return Ok(());
        }
        self.halves::<H>(at, end, part(0..arcs.len(), item), &mut |left| {
            // Each pair is taken from a half that is new; of two new ones, from the first.
            if !left.fresh {
                return Ok(());
            }
            self.halves::<H>(at, end, 0..arcs.len(), &mut |right| {
                if !(right.fresh && right.arc < left.arc) {
                    self.join::<W, H>(&left, &right, end, end, None, finds);
                }
                Ok(())
            })?;
            pace.step(arcs.len())
        })
    }

    /// Chains of odd length: over each triple between this end and one that it takes precedence over.
    fn over_triples<const W: usize, const H: usize>(
        &self,
        at: u32,
        end: &End,
        item: Item,
        finds: &mut Finds<'_, W>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt> {
        if let Some((candidates, _)) = self.looked_up(at, end) {
            for other in &candidates[part(0..candidates.len(), item)] {
                for direction in Direction::BOTH {
                    let row = self.rows.edges(EntityId(end.entity), direction);
                    for (edges, learned) in row.parts() {
                        for edge in between(edges, EntityId(self.top.ends[*other as usize].entity)) {
                            let middle = Middle { relation: edge.relation.0, forward: direction.is_forward(), learned };
                            self.across::<W, H>((at, end), *other, middle, finds, pace)?;
                        }
                    }
                }
                pace.step(32)?;
            }
            return Ok(());
        }
        let least = self.sift.least(end);
        let rows = Direction::BOTH.map(|direction| (direction, self.rows.edges(EntityId(end.entity), direction)));
        let mut range = part(0..rows.iter().map(|(_, row)| row.len()).sum(), item);
        for (direction, row) in rows {
            for (edges, learned) in row.parts() {
                let here: &[Edge] = &edges[range.start.min(edges.len())..range.end.min(edges.len())];
                range = range.start.saturating_sub(edges.len())..range.end.saturating_sub(edges.len());
                for edges in here.chunks(TOGETHER) {
                    let mut met = [(0, 0); TOGETHER];
                    let count = self.sift.met(edges, at, least, &mut met);
                    for (other, place) in &met[..count] {
                        let middle = Middle { relation: edges[*place as usize].relation.0, forward: direction.is_forward(), learned };
                        self.across::<W, H>((at, end), *other, middle, finds, pace)?;
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
        (at, end): (u32, &End),
        other: u32,
        middle: Middle,
        finds: &mut Finds<'_, W>,
        pace: &mut Pace<'_>,
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
                    self.join::<W, H>(&left, &right, end, far, Some(middle), finds);
                }
                Ok(())
            })?;
            pace.step(far_arcs)
        })
    }

    /// The halves that come to an end by some of its arcs.
    #[inline]
    fn halves<const H: usize>(
        &self,
        at: u32,
        end: &End,
        arcs: std::ops::Range<usize>,
        visit: &mut impl FnMut(Half) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let of_anchor = |anchor: u32, arc: usize| {
            let from = &self.anchors.ends[anchor as usize];
            Half {
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
                    let half = Half { via: via.entity, via_degree: via.degree, cost: via.cost, ..half };
                    visit(step(step(half, 0, first), 1, arc))?;
                }
            }
        }
        Ok(())
    }

    /// Joins two halves if that gives a simple chain that turns at most once.
    #[inline]
    fn join<const W: usize, const H: usize>(
        &self,
        left: &Half,
        right: &Half,
        end: &End,
        far: &End,
        middle: Option<Middle>,
        finds: &mut Finds<'_, W>,
    ) {
        if left.number == right.number || (H > 0 && middle.is_some() && (left.anchor == far.entity || right.anchor == end.entity)) {
            return;
        }
        if H == 2 {
            let outside = |half: &Half, other: &Half, entity: u32| half.via != other.anchor && half.via != entity;
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
        let shape = if turn { shape.turned } else { shape.number };
        finds.counts[match usize::from(shape) {
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
        if !finds.wants(cost) {
            return;
        }
        let ((left, end), (right, far)) = if turn { ((right, far), (left, end)) } else { ((left, end), (right, far)) };
        let learned = left.learned | right.learned | middle.is_some_and(|middle| middle.learned);
        let mut found = Found { nodes: [0; 6], relations: [0; 5], shape, learned, cost };
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
        finds.take(self.view, &found);
    }
}

/// The half with one more step, its `at`-th from the anchor.
#[inline]
fn step(half: Half, at: usize, arc: &Arc) -> Half {
    let mut longer = half;
    longer.outward |= u8::from(arc.forward) << at;
    // Towards the anchor the last step comes first, and against its direction outwards.
    longer.inward = half.inward << 1 | u8::from(!arc.forward);
    longer.relations[at] = arc.relation;
    longer.learned |= arc.learned;
    longer
}

/// The edges of a part of a row that lead to one entity; found by binary search.
#[inline]
fn between(edges: &[Edge], to: EntityId) -> &[Edge] {
    let rest = &edges[edges.partition_point(|edge| edge.to < to)..];
    let count = rest.iter().take_while(|edge| edge.to == to).count();
    &rest[..count]
}

/// The item's part of a range.
fn part(range: std::ops::Range<usize>, item: Item) -> std::ops::Range<usize> {
    let cut = |part: u32| range.start + (range.len() as u64 * u64::from(part) / u64::from(item.parts)) as usize;
    cut(item.part)..cut(item.part + 1)
}
