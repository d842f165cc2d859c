//! Facts: triples read through their roles, each fact once however often a graph states it.
//!
//! The triple `Reflux —need_medication→ Omeprazole` and its inverse `Omeprazole —possible_cure→ Reflux`
//! are one fact: owner *Reflux*, role *treatment*, player *Omeprazole*.
//!
//! Nothing is laid out beforehand. The facts of an entity are read from its own two rows of triples when they
//! are asked for; a [`FactMemo`] keeps those that were asked for lately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::chain_table::Described;
use super::entity::{EntityId, Kind};
use super::role::{Player, Role};
use super::store::{Edge, Graph};
use super::view::{Direction, Edges};

/// The far end of a fact, and the role that the player plays for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The player's role.
    pub role: Role,
    /// The entity at the other end.
    pub other: EntityId,
}

/// Which end of a fact an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Owner,
    Player,
}

/// A graph's facts. Cheap to make and to copy.
#[derive(Debug)]
pub struct Facts<'a, G = Graph> {
    graph: &'a G,
    memo: Option<&'a FactMemo>,
}

impl<G> Clone for Facts<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Facts<'_, G> {}

impl<'a, G: Described> Facts<'a, G> {
    /// The facts of a graph, read anew each time.
    pub fn of(graph: &'a G) -> Self {
        Self { graph, memo: None }
    }

    /// The same, remembering what was read. A memo serves one graph only.
    pub(crate) fn remembered(graph: &'a G, memo: &'a FactMemo) -> Self {
        Self { graph, memo: Some(memo) }
    }

    /// What plays a role for this entity (its symptoms, tests, treatments …), ordered by role, then entity.
    pub fn players(self, owner: EntityId) -> Arc<[Fact]> {
        self.of_side(owner, Side::Owner)
    }

    /// For which entities this one plays a role (the conditions it is a symptom of …), ordered likewise.
    pub fn owners(self, player: EntityId) -> Arc<[Fact]> {
        self.of_side(player, Side::Player)
    }

    /// What plays this one role for an entity, in order. Walks the entity's triples once and keeps nothing.
    pub fn players_of_role(self, owner: EntityId, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        self.of_role(owner, Side::Owner, role)
    }

    /// For which entities this one plays this one role; otherwise like [`Self::players_of_role`].
    pub fn owners_of_role(self, player: EntityId, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        self.of_role(player, Side::Player, role)
    }

    /// Whether `player` plays a role of this sort for `owner`. Looks the pair up: a hub costs no more than others.
    pub fn states(self, owner: EntityId, player: EntityId, is_meant: impl Fn(Role) -> bool) -> bool {
        let relations = self.graph.relations();
        let stated = |edges: &[Edge], far: EntityId, end: Player| {
            let from = edges.partition_point(|edge| edge.to < far);
            edges[from..].iter().take_while(|edge| edge.to == far).any(|edge| {
                let relation = &relations[edge.relation.index()];
                relation.player == end && is_meant(relation.role)
            })
        };
        let ways = [(Direction::Out, Player::Tail), (Direction::In, Player::Head)];
        ways.into_iter().any(|(way, end)| self.graph.edges(owner, way).parts().into_iter().any(|(part, _)| stated(part, player, end)))
    }

    /// Whether an entity is described as a condition: the graph states symptoms, tests or treatments of it.
    /// Reads the entity's triples up to the first that says so.
    pub fn is_condition(self, entity: EntityId) -> bool {
        let owns = |is_meant: fn(Role) -> bool| self.edges(entity, Side::Owner).any(|(role, _)| is_meant(role));
        match self.graph.kind(entity) {
            Kind::Disease => true,
            Kind::Other(_) => owns(|role| role.is_feature() || role == Role::Test || role.is_treatment()),
            // A symptom that the graph also describes as a condition in its own right.
            Kind::Symptom => owns(Role::is_feature),
            _ => false,
        }
    }

    fn of_side(self, entity: EntityId, side: Side) -> Arc<[Fact]> {
        match self.memo {
            Some(memo) => memo.get_or_read((entity, side), || self.read(entity, side)),
            None => self.read(entity, side),
        }
    }

    fn read(self, entity: EntityId, side: Side) -> Arc<[Fact]> {
        let mut facts: Vec<Fact> = self.edges(entity, side).map(|(role, other)| Fact { role, other }).collect();
        facts.sort_unstable();
        facts.dedup();
        facts.into()
    }

