//! Facts: triples interpreted by their roles, each fact once however often a graph states it.
//!
//! The triple `Reflux —need_medication→ Omeprazole` and its inverse `Omeprazole —possible_cure→ Reflux`
//! are one fact: owner *Reflux*, role *treatment*, player *Omeprazole*.
//!
//! Nothing is computed beforehand: the facts of an entity are read from its own two rows of triples on demand. A
//! [`FactMemo`] keeps those that were read recently.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::chain_table::DescribedGraph;
use super::entity::{EntityId, Kind};
use super::role::{Player, Role};
use super::store::{Edge, Graph, Triple};
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
enum FactSide {
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

impl<'a, G: DescribedGraph> Facts<'a, G> {
    /// The facts of a graph, read from its triples at every call.
    pub fn of(graph: &'a G) -> Self {
        Self { graph, memo: None }
    }

    /// The facts of a graph, kept in a memo once read. A memo serves one graph only.
    pub(crate) fn with_memo(graph: &'a G, memo: &'a FactMemo) -> Self {
        Self { graph, memo: Some(memo) }
    }

    /// The facts that this entity owns (its symptoms, tests, treatments …), ordered by role, then entity.
    pub fn players(self, owner: EntityId) -> Arc<[Fact]> {
        self.of_side(owner, FactSide::Owner)
    }

    /// The facts in which this entity plays the role (the conditions it is a symptom of …), in the same order.
    pub fn owners(self, player: EntityId) -> Arc<[Fact]> {
        self.of_side(player, FactSide::Player)
    }

    /// The entities that play one role for an entity, in order. Reads the entity's triples once and stores nothing.
    pub fn players_of_role(self, owner: EntityId, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        self.of_role(owner, FactSide::Owner, role)
    }

    /// The entities for which this one plays one role; otherwise like [`Self::players_of_role`].
    pub fn owners_of_role(self, player: EntityId, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        self.of_role(player, FactSide::Player, role)
    }

    /// Whether `player` plays for `owner` a role that `is_meant` accepts. Looks the pair up by binary search, so hubs cost no more than others.
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

    /// The triples by which `player` plays a role for `owner`, with the role; looked up by binary search.
    pub fn triples(self, owner: EntityId, player: EntityId) -> Vec<(Role, Triple)> {
        let relations = self.graph.relations();
        let mut found = Vec::new();
        for (way, end) in [(Direction::Out, Player::Tail), (Direction::In, Player::Head)] {
            for (part, _) in self.graph.edges(owner, way).parts() {
                let from = part.partition_point(|edge| edge.to < player);
                let stated = part.iter().skip(from).take_while(|edge| edge.to == player);
                let of_end =
                    stated.filter_map(|edge| relations.get(edge.relation.index()).filter(|r| r.player == end).map(|r| (r.role, edge)));
                found.extend(of_end.map(|(role, edge)| {
                    let (head, tail) = if way.is_forward() { (owner, player) } else { (player, owner) };
                    (role, Triple { head, relation: edge.relation, tail })
                }));
            }
        }
        found
    }

    /// Whether an entity is described as a condition: the graph states symptoms, tests or treatments of it.
    /// Reads the entity's triples up to the first such statement.
    pub fn is_condition(self, entity: EntityId) -> bool {
        let owns = |is_meant: fn(Role) -> bool| self.edges(entity, FactSide::Owner).any(|(role, _)| is_meant(role));
        match self.graph.kind(entity) {
            Kind::Disease => true,
            Kind::Other(_) => owns(|role| role.is_feature() || role == Role::Test || role.is_treatment()),
            // A symptom that the graph also describes as a condition in its own right.
            Kind::Symptom => owns(Role::is_feature),
            _ => false,
        }
    }

    fn of_side(self, entity: EntityId, side: FactSide) -> Arc<[Fact]> {
        match self.memo {
            Some(memo) => memo.get_or_read((entity, side), || self.read(entity, side)),
            None => self.read(entity, side),
        }
    }

    fn read(self, entity: EntityId, side: FactSide) -> Arc<[Fact]> {
        let mut facts: Vec<Fact> = self.edges(entity, side).map(|(role, other)| Fact { role, other }).collect();
        facts.sort_unstable();
        facts.dedup();
        facts.into()
    }

    /// An entity's triples in which it is the owner or the player, with role and far end; unsorted, with repetitions.
    fn edges(self, entity: EntityId, side: FactSide) -> impl Iterator<Item = (Role, EntityId)> + 'a {
        rows(self.graph, entity, side).into_iter().flat_map(move |row| self.edges_of_row(row))
    }

