//! Statements that hold between two entities because their classes have them: "NSAID interacts with anticoagulant" holds
//! between ibuprofen and warfarin.
//!
//! A statement about a class holds for its members, at both ends, if its relation [inherits](super::Relation::inherits). Two
//! qualifiers limit this: `except` lists members for which it does not hold, and an `is_a` with a `route` passes nothing on
//! (a cream is not what its class is in tablets). A statement about a member replaces the same one about its class.

use std::collections::{BTreeMap, VecDeque};

use super::chain_table::DescribedGraph;
use super::entity::{EntityId, RelationId};
use super::qualifiers::{Qualifiers, keys};
use super::role::{Player, Role};
use super::store::{Edge, Triple};
use super::view::Direction;
use crate::text::fold;

/// The most steps of `is_a` from an entity to a class that it inherits from.
const DEEPEST: usize = 8;
/// The most classes of an entity that are looked at, nearest first.
const MOST_CLASSES: usize = 128;

/// A stored triple that holds for one or two entities, of themselves or by their classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inherited {
    /// The head of the stored triple.
    pub head: EntityId,
    /// Its relation.
    pub relation: RelationId,
    /// Its tail.
    pub tail: EntityId,
    /// The stored `is_a` triples that lead from the entity asked about to the head; empty if it is the head itself.
    pub via_head: Vec<Triple>,
    /// The same for the tail.
    pub via_tail: Vec<Triple>,
    /// The qualifiers of the stored triple.
    pub qualifiers: Qualifiers,
    /// Whether the first entity asked about is on the side of the head.
    pub first_is_head: bool,
}

impl Inherited {
    /// The stored triple.
    pub fn triple(&self) -> Triple {
        Triple { head: self.head, relation: self.relation, tail: self.tail }
    }

    /// How many steps of `is_a` lie between the entities asked about and those of the stored triple; 0 if it is about them.
    pub fn distance(&self) -> usize {
        self.via_head.len() + self.via_tail.len()
    }

    /// The ends on the side of the first and of the second entity asked about.
    fn ends(&self) -> (EntityId, EntityId) {
        if self.first_is_head { (self.head, self.tail) } else { (self.tail, self.head) }
    }
}

/// Every stored triple between `a` or one of its classes and `b` or one of its classes, in either direction, whose role `is_meant`
/// accepts; the most specific first. A relation that does not inherit counts only between `a` and `b` themselves.
pub fn statements_between<G: DescribedGraph>(graph: &G, a: EntityId, b: EntityId, is_meant: impl Fn(Role) -> bool) -> Vec<Inherited> {
    if a == b {
        return Vec::new();
    }
    let (of_a, of_b) = (Classes::of(graph, a), Classes::of(graph, b));
    let mut found = Vec::new();
    for first in of_a.entities() {
        for way in Direction::BOTH {
            let row = graph.edges(first, way);
            for second in of_b.entities() {
                for part in [row.base, row.learned] {
                    let from = part.partition_point(|edge| edge.to < second);
                    for edge in part.iter().skip(from).take_while(|edge| edge.to == second) {
                        let itself = first == a && second == b;
                        found.extend(holds(graph, first, way, *edge, itself, &is_meant, &of_a, Some(&of_b)));
                    }
                }
            }
        }
    }
    most_specific(graph, found, false)
}

/// Every stored triple of a role about `a` or one of its classes, whichever end they are; the most specific first. The other end
/// is as stored: a class stands for its members.
pub fn statements_of<G: DescribedGraph>(graph: &G, a: EntityId, role: Role) -> Vec<Inherited> {
    let of_a = Classes::of(graph, a);
    let is_meant = |found| found == role;
    let mut found = Vec::new();
    for first in of_a.entities() {
        for way in Direction::BOTH {
            for edge in graph.edges(first, way).iter() {
                found.extend(holds(graph, first, way, edge, first == a, &is_meant, &of_a, None));
            }
        }
    }
    most_specific(graph, found, true)
}

/// The classes of an entity, nearest first, without itself: `is_a` followed as long as it passes statements on.
pub fn classes_of<G: DescribedGraph>(graph: &G, entity: EntityId) -> Vec<EntityId> {
    Classes::of(graph, entity).entities().skip(1).collect()
}

