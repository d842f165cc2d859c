//! Similarity of triples to a question, by the encoder on the triple's text. The engine keeps the vectors, so that a thousand questions about
//! one graph embed each triple once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock, TryLockError};
use std::thread;

use crate::graph::{Chain, EntityId, RelationId, Triple};
use crate::language::context::{RunContext, StageError};
use crate::model::{Matrix, POLL_INTERVAL, dot};
use crate::run::ScoredBy;

/// The most triples whose vectors are kept (100 MB with 384 components); a fuller table is emptied.
pub(super) const MOST_REMEMBERED: usize = 1 << 16;
/// The number of triples embedded between two checks for cancellation.
const PORTION: usize = 1024;
/// From this number of new triples on, parallel runs wait for each other instead of embedding the same triples twice.
const MANY: usize = 2 * PORTION;
/// Up to this number of triples, all are embedded; of more, those whose ends have the names nearest to the question.
const READ_WHOLE: usize = 512;

/// Vectors of triples by one encoder.
#[derive(Debug, Default)]
struct Table {
    encoder: String,
    dim: usize,
    rows: HashMap<Triple, u32>,
    vectors: Vec<f32>,
}

impl Table {
    fn get(&self, triple: &Triple) -> Option<&[f32]> {
        let at = *self.rows.get(triple)? as usize * self.dim;
        self.vectors.get(at..at + self.dim)
    }

    fn put(&mut self, encoder: &str, triples: &[Triple], vectors: &Matrix) {
        let full = self.rows.len() + triples.len() > MOST_REMEMBERED;
        if full || self.encoder != encoder || self.dim != vectors.dim() {
            *self = Self { encoder: encoder.to_owned(), dim: vectors.dim(), ..Self::default() };
        }
        for (triple, row) in triples.iter().zip(0..vectors.rows()) {
            let next = self.rows.len() as u32;
            if *self.rows.entry(*triple).or_insert(next) == next {
                self.vectors.extend_from_slice(vectors.row(row));
            }
        }
    }
}

/// The engine's vectors of triples. A triple keeps its numbers as long as the engine lives, whatever is learned.
#[derive(Debug, Default)]
pub(super) struct TripleVectors {
    table: RwLock<Table>,
    filling: Mutex<()>,
}

/// Triples compared with a question.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Index and cosine (0 to 1) of each triple that was embedded, by ascending index.
    pub(super) cosines: Vec<(usize, f64)>,
    /// How many triples were compared by which means.
    pub(super) scored: Vec<ScoredBy>,
}

/// The triple of a chain's first step.
pub(super) fn triple_of(chain: &Chain) -> Option<Triple> {
    let hop = chain.hops().next()?;
    let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
    Some(Triple { head: EntityId(head), relation: RelationId(hop.relation), tail: EntityId(tail) })
}

impl TripleVectors {
    /// Compares chains of one triple with a question. If there are many, only those are embedded whose ends have the names nearest
    /// to the question; the result leaves out the rest.
    pub(super) fn compare(&self, ctx: &mut RunContext<'_>, question: &str, chains: &[Chain]) -> Result<Compared, StageError> {
        ctx.with_encoder(|ctx| {
            let mut compared = Compared::default();
            let query = ctx.encode(vec![question.to_owned()])?.normalised();
            let read: Vec<usize> = if chains.len() > READ_WHOLE {
                compared.scored.push(ScoredBy { scorer: format!("{} on the names", ctx.encoder.name()), chains: chains.len() as u64 });
                nearest_by_name(ctx, &query, chains)?
            } else {
                (0..chains.len()).collect()
            };
            let triples: Vec<Triple> = read.iter().filter_map(|at| triple_of(&chains[*at])).collect();
            let cosines = self.cosines(ctx, &query, &triples)?;
            compared.scored.push(ScoredBy { scorer: whole(ctx), chains: read.len() as u64 });
            compared.cosines = read.into_iter().zip(cosines).collect();
            Ok(compared)
        })
    }

