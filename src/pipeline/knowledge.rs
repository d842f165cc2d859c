//! The knowledge that questions are asked of: a graph with its facts, its derived numbers and the vectors of
//! its names. Opening it costs nothing but the vectors; the rest is found where a question touches it.

use std::sync::OnceLock;

use crate::graph::{EntityId, FactMemo, Facts, Graph};
use crate::model::{EncoderHandle, Matrix, ModelError, NameRows, NameVectors, SearchedBy, StaticEncoder, VectorsError};

/// Up to so many names the built-in encoder embeds while a question waits, should the one in use fail: about a second.
const EMBEDDED_AT_NEED: usize = 50_000;

/// A graph made ready for questions.
#[derive(Debug)]
pub struct Knowledge {
    /// The graph.
    pub graph: Graph,
    /// The facts that questions asked for lately.
    memo: FactMemo,
    /// Vectors of every name and alias, by the graph's own rows.
    vectors: NameVectors,
    /// The built-in encoder and its vectors of the same names, made when the encoder in use fails.
    spare: OnceLock<Option<(EncoderHandle, NameVectors)>>,
}

impl NameRows for Graph {
    fn len(&self) -> usize {
        self.name_count()
    }

    fn name(&self, row: usize) -> std::borrow::Cow<'_, str> {
        self.name_at(row).into()
    }
}

impl Knowledge {
    /// Embeds every name and alias, and holds the vectors in memory.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn prepare(graph: Graph, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let vectors = NameVectors::in_memory(&graph, encoder)?;
        Ok(Self::with_vectors(graph, vectors))
    }

    /// With the vectors of this very graph's names.
    pub fn with_vectors(graph: Graph, vectors: NameVectors) -> Self {
        Self { graph, memo: FactMemo::default(), vectors, spare: OnceLock::new() }
    }

    /// The vectors of the graph's names.
    pub(crate) fn vectors(&self) -> &NameVectors {
        &self.vectors
    }

    /// The built-in encoder with its vectors of the names; without any where there are too many names to embed them now.
    pub(crate) fn spare(&self) -> Option<(&EncoderHandle, &NameVectors)> {
        let make = || {
            let encoder = EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in).ok()?;
            let none: Vec<String> = Vec::new();
            let names: &dyn NameRows = if self.graph.name_count() > EMBEDDED_AT_NEED { &none } else { &self.graph };
            let vectors = NameVectors::in_memory(names, &encoder).ok()?;
            Some((encoder, vectors))
        };
        self.spare.get_or_init(make).as_ref().map(|(encoder, vectors)| (encoder, vectors))
    }

    /// The graph's triples read through their roles.
    pub fn facts(&self) -> Facts<'_> {
        Facts::remembered(&self.graph, &self.memo)
    }

    /// How the names nearest to a mention are found.
    pub fn searched_by(&self) -> SearchedBy {
        self.vectors.searched_by()
    }

    /// Whether an entity is described as a condition; see [`Graph::is_condition`].
    pub fn is_condition(&self, entity: EntityId) -> bool {
        self.graph.is_condition(entity)
    }

    /// How much the mention of an entity tells; see [`Graph::rarity`].
    pub(crate) fn rarity(&self, entity: EntityId) -> f64 {
        self.graph.rarity(entity)
    }

    /// The weight of what an entity has as features; see [`Graph::feature_weight`].
    pub(crate) fn features(&self, entity: EntityId) -> f64 {
        self.graph.feature_weight(entity)
    }

    /// A name or alias by its row.
    pub(crate) fn name(&self, row: usize) -> &str {
        self.graph.name_at(row)
    }

    /// Which entity a row names.
    pub(crate) fn named_by(&self, row: usize) -> EntityId {
        self.graph.entity_of_name(row)
    }

    /// For each query (a unit vector) the `count` nearest names whose cosine exceeds `above`: (row, cosine), nearest
    /// first, equals by row.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn nearest_names(
        vectors: &NameVectors,
        queries: &Matrix,
        count: usize,
        above: f64,
    ) -> Result<Vec<Vec<(usize, f32)>>, VectorsError> {
        let nearest = vectors.nearest(queries, count, above)?;
        Ok(nearest.into_iter().map(|rows| rows.into_iter().map(|(row, cosine)| (row as usize, cosine)).collect()).collect())
    }

    /// For each entity the best cosine of any of its names with any of the fragments (unit vectors); 0 where
    /// none is above that.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn best_similarity(
        &self,
        vectors: &NameVectors,
        entities: &[EntityId],
        fragments: &Matrix,
    ) -> Result<Vec<f32>, VectorsError> {
        if vectors.is_empty() {
            return Ok(vec![0.0; entities.len()]);
        }
        let mut rows: Vec<u32> = Vec::with_capacity(entities.len());
        let mut slots: Vec<usize> = Vec::with_capacity(entities.len());
        for (slot, entity) in entities.iter().enumerate() {
            rows.extend(self.graph.name_rows(*entity).map(|row| row as u32));
            slots.resize(rows.len(), slot);
        }
        let mut best = vec![0f32; entities.len()];
        for (slot, cosine) in slots.into_iter().zip(vectors.similarities(&rows, fragments)?) {
            best[slot] = best[slot].max(cosine);
        }
        Ok(best)
    }
}

/// The entity whose preferred name this is. Of homonyms the one of this kind, else the first.
pub(crate) fn named(graph: &Graph, name: &str, kind: &str) -> Option<EntityId> {
    let mut entities = graph.names().lookup_exact(name);
    entities.retain(|entity| graph.entity_name(*entity) == name);
    let of_kind = entities.iter().find(|entity| graph.kind(**entity).as_str() == kind);
    of_kind.or(entities.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::{StaticEncoder, dot};

    #[test]
    fn similarities_of_some_entities_are_those_found_name_by_name() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let graph = &knowledge.graph;
        let fragments = encoder.encode(vec!["burning behind the breastbone".into(), "胃痛".into()]).expect("encodes").normalised();
        // Out of order on purpose.
        let mut entities: Vec<EntityId> = graph.entity_ids().step_by(7).collect();
        entities.reverse();
        let found = knowledge.best_similarity(knowledge.vectors(), &entities, &fragments).expect("compares");
        for (entity, found) in entities.iter().zip(found) {
            let names = std::iter::once(graph.entity_name(*entity)).chain(graph.aliases(*entity));
            let vectors = encoder.encode(names.map(str::to_owned).collect()).expect("encodes").normalised();
            let best = (0..vectors.rows())
                .flat_map(|name| (0..2).map(move |fragment| (name, fragment)))
                .map(|(name, fragment)| dot(vectors.row(name), fragments.row(fragment)))
                .fold(0.0, f32::max);
            assert!((found - best).abs() < 1e-5, "{}: {found} and {best}", graph.entity_name(*entity));
        }
        assert!(knowledge.best_similarity(knowledge.vectors(), &[], &fragments).expect("compares").is_empty());
        let near =
            Knowledge::nearest_names(knowledge.vectors(), &encoder.encode(vec!["Heartburn".into()]).expect("encodes").normalised(), 3, 0.5)
                .expect("compares");
        assert_eq!(near.len(), 1);
        assert!(near[0].len() <= 3 && near[0].is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(knowledge.name(near[0][0].0).to_lowercase(), "heartburn");
        assert_eq!(knowledge.named_by(near[0][0].0), graph.find("heartburn").expect("is there"));
    }
}
