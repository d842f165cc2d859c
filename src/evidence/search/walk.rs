//! Topics near the entities of a question: a weighted random walk on the bipartite graph of topics and entities (EbmKG, Eq. 7–8), and personalised
//! PageRank, to which its frequencies converge.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::weights::Weights;
use crate::evidence::collection::Collection;
use crate::evidence::layers::Edges;
use crate::evidence::segment::Edge;
use crate::text::SplitMix64;

/// Rounds of the exact computation; what is left after them is less than a thousandth.
const ROUNDS: usize = 20;

/// How often walks visit each topic, as a share of the walks: those of `starts`, entities with weights. Seeded.
pub(super) fn random_walk(collection: &Collection, starts: &[(u32, f32)], weights: &Weights, seed: u64) -> BTreeMap<u32, f32> {
    let mut random = SplitMix64::new(seed);
    let mut visits: BTreeMap<u32, f32> = BTreeMap::new();
    let begin: Vec<Edge> = starts.iter().map(|(to, weight)| Edge { to: *to, weight: *weight }).collect();
    let begin = Drawn::of(begin.as_slice().into());
    let (mut from_entities, mut from_topics) = (Draws::default(), Draws::default());
    let share = 1.0 / weights.walks.max(1) as f32;
    for _ in 0..weights.walks {
        let Some(mut entity) = begin.draw(&mut random) else { break };
        // A topic counts once in a walk.
        let mut path: BTreeSet<u32> = BTreeSet::new();
        let mut steps = 0;
        while steps < weights.walk_length {
            let Some(topic) = from_entities.draw(entity, || collection.edges_of_entity(entity), &mut random) else { break };
            path.insert(topic);
            steps += 2;
            let Some(next) = from_topics.draw(topic, || collection.edges_of_topic(topic), &mut random) else { break };
            entity = next;
        }
        path.into_iter().for_each(|topic| *visits.entry(topic).or_default() += share);
    }
    visits
}

/// Draws edges of nodes. A node's edges are read and their weights added up once: walks come back to hubs, which have many.
#[derive(Default)]
struct Draws<'a>(HashMap<u32, Drawn<'a>>);

impl<'a> Draws<'a> {
    fn draw(&mut self, node: u32, edges: impl FnOnce() -> Edges<'a>, random: &mut SplitMix64) -> Option<u32> {
        self.0.entry(node).or_insert_with(|| Drawn::of(edges())).draw(random)
    }
}

/// The edges of a node, and for each the weights up to it and its own.
struct Drawn<'a> {
    edges: Edges<'a>,
    sums: Vec<f64>,
}

impl<'a> Drawn<'a> {
    fn of(edges: Edges<'a>) -> Self {
        let add = |sum: &mut f64, weight: f32| {
            *sum += f64::from(weight);
            Some(*sum)
        };
        let sums = edges.weights().scan(0.0, add).collect();
        Self { edges, sums }
    }

    /// Where an edge leads that is drawn by chance, in proportion to the weights.
    fn draw(&self, random: &mut SplitMix64) -> Option<u32> {
        let drawn = random.next_f64() * self.sums.last().copied().unwrap_or(0.0);
        let at = self.sums.partition_point(|sum| *sum <= drawn);
        self.edges.to(at.min(self.sums.len().checked_sub(1)?))
    }
}

/// Personalised PageRank of the topics: walks that begin at `starts` and end after each return to an entity with the chance that gives them the mean
/// length of the random walk.
pub(super) fn pagerank(collection: &Collection, starts: &[(u32, f32)], weights: &Weights) -> BTreeMap<u32, f32> {
    // Steps come in pairs; a walk of mean length n pairs goes on with the chance 1 − 1/n.
    let pairs = (weights.walk_length as f32 / 2.0).max(1.0);
    let on = 1.0 - 1.0 / pairs;
    let sum: f32 = starts.iter().map(|(_, weight)| weight.max(0.0)).sum();
    let mut at: BTreeMap<u32, f32> =
        starts.iter().map(|(entity, weight)| (*entity, weight.max(0.0) / sum.max(f32::MIN_POSITIVE))).collect();
    let mut visits: BTreeMap<u32, f32> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let mut topics: BTreeMap<u32, f32> = BTreeMap::new();
        spread(&at, |entity| collection.edges_of_entity(entity), &mut topics);
        topics.iter().for_each(|(topic, mass)| *visits.entry(*topic).or_default() += mass);
        let mut next: BTreeMap<u32, f32> = BTreeMap::new();
        spread(&topics, |topic| collection.edges_of_topic(topic), &mut next);
        next.values_mut().for_each(|mass| *mass *= on);
        at = next;
    }
    visits
}

fn spread<'a>(from: &BTreeMap<u32, f32>, edges: impl Fn(u32) -> Edges<'a>, to: &mut BTreeMap<u32, f32>) {
    for (node, mass) in from {
        let edges = edges(*node);
        let sum: f32 = edges.weights().sum();
        if *mass < 1e-7 || sum <= 0.0 {
            continue;
        }
        for edge in edges.iter() {
            *to.entry(edge.to).or_default() += mass * edge.weight.max(0.0) / sum;
        }
    }
}

/// The topics next to the entities, by the weight of the edge times that of the entity, as a share of all: what the walk is compared with.
pub(super) fn neighbours(collection: &Collection, starts: &[(u32, f32)]) -> BTreeMap<u32, f32> {
    let mut near: BTreeMap<u32, f32> = BTreeMap::new();
    for (entity, weight) in starts {
        for edge in collection.edges_of_entity(*entity).iter() {
            *near.entry(edge.to).or_default() += weight.max(0.0) * edge.weight.max(0.0);
        }
    }
    let sum: f32 = near.values().sum();
    near.values_mut().for_each(|share| *share /= sum.max(f32::MIN_POSITIVE));
    near
}

/// The topics with the most visits, the most first; of equal ones the first.
pub(super) fn most_visited(visits: &BTreeMap<u32, f32>, most: usize) -> Vec<(u32, f32)> {
    let mut topics: Vec<(u32, f32)> = visits.iter().map(|(topic, share)| (*topic, *share)).collect();
    topics.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    topics.truncate(most);
    topics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_drawn_in_proportion_to_their_weights() {
        let edge = |to, weight| Edge { to, weight };
        let edges = [edge(1, 0.0), edge(2, 3.0), edge(3, -1.0), edge(4, 1.0), edge(5, 0.0)];
        let (mut draws, mut random) = (Draws::default(), SplitMix64::new(7));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for _ in 0..10_000 {
            *counts.entry(draws.draw(9, || edges.as_slice().into(), &mut random).expect("an edge")).or_default() += 1;
        }
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [2, 4], "what has no weight is not drawn");
        assert!(counts[&2].abs_diff(7_500) < 200, "{counts:?}");
        assert_eq!(draws.draw(8, || [].as_slice().into(), &mut random), None);
        assert_eq!(draws.draw(7, || edges[..1].into(), &mut random), Some(1), "where none has a weight, the last");
    }
}
