//! The triples around anchors that no chain connects, so that a question with a single linked entity still has evidence.

use super::chain::{Chain, ChainKind};
use super::entity::{EntityId, RelationId};
use super::search::FoundChains;
use super::view::{Direction, GraphView};

/// Every triple around the anchors as a chain of one relation that starts at the anchor, at most `limit`
/// of them. Entities with few triples come first, because a triple of a hub is less specific.
pub fn neighbourhood<V: GraphView + ?Sized>(view: &V, anchors: &[EntityId], limit: usize) -> FoundChains {
    let mut chains = Vec::new();
    for anchor in anchors {
        for direction in Direction::BOTH {
            for (part, learned) in view.edges(*anchor, direction).parts() {
                for edge in part.iter().filter(|edge| edge.to != *anchor) {
                    // A triple between two anchors belongs to the first of them.
                    if anchors.iter().take_while(|a| *a != anchor).any(|a| *a == edge.to) {
                        continue;
                    }
                    let mut chain = Chain::start(anchor.0).of_kind(ChainKind::Neighbour).with_learned(learned);
                    chain.push(edge.relation.0, direction.is_forward(), edge.to.0);
                    chains.push(chain);
                }
            }
        }
    }
    let key = |chain: &Chain| {
        let far = EntityId(chain.nodes()[1]);
        (
            view.degree(far),
            view.entity_rank(EntityId(chain.nodes()[0])),
            view.entity_rank(far),
            view.relation_rank(RelationId(chain.relations()[0])),
            !chain.is_forward(0),
        )
    };
    chains.sort_by_cached_key(key);
    let found = chains.len() as u64;
    let truncated = (chains.len() > limit).then(|| {
        format!("{found} triples surround the anchors; the {limit} whose far ends have the fewest triples are kept (count budget)")
    });
    chains.truncate(limit);
    FoundChains { chains, found, by_kind: [(ChainKind::Neighbour, found)].into(), truncated }
}