    /// An entity's triples in which it is the owner or the player, with role and far end; not in order, not once each.
    fn edges(self, entity: EntityId, side: Side) -> impl Iterator<Item = (Role, EntityId)> + 'a {
        rows(self.graph, entity, side).into_iter().flat_map(move |row| self.through(row))
    }

    /// The edges of a row at whose far end the player stands (or the owner), as (role, far end).
    fn through(self, (edges, end): (&'a [Edge], Player)) -> impl Iterator<Item = (Role, EntityId)> + 'a {
        let relations = self.graph.relations();
        edges.iter().filter_map(move |edge| {
            let relation = &relations[edge.relation.index()];
            (relation.player == end).then_some((relation.role, edge.to))
        })
    }

    /// All rows are sorted by far end, so what is of one role comes out sorted by merging them.
    fn of_role(self, entity: EntityId, side: Side, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        let of_role = move |(found, other): (Role, EntityId)| (found == role).then_some(other);
        let mut rows = rows(self.graph, entity, side).map(|row| self.through(row).filter_map(of_role).peekable());
        let mut last = None;
        std::iter::from_fn(move || {
            loop {
                let least = rows.iter_mut().filter_map(|row| row.peek().copied()).min();
                let next = least?;
                for row in &mut rows {
                    row.next_if_eq(&next);
                }
                if last.replace(next) != Some(next) {
                    return Some(next);
                }
            }
        })
    }
}

/// An entity's rows, each with the player's end of those triples in which the entity is on this side.
fn rows<G: Described>(graph: &G, entity: EntityId, side: Side) -> [(&[Edge], Player); 4] {
    let (of_out, of_incoming) = match side {
        Side::Owner => (Player::Tail, Player::Head),
        Side::Player => (Player::Head, Player::Tail),
    };
    let [out, incoming]: [Edges<'_>; 2] = Direction::BOTH.map(|way| graph.edges(entity, way));
    [(out.base, of_out), (out.learned, of_out), (incoming.base, of_incoming), (incoming.learned, of_incoming)]
}

/// How many facts a memo keeps: 16 MB at most, of which only what was asked for is there.
const MEMO_FACTS: usize = 1 << 21;
/// Parts of a memo, each with a lock of its own, so that threads hardly wait for each other. Few, so that
/// the facts of a hub (131,072 of them) fit into one's generation.
const SHARDS: usize = 8;

type Key = (EntityId, Side);

/// What [`Facts`] remembers between questions; bounded by the number of facts, shared between threads.
#[derive(Debug)]
pub(crate) struct FactMemo {
    shards: [Mutex<Shard>; SHARDS],
    /// How many facts a generation of a shard holds.
    generation: usize,
}

/// Two generations: when the young one is full it becomes the old one, and what was not asked for since goes.
#[derive(Debug, Default)]
struct Shard {
    young: HashMap<Key, Arc<[Fact]>>,
    old: HashMap<Key, Arc<[Fact]>>,
    /// Facts in the young generation; an entity without any counts as one.
    held: usize,
}

impl Default for FactMemo {
    fn default() -> Self {
        Self::with_room(MEMO_FACTS)
    }
}

impl FactMemo {
    /// A memo that keeps at most so many facts.
    fn with_room(facts: usize) -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), generation: facts / SHARDS / 2 }
    }

    fn get_or_read(&self, key: Key, read: impl FnOnce() -> Arc<[Fact]>) -> Arc<[Fact]> {
        let shard = &self.shards[key.0.index() % SHARDS];
        // A shard is whole between any two of its statements, so a thread that panicked has left nothing half-made.
        if let Some(facts) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(key, self.generation) {
            return facts;
        }
        // Read without the lock: two threads may both do so, and come to the same.
        let facts = read();
        shard.lock().unwrap_or_else(PoisonError::into_inner).put(key, Arc::clone(&facts), self.generation);
        facts
    }
}

impl Shard {
    fn get(&mut self, key: Key, generation: usize) -> Option<Arc<[Fact]>> {
        if let Some(facts) = self.young.get(&key) {
            return Some(Arc::clone(facts));
        }
        let facts = self.old.remove(&key)?;
        self.put(key, Arc::clone(&facts), generation);
        Some(facts)
    }

    fn put(&mut self, key: Key, facts: Arc<[Fact]>, generation: usize) {
        let size = facts.len().max(1);
        if size > generation || self.young.contains_key(&key) {
            return;
        }
        if self.held + size > generation {
            self.old = std::mem::take(&mut self.young);
            self.held = 0;
        }
        self.held += size;
        self.young.insert(key, facts);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};

