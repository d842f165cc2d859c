//! Facts: triples read through their roles, each fact once however often a graph states it.
//!
//! The triple `Reflux —need_medication→ Omeprazole` and its inverse `Omeprazole —possible_cure→ Reflux`
//! are one fact: owner *Reflux*, role *treatment*, player *Omeprazole*.

use super::entity::{EntityId, Kind};
use super::role::{Player, Role};
use super::store::Graph;

/// The far end of a fact, and the role that the player plays for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The player's role.
    pub role: Role,
    /// The entity at the other end.
    pub other: EntityId,
}

/// All facts of a graph, by owner and by player.
#[derive(Debug, Default)]
pub struct Facts {
    by_owner: Rows,
    by_player: Rows,
}

#[derive(Debug, Default)]
struct Rows {
    starts: Vec<u32>,
    facts: Vec<Fact>,
}

impl Rows {
    fn build(count: usize, mut rows: Vec<(EntityId, Fact)>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        let mut starts = vec![0u32; count + 1];
        for (entity, _) in &rows {
            starts[entity.index() + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        Self { starts, facts: rows.into_iter().map(|(_, fact)| fact).collect() }
    }

    fn row(&self, entity: EntityId) -> &[Fact] {
        &self.facts[self.starts[entity.index()] as usize..self.starts[entity.index() + 1] as usize]
    }
}

impl Facts {
    /// Reads every triple of a graph through its relation's role.
    pub fn of(graph: &Graph) -> Self {
        let mut owners = Vec::with_capacity(graph.triple_count());
        let mut players = Vec::with_capacity(graph.triple_count());
        for triple in graph.triples() {
            let relation = graph.relation(triple.relation);
            let (owner, player) = match relation.player {
                Player::Tail => (triple.head, triple.tail),
                Player::Head => (triple.tail, triple.head),
            };
            owners.push((owner, Fact { role: relation.role, other: player }));
            players.push((player, Fact { role: relation.role, other: owner }));
        }
        let count = graph.entity_count();
        Self { by_owner: Rows::build(count, owners), by_player: Rows::build(count, players) }
    }

    /// What plays a role for this entity (its symptoms, tests, treatments …), ordered by role, then entity.
    pub fn players(&self, owner: EntityId) -> &[Fact] {
        self.by_owner.row(owner)
    }

    /// For which entities this one plays a role (the conditions it is a symptom of …), ordered likewise.
    pub fn owners(&self, player: EntityId) -> &[Fact] {
        self.by_player.row(player)
    }

    /// Whether an entity is described as a condition: the graph states symptoms, tests or treatments of it.
    pub fn is_condition(&self, graph: &Graph, entity: EntityId) -> bool {
        match graph.kind(entity) {
            Kind::Disease => true,
            Kind::Other(_) => self.players(entity).iter().any(|f| f.role.is_feature() || f.role == Role::Test || f.role.is_treatment()),
            // A symptom that the graph also describes as a condition in its own right.
            Kind::Symptom => self.players(entity).iter().any(|f| f.role.is_feature()),
            _ => false,
        }
    }
}
