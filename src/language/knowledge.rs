//! The knowledge that questions are asked of: a graph with its facts, derived weights, and the vectors of its names. Opening it only loads
//! the vectors; the rest is computed when a question needs it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::misspelling::Spellings;
use super::pictures::Pictures;
use super::refinements::Refinements;
use super::reordered_names::ReorderedNames;
use crate::dkg::Preferences;
use crate::graph::{EntityId, EvolvingGraph, FactMemo, Facts, Graph, Kind};
use crate::model::infer::StaticEncoder;
use crate::model::{EncoderHandle, GrowingVectors, Matrix, ModelError, NameRows, NameVectors, SearchedBy, VectorsError};

/// If the encoder fails: the most names that the built-in encoder embeds while a question waits, about a second's work.
const EMBEDDED_AT_NEED: usize = 50_000;
/// Learned names that are searched beyond those asked for, because some may no longer belong to an entity.
const SPARE_NAMES: usize = 8;

/// The built-in encoder and its vectors of the base graph's names, once they are needed; `None` if they cannot be had.
type SpareBase = Arc<OnceLock<Option<(EncoderHandle, Arc<NameVectors>)>>>;

/// A graph made ready for questions, at one point in time. When something is learned, a new value is made that shares everything that
/// did not change ([`Knowledge::changed`]).
#[derive(Debug)]
pub struct Knowledge {
    /// The graph.
    pub graph: EvolvingGraph,
    /// How often facts were learned or withdrawn since the graph was opened.
    version: u64,
    /// Facts that recent questions used.
    memo: FactMemo,
    /// Rarities and weights of features that questions used.
    weights: [RwLock<HashMap<EntityId, f64>>; 2],
    /// Vectors of every name and alias.
    vectors: NameTable,
    /// The built-in encoder and its vectors of the base graph's names, made when the encoder in use fails.
    spare_base: SpareBase,
    /// The same with the learned names.
    spare: OnceLock<Option<(EncoderHandle, NameTable)>>,
    /// The base graph's names by their words, made when a question needs them.
    reordered: Arc<OnceLock<ReorderedNames>>,
    /// The base graph's conditions as documents, made when a question needs them.
    pictures: Arc<OnceLock<Pictures>>,
    /// What makes findings of the base graph more telling, made when a question needs it.
    refinements: Arc<OnceLock<Refinements>>,
    /// The words of the base graph's names, made when a question needs them.
    spellings: Arc<OnceLock<Spellings>>,
    /// What ratings say about chains.
    preferences: Arc<Preferences>,
}

/// Vectors of a graph's names by one encoder: the base graph's by row, then one per learned entity.
#[derive(Debug, Clone)]
pub(crate) struct NameTable {
    base: Arc<NameVectors>,
    learned: GrowingVectors,
}

impl NameRows for Graph {
    fn len(&self) -> usize {
        self.name_count()
    }

    fn name(&self, row: usize) -> std::borrow::Cow<'_, str> {
        self.name_at(row).into()
    }
}

impl NameTable {
    pub(crate) fn is_empty(&self) -> bool {
        self.base.is_empty() && self.learned.is_empty()
    }

    /// Embeds the names of learned entities that have no vector yet.
    fn extend(
        &mut self,
        graph: &EvolvingGraph,
        embed: &mut dyn FnMut(Vec<String>) -> Result<Matrix, ModelError>,
    ) -> Result<(), ModelError> {
        let names: Vec<String> = graph.new_entities().skip(self.learned.len()).map(|(_, name, _)| name.to_owned()).collect();
        for names in names.chunks(1024) {
            self.learned.push(&embed(names.to_vec())?.normalised());
        }
        Ok(())
    }
}

