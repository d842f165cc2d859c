//! What a chain costs: the more triples the entities between its anchors have, the less it says.

use std::sync::LazyLock;

use crate::graph::chain::Chain;
use crate::graph::entity::EntityId;
use crate::graph::view::GraphView;

/// Costs are counted in units of 1/16384 and added up as whole numbers, so that a chain costs the same from whichever
/// end it is read and however it was put together.
const UNIT: f64 = 16_384.0;

/// Degrees whose cost is kept ready.
static SMALL: LazyLock<Vec<u32>> = LazyLock::new(|| (0..4096).map(compute).collect());

fn compute(degree: usize) -> u32 {
    ((1.0 + degree as f64).ln() * UNIT).round() as u32
}

/// `ln(1 + degree)`, in units of 1/16384: 22 bits at most.
pub(super) fn hub_cost(degree: usize) -> u32 {
    SMALL.get(degree).copied().unwrap_or_else(|| compute(degree))
}

/// A cost in units as the number that people see.
pub(super) fn shown(units: u32) -> f32 {
    (f64::from(units) / UNIT) as f32
}

/// The cost by which chains of one length are ordered: the sum of `ln(1 + degree)` of the entities
/// between the two anchors, each rounded to 1/16384 (so that sums are exact in `f32`). A chain over a hub says
/// little about the pair.
pub fn chain_cost<V: GraphView + ?Sized>(view: &V, chain: &Chain) -> f32 {
    let nodes = chain.nodes();
    shown(nodes[1..nodes.len() - 1].iter().map(|node| hub_cost(view.degree(EntityId(*node)))).sum())
}