/// The members of a class, nearest first, without itself: those to which it passes statements on. At most this many.
pub fn members_of<G: DescribedGraph>(graph: &G, class: EntityId, most: usize) -> Vec<EntityId> {
    Classes::walk(graph, class, Step::ToMembers, DEEPEST, most.saturating_add(1)).entities().skip(1).collect()
}

/// An edge as a statement about the entities asked about; `None` if it does not hold for them or is not meant.
#[allow(clippy::too_many_arguments, reason = "the two searches share this rule and nothing else")]
fn holds<G: DescribedGraph>(
    graph: &G,
    first: EntityId,
    way: Direction,
    edge: Edge,
    itself: bool,
    is_meant: &impl Fn(Role) -> bool,
    of_a: &Classes,
    of_b: Option<&Classes>,
) -> Option<Inherited> {
    let relation = graph.relations().get(edge.relation.index())?;
    if !is_meant(relation.role) || !(itself || relation.inherits) {
        return None;
    }
    let first_is_head = way.is_forward();
    let (head, tail) = if first_is_head { (first, edge.to) } else { (edge.to, first) };
    let qualifiers = graph.qualifiers(head, edge.relation, tail);
    if of_a.excepted(graph, first, &qualifiers) || of_b.is_some_and(|of_b| of_b.excepted(graph, edge.to, &qualifiers)) {
        return None;
    }
    let via_first = of_a.path_to(first);
    let via_second = of_b.map(|of_b| of_b.path_to(edge.to)).unwrap_or_default();
    let (via_head, via_tail) = if first_is_head { (via_first, via_second) } else { (via_second, via_first) };
    Some(Inherited { head, relation: edge.relation, tail, via_head, via_tail, qualifiers, first_is_head })
}

/// Sorts statements by their distance, then by name. Of those that say the same of the same ends, one stays: the one with the most
/// qualifiers. One about a class gives way to the same about its member; if the second end is `open`, only on the side of the first, since
/// the other class still stands for its other members.
fn most_specific<G: DescribedGraph>(graph: &G, mut found: Vec<Inherited>, open: bool) -> Vec<Inherited> {
    let names = |s: &Inherited| (graph.entity_rank(s.head), graph.entity_rank(s.tail), graph.relation_rank(s.relation));
    found.sort_by_key(|s| (s.distance(), std::cmp::Reverse(s.qualifiers.len()), !s.first_is_head, names(s)));
    let mut above = ClassMemo::default();
    let mut kept: Vec<Inherited> = Vec::new();
    for statement in found {
        let mut covers = |a: &Inherited, b: &Inherited| {
            let ((a1, a2), (b1, b2)) = (a.ends(), b.ends());
            above.is_below(graph, a1, b1) && if open { a2 == b2 } else { above.is_below(graph, a2, b2) }
        };
        // That two drugs interact, with no word on how, says nothing beside what says it: a doctor may have taught it.
        let tells = |s: &Inherited| [keys::SEVERITY, keys::EFFECT, keys::ACTION].iter().any(|key| s.qualifiers.get(key).is_some());
        let is_bare = |s: &Inherited| !tells(s) && is_interaction(graph, s);
        let mut says_more = |a: &Inherited, b: &Inherited| {
            let is_nearer = |covers: &mut dyn FnMut(&Inherited, &Inherited) -> bool| covers(a, b) && !covers(b, a);
            let same = same_statement(graph, a, b);
            same && match (is_bare(a), is_bare(b)) {
                (true, false) => false,
                (false, true) => a.ends() == b.ends() || covers(a, b) || covers(b, a),
                _ => a.ends() == b.ends() || is_nearer(&mut covers),
            }
        };
        if kept.iter().any(|known| says_more(known, &statement)) {
            continue;
        }
        kept.retain(|known| !says_more(&statement, known));
        kept.push(statement);
    }
    kept
}

/// Whether two statements say the same of their ends: they have one role, played by the same side. An interaction has no sides.
fn same_statement<G: DescribedGraph>(graph: &G, a: &Inherited, b: &Inherited) -> bool {
    let of = |s: &Inherited| {
        let relation = graph.relations().get(s.relation.index())?;
        let player_is_first = (relation.player == Player::Head) == s.first_is_head;
        Some((relation.role, player_is_first || relation.role == Role::Interaction))
    };
    of(a) == of(b)
}

fn is_interaction<G: DescribedGraph>(graph: &G, statement: &Inherited) -> bool {
    graph.relations().get(statement.relation.index()).is_some_and(|relation| relation.role == Role::Interaction)
}

