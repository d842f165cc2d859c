//! Communities of a collection's entities for `graphrag` (Edge et al. 2024): entities that the same topics mention, found by Leiden; each with a summary
//! without a language model: its leading entities, and what its topics speak of.

use std::collections::{BTreeMap, HashMap};

use super::leiden::leiden;
use crate::evidence::collection::Collection;
use crate::evidence::label::Label;

/// How many entities a summary names …
const NAMED: usize = 12;
/// … and how many labels.
const LABELS: usize = 4;
/// Topics that mention more entities than this connect the strongest ones alone, so that hubs do not make one community of all.
const MOST_OF_TOPIC: usize = 24;

/// The communities of a collection.
#[derive(Debug, Clone, Default)]
pub(in crate::evidence) struct Communities {
    /// For each entity, its community.
    pub(super) of_entity: Vec<u32>,
    /// For each community, its summary.
    pub(super) summaries: Vec<String>,
}

impl Communities {
    pub(super) fn of(collection: &Collection) -> Self {
        let entities = collection.meta().entities;
        let mut weights: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let mut strength: HashMap<u32, f64> = HashMap::new();
        for (number, topic) in (0u32..).zip(collection.topics()) {
            let mut edges = collection.edges_of_topic(number).iter().collect::<Vec<_>>();
            edges.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.to.cmp(&b.to)));
            for edge in edges.iter().take(MOST_OF_TOPIC).filter(|edge| edge.to != topic.entity) {
                let pair = (topic.entity.min(edge.to), topic.entity.max(edge.to));
                let weight = f64::from(edge.weight.max(0.0));
                *weights.entry(pair).or_default() += weight;
                *strength.entry(topic.entity).or_default() += weight;
                *strength.entry(edge.to).or_default() += weight;
            }
        }
        let of_entity = leiden(entities, &weights);
        let count = of_entity.iter().max().map_or(0, |most| *most as usize + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (entity, community) in (0u32..).zip(&of_entity) {
            if let Some(members) = members.get_mut(*community as usize) {
                members.push(entity);
            }
        }
        let mut labels: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); count];
        for topic in collection.topics() {
            let own = of_entity.get(topic.entity as usize).and_then(|community| labels.get_mut(*community as usize));
            if let Some(own) = own {
                *own.entry(topic.label).or_default() += 1;
            }
        }
        let strong = |entity: &u32| strength.get(entity).copied().unwrap_or(0.0);
        let summary = |(members, labels): (Vec<u32>, BTreeMap<u32, usize>)| {
            let mut members = members;
            members.sort_by(|a, b| strong(b).total_cmp(&strong(a)).then(a.cmp(b)));
            let names: Vec<&str> = members.iter().take(NAMED).map(|entity| collection.entity_name(*entity)).collect();
            let mut labels: Vec<(usize, u32)> = labels.into_iter().map(|(label, count)| (count, label)).collect();
            labels.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            let words = labels.iter().map(|(_, label)| Label::of_number(*label).words()).filter(|words| !words.is_empty()).take(LABELS);
            format!("{}. {}", names.join(", "), words.collect::<Vec<_>>().join("; "))
        };
        let summaries = members.into_iter().zip(labels).map(summary).collect();
        Self { of_entity, summaries }
    }
}
