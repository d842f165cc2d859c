//! The known triples of one entity, and the selection that a new triple is compared with.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::statement::{KnownTriple, Statement, Way};
use crate::graph::{Direction, EntityId, GraphView, stem};
use crate::language::Knowledge;
use crate::text::tokenise;

/// A known triple of an entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour<'k> {
    pub(super) known: KnownTriple,
    /// The entity at its far end.
    pub(super) other: EntityId,
    /// Its statement, with the entity as its head.
    pub(super) says: Statement<'k>,
}

/// The known triples around one entity: learned ones first, then in the graph's order. Made once for all new triples around it.
pub(super) struct Around<'k> {
    neighbours: Vec<Neighbour<'k>>,
    /// By the hash of a stem the neighbours whose names have such a word, where there are more than are compared.
    by_word: HashMap<u64, Vec<u32>>,
    most: usize,
}

impl<'k> Around<'k> {
    pub(super) fn new(knowledge: &'k Knowledge, entity: EntityId, most: usize) -> Self {
        let graph = &knowledge.graph;
        let mut neighbours = Vec::new();
        for learned_now in [true, false] {
            for (direction, way) in [(Direction::Out, Way::Along), (Direction::In, Way::Against)] {
                for (edges, learned) in graph.edges(entity, direction).parts() {
                    if learned != learned_now {
                        continue;
                    }
                    neighbours.extend(edges.iter().map(|edge| {
                        let relation = graph.relation(edge.relation);
                        let (head, tail) = if way == Way::Along { (entity, edge.to) } else { (edge.to, entity) };
                        Neighbour {
                            known: KnownTriple { head, relation: edge.relation, tail, learned },
                            other: edge.to,
                            says: Statement::of(relation.role, relation.player, &relation.name, way),
                        }
                    }));
                }
            }
        }
        let mut by_word: HashMap<u64, Vec<u32>> = HashMap::new();
        if neighbours.len() > most {
            for (at, neighbour) in (0u32..).zip(&neighbours) {
                for word in words(graph.entity_name(neighbour.other)) {
                    by_word.entry(word).or_default().push(at);
                }
            }
        }
        Self { neighbours, by_word, most }
    }

    /// The neighbours to compare with a triple whose other end has this name, those with most words in common first. `fits` selects the
    /// candidates.
    pub(super) fn nearest<'a>(&'a self, name: &str, mut fits: impl FnMut(&Neighbour<'k>) -> bool) -> Vec<&'a Neighbour<'k>> {
        if self.neighbours.len() <= self.most {
            return self.neighbours.iter().filter(|neighbour| fits(neighbour)).collect();
        }
        let mut shared: HashMap<u32, usize> = HashMap::new();
        for word in words(name) {
            // A word that very many have tells little; the first of them are enough.
            for at in self.by_word.get(&word).into_iter().flatten().take(16 * self.most) {
                *shared.entry(*at).or_default() += 1;
            }
        }
        let mut order: Vec<(usize, u32)> = shared.iter().map(|(at, count)| (usize::MAX - count, *at)).collect();
        order.sort_unstable();
        let sharing = order.into_iter().map(|(_, at)| at);
        let rest = (0..self.neighbours.len() as u32).take(16 * self.most).filter(|at| !shared.contains_key(at));
        let all = sharing.chain(rest).map(|at| &self.neighbours[at as usize]);
        all.filter(|neighbour| fits(neighbour)).take(self.most).collect()
    }
}

/// The stems of a name's words, hashed, each once.
fn words(name: &str) -> Vec<u64> {
    let mut words: Vec<u64> = tokenise(name).iter().map(|token| xxh3_64(stem(&token.text).as_bytes())).collect();
    words.sort_unstable();
    words.dedup();
    words
}
