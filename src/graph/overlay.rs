//! Learned triples laid over a base graph, seen as one graph.
//!
//! The base stays as it is. New entities and relation types get the numbers after its own, so numbers no longer
//! follow names; places in the order of names are worked out from where the new names would stand among those
//! of the base.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;

use super::entity::{EntityId, Kind, RelationId};
use super::entity_set::EntitySet;
use super::role::Relation;
use super::store::{Edge, Graph, Triple};
use super::view::{self, Direction, GraphView};

/// Why something cannot be laid over a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    /// A number that neither the base nor the overlay gave out.
    #[error("the triple refers to {what} number {number}, which neither the graph nor what was learned has; it belongs to another graph")]
    Unknown {
        /// `entity` or `relation`.
        what: &'static str,
        /// The number.
        number: u32,
    },
    /// Numbers have run out.
    #[error("no more {what} can be learned: a graph has room for {most}")]
    Full {
        /// `entities` or `relation types`.
        what: &'static str,
        /// The bound.
        most: u64,
    },
}

/// Collects what is laid over a graph. `G` is `&Graph` or `Arc<Graph>`.
#[derive(Debug)]
pub struct OverlayBuilder<G> {
    base: G,
    entities: Vec<(String, Kind)>,
    by_name: HashMap<(String, Kind), EntityId>,
    relations: Vec<Relation>,
    triples: HashSet<Triple>,
}

impl<G: Deref<Target = Graph>> OverlayBuilder<G> {
    /// Begins with nothing over the base.
    pub fn new(base: G) -> Self {
        Self { base, entities: Vec::new(), by_name: HashMap::new(), relations: Vec::new(), triples: HashSet::new() }
    }

    /// The entity with this very name and kind, made if neither the base nor the overlay has it.
    ///
    /// # Errors
    /// [`OverlayError::Full`] when numbers have run out.
    pub fn entity(&mut self, name: &str, kind: &Kind) -> Result<EntityId, OverlayError> {
        let base = &*self.base;
        let count = base.entity_count();
        let from = first_from(count, |i| base.entity_name(EntityId(i)) >= name);
        let known = (from..count as u32).map(EntityId).take_while(|id| base.entity_name(*id) == name).find(|id| base.kind(*id) == kind);
        if let Some(known) = known.or_else(|| self.by_name.get(&(name.to_owned(), kind.clone())).copied()) {
            return Ok(known);
        }
        let full = OverlayError::Full { what: "entities", most: u64::from(u32::MAX) };
        let id = u32::try_from(count + self.entities.len()).ok().filter(|id| *id < u32::MAX).ok_or(full)?;
        self.entities.push((name.to_owned(), kind.clone()));
        self.by_name.insert((name.to_owned(), kind.clone()), EntityId(id));
        Ok(EntityId(id))
    }

    /// The relation type of this name, made if neither the base nor the overlay has it.
    ///
    /// # Errors
    /// [`OverlayError::Full`] when numbers have run out.
    pub fn relation(&mut self, relation: Relation) -> Result<RelationId, OverlayError> {
        let known = self.base.relations().iter().chain(&self.relations).position(|known| known.name == relation.name);
        let id = known.unwrap_or(self.base.relations().len() + self.relations.len());
        let id = u16::try_from(id).map_err(|_| OverlayError::Full { what: "relation types", most: 1 << 16 })?;
        if known.is_none() {
            self.relations.push(relation);
        }
        Ok(RelationId(id))
    }

    /// Adds a learned triple; `false` when the base or the overlay has it.
    ///
    /// # Errors
    /// [`OverlayError::Unknown`] for numbers that nobody gave out.
    pub fn triple(&mut self, triple: Triple) -> Result<bool, OverlayError> {
        let count = self.base.entity_count();
        for entity in [triple.head, triple.tail] {
            if entity.index() >= count + self.entities.len() {
                return Err(OverlayError::Unknown { what: "entity", number: entity.0 });
            }
        }
        if triple.relation.index() >= self.base.relations().len() + self.relations.len() {
            return Err(OverlayError::Unknown { what: "relation", number: triple.relation.0.into() });
        }
        let edge = Edge::new(triple.tail, triple.relation);
        let in_base = triple.head.index() < count && self.base.outgoing(triple.head).binary_search(&edge).is_ok();
        Ok(!in_base && self.triples.insert(triple))
    }

    /// Base and overlay as one graph.
    pub fn finish(self) -> Overlaid<G> {
        let Self { base, entities, relations, triples, .. } = self;
        let count = base.entity_count();
        let standing = |id: usize, before: &dyn Fn(u32) -> bool| (id, first_from(count, |i| !before(i)));
        let entity_order = NameOrder::new(
            count as u32,
            entities.iter().enumerate().map(|(i, (name, _))| standing(i, &|at| base.entity_name(EntityId(at)) <= name.as_str())),
            |a, b| (&entities[a].0, entities[a].1.as_str()).cmp(&(&entities[b].0, entities[b].1.as_str())),
        );
        let known = base.relations();
        let relation_order = NameOrder::new(
            known.len() as u32,
            relations.iter().enumerate().map(|(i, new)| (i, known.partition_point(|old| old.name <= new.name) as u32)),
            |a, b| relations[a].name.cmp(&relations[b].name),
        );
        let all = count + entities.len();
        let out = Rows::new(all, triples.iter().map(|t| (t.head, Edge::new(t.tail, t.relation))));
        let incoming = Rows::new(all, triples.iter().map(|t| (t.tail, Edge::new(t.head, t.relation))));
        Overlaid { base, entities, relations, entity_order, relation_order, learned: triples.len(), out, incoming }
    }
}

