//! Topics: for each entity and label the evidence of that label that mentions it (EbmKG, Eq. 4–5), and their edges to entities with the weights of
//! Eq. 6: w(t, m) is the share of the topic's evidence that mentions m.

use crate::evidence::label::Label;
use crate::evidence::segment::{Edge, Part, TopicRow};

/// The topics of a collection.
pub(super) struct Topics {
    pub(super) rows: Vec<TopicRow>,
    evidence_starts: Vec<u32>,
    evidence: Vec<u32>,
    edge_starts: Vec<u32>,
    pub(super) edges: Vec<Edge>,
    entity_starts: Vec<u32>,
    entity_edges: Vec<Edge>,
}

impl Topics {
    /// `mentions`: the entities of each piece of evidence; `labels`: its label.
    pub(super) fn of(mentions: &[Vec<u32>], labels: &[Label], entities: usize) -> Self {
        let mut pairs: Vec<(TopicRow, u32)> = Vec::new();
        for ((piece, mentioned), label) in (0u32..).zip(mentions).zip(labels) {
            pairs.extend(mentioned.iter().map(|entity| (TopicRow { entity: *entity, label: label.number() }, piece)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let (mut rows, mut evidence_starts): (Vec<TopicRow>, Vec<u32>) = (Vec::new(), Vec::new());
        let (mut edge_starts, mut edges): (Vec<u32>, Vec<Edge>) = (Vec::new(), Vec::new());
        let mut mentioned: Vec<u32> = Vec::new();
        let mut at = 0u32;
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let Some((topic, _)) = group.first() else { continue };
            evidence_starts.push(at);
            at += group.len() as u32;
            rows.push(*topic);
            edge_starts.push(edges.len() as u32);
            mentioned.clear();
            mentioned.extend(group.iter().flat_map(|(_, piece)| mentions.get(*piece as usize).into_iter().flatten().copied()));
            mentioned.sort_unstable();
            for same in mentioned.chunk_by(|a, b| a == b) {
                if let Some(to) = same.first() {
                    edges.push(Edge { to: *to, weight: same.len() as f32 / group.len() as f32 });
                }
            }
        }
        edge_starts.push(edges.len() as u32);
        evidence_starts.push(at);
        let (entity_starts, entity_edges) = turned(&edge_starts, &edges, entities);
        let evidence = pairs.into_iter().map(|(_, piece)| piece).collect();
        Self { rows, evidence_starts, evidence, edge_starts, edges, entity_starts, entity_edges }
    }

    pub(super) fn put(self, put: &mut impl FnMut(Part, Vec<u8>)) {
        put(Part::Topics, bytemuck::cast_slice(&self.rows).to_vec());
        put(Part::TopicEvidenceStarts, bytemuck::cast_slice(&self.evidence_starts).to_vec());
        put(Part::TopicEvidence, bytemuck::cast_slice(&self.evidence).to_vec());
        put(Part::TopicEdgeStarts, bytemuck::cast_slice(&self.edge_starts).to_vec());
        put(Part::TopicEdges, bytemuck::cast_slice(&self.edges).to_vec());
        put(Part::EntityEdgeStarts, bytemuck::cast_slice(&self.entity_starts).to_vec());
        put(Part::EntityEdges, bytemuck::cast_slice(&self.entity_edges).to_vec());
    }
}

/// The same edges seen from the entities.
fn turned(starts: &[u32], edges: &[Edge], entities: usize) -> (Vec<u32>, Vec<Edge>) {
    let mut counts = vec![0u32; entities + 1];
    for edge in edges {
        if let Some(count) = counts.get_mut(edge.to as usize + 1) {
            *count += 1;
        }
    }
    for at in 1..counts.len() {
        counts[at] += counts[at - 1];
    }
    let mut next = counts.clone();
    let mut out = vec![Edge::default(); edges.len()];
    for (topic, row) in (0u32..).zip(starts.windows(2)) {
        for edge in &edges[row[0] as usize..row[1] as usize] {
            if let Some(at) = next.get_mut(edge.to as usize) {
                if let Some(place) = out.get_mut(*at as usize) {
                    *place = Edge { to: topic, weight: edge.weight };
                }
                *at += 1;
            }
        }
    }
    (counts, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_shares_of_the_evidence() {
        let label = Label::of_number(0);
        // Evidence 0 mentions 0 and 1; evidence 1 mentions 0 and 2; evidence 2, without a label, mentions 1.
        let topics = Topics::of(&[vec![0, 1], vec![0, 2], vec![1]], &[label, label, Label::NONE], 3);
        let rows: Vec<(u32, u32)> = topics.rows.iter().map(|row| (row.entity, row.label)).collect();
        assert_eq!(rows, [(0, 0), (1, 0), (1, u32::MAX), (2, 0)]);
        assert_eq!(topics.evidence_starts, [0, 2, 3, 4, 5]);
        assert_eq!(topics.evidence, [0, 1, 0, 2, 1]);
        let of = |topic: usize| &topics.edges[topics.edge_starts[topic] as usize..topics.edge_starts[topic + 1] as usize];
        assert_eq!(of(0), [Edge { to: 0, weight: 1.0 }, Edge { to: 1, weight: 0.5 }, Edge { to: 2, weight: 0.5 }]);
        assert_eq!(of(2), [Edge { to: 1, weight: 1.0 }]);
        let from = &topics.entity_edges[topics.entity_starts[2] as usize..topics.entity_starts[3] as usize];
        assert_eq!(from, [Edge { to: 0, weight: 0.5 }, Edge { to: 3, weight: 1.0 }]);
    }
}
