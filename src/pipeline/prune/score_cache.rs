//! The scores of one run's chains, kept between its revisions: when the doctor rejects a chain, no model scores the others again.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::graph::{Chain, EntityId, EvolvingGraph};
use crate::language::context::{RunContext, StageError};
use crate::model::{Matrix, dot};

/// The most chains, entities or texts that are cached; a fuller cache is emptied.
const MOST: usize = 1 << 16;

/// A cross-encoder's scores: for each text of a chain, one per fragment.
pub(super) type Pairs = HashMap<String, Vec<Option<f32>>>;

/// The scores of one run's chains that were computed so far. They are valid for one encoder and one list of fragments; the cache is emptied
/// when either changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoreCache {
    encoder: String,
    fragments: Vec<String>,
    /// Unit vectors of the fragments.
    vectors: Matrix,
    similarity: HashMap<EntityId, f32>,
    by_fragment: HashMap<Chain, Vec<f64>>,
    reranker: String,
    pairs: Pairs,
}

impl ScoreCache {
    /// Embeds the fragments; all other scores refer to them.
    pub(super) fn embed(&mut self, ctx: &RunContext<'_>, fragments: &[String]) -> Result<(), StageError> {
        if self.encoder != ctx.encoder.name() || self.fragments != fragments {
            let pairs = if self.fragments == fragments { std::mem::take(&mut self.pairs) } else { Pairs::default() };
            *self = Self {
                encoder: ctx.encoder.name().to_owned(),
                fragments: fragments.to_vec(),
                vectors: ctx.encode(fragments.to_vec())?.normalised(),
                reranker: std::mem::take(&mut self.reranker),
                pairs,
                ..Self::default()
            };
        }
        Ok(())
    }

    /// For each entity, the best similarity of its names with any fragment.
    pub(super) fn similarity(&mut self, ctx: &RunContext<'_>, entities: &[EntityId]) -> Result<Vec<f32>, StageError> {
        let new: Vec<EntityId> = entities.iter().copied().filter(|entity| !self.similarity.contains_key(entity)).collect();
        if !new.is_empty() {
            let found = ctx.knowledge.best_similarity(ctx.vectors, &new, &self.vectors)?;
            if self.similarity.len() + new.len() > MOST && new.len() < entities.len() {
                self.similarity.clear();
                return self.similarity(ctx, entities);
            }
            self.similarity.extend(new.into_iter().zip(found));
        }
        Ok(entities.iter().map(|entity| self.similarity.get(entity).copied().unwrap_or(0.0)).collect())
    }

    /// For each chain, the similarity of its whole text with each fragment.
    pub(super) fn by_fragment(
        &mut self,
        ctx: &RunContext<'_>,
        graph: &EvolvingGraph,
        chains: &[&Chain],
    ) -> Result<Vec<Vec<f64>>, StageError> {
        let new: Vec<&Chain> = chains.iter().copied().filter(|chain| !self.by_fragment.contains_key(*chain)).collect();
        if !new.is_empty() {
            let vectors = ctx.encode(new.iter().map(|chain| graph.chain_text(chain)).collect())?.normalised();
            let fragments = &self.vectors;
            let profile = |row: usize| (0..fragments.rows()).map(|f| f64::from(dot(fragments.row(f), vectors.row(row)))).collect();
            let found: Vec<Vec<f64>> = (0..new.len()).into_par_iter().map(profile).collect();
            if self.by_fragment.len() + new.len() > MOST && new.len() < chains.len() {
                self.by_fragment.clear();
                return self.by_fragment(ctx, graph, chains);
            }
            self.by_fragment.extend(new.into_iter().copied().zip(found));
        }
        Ok(chains.iter().map(|chain| self.by_fragment.get(*chain).cloned().unwrap_or_default()).collect())
    }

    /// The scores by the cross-encoder of this name.
    pub(super) fn pairs(&mut self, reranker: &str) -> &mut Pairs {
        if self.reranker != reranker || self.pairs.len() > MOST {
            self.reranker = reranker.to_owned();
            self.pairs.clear();
        }
        &mut self.pairs
    }
}
