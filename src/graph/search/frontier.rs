//! The search frontier: the entities at distance zero, one and two from the anchors, and the triples that lead to them.
//!
//! Half of a chain is a walk from an anchor. Walks are stored factorised: each reached entity stores the triples ("arcs")
//! that lead to it from the level before, and walks are enumerated only when two of them are joined. A level therefore
//! holds at most two arcs for each triple of the graph, whatever the number of walks.

use rayon::prelude::*;

use crate::graph::entity::EntityId;
use crate::graph::entity_set::EntitySet;
use crate::graph::view::{Direction, GraphView, RowReader};

use super::cost::hub_cost;

/// The most arcs of one level: 128 MiB.
const MOST_ARCS: usize = 16 * 1024 * 1024;

/// From this many ends on, degrees are read in parallel.
const MANY_ENDS: usize = 4096;

/// Why the work stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// The time is up, or the run was cancelled.
    Asked,
    /// A level would hold more than [`MOST_ARCS`].
    Memory,
}

/// Polls every few thousand steps whether to stop.
pub(super) struct StopPoll<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    steps: usize,
}

impl<'a> StopPoll<'a> {
    const STEPS: usize = 4096;

    pub(super) fn new(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop, steps: 0 }
    }

    /// Counts steps of work, and polls when enough have passed.
    #[inline]
    pub(super) fn step(&mut self, steps: usize) -> Result<(), Halt> {
        self.steps += steps;
        if self.steps < Self::STEPS {
            return Ok(());
        }
        self.steps = 0;
        if (self.stop)() { Err(Halt::Asked) } else { Ok(()) }
    }
}

/// An entity at which walks arrive.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrontierEnd {
    pub(super) entity: u32,
    pub(super) degree: u32,
    /// [`hub_cost`] of the degree.
    pub(super) cost: u32,
    first_arc: u32,
    /// Whether a walk from a new anchor arrives.
    pub(super) fresh: bool,
}

/// The last triple of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelArc {
    /// The end of the previous level from which it comes.
    pub(super) from: u32,
    pub(super) relation: u16,
    /// Whether the step, seen from the anchor, runs along the relation.
    pub(super) forward: bool,
    pub(super) learned: bool,
}

/// All ends at one distance, ordered by entity.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) members: EntitySet,
    pub(super) ends: Vec<FrontierEnd>,
    arcs: Vec<LevelArc>,
}

impl Level {
    /// The triples that lead to an end.
    #[inline]
    pub(super) fn arcs(&self, end: u32) -> &[LevelArc] {
        let end = end as usize;
        let to = self.ends.get(end + 1).map_or(self.arcs.len(), |next| next.first_arc as usize);
        &self.arcs[self.ends[end].first_arc as usize..to]
    }

    /// The sum of the degrees of all ends.
    pub(super) fn effort(&self) -> u64 {
        self.ends.iter().map(|end| u64::from(end.degree)).sum()
    }

    /// The anchors themselves; `fresh` says which are new.
    fn of_anchors<V: GraphView + ?Sized>(view: &V, anchors: &[EntityId], first_new: usize) -> Self {
        let mut members = EntitySet::new(view.entity_count());
        for anchor in anchors {
            members.insert(*anchor);
        }
        members.number_members();
        let mut ends = ends_of(view, &members);
        for anchor in &anchors[first_new..] {
            if let Some(end) = members.number(*anchor) {
                ends[end as usize].fresh = true;
            }
        }
        Self { members, ends, arcs: Vec::new() }
    }