impl Knowledge {
    /// Embeds every name and alias and keeps the vectors in memory.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn prepare(graph: Graph, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let vectors = NameVectors::in_memory(&graph, encoder)?;
        Ok(Self::with_vectors(graph, vectors))
    }

    /// With vectors that belong to exactly this graph's names.
    pub fn with_vectors(graph: Graph, vectors: NameVectors) -> Self {
        let vectors = NameTable { base: Arc::new(vectors), learned: GrowingVectors::default() };
        Self {
            graph: EvolvingGraph::new(Arc::new(graph)),
            version: 0,
            memo: FactMemo::default(),
            weights: Default::default(),
            vectors,
            spare_base: Arc::default(),
            spare: OnceLock::new(),
            reordered: Arc::default(),
            pictures: Arc::default(),
            refinements: Arc::default(),
            spellings: Arc::default(),
            preferences: Arc::default(),
        }
    }

    /// The same knowledge with this graph, made from its own by learning and unlearning. `embed` gives vectors of new names; if it
    /// fails, those names are found by exact match only.
    pub fn changed(
        &self,
        graph: EvolvingGraph,
        embed: &mut dyn FnMut(Vec<String>) -> Result<Matrix, ModelError>,
    ) -> (Self, Option<ModelError>) {
        let mut vectors = self.vectors.clone();
        let failed = vectors.extend(&graph, embed).err();
        let changed = Self {
            graph,
            version: self.version + 1,
            memo: FactMemo::default(),
            weights: Default::default(),
            vectors,
            spare_base: Arc::clone(&self.spare_base),
            spare: OnceLock::new(),
            reordered: Arc::clone(&self.reordered),
            pictures: Arc::clone(&self.pictures),
            refinements: Arc::clone(&self.refinements),
            spellings: Arc::clone(&self.spellings),
            preferences: Arc::clone(&self.preferences),
        };
        (changed, failed)
    }

    /// The same knowledge with what ratings say about chains now.
    pub(crate) fn preferring(&self, preferences: Preferences) -> Self {
        let (unchanged, _) = self.changed(self.graph.clone(), &mut |_| Err(ModelError::Cancelled));
        Self { preferences: Arc::new(preferences), version: self.version, ..unchanged }
    }

    /// Which state of the graph this is: what was computed on another one may rest on facts that are withdrawn.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// What ratings say about chains.
    pub(crate) fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    /// The vectors of the graph's names.
    pub(crate) fn vectors(&self) -> &NameTable {
        &self.vectors
    }

    /// The built-in encoder with its vectors of the names; without vectors if there are too many names to embed now.
    pub(crate) fn spare(&self) -> Option<(&EncoderHandle, &NameTable)> {
        let of_base = || {
            let encoder = EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in).ok()?;
            let (none, base): (Vec<String>, &Graph) = (Vec::new(), self.graph.base());
            let names: &dyn NameRows = if base.name_count() > EMBEDDED_AT_NEED { &none } else { base };
            let vectors = NameVectors::in_memory(names, &encoder).ok()?;
            Some((encoder, Arc::new(vectors)))
        };
        let make = || {
            let (encoder, base) = self.spare_base.get_or_init(of_base).clone()?;
            let mut table = NameTable { base, learned: GrowingVectors::default() };
            if !table.base.is_empty() || self.graph.base().name_count() == 0 {
                table.extend(&self.graph, &mut |names| encoder.encode(names)).ok()?;
            }
            Some((encoder, table))
        };
        self.spare.get_or_init(make).as_ref().map(|(encoder, vectors)| (encoder, vectors))
    }

    /// The names of the base graph by their words.
    pub(crate) fn reordered_names(&self) -> &ReorderedNames {
        self.reordered.get_or_init(|| ReorderedNames::of(self.graph.base()))
    }

    /// The clinical pictures of the base graph's conditions.
    pub(crate) fn pictures(&self) -> &Pictures {
        self.pictures.get_or_init(|| Pictures::of(self.graph.base()))
    }

    /// What makes findings of the base graph more telling.
    pub(crate) fn refinements(&self) -> &Refinements {
        self.refinements.get_or_init(|| Refinements::of(self.graph.base()))
    }

    /// The words of the base graph's names.
    pub(crate) fn spellings(&self) -> &Spellings {
        self.spellings.get_or_init(|| Spellings::of(self.graph.base()))
    }

    /// Makes the indexes that the first question would otherwise make.
    pub(crate) fn warm_up(&self) {
        self.pictures();
        self.refinements();
        self.spellings();
        self.reordered_names();
    }

    /// The graph's triples read through their roles.
    pub fn facts(&self) -> Facts<'_, EvolvingGraph> {
        Facts::with_memo(&self.graph, &self.memo)
    }

    /// How the names nearest to a mention are found.
    pub fn searched_by(&self) -> SearchedBy {
        self.vectors.base.searched_by()
    }

    /// Whether an entity is described as a condition; see [`Graph::is_condition`].
    pub fn is_condition(&self, entity: EntityId) -> bool {
        self.graph.is_condition(entity)
    }

    /// Whether an entity is a finding or complaint and not itself a condition.
    pub(crate) fn is_finding(&self, entity: EntityId) -> bool {
        matches!(self.graph.kind(entity), Kind::Symptom) || !self.is_condition(entity)
    }

    /// How specific an entity is; see [`Graph::rarity`].
    pub(crate) fn rarity(&self, entity: EntityId) -> f64 {
        self.remembered(0, entity, || self.graph.rarity(entity, self.facts()))
    }

    /// The largest possible rarity: that of an entity that is no condition's feature.
    pub(crate) fn greatest_rarity(&self) -> f64 {
        (1.0 + self.graph.condition_count().max(1) as f64).ln()
    }

    /// The total weight of an entity's features; see [`Graph::feature_weight`].
    pub(crate) fn features(&self, entity: EntityId) -> f64 {
        self.remembered(1, entity, || self.graph.feature_weight(entity, self.facts(), |feature| self.rarity(feature)))
    }

    /// Values that learned triples may have changed are computed once, until something else is learned.
    fn remembered(&self, which: usize, entity: EntityId, find: impl FnOnce() -> f64) -> f64 {
        if !self.graph.is_new(entity) && !self.graph.has_learned(entity) {
            return find();
        }
        let known = self.weights[which].read().unwrap_or_else(PoisonError::into_inner).get(&entity).copied();
        known.unwrap_or_else(|| {
            let found = find();
            self.weights[which].write().unwrap_or_else(PoisonError::into_inner).insert(entity, found);
            found
        })
    }

    /// The name or alias of a row.
    pub(crate) fn name(&self, row: usize) -> &str {
        let base = self.graph.base();
        if row < base.name_count() { base.name_at(row) } else { self.graph.entity_name(self.named_by(row)) }
    }

    /// The entity that a row names.
    pub(crate) fn named_by(&self, row: usize) -> EntityId {
        let base = self.graph.base();
        match row.checked_sub(base.name_count()) {
            None => base.entity_of_name(row),
            Some(new) => EntityId((base.entity_count() + new) as u32),
        }
    }

    /// For each query (a unit vector), the `count` nearest names whose cosine exceeds `above`: (row, cosine), nearest first, equal
    /// ones by row.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn nearest_names(
        &self,
        vectors: &NameTable,
        queries: &Matrix,
        count: usize,
        above: f64,
    ) -> Result<Vec<Vec<(usize, f32)>>, VectorsError> {
        let mut nearest: Vec<Vec<(usize, f32)>> = vectors
            .base
            .nearest(queries, count, above)?
            .into_iter()
            .map(|rows| rows.into_iter().map(|(row, cosine)| (row as usize, cosine)).collect())
            .collect();
        if vectors.learned.is_empty() {
            return Ok(nearest);
        }
        let first = self.graph.base().name_count();
        for (all, learned) in nearest.iter_mut().zip(vectors.learned.nearest(queries, count + SPARE_NAMES, above)) {
            let rows = learned.into_iter().map(|(row, cosine)| (first + row as usize, cosine));
            all.extend(rows.filter(|(row, _)| self.graph.is_in_use(self.named_by(*row))));
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            all.truncate(count);
        }
        Ok(nearest)
    }

    /// For each entity, the best cosine of any of its names with any of the fragments (unit vectors); 0 if none
    /// is positive.
    ///
    /// # Errors
    /// If the vectors cannot be compared.
    pub(crate) fn best_similarity(&self, vectors: &NameTable, entities: &[EntityId], fragments: &Matrix) -> Result<Vec<f32>, VectorsError> {
        if vectors.is_empty() {
            return Ok(vec![0.0; entities.len()]);
        }
        let base = self.graph.base();
        let mut rows: Vec<u32> = Vec::with_capacity(entities.len());
        let mut slots: Vec<usize> = Vec::with_capacity(entities.len());
        let (mut new, mut new_slots) = (Vec::new(), Vec::new());
        for (slot, entity) in entities.iter().enumerate() {
            match entity.index().checked_sub(base.entity_count()) {
                None => rows.extend(base.name_rows(*entity).map(|row| row as u32)),
                Some(learned) => {
                    new.push(learned as u32);
                    new_slots.push(slot);
                }
            }
            slots.resize(rows.len(), slot);
        }
        let mut best = vec![0f32; entities.len()];
        let of_base = vectors.base.similarities(&rows, fragments)?;
        let of_learned = vectors.learned.similarities(&new, fragments);
        for (slot, cosine) in slots.into_iter().zip(of_base).chain(new_slots.into_iter().zip(of_learned)) {
            best[slot] = best[slot].max(cosine);
        }
        Ok(best)
    }
}

/// The entity with this preferred name. Of homonyms, the one of this kind, else the first.
pub(crate) fn named(graph: &EvolvingGraph, name: &str, kind: &str) -> Option<EntityId> {
    let mut entities = graph.names().lookup_exact(name);
    entities.retain(|entity| graph.entity_name(*entity) == name);
    let of_kind = entities.iter().find(|entity| graph.kind(**entity).as_str() == kind);
    of_kind.or(entities.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::dot;
    use crate::model::infer::StaticEncoder;

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
        let near = knowledge
            .nearest_names(knowledge.vectors(), &encoder.encode(vec!["Heartburn".into()]).expect("encodes").normalised(), 3, 0.5)
            .expect("compares");
        assert_eq!(near.len(), 1);
        assert!(near[0].len() <= 3 && near[0].is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(knowledge.name(near[0][0].0).to_lowercase(), "heartburn");
        assert_eq!(knowledge.named_by(near[0][0].0), graph.find("heartburn").expect("is there"));
    }
}
