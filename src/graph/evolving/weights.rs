//! Conditions and weights of entities with learned triples, computed from their triples on demand. Entities without learned triples
//! have the values of the base graph.

use super::EvolvingGraph;
use crate::graph::entity::{EntityId, Kind};
use crate::graph::facts::Facts;

impl EvolvingGraph {
    /// Whether an entity is described as a condition; see [`crate::graph::Graph::is_condition`].
    pub fn is_condition(&self, entity: EntityId) -> bool {
        // More triples never make a condition a non-condition.
        let by_base = !self.is_new(entity) && self.base.is_condition(entity);
        by_base || (self.has_learned(entity) && (*self.kind(entity) == Kind::Disease || Facts::of(self).is_condition(entity)))
    }

    /// How specific an entity is as a finding; see [`crate::graph::Graph::rarity`]. `facts`: the facts of this graph.
    pub(crate) fn rarity(&self, entity: EntityId, facts: Facts<'_, Self>) -> f64 {
        if !self.has_learned(entity) && !self.is_new(entity) {
            return self.base.rarity(entity);
        }
        let bearers = facts.owners(entity).iter().filter(|fact| fact.role.is_feature()).count();
        (1.0 + self.conditions.max(1) as f64 / (1.0 + bearers as f64)).ln()
    }

    /// The sum of the squared rarities of an entity's features; see [`crate::graph::Graph::feature_weight`].
    /// `rarity` returns the rarity of an entity of this graph.
    pub(crate) fn feature_weight(&self, entity: EntityId, facts: Facts<'_, Self>, rarity: impl Fn(EntityId) -> f64) -> f64 {
        if !self.has_learned(entity) && !self.is_new(entity) {
            return self.base.feature_weight(entity);
        }
        facts.players(entity).iter().filter(|fact| fact.role.is_feature()).map(|fact| rarity(fact.other).powi(2)).sum()
    }
}
