//! What follows from the roles of relations, for entities that learned triples speak of: read from their triples when asked for.
//! Those of which nothing was learned have what the base derived.

use super::EvolvingGraph;
use crate::graph::entity::{EntityId, Kind};
use crate::graph::facts::Facts;

impl EvolvingGraph {
    /// Whether an entity is described as a condition; see [`crate::graph::Graph::is_condition`].
    pub fn is_condition(&self, entity: EntityId) -> bool {
        // More triples never make a condition anything else.
        let by_base = !self.is_new(entity) && self.base.is_condition(entity);
        by_base || (self.has_learned(entity) && (*self.kind(entity) == Kind::Disease || Facts::of(self).is_condition(entity)))
    }

    /// How much the mention of an entity tells; see [`crate::graph::Graph::rarity`]. `facts`: this graph's.
    pub(crate) fn rarity(&self, entity: EntityId, facts: Facts<'_, Self>) -> f64 {
        if !self.has_learned(entity) && !self.is_new(entity) {
            return self.base.rarity(entity);
        }
        let bearers = facts.owners(entity).iter().filter(|fact| fact.role.is_feature()).count();
        (1.0 + self.conditions.max(1) as f64 / (1.0 + bearers as f64)).ln()
    }

    /// The sum of the squared rarities of what an entity has as features; see [`crate::graph::Graph::feature_weight`].
    /// `rarity`: of an entity of this graph.
    pub(crate) fn feature_weight(&self, entity: EntityId, facts: Facts<'_, Self>, rarity: impl Fn(EntityId) -> f64) -> f64 {
        if !self.has_learned(entity) && !self.is_new(entity) {
            return self.base.feature_weight(entity);
        }
        facts.players(entity).iter().filter(|fact| fact.role.is_feature()).map(|fact| rarity(fact.other).powi(2)).sum()
    }
}