/// The first number in `0..count` of which `reached` holds, which it does from some number on.
fn first_from(count: usize, reached: impl Fn(u32) -> bool) -> u32 {
    let (mut from, mut to) = (0, count as u32);
    while from < to {
        let middle = from + (to - from) / 2;
        if reached(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

/// Where new names stand among old ones. Old numbers follow names.
#[derive(Debug, Default)]
struct NameOrder {
    old: u32,
    /// For each new name, in their order: how many old ones stand before it.
    before: Vec<u32>,
    /// For each new name, in their order: which it is.
    new: Vec<u32>,
    /// For each new one: its place in the order of the new ones.
    place: Vec<u32>,
}

impl NameOrder {
    /// `standing` gives each new one with how many old ones stand before it.
    fn new(old: u32, standing: impl Iterator<Item = (usize, u32)>, order: impl Fn(usize, usize) -> std::cmp::Ordering) -> Self {
        let mut standing: Vec<(usize, u32)> = standing.collect();
        standing.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| order(a.0, b.0)));
        let mut place = vec![0; standing.len()];
        for (at, (new, _)) in (0..).zip(&standing) {
            place[*new] = at;
        }
        Self {
            old,
            before: standing.iter().map(|(_, before)| *before).collect(),
            new: standing.iter().map(|(new, _)| *new as u32).collect(),
            place,
        }
    }

    #[inline]
    fn rank(&self, number: u32) -> u32 {
        if self.before.is_empty() {
            return number;
        }
        if number < self.old {
            // A new name that stands after `before` old ones precedes old number `before`.
            return number + self.before.partition_point(|before| *before <= number) as u32;
        }
        let place = self.place.get((number - self.old) as usize).copied().unwrap_or(0);
        self.before.get(place as usize).map_or(number, |before| before + place)
    }

    #[inline]
    fn at_rank(&self, rank: u32) -> u32 {
        if self.before.is_empty() {
            return rank;
        }
        // The rank of the new name at place `p` is before[p] + p, which rises with p.
        let (mut from, mut to) = (0, self.before.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.before[middle] + (middle as u32) < rank {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        match self.before.get(from) {
            Some(before) if before + from as u32 == rank => self.old + self.new[from],
            _ => rank - from as u32,
        }
    }
}

/// Rows of the few entities that have learned triples.
#[derive(Debug, Default)]
struct Rows {
    members: EntitySet,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// Edges of the longest row.
    longest: usize,
}

impl Rows {
    fn new(entities: usize, triples: impl Iterator<Item = (EntityId, Edge)>) -> Self {
        let mut rows: BTreeMap<EntityId, Vec<Edge>> = BTreeMap::new();
        for (from, edge) in triples {
            rows.entry(from).or_default().push(edge);
        }
        if rows.is_empty() {
            return Self::default();
        }
        let mut built = Self { members: EntitySet::new(entities), starts: vec![0], edges: Vec::new(), longest: 0 };
        for (from, mut row) in rows {
            row.sort_unstable();
            built.longest = built.longest.max(row.len());
            built.members.insert(from);
            built.edges.extend(row);
            built.starts.push(built.edges.len() as u32);
        }
        built.members.count();
        built
    }

    #[inline]
    fn row(&self, entity: EntityId) -> &[Edge] {
        let Some(at) = self.members.number(entity) else { return &[] };
        &self.edges[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }
}

/// A base graph with learned triples over it. Made by [`OverlayBuilder`].
#[derive(Debug)]
pub struct Overlaid<G> {
    base: G,
    entities: Vec<(String, Kind)>,
    relations: Vec<Relation>,
    entity_order: NameOrder,
    relation_order: NameOrder,
    learned: usize,
    out: Rows,
    incoming: Rows,
}

impl<G: Deref<Target = Graph>> Overlaid<G> {
    /// The graph below.
    pub fn base(&self) -> &Graph {
        &self.base
    }

    /// How many triples were learned.
    pub fn learned_count(&self) -> usize {
        self.learned
    }

    /// Whether an entity is known only by what was learned.
    pub fn is_new(&self, entity: EntityId) -> bool {
        entity.index() >= self.base.entity_count()
    }

    /// An entity's preferred name.
    ///
    /// # Panics
    /// For a number that the view does not have.
    pub fn entity_name(&self, entity: EntityId) -> &str {
        match entity.index().checked_sub(self.base.entity_count()) {
            None => self.base.entity_name(entity),
            Some(new) => &self.entities[new].0,
        }
    }

    /// An entity's kind.
    ///
    /// # Panics
    /// For a number that the view does not have.
    pub fn kind(&self, entity: EntityId) -> &Kind {
        match entity.index().checked_sub(self.base.entity_count()) {
            None => self.base.kind(entity),
            Some(new) => &self.entities[new].1,
        }
    }

    /// A relation type.
    ///
    /// # Panics
    /// For a number that the view does not have.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        match relation.index().checked_sub(self.base.relations().len()) {
            None => self.base.relation(relation),
            Some(new) => &self.relations[new],
        }
    }

    /// The new entities, each with its kind, in the order in which they were learned; their numbers follow the base's.
    pub fn new_entities(&self) -> impl Iterator<Item = (EntityId, &str, &Kind)> {
        let first = self.base.entity_count() as u32;
        (first..).zip(&self.entities).map(|(id, (name, kind))| (EntityId(id), name.as_str(), kind))
    }

    /// Every learned triple, ordered by head, tail, relation.
    pub fn learned(&self) -> impl Iterator<Item = Triple> + '_ {
        self.out
            .members
            .members()
            .into_iter()
            .flat_map(|head| self.out.row(head).iter().map(move |edge| Triple { head, relation: edge.relation, tail: edge.to }))
    }
}

impl<G: Deref<Target = Graph> + Sync> GraphView for Overlaid<G> {
    fn entity_count(&self) -> usize {
        self.base.entity_count() + self.entities.len()
    }

    fn rows(&self) -> view::Rows<'_> {
        self.base.rows()
    }

    fn most_learned(&self) -> usize {
        self.out.longest + self.incoming.longest
    }

    #[inline]
    fn learned(&self, entity: EntityId, direction: Direction) -> &[Edge] {
        match direction {
            Direction::Out => self.out.row(entity),
            Direction::In => self.incoming.row(entity),
        }
    }

    fn relation_count(&self) -> usize {
        self.base.relations().len() + self.relations.len()
    }

    #[inline]
    fn entity_rank(&self, entity: EntityId) -> u32 {
        self.entity_order.rank(entity.0)
    }

    #[inline]
    fn entity_at_rank(&self, rank: u32) -> EntityId {
        EntityId(self.entity_order.at_rank(rank))
    }

    #[inline]
    fn relation_rank(&self, relation: RelationId) -> u16 {
        self.relation_order.rank(relation.0.into()) as u16
    }

    #[inline]
    fn relation_at_rank(&self, rank: u16) -> RelationId {
        RelationId(self.relation_order.at_rank(rank.into()) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};

    #[test]
    fn new_names_stand_among_the_old_ones_and_known_triples_are_not_learned() {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let ids = ["b", "d", "f"].map(|name| builder.entity(name));
        let relation = builder.relation(rules.guess("m")).expect("room");
        builder.triple(ids[0], relation, ids[1]);
        let base = builder.finish();

        let mut overlay = OverlayBuilder::new(&base);
        let kind = Kind::default();
        let [g, a, e, e2] = ["g", "a", "e", "e"].map(|name| overlay.entity(name, &kind).expect("room"));
        assert_eq!(e, e2);
        let b = overlay.entity("b", base.kind(EntityId(0))).expect("room");
        assert_eq!(b, EntityId(0));
        let (n, k) = (overlay.relation(rules.guess("n")).expect("room"), overlay.relation(rules.guess("k")).expect("room"));
        let triple = |head, relation, tail| Triple { head, relation, tail };
        assert_eq!(overlay.triple(triple(b, RelationId(0), EntityId(1))), Ok(false), "the base has it");
        assert_eq!(overlay.triple(triple(b, n, e)), Ok(true));
        assert_eq!(overlay.triple(triple(b, n, e)), Ok(false));
        assert!(overlay.triple(triple(b, n, EntityId(9))).is_err());
        assert!(overlay.triple(triple(b, RelationId(7), e)).is_err());
        let view = overlay.finish();

        let by_rank: Vec<&str> = (0..6).map(|rank| view.entity_name(view.entity_at_rank(rank))).collect();
        assert_eq!(by_rank, ["a", "b", "d", "e", "f", "g"]);
        for id in [g, a, e, b, EntityId(1), EntityId(2)] {
            assert_eq!(view.entity_at_rank(view.entity_rank(id)), id);
        }
        let relations: Vec<&str> = (0..3).map(|rank| view.relation(view.relation_at_rank(rank)).name.as_str()).collect();
        assert_eq!(relations, ["k", "m", "n"]);
        assert_eq!(view.relation_rank(k), 0);
        assert_eq!(view.edges(e, Direction::In).learned, [Edge::new(b, n)]);
        assert_eq!((view.degree(b), view.degree(g), view.learned_count()), (2, 0, 1));
        assert_eq!(view.learned().collect::<Vec<_>>(), [triple(b, n, e)]);
        assert_eq!(view.new_entities().map(|(_, name, _)| name).collect::<Vec<_>>(), ["g", "a", "e"]);
        assert_eq!(view.edges(EntityId(99), Direction::Out).len(), 0);
    }
}
