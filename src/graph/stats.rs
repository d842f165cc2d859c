//! The figures that `kg stats` shows of a graph. petgraph's `UnionFind` finds the components.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;

use super::role::Relation;
use super::store::Graph;

/// What `kg stats` shows.
#[derive(Debug, Clone)]
pub struct GraphStats {
    /// Number of entities.
    pub entities: usize,
    /// Number of distinct triples.
    pub triples: usize,
    /// Number of names and aliases, folded.
    pub names: usize,
    /// Entities by kind.
    pub kinds: BTreeMap<String, usize>,
    /// Relation types with their number of triples, most frequent first.
    pub relations: Vec<(Relation, usize)>,
    /// Number of weakly connected components.
    pub components: usize,
    /// Number of entities in the largest component.
    pub largest_component: usize,
    /// Entities without a triple.
    pub orphans: usize,
    /// Triples whose head is their tail.
    pub self_loops: usize,
    /// Triples per entity.
    pub degrees: Degrees,
    /// The entities with the most triples, with their number.
    pub hubs: Vec<(String, usize)>,
}

/// The distribution of triples over entities. A self-loop counts twice.
#[derive(Debug, Clone, Default)]
pub struct Degrees {
    /// The mean.
    pub mean: f64,
    /// Half of the entities have at most this many triples.
    pub median: usize,
    /// 90 % have at most this many.
    pub p90: usize,
    /// 99 % have at most this many.
    pub p99: usize,
    /// The most.
    pub max: usize,
    /// Entities by degree: 0, 1, 2–3, 4–7, 8–15 and so on, each with its lowest degree.
    pub histogram: Vec<(usize, usize)>,
}

impl Degrees {
    /// Computes the distribution; sorts `degrees`.
    fn of(degrees: &mut [usize]) -> Self {
        degrees.sort_unstable();
        let count = degrees.len();
        let at = |share: f64| degrees.get(((count as f64 * share).ceil() as usize).clamp(1, count.max(1)) - 1).copied().unwrap_or(0);
        let mut histogram: Vec<(usize, usize)> = Vec::new();
        for degree in degrees.iter() {
            let lowest = degree.checked_ilog2().map_or(0, |log| 1 << log);
            match histogram.last_mut() {
                Some((last, entities)) if *last == lowest => *entities += 1,
                _ => histogram.push((lowest, 1)),
            }
        }
        let mean = if count == 0 { 0.0 } else { degrees.iter().sum::<usize>() as f64 / count as f64 };
        Self { mean, median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1.0), histogram }
    }
}

impl GraphStats {
    /// How many hubs are listed.
    const HUBS: usize = 10;

    /// Computes all figures.
    pub fn of(graph: &Graph) -> Self {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for entity in graph.entity_ids() {
            let kind = graph.kind(entity).as_str();
            let kind = if kind.is_empty() { "unknown" } else { kind };
            match kinds.get_mut(kind) {
                Some(count) => *count += 1,
                None => _ = kinds.insert(kind.to_owned(), 1),
            }
        }
        let mut counts = vec![0usize; graph.relations().len()];
        let mut self_loops = 0;
        let mut parts = UnionFind::<u32>::new(graph.entity_count());
        for triple in graph.triples() {
            counts[triple.relation.index()] += 1;
            self_loops += usize::from(triple.head == triple.tail);
            parts.union(triple.head.0, triple.tail.0);
        }
        let mut component_sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for part in parts.into_labeling() {
            *component_sizes.entry(part).or_default() += 1;
        }
        let mut relations: Vec<_> = graph.relations().iter().cloned().zip(counts).collect();
        relations.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.name.cmp(&b.0.name)));
        let mut by_degree: Vec<_> = graph.entity_ids().map(|e| (std::cmp::Reverse(graph.degree(e)), e)).collect();
        let mut degrees: Vec<usize> = by_degree.iter().map(|(degree, _)| degree.0).collect();
        let hubs = Self::HUBS.min(by_degree.len());
        if hubs < by_degree.len() {
            by_degree.select_nth_unstable(hubs);
        }
        by_degree.truncate(hubs);
        by_degree.sort_unstable();
        Self {
            entities: graph.entity_count(),
            triples: graph.triple_count(),
            names: graph.names().len(),
            kinds,
            relations,
            components: component_sizes.len(),
            largest_component: component_sizes.values().copied().max().unwrap_or(0),
            orphans: degrees.iter().filter(|degree| **degree == 0).count(),
            self_loops,
            degrees: Degrees::of(&mut degrees),
            hubs: by_degree.iter().map(|(degree, entity)| (graph.entity_name(*entity).to_owned(), degree.0)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_described_by_quantiles_and_powers_of_two() {
        let mut degrees = vec![0, 1, 1, 2, 3, 4, 7, 8, 100];
        let of = Degrees::of(&mut degrees);
        assert_eq!((of.median, of.p90, of.p99, of.max), (3, 100, 100, 100));
        assert_eq!(of.histogram, [(0, 1), (1, 2), (2, 2), (4, 2), (8, 1), (64, 1)]);
        assert!((of.mean - 14.0).abs() < 1e-9);
        assert_eq!(Degrees::of(&mut []).max, 0);
    }
}
