//! The evidence and edges of topics over both files: those of the base less what was replaced, and those of the addition. A weight is the
//! share of all evidence of the topic (EbmKG, Eq. 6), so that the edges of a topic change with each piece that comes or goes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::added::Added;
use super::layer::Layer;
use super::numbers::Numbers;
use crate::evidence::segment::Edge;

/// Edges of a topic or an entity, in the order of where they lead.
#[derive(Debug, Clone)]
pub(in crate::evidence) struct Edges<'a> {
    rows: Cow<'a, [Edge]>,
    /// The numbers of the rows that the edges lead to, if they are the base's.
    numbers: Option<&'a Numbers>,
}

impl<'a> From<&'a [Edge]> for Edges<'a> {
    fn from(rows: &'a [Edge]) -> Self {
        Self { rows: Cow::Borrowed(rows), numbers: None }
    }
}

impl Edges<'_> {
    pub(in crate::evidence) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Where an edge leads.
    pub(in crate::evidence) fn to(&self, at: usize) -> Option<u32> {
        let to = self.rows.get(at)?.to;
        self.numbers.map_or(Some(to), |numbers| numbers.of_base(to))
    }

    /// The weights, none below 0.
    pub(in crate::evidence) fn weights(&self) -> impl Iterator<Item = f32> {
        self.rows.iter().map(|edge| edge.weight.max(0.0))
    }

    pub(in crate::evidence) fn iter(&self) -> impl Iterator<Item = Edge> {
        (0..self.len()).filter_map(|at| Some(Edge { to: self.to(at)?, weight: self.rows.get(at)?.weight }))
    }
}

/// How many pieces of evidence the weight of an edge stands for, of so many.
fn pieces(weight: f32, of: usize) -> i64 {
    (f64::from(weight) * of as f64).round() as i64
}

fn weight(pieces: i64, of: usize) -> f32 {
    pieces as f32 / of as f32
}

impl Added {
    /// How many pieces of evidence a topic has, by its rows in base and addition.
    fn count(&self, base: &Layer, (there, own): (Option<u32>, Option<u32>)) -> usize {
        let gone = |topic: u32| self.gone.get(&topic).map_or(0, |gone| gone.evidence as usize);
        let left = there.map_or(0, |topic| base.evidence_of_topic(topic).len().saturating_sub(gone(topic)));
        left + own.map_or(0, |topic| self.layer.evidence_of_topic(topic).len())
    }

    fn rows_of_topic(&self, topic: u32) -> (Option<u32>, Option<u32>) {
        (self.topics.in_base(topic), self.topics.in_added(topic))
    }

    /// The evidence of a topic, in order.
    pub(in crate::evidence) fn evidence_of_topic(&self, base: &Layer, topic: u32) -> Vec<u32> {
        let (there, own) = self.rows_of_topic(topic);
        let of_base = there.map_or(&[][..], |topic| base.evidence_of_topic(topic)).iter();
        let of_added = own.map_or(&[][..], |topic| self.layer.evidence_of_topic(topic)).iter();
        let mut all: Vec<u32> = of_base.filter_map(|piece| self.evidence.of_base(*piece)).collect();
        let left = all.len();
        all.extend(of_added.filter_map(|piece| self.evidence.of_added(*piece)));
        if left > 0 && left < all.len() {
            all.sort_unstable();
        }
        all
    }

    /// The entities of a topic with their weights.
    pub(in crate::evidence) fn edges_of_topic<'a>(&'a self, base: &'a Layer, topic: u32) -> Edges<'a> {
        let (there, own) = self.rows_of_topic(topic);
        if let (Some(there), None) = (there, own)
            && !self.touched.contains(&there)
        {
            return Edges { rows: Cow::Borrowed(base.edges_of_topic(there)), numbers: Some(&self.entities) };
        }
        let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
        if let Some(there) = there {
            let of = base.evidence_of_topic(there).len();
            let gone = self.gone.get(&there);
            for edge in base.edges_of_topic(there) {
                let gone = gone.and_then(|gone| gone.mentions.get(&edge.to)).copied().unwrap_or(0);
                if let Some(entity) = self.entities.of_base(edge.to) {
                    *counts.entry(entity).or_default() += pieces(edge.weight, of) - i64::from(gone);
                }
            }
        }
        if let Some(own) = own {
            let of = self.layer.evidence_of_topic(own).len();
            for edge in self.layer.edges_of_topic(own) {
                if let Some(entity) = self.entities.of_added(edge.to) {
                    *counts.entry(entity).or_default() += pieces(edge.weight, of);
                }
            }
        }
        let of = self.count(base, (there, own));
        let left = counts.into_iter().filter(|(_, count)| *count > 0);
        Edges { rows: left.map(|(to, count)| Edge { to, weight: weight(count, of) }).collect(), numbers: None }
    }

    /// The topics of an entity with their weights.
    pub(in crate::evidence) fn edges_of_entity<'a>(&'a self, base: &'a Layer, entity: u32) -> Edges<'a> {
        let (there, own) = (self.entities.in_base(entity), self.entities.in_added(entity));
        let of_base = there.map_or(&[][..], |there| base.edges_of_entity(there));
        let of_added = own.map_or(&[][..], |own| self.layer.edges_of_entity(own));
        if of_added.is_empty() && !self.is_touched(of_base) {
            return Edges { rows: Cow::Borrowed(of_base), numbers: Some(&self.topics) };
        }
        // Of the topics that change: how many of their pieces mention the entity.
        let mut changed: BTreeMap<u32, i64> = BTreeMap::new();
        let mut all: Vec<Edge> = Vec::with_capacity(of_base.len() + of_added.len());
        for edge in of_base {
            let Some(topic) = self.topics.of_base(edge.to) else { continue };
            if self.touched.contains(&edge.to) {
                let gone = self.gone.get(&edge.to).and_then(|gone| gone.mentions.get(&there?)).copied().unwrap_or(0);
                changed.insert(topic, pieces(edge.weight, base.evidence_of_topic(edge.to).len()) - i64::from(gone));
            } else {
                all.push(Edge { to: topic, weight: edge.weight });
            }
        }
        for edge in of_added {
            if let Some(topic) = self.topics.of_added(edge.to) {
                *changed.entry(topic).or_default() += pieces(edge.weight, self.layer.evidence_of_topic(edge.to).len());
            }
        }
        let left = changed.into_iter().filter(|(_, count)| *count > 0);
        all.extend(left.map(|(to, count)| Edge { to, weight: weight(count, self.count(base, self.rows_of_topic(to))) }));
        all.sort_unstable_by_key(|edge| edge.to);
        Edges { rows: Cow::Owned(all), numbers: None }
    }

    /// Whether edges of the base lead to a topic that changes.
    fn is_touched(&self, edges: &[Edge]) -> bool {
        if self.touched.len() < edges.len() {
            self.touched.iter().any(|topic| edges.binary_search_by_key(topic, |edge| edge.to).is_ok())
        } else {
            edges.iter().any(|edge| self.touched.contains(&edge.to))
        }
    }

    /// How many edges there are.
    pub(in crate::evidence) fn edge_count(&self, base: &Layer) -> usize {
        let before: usize = self.touched.iter().map(|topic| base.edges_of_topic(*topic).len()).sum();
        let of_base = self.touched.iter().filter_map(|topic| self.topics.of_base(*topic));
        let new = self.topics.only_added().filter_map(|topic| self.topics.of_added(topic));
        let after: usize = of_base.chain(new).map(|topic| self.edges_of_topic(base, topic).len()).sum();
        (base.meta.edges + after).saturating_sub(before)
    }
}
