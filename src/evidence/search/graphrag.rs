//! GraphRAG's local search without a language model (Edge et al. 2024), as a baseline on the same documents: the communities nearest to the question by
//! their summaries, and the units with evidence about their entities, by the nearness of both.

use std::collections::HashMap;

use super::communities::Communities;
use super::{Ranked, Searcher, vector};
use crate::evidence::error::CollectionError;

/// How many communities are looked into.
const LOOKED_INTO: usize = 10;

pub(super) fn rank(searcher: &mut Searcher<'_>, question: &str) -> Result<Vec<Ranked>, CollectionError> {
    let collection = searcher.collection;
    let shared = std::sync::Arc::clone(&searcher.communities);
    let communities = shared.get_or_init(|| Communities::of(collection));
    let own = searcher.encode(&[question.to_owned()])?;
    if own.rows() == 0 || communities.summaries.is_empty() {
        return Ok(Vec::new());
    }
    let vectors = searcher.encode(&communities.summaries)?;
    let mut near: Vec<(f32, u32)> =
        (0..vectors.rows()).zip(0u32..).map(|(row, number)| (vector::dot(own.row(0), vectors.row(row)), number)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let chosen: HashMap<u32, f32> = near.into_iter().take(LOOKED_INTO).map(|(cosine, number)| (number, cosine.max(0.0))).collect();
    // The sections with evidence about entities of these communities.
    let mut sections: HashMap<u32, f32> = HashMap::new();
    for (number, topic) in (0u32..).zip(collection.topics()) {
        let Some(cosine) = communities.of_entity.get(topic.entity as usize).and_then(|community| chosen.get(community)) else { continue };
        for piece in collection.evidence_of_topic(number).iter() {
            if let Some(row) = collection.piece(*piece) {
                let known = sections.entry(row.section).or_default();
                *known = known.max(*cosine);
            }
        }
    }
    let scored: Vec<(u32, f32)> = (0u32..)
        .zip(vector::of_units(collection, own.row(0)))
        .filter_map(|(unit, cosine)| {
            let of_community = sections.get(&collection.unit(unit)?.section)?;
            Some((unit, cosine.max(0.0) + of_community))
        })
        .collect();
    Ok(searcher.of_units(&scored))
}