    const RELATIONS: [&str; 6] = ["has_symptom", "possible_cause_of_symptom", "need_medication", "treats", "red_flag", "is_a"];

    fn graph_of(triples: &[(u32, usize, u32)]) -> Graph {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let relations = RELATIONS.map(|name| builder.relation(rules.guess(name)).expect("room"));
        let ids: Vec<u32> = (0..8).map(|i| builder.entity(&format!("e{i}"))).collect();
        for (head, relation, tail) in triples {
            builder.triple(ids[*head as usize], relations[*relation], ids[*tail as usize]);
        }
        builder.finish()
    }

    /// The definition: every triple read through its role.
    fn by_definition(graph: &Graph) -> Vec<(EntityId, Role, EntityId)> {
        let mut facts: Vec<_> = graph
            .triples()
            .map(|triple| {
                let relation = graph.relation(triple.relation);
                match relation.player {
                    Player::Tail => (triple.head, relation.role, triple.tail),
                    Player::Head => (triple.tail, relation.role, triple.head),
                }
            })
            .collect();
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    proptest! {
        #[test]
        fn facts_read_on_demand_are_those_of_the_whole_graph(
            triples in prop::collection::vec((0u32..8, 0..RELATIONS.len(), 0u32..8), 0..60),
            room in 0usize..200,
        ) {
            let graph = graph_of(&triples);
            let all = by_definition(&graph);
            let memo = FactMemo::with_room(room * SHARDS);
            for facts in [Facts::of(&graph), Facts::remembered(&graph, &memo), Facts::remembered(&graph, &memo)] {
                for entity in graph.entity_ids() {
                    let players: Vec<Fact> =
                        all.iter().filter(|(owner, ..)| *owner == entity).map(|(_, role, other)| Fact { role: *role, other: *other }).collect();
                    let mut owners: Vec<Fact> =
                        all.iter().filter(|(.., player)| *player == entity).map(|(other, role, _)| Fact { role: *role, other: *other }).collect();
                    owners.sort_unstable();
                    prop_assert_eq!(&*facts.players(entity), &players[..]);
                    prop_assert_eq!(&*facts.owners(entity), &owners[..]);
                    for role in graph.relations().iter().map(|r| r.role) {
                        let of_role = |facts: &[Fact]| facts.iter().filter(|f| f.role == role).map(|f| f.other).collect::<Vec<_>>();
                        prop_assert_eq!(facts.players_of_role(entity, role).collect::<Vec<_>>(), of_role(&players));
                        prop_assert_eq!(facts.owners_of_role(entity, role).collect::<Vec<_>>(), of_role(&owners));
                        for other in graph.entity_ids() {
                            let stated = players.contains(&Fact { role, other });
                            prop_assert_eq!(facts.states(entity, other, |r| r == role), stated);
                        }
                    }
                    let says_so = |f: &Fact| f.role.is_feature() || f.role == Role::Test || f.role.is_treatment();
                    let condition = match graph.kind(entity) {
                        Kind::Disease => true,
                        Kind::Other(_) => players.iter().any(says_so),
                        Kind::Symptom => players.iter().any(|f| f.role.is_feature()),
                        _ => false,
                    };
                    prop_assert_eq!(facts.is_condition(entity), condition);
                }
            }
        }
    }

    #[test]
    fn a_memo_keeps_no_more_than_it_has_room_for() {
        let memo = FactMemo::with_room(SHARDS * 100);
        let facts = |count: u32| (0..count).map(|i| Fact { role: Role::Symptom, other: EntityId(i) }).collect::<Arc<[Fact]>>();
        let mut read = 0;
        for round in 0..3 {
            for entity in 0..5000 {
                let got = memo.get_or_read((EntityId(entity), Side::Owner), || {
                    read += 1;
                    facts(entity % 30)
                });
                assert_eq!(got.len(), (entity % 30) as usize);
            }
            // Too large for a generation: read again each time rather than driving out all others.
            assert_eq!(memo.get_or_read((EntityId(7), Side::Player), || facts(51)).len(), 51);
            let sizes = memo.shards.iter().map(|shard| {
                let shard = shard.lock().expect("whole");
                shard.young.values().chain(shard.old.values()).map(|facts| facts.len()).sum::<usize>()
            });
            assert!(sizes.clone().all(|size| size <= 100), "round {round}: {:?}", sizes.collect::<Vec<_>>());
        }
        assert!(read > 5000);
        let before = read;
        memo.get_or_read((EntityId(4999), Side::Owner), || {
            read += 1;
            facts(1)
        });
        assert_eq!(read, before, "what was asked for last is remembered");
    }
}