    /// The edges of a row whose relation has its player at the given end, as (role, far end).
    fn edges_of_row(self, (edges, end): (&'a [Edge], Player)) -> impl Iterator<Item = (Role, EntityId)> + 'a {
        let relations = self.graph.relations();
        edges.iter().filter_map(move |edge| {
            let relation = &relations[edge.relation.index()];
            (relation.player == end).then_some((relation.role, edge.to))
        })
    }

    /// The far ends of one role. All rows are sorted by far end, so merging them keeps the order.
    fn of_role(self, entity: EntityId, side: FactSide, role: Role) -> impl Iterator<Item = EntityId> + 'a {
        let of_role = move |(found, other): (Role, EntityId)| (found == role).then_some(other);
        let mut rows = rows(self.graph, entity, side).map(|row| self.edges_of_row(row).filter_map(of_role).peekable());
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

/// An entity's rows, each with the end at which the player must be for the entity to be on this side.
fn rows<G: DescribedGraph>(graph: &G, entity: EntityId, side: FactSide) -> [(&[Edge], Player); 4] {
    let (of_out, of_incoming) = match side {
        FactSide::Owner => (Player::Tail, Player::Head),
        FactSide::Player => (Player::Head, Player::Tail),
    };
    let [out, incoming]: [Edges<'_>; 2] = Direction::BOTH.map(|way| graph.edges(entity, way));
    [(out.base, of_out), (out.learned, of_out), (incoming.base, of_incoming), (incoming.learned, of_incoming)]
}

/// How many facts a memo keeps, 16 MB at most.
const MEMO_FACTS: usize = 1 << 21;
/// Parts of a memo, each with its own lock, so that threads rarely wait for each other. There are few of them, so that
/// the facts of a hub (up to 131,072) fit into one generation.
const SHARDS: usize = 8;

type FactKey = (EntityId, FactSide);

/// The cache of [`Facts`] between questions; bounded by the number of facts, and shared between threads.
#[derive(Debug)]
pub(crate) struct FactMemo {
    shards: [Mutex<MemoShard>; SHARDS],
    /// How many facts a generation of a shard holds.
    generation: usize,
}

/// Two generations: when the young one is full it replaces the old one, so entries that nobody used since are dropped.
#[derive(Debug, Default)]
struct MemoShard {
    young: HashMap<FactKey, Arc<[Fact]>>,
    old: HashMap<FactKey, Arc<[Fact]>>,
    /// Facts in the young generation; an entity without any counts as one.
    young_facts: usize,
}

impl Default for FactMemo {
    fn default() -> Self {
        Self::with_room(MEMO_FACTS)
    }
}

impl FactMemo {
    /// A memo of at most this many facts.
    fn with_room(facts: usize) -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), generation: facts / SHARDS / 2 }
    }

    fn get_or_read(&self, key: FactKey, read: impl FnOnce() -> Arc<[Fact]>) -> Arc<[Fact]> {
        let shard = &self.shards[key.0.index() % SHARDS];
        // A shard is consistent between any two statements, so a thread that panicked cannot have left it half-changed.
        if let Some(facts) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(key, self.generation) {
            return facts;
        }
        // Read without the lock: two threads may both do so, with the same result.
        let facts = read();
        shard.lock().unwrap_or_else(PoisonError::into_inner).put(key, Arc::clone(&facts), self.generation);
        facts
    }
}

impl MemoShard {
    fn get(&mut self, key: FactKey, generation: usize) -> Option<Arc<[Fact]>> {
        if let Some(facts) = self.young.get(&key) {
            return Some(Arc::clone(facts));
        }
        let facts = self.old.remove(&key)?;
        self.put(key, Arc::clone(&facts), generation);
        Some(facts)
    }

    fn put(&mut self, key: FactKey, facts: Arc<[Fact]>, generation: usize) {
        let size = facts.len().max(1);
        if size > generation || self.young.contains_key(&key) {
            return;
        }
        if self.young_facts + size > generation {
            self.old = std::mem::take(&mut self.young);
            self.young_facts = 0;
        }
        self.young_facts += size;
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

    /// The definition: every triple interpreted by its role.
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
            for facts in [Facts::of(&graph), Facts::with_memo(&graph, &memo), Facts::with_memo(&graph, &memo)] {
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
                let got = memo.get_or_read((EntityId(entity), FactSide::Owner), || {
                    read += 1;
                    facts(entity % 30)
                });
                assert_eq!(got.len(), (entity % 30) as usize);
            }
            // Too large for a generation: read again each time instead of displacing all others.
            assert_eq!(memo.get_or_read((EntityId(7), FactSide::Player), || facts(51)).len(), 51);
            let sizes = memo.shards.iter().map(|shard| {
                let shard = shard.lock().expect("whole");
                shard.young.values().chain(shard.old.values()).map(|facts| facts.len()).sum::<usize>()
            });
            assert!(sizes.clone().all(|size| size <= 100), "round {round}: {:?}", sizes.collect::<Vec<_>>());
        }
        assert!(read > 5000);
        let before = read;
        memo.get_or_read((EntityId(4999), FactSide::Owner), || {
            read += 1;
            facts(1)
        });
        assert_eq!(read, before, "what was asked for last is remembered");
    }
}
