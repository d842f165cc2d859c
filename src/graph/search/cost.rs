//! The cost of a chain: the more triples the entities between its anchors have, the less specific the chain is.

use std::sync::LazyLock;

use crate::graph::chain::Chain;
use crate::graph::entity::EntityId;
use crate::graph::view::GraphView;

/// Costs are whole numbers in units of 1/16384, so a chain costs the same from either end, in whatever order its costs
/// were added.
const UNIT: f64 = 16_384.0;

/// The costs of small degrees, precomputed.
static SMALL: LazyLock<Vec<u32>> = LazyLock::new(|| (0..4096).map(compute).collect());

fn compute(degree: usize) -> u32 {
    ((1.0 + degree as f64).ln() * UNIT).round() as u32
}

/// `ln(1 + degree)`, in units of 1/16384: 22 bits at most.
pub(super) fn hub_cost(degree: usize) -> u32 {
    SMALL.get(degree).copied().unwrap_or_else(|| compute(degree))
}

/// The cost that people see, from units.
pub(super) fn cost_from_units(units: u32) -> f32 {
    (f64::from(units) / UNIT) as f32
}

/// The cost by which chains of one length are ordered: the sum of `ln(1 + degree)` of the entities
/// between the two anchors, each rounded to 1/16384 (so that sums are exact in `f32`). A chain through a hub says
/// little about its two anchors.
pub fn chain_cost<V: GraphView + ?Sized>(view: &V, chain: &Chain) -> f32 {
    let nodes = chain.nodes();
    cost_from_units(nodes[1..nodes.len() - 1].iter().map(|node| hub_cost(view.degree(EntityId(*node)))).sum())
}
