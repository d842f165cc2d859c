//! Numbers that describe a graph.

use std::collections::BTreeMap;

use petgraph::algo::connected_components;

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
    /// Entities without a triple.
    pub orphans: usize,
    /// Triples per entity: mean and maximum.
    pub mean_degree: f64,
    /// The entities with the most triples, with their number.
    pub hubs: Vec<(String, usize)>,
}

impl GraphStats {
    /// Counts.
    pub fn of(graph: &Graph) -> Self {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for entity in graph.entity_ids() {
            let kind = graph.kind(entity).as_str();
            let kind = if kind.is_empty() { "unknown" } else { kind };
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
        let mut counts = vec![0usize; graph.relations().len()];
        for triple in graph.triples() {
            counts[triple.relation.index()] += 1;
        }
        let mut relations: Vec<_> = graph.relations().iter().cloned().zip(counts).collect();
        relations.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.name.cmp(&b.0.name)));
        let mut by_degree: Vec<_> = graph.entity_ids().map(|e| (graph.degree(e), e)).collect();
        by_degree.sort_by_key(|(degree, entity)| (std::cmp::Reverse(*degree), *entity));
        Self {
            entities: graph.entity_count(),
            triples: graph.triple_count(),
            names: graph.names().len(),
            kinds,
            relations,
            components: connected_components(graph),
            orphans: by_degree.iter().filter(|(degree, _)| *degree == 0).count(),
            mean_degree: if graph.entity_count() == 0 { 0.0 } else { 2.0 * graph.triple_count() as f64 / graph.entity_count() as f64 },
            hubs: by_degree.iter().take(10).map(|(degree, entity)| (graph.entity_name(*entity).to_owned(), *degree)).collect(),
        }
    }
}
