//! What a relation is called: as the graph calls it, so that what is learned reads like what was there.

use std::collections::HashMap;

use crate::graph::{Direction, EntityId, GraphView, Kind, NamedRelation, Player, RelationId, Role};
use crate::language::Knowledge;

/// About so many triples are looked at to find out what a graph calls its relations.
const LOOKED_AT: usize = 200_000;

/// The relations of a graph by what they mean, with how many triples there are between which kinds.
#[derive(Debug)]
pub(super) struct Relations<'k> {
    knowledge: &'k Knowledge,
    /// By role, kind of the owner, and kind of the player.
    counts: HashMap<(Role, Kind, Kind), HashMap<RelationId, usize>>,
    /// By role alone.
    by_role: HashMap<Role, HashMap<RelationId, usize>>,
}

impl<'k> Relations<'k> {
    /// Looks a graph over: all of its entities, or every second, third, … of a large one.
    pub(super) fn of(knowledge: &'k Knowledge) -> Self {
        let graph = &knowledge.graph;
        let mut relations = Self { knowledge, counts: HashMap::new(), by_role: HashMap::new() };
        let step = ((graph.base().triple_count() + graph.learned_count()) / LOOKED_AT).max(1);
        for head in (0..graph.entity_count() as u32).step_by(step).map(EntityId) {
            // A hub speaks for itself with its first triples.
            for edge in graph.edges(head, Direction::Out).iter().take(LOOKED_AT / 10) {
                let relation = graph.relation(edge.relation);
                let (owner, player) = match relation.player {
                    Player::Head => (edge.to, head),
                    Player::Tail => (head, edge.to),
                };
                let kinds = (relation.role, graph.kind(owner).clone(), graph.kind(player).clone());
                *relations.counts.entry(kinds).or_default().entry(edge.relation).or_default() += 1;
                *relations.by_role.entry(relation.role).or_default().entry(edge.relation).or_default() += 1;
            }
        }
        relations
    }

    /// The relation for a role between entities of these kinds: the most frequent of the graph between such, else of that role, else
    /// one of its own that the role's name gives.
    pub(super) fn named(&self, role: Role, owner: &Kind, player: &Kind) -> NamedRelation {
        let graph = &self.knowledge.graph;
        let most = |counts: &HashMap<RelationId, usize>| {
            let name = |relation: &RelationId| &graph.relation(*relation).name;
            counts.iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| name(b).cmp(name(a)))).map(|(relation, _)| *relation)
        };
        let between = self.counts.get(&(role, owner.clone(), player.clone())).and_then(most);
        if let Some(relation) = between.or_else(|| self.by_role.get(&role).and_then(most)) {
            return graph.relation(relation).into();
        }
        let standard = standard(role);
        // A graph may call something else so.
        let taken =
            graph.relations().iter().any(|known| known.name == standard.name && (known.role, known.player) != (role, standard.player));
        if taken { NamedRelation { name: format!("learned_{}", role.as_str()), player: Player::Tail, role } } else { standard }
    }
}

/// The relation of a role where a graph has none; its name means the same to [`crate::graph::RoleRules`].
fn standard(role: Role) -> NamedRelation {
    let (name, player) = match role {
        Role::Symptom => ("has_symptom", Player::Tail),
        Role::RedFlag => ("has_red_flag", Player::Tail),
        Role::Cause => ("caused_by", Player::Tail),
        Role::RiskFactor => ("has_risk_factor", Player::Tail),
        Role::Test => ("diagnosed_by", Player::Tail),
        Role::Treatment => ("treats", Player::Head),
        Role::FirstLine => ("first_line_for", Player::Head),
        Role::Prevention => ("prevents", Player::Head),
        Role::Contraindication => ("contraindicated_in", Player::Tail),
        Role::AdverseEffect => ("has_side_effect", Player::Tail),
        Role::Interaction => ("interacts_with", Player::Tail),
        Role::Monitoring => ("monitored_by", Player::Tail),
        Role::Complication => ("leads_to", Player::Tail),
        Role::Differential => ("differential_of", Player::Tail),
        Role::Broader => ("is_a", Player::Tail),
        Role::Related => ("related_to", Player::Tail),
    };
    NamedRelation { name: name.to_owned(), player, role }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RoleRules;

    #[test]
    fn names_of_our_own_are_read_back_as_what_they_mean() {
        let rules = RoleRules::built_in().expect("rules");
        for role in Role::ALL {
            let relation = standard(role);
            let read = rules.guess(&relation.name);
            assert_eq!((read.role, read.player), (role, relation.player), "{}", relation.name);
        }
    }
}
