//! Some triples of a graph as a graph of their own, over which PageRank runs (RoK, section 4.2.1).

use super::entity::{EntityId, RelationId};
use super::store::{Edge, Triple};
use super::view::{Direction, GraphRows, GraphView};

/// Some triples and the entities at their ends. The entities are renumbered from 0, in the order of the whole graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct TripleSubset {
    entities: Vec<EntityId>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl TripleSubset {
    /// The graph of these triples; a repeated triple counts once.
    pub(crate) fn of(mut triples: Vec<Triple>) -> Self {
        triples.sort_unstable();
        triples.dedup();
        let mut entities: Vec<EntityId> = triples.iter().flat_map(|triple| [triple.head, triple.tail]).collect();
        entities.sort_unstable();
        entities.dedup();
        let mut part = Self { entities, ..Self::default() };
        let row = |entity: usize, way: Direction| 2 * entity + usize::from(way == Direction::In);
        // Every end is among the entities.
        let number = |entity: EntityId| part.entities.binary_search(&entity).unwrap_or_default();
        let mut ends: Vec<(usize, Edge)> = triples
            .iter()
            .flat_map(|triple| {
                let (head, tail) = (number(triple.head), number(triple.tail));
                let edge = |to: usize| Edge::new(EntityId(to as u32), triple.relation);
                [(row(head, Direction::Out), edge(tail)), (row(tail, Direction::In), edge(head))]
            })
            .collect();
        ends.sort_unstable();
        part.starts = vec![0; 2 * part.entities.len() + 1];
        for (row, _) in &ends {
            part.starts[row + 1] += 1;
        }
        for row in 1..part.starts.len() {
            part.starts[row] += part.starts[row - 1];
        }
        part.edges = ends.into_iter().map(|(_, edge)| edge).collect();
        part
    }

    /// The number in this subset of an entity of the whole graph; `None` if the subset does not contain it.
    pub(crate) fn number(&self, entity: EntityId) -> Option<usize> {
        self.entities.binary_search(&entity).ok()
    }
}

impl GraphView for TripleSubset {
    fn entity_count(&self) -> usize {
        self.entities.len()
    }

    fn rows(&self) -> GraphRows<'_> {
        GraphRows::new(&self.starts, &self.edges)
    }

    fn relation_count(&self) -> usize {
        self.edges.iter().map(|edge| edge.relation).max().map_or(0, |RelationId(last)| usize::from(last) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_rows_of_its_triples() {
        let triple = |head, relation, tail| Triple { head: EntityId(head), relation: RelationId(relation), tail: EntityId(tail) };
        let part = TripleSubset::of(vec![triple(9, 1, 4), triple(4, 0, 7), triple(9, 1, 4), triple(7, 2, 7)]);
        let (four, seven, nine) = (EntityId(0), EntityId(1), EntityId(2));
        assert_eq!([4, 7, 9].map(|entity| part.number(EntityId(entity))), [Some(0), Some(1), Some(2)]);
        assert_eq!((part.number(EntityId(5)), part.entity_count(), part.relation_count()), (None, 3, 3));
        let far = |entity, way| part.edges(entity, way).iter().map(|edge| (edge.to, edge.relation.0)).collect::<Vec<_>>();
        assert_eq!(far(four, Direction::Out), [(seven, 0)]);
        assert_eq!(far(four, Direction::In), [(nine, 1)]);
        assert_eq!(far(seven, Direction::Out), [(seven, 2)]);
        assert_eq!(far(seven, Direction::In), [(four, 0), (seven, 2)]);
        assert_eq!((far(nine, Direction::Out), part.degree(nine)), (vec![(four, 1)], 1));
        assert_eq!(TripleSubset::of(Vec::new()).entity_count(), 0);
    }
}