    /// Compares every triple with a question by its whole text. Gives the cosines, 0 to 1.
    pub(super) fn compare_all(&self, ctx: &mut RunContext<'_>, question: &str, triples: &[Triple]) -> Result<Vec<f64>, StageError> {
        ctx.with_encoder(|ctx| {
            let query = ctx.encode(vec![question.to_owned()])?.normalised();
            self.cosines(ctx, &query, triples)
        })
    }

    /// Cosines of the triples with a unit vector; those below 0 count as 0.
    fn cosines(&self, ctx: &RunContext<'_>, query: &Matrix, triples: &[Triple]) -> Result<Vec<f64>, StageError> {
        if query.rows() == 0 {
            return Ok(vec![0.0; triples.len()]);
        }
        let cosine = |vector: &[f32]| f64::from(dot(query.row(0), vector)).clamp(0.0, 1.0);
        let mut found = vec![0.0; triples.len()];
        let mut missing = self.known(ctx, query.dim(), triples, &mut found, &cosine);
        let _one_at_a_time = if missing.len() > MANY {
            let guard = loop {
                match self.filling.try_lock() {
                    Ok(guard) => break guard,
                    Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                    Err(TryLockError::WouldBlock) => {
                        ctx.check()?;
                        thread::sleep(POLL_INTERVAL);
                    }
                }
            };
            // Another run may have embedded them meanwhile.
            missing = self.known(ctx, query.dim(), triples, &mut found, &cosine);
            Some(guard)
        } else {
            None
        };
        let graph = &ctx.knowledge.graph;
        for portion in missing.chunks(PORTION) {
            ctx.check()?;
            let new: Vec<Triple> = portion.iter().map(|at| triples[*at]).collect();
            let text = |triple: &Triple| {
                let mut chain = Chain::start(triple.head.0);
                chain.push(triple.relation.0, true, triple.tail.0);
                graph.chain_text(&chain)
            };
            let vectors = ctx.encode(new.iter().map(text).collect())?.normalised();
            for (row, at) in portion.iter().enumerate().take(vectors.rows()) {
                found[*at] = cosine(vectors.row(row));
            }
            self.table.write().unwrap_or_else(PoisonError::into_inner).put(ctx.encoder.name(), &new, &vectors);
        }
        Ok(found)
    }

    /// Fills in the cosines of triples that have a vector; gives the indexes of the rest.
    fn known(
        &self,
        ctx: &RunContext<'_>,
        dim: usize,
        triples: &[Triple],
        found: &mut [f64],
        cosine: &impl Fn(&[f32]) -> f64,
    ) -> Vec<usize> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        if table.encoder != ctx.encoder.name() || table.dim != dim {
            return (0..triples.len()).collect();
        }
        let mut missing = Vec::new();
        for (at, triple) in triples.iter().enumerate() {
            match table.get(triple) {
                Some(vector) => found[at] = cosine(vector),
                None => missing.push(at),
            }
        }
        missing
    }
}

/// The name, in a trace, of scores by the encoder on a triple's text.
pub(super) fn whole(ctx: &RunContext<'_>) -> String {
    format!("{} on the whole triple", ctx.encoder.name())
}

/// Indexes of the chains whose ends have names nearest to the question on average, ascending.
fn nearest_by_name(ctx: &RunContext<'_>, query: &Matrix, chains: &[Chain]) -> Result<Vec<usize>, StageError> {
    let mut entities: Vec<EntityId> = chains.iter().flat_map(|chain| chain.nodes().iter().map(|node| EntityId(*node))).collect();
    entities.sort_unstable();
    entities.dedup();
    let similarity = ctx.knowledge.best_similarity(ctx.vectors, &entities, query)?;
    let of = |node: &u32| entities.binary_search(&EntityId(*node)).map_or(0.0, |at| similarity[at]);
    let mean = |chain: &Chain| chain.nodes().iter().map(of).sum::<f32>() / chain.nodes().len() as f32;
    let mut order: Vec<(f32, usize)> = chains.iter().map(mean).zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(READ_WHOLE);
    let mut places: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
    places.sort_unstable();
    Ok(places)
}