    /// The level after `previous`, passing only through ends of at most `hub_bound` triples.
    fn after<V: GraphView + ?Sized>(view: &V, previous: &Self, hub_bound: u32, pace: &mut StopPoll<'_>) -> Result<Self, Halt> {
        let through = || (0u32..).zip(&previous.ends).filter(|(_, end)| end.degree <= hub_bound);
        let steps: u64 = through().map(|(_, end)| u64::from(end.degree)).sum();
        if steps > MOST_ARCS as u64 {
            return Err(Halt::Memory);
        }
        let rows = RowReader::new(view);
        let mut members = EntitySet::new(view.entity_count());
        for (_, end) in through() {
            for direction in Direction::BOTH {
                for (part, _) in rows.edges(EntityId(end.entity), direction).parts() {
                    for edge in part.iter().filter(|edge| edge.to.0 != end.entity) {
                        members.insert(edge.to);
                    }
                    pace.step(part.len())?;
                }
            }
        }
        members.number_members();
        let mut ends = ends_of(view, &members);
        // Count the arcs of each end in first_arc, turn the counts into offsets, then store the arcs; storing advances
        // first_arc to the offset of the next end.
        for (_, end) in through() {
            for direction in Direction::BOTH {
                for (part, _) in rows.edges(EntityId(end.entity), direction).parts() {
                    for edge in part.iter().filter(|edge| edge.to.0 != end.entity) {
                        if let Some(number) = members.number(edge.to) {
                            let reached = &mut ends[number as usize];
                            reached.first_arc += 1;
                            reached.fresh |= end.fresh;
                        }
                    }
                    pace.step(part.len())?;
                }
            }
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(&mut end.first_arc, total);
        }
        let mut arcs = vec![LevelArc { from: 0, relation: 0, forward: false, learned: false }; total as usize];
        for (from, end) in through() {
            for direction in Direction::BOTH {
                for (part, learned) in rows.edges(EntityId(end.entity), direction).parts() {
                    for edge in part.iter().filter(|edge| edge.to.0 != end.entity) {
                        if let Some(number) = members.number(edge.to) {
                            let place = &mut ends[number as usize].first_arc;
                            arcs[*place as usize] = LevelArc { from, relation: edge.relation.0, forward: direction.is_forward(), learned };
                            *place += 1;
                        }
                    }
                    pace.step(part.len())?;
                }
            }
        }
        let mut begins = 0;
        for end in &mut ends {
            begins = std::mem::replace(&mut end.first_arc, begins);
        }
        Ok(Self { members, ends, arcs })
    }
}

/// The members as ends without arcs.
fn ends_of<V: GraphView + ?Sized>(view: &V, members: &EntitySet) -> Vec<FrontierEnd> {
    let mut ends: Vec<FrontierEnd> = members
        .members()
        .into_iter()
        .map(|entity| FrontierEnd { entity: entity.0, degree: 0, cost: 0, first_arc: 0, fresh: false })
        .collect();
    let rows = RowReader::new(view);
    // Each end costs a cache miss, so the cores share the work.
    let fetch = |end: &mut FrontierEnd| {
        let degree = rows.degree(EntityId(end.entity));
        end.degree = u32::try_from(degree).unwrap_or(u32::MAX);
        end.cost = hub_cost(degree);
    };
    if ends.len() < MANY_ENDS {
        ends.iter_mut().for_each(fetch);
    } else {
        ends.par_chunks_mut(MANY_ENDS / 4).for_each(|chunk| chunk.iter_mut().for_each(fetch));
    }
    ends
}

/// The levels of one portion of anchors, each computed when first needed.
#[derive(Debug)]
pub(super) struct Frontier {
    /// Levels 0, 1 and 2, as far as they are computed.
    pub(super) levels: Vec<Level>,
    /// For each end of level 0, the position of its anchor in the order of addition.
    pub(super) numbers: Vec<u16>,
    /// The bound on hubs with which level 2 was computed.
    bound_of_two: u32,
}

impl Frontier {
    /// Computes level 0. Takes at most 65,536 anchors, because they are numbered in 16 bits.
    pub(super) fn new<V: GraphView + ?Sized>(view: &V, anchors: &[EntityId], first_new: usize) -> Self {
        let level = Level::of_anchors(view, anchors, first_new);
        let mut numbers = vec![0; level.ends.len()];
        for (number, anchor) in (0u16..=u16::MAX).zip(anchors) {
            if let Some(end) = level.members.number(*anchor) {
                numbers[end as usize] = number;
            }
        }
        Self { levels: vec![level], numbers, bound_of_two: 0 }
    }

    /// Computes the levels up to `level`; level 2 passes only through entities of at most `hub_bound` triples.
    pub(super) fn reach<V: GraphView + ?Sized>(
        &mut self,
        view: &V,
        level: usize,
        hub_bound: u32,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Halt> {
        let mut pace = StopPoll::new(stop);
        if level >= 1 && self.levels.len() == 1 {
            let one = Level::after(view, &self.levels[0], u32::MAX, &mut pace)?;
            self.levels.push(one);
        }
        if level >= 2 && self.bound_of_two < hub_bound {
            self.levels.truncate(2);
            let two = Level::after(view, &self.levels[1], hub_bound, &mut pace)?;
            self.levels.push(two);
            self.bound_of_two = hub_bound;
        }
        Ok(())
    }
}
