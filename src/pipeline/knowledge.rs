//! The knowledge that questions are asked of: a graph with its facts, its derived numbers and the vectors of
//! its names. Opening it costs nothing but the vectors; the rest is found where a question touches it.

use super::weights::Weights;
use crate::graph::{EntityId, FactMemo, Facts, Graph};
use crate::model::{EncoderHandle, Matrix, ModelError, VectorIndex};

/// A graph made ready for questions.
#[derive(Debug)]
pub struct Knowledge {
    /// The graph.
    pub graph: Graph,
    /// The facts that questions asked for lately.
    memo: FactMemo,
    weights: Weights,
    /// Unit vectors of every name and alias.
    name_vectors: VectorIndex,
    /// The names and aliases themselves, row by row, those of an entity side by side.
    names: Vec<String>,
    /// Which entity a row of `name_vectors` names.
    name_entities: Vec<EntityId>,
}

impl Knowledge {
    /// Embeds every name and alias.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn prepare(graph: Graph, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let mut names = Vec::new();
        let mut name_entities = Vec::new();
        for entity in graph.entity_ids() {
            let own = std::iter::once(graph.entity_name(entity));
            for name in own.chain(graph.aliases(entity).iter().map(String::as_str)) {
                names.push(name.to_owned());
                name_entities.push(entity);
            }
        }
        let vectors = encoder.encode(names.clone())?.normalised();
        let name_vectors = VectorIndex::new(&vectors).map_err(compute)?;
        let weights = Weights::of(graph.entity_count());
        Ok(Self { graph, memo: FactMemo::default(), weights, name_vectors, names, name_entities })
    }

    /// The graph's triples read through their roles.
    pub fn facts(&self) -> Facts<'_> {
        Facts::remembered(&self.graph, &self.memo)
    }

    /// Whether an entity is described as a condition: the graph states symptoms, tests or treatments of it.
    pub fn is_condition(&self, entity: EntityId) -> bool {
        self.weights.is_condition(self.facts(), self.graph.entity_count(), entity)
    }

    /// How much the mention of an entity tells: the inverse frequency of its being a feature of conditions.
    pub(crate) fn rarity(&self, entity: EntityId) -> f64 {
        self.weights.rarity(self.facts(), self.graph.entity_count(), entity)
    }

    /// Sum of the squared rarities of what an entity has as features; 0 for what has none.
    pub(crate) fn features(&self, entity: EntityId) -> f64 {
        self.weights.features(self.facts(), self.graph.entity_count(), entity)
    }

    /// A name or alias by its row.
    pub(crate) fn name(&self, row: usize) -> &str {
        &self.names[row]
    }

    /// Which entity a row names.
    pub(crate) fn named_by(&self, row: usize) -> EntityId {
        self.name_entities[row]
    }

    /// For each query (a unit vector) the `count` nearest names whose cosine exceeds `above`: (row, cosine), nearest
    /// first, equals by row.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn nearest_names(&self, queries: &Matrix, count: usize, above: f64) -> Result<Vec<Vec<(usize, f32)>>, ModelError> {
        let cosines = self.name_vectors.products(queries).map_err(compute)?;
        let nearest = |query: usize| {
            let near = (0..).zip(cosines.row(query).iter().copied()).filter(|(_, cosine)| f64::from(*cosine) > above);
            let mut near: Vec<(usize, f32)> = near.collect();
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            near.truncate(count);
            near
        };
        Ok((0..cosines.rows()).map(nearest).collect())
    }

    /// For each entity the best cosine of any of its names with any of the fragments (unit vectors); 0 where
    /// none is above that.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn best_similarity(&self, entities: &[EntityId], fragments: &Matrix) -> Result<Vec<f32>, ModelError> {
        let mut rows: Vec<u32> = Vec::with_capacity(entities.len());
        let mut slots: Vec<usize> = Vec::with_capacity(entities.len());
        for (slot, entity) in entities.iter().enumerate() {
            let first = self.name_entities.partition_point(|known| known < entity);
            let count = self.name_entities[first..].iter().take_while(|known| *known == entity).count();
            rows.extend(first as u32..(first + count) as u32);
            slots.resize(rows.len(), slot);
        }
        let mut best = vec![0f32; entities.len()];
        let cosines = self.name_vectors.products_with(&rows, fragments).map_err(compute)?;
        for fragment in 0..cosines.rows() {
            for (slot, cosine) in slots.iter().zip(cosines.row(fragment)) {
                best[*slot] = best[*slot].max(*cosine);
            }
        }
        Ok(best)
    }
}

fn compute(error: candle_core::Error) -> ModelError {
    ModelError::Compute { name: "the vectors of the graph's names".into(), problem: error.to_string() }
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
        let found = knowledge.best_similarity(&entities, &fragments).expect("compares");
        for (entity, found) in entities.iter().zip(found) {
            let names = std::iter::once(graph.entity_name(*entity)).chain(graph.aliases(*entity).iter().map(String::as_str));
            let vectors = encoder.encode(names.map(str::to_owned).collect()).expect("encodes").normalised();
            let best = (0..vectors.rows())
                .flat_map(|name| (0..2).map(move |fragment| (name, fragment)))
                .map(|(name, fragment)| dot(vectors.row(name), fragments.row(fragment)))
                .fold(0.0, f32::max);
            assert!((found - best).abs() < 1e-5, "{}: {found} and {best}", graph.entity_name(*entity));
        }
        assert!(knowledge.best_similarity(&[], &fragments).expect("compares").is_empty());
        let near =
            knowledge.nearest_names(&encoder.encode(vec!["Heartburn".into()]).expect("encodes").normalised(), 3, 0.5).expect("compares");
        assert_eq!(near.len(), 1);
        assert!(near[0].len() <= 3 && near[0].is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(knowledge.name(near[0][0].0).to_lowercase(), "heartburn");
        assert_eq!(knowledge.named_by(near[0][0].0), graph.find("heartburn").expect("is there"));
    }
}