/// Which way `is_a` is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    ToClasses,
    ToMembers,
}

/// An entity and its classes (or members), with the shortest way to each.
struct Classes {
    /// Nearest first, beginning with the entity itself.
    order: Vec<EntityId>,
    /// The last step to each, and how many steps lead there.
    steps: BTreeMap<EntityId, (Option<(EntityId, Triple)>, usize)>,
}

impl Classes {
    fn of<G: DescribedGraph>(graph: &G, entity: EntityId) -> Self {
        Self::walk(graph, entity, Step::ToClasses, DEEPEST, MOST_CLASSES)
    }

    /// A search in breadth; among equals in the order of names.
    fn walk<G: DescribedGraph>(graph: &G, start: EntityId, step: Step, deepest: usize, most: usize) -> Self {
        let mut classes = Self { order: vec![start], steps: BTreeMap::from([(start, (None, 0))]) };
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((entity, depth)) = open.pop_front() {
            if depth >= deepest {
                continue;
            }
            let mut next = is_a(graph, entity, step);
            next.sort_by_key(|(to, triple)| (graph.entity_rank(*to), graph.relation_rank(triple.relation), *triple));
            for (to, triple) in next {
                if classes.order.len() >= most {
                    return classes;
                }
                if let std::collections::btree_map::Entry::Vacant(slot) = classes.steps.entry(to) {
                    slot.insert((Some((entity, triple)), depth + 1));
                    classes.order.push(to);
                    open.push_back((to, depth + 1));
                }
            }
        }
        classes
    }

    fn entities(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.order.iter().copied()
    }

    /// The `is_a` triples from the entity to one of its classes, in this order.
    fn path_to(&self, class: EntityId) -> Vec<Triple> {
        let mut path = Vec::new();
        let mut at = class;
        while let Some((Some((before, triple)), _)) = self.steps.get(&at) {
            path.push(*triple);
            at = *before;
        }
        path.reverse();
        path
    }

    /// Whether qualifiers except the entity, or one of its classes, from a statement about `stated`. What is stated of the entity itself
    /// is never excepted.
    fn excepted<G: DescribedGraph>(&self, graph: &G, stated: EntityId, qualifiers: &Qualifiers) -> bool {
        if self.order.first() == Some(&stated) || qualifiers.get(keys::EXCEPT).is_none() {
            return false;
        }
        let listed: Vec<String> = qualifiers.list(keys::EXCEPT).map(fold).collect();
        self.entities().filter(|class| *class != stated).any(|class| listed.contains(&fold(graph.entity_name(class))))
    }
}

/// The entities one `is_a` away, with the triples; without those whose route or form differs.
fn is_a<G: DescribedGraph>(graph: &G, entity: EntityId, step: Step) -> Vec<(EntityId, Triple)> {
    let mut found = Vec::new();
    for way in Direction::BOTH {
        // The class is the player. It is at the far end of a step to classes, and at the near end of a step to members.
        let class_at = if way.is_forward() == (step == Step::ToClasses) { Player::Tail } else { Player::Head };
        for edge in graph.edges(entity, way).iter() {
            let Some(relation) = graph.relations().get(edge.relation.index()) else { continue };
            if relation.role != Role::Broader || relation.player != class_at || edge.to == entity {
                continue;
            }
            let (head, tail) = if way.is_forward() { (entity, edge.to) } else { (edge.to, entity) };
            if graph.qualifiers(head, edge.relation, tail).get(keys::ROUTE).is_none() {
                found.push((edge.to, Triple { head, relation: edge.relation, tail }));
            }
        }
    }
    found
}

/// What is below what, looked up once for each entity.
#[derive(Default)]
struct ClassMemo {
    of: BTreeMap<EntityId, Classes>,
}

impl ClassMemo {
    /// Whether `class` is `entity` or one of its classes, however far away.
    fn is_below<G: DescribedGraph>(&mut self, graph: &G, entity: EntityId, class: EntityId) -> bool {
        if entity == class {
            return true;
        }
        let walk = || Classes::walk(graph, entity, Step::ToClasses, usize::MAX, MOST_CLASSES);
        self.of.entry(entity).or_insert_with(walk).steps.contains_key(&class)
    }
}

#[cfg(test)]
mod tests;
