//! Embedding retrieval (RoK's baseline): the triples whose text is nearest to the question's. Bare, a language model writes the answer from
//! them in one call; otherwise it adds to the answer that stands without it.

use super::Method;
use super::from_triples::AROUND;
use super::kgrag::by_similarity;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use super::triple_similarity::{MOST_REMEMBERED, triple_of};
use crate::graph::{Chain, ChainKind, ChainSearch, Direction, EntityId, EvolvingGraph, FoundChains, GraphView, Triple, neighbourhood};
use crate::language::context::{RunContext, StageError};

/// The number of nearest triples that are retrieved.
const NEAREST: usize = 256;
/// If the graph has too many triples to compare: the number of entities, by nearness of name, whose triples are compared.
const NEAR_NAMES: usize = 64;

/// Retrieves the triples nearest to the question.
pub(super) struct Embed;

impl Method for Embed {
    fn is_answered_by_model(&self, bare: bool) -> bool {
        bare
    }

    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        Ok((nearest(ctx, subject)?, Scores::new()))
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        by_similarity(ctx, state.question, state.chains(), open, &state.cache.triples)
    }
}

/// The triples whose text is nearest to the question. Up to 65,536 triples, all are compared; beyond that, those of the question's
/// entities and of the entities whose names are nearest to the question.
fn nearest(ctx: &mut RunContext<'_>, subject: &Subject<'_>) -> Result<FoundChains, StageError> {
    let graph = &ctx.knowledge.graph;
    let all = graph.base().triple_count() + graph.learned_count();
    let (triples, truncated) = if all <= MOST_REMEMBERED {
        (all_triples(graph), None)
    } else {
        let mut entities = subject.anchors.entities();
        let near = ctx.with_encoder(|ctx| {
            let query = ctx.encode(vec![subject.question.to_owned()])?.normalised();
            Ok(ctx.knowledge.nearest_names(ctx.vectors, &query, NEAR_NAMES, 0.0)?)
        })?;
        for (row, _) in near.into_iter().flatten() {
            let entity = ctx.knowledge.named_by(row);
            if !entities.contains(&entity) {
                entities.push(entity);
            }
        }
        let around = neighbourhood(graph, &entities, AROUND);
        let triples: Vec<Triple> = around.chains.iter().filter_map(triple_of).collect();
        let why = format!(
            "the graph has {all} triples, too many to compare each with the question; compared were {} around the question's entities and the {NEAR_NAMES} \
             whose names are nearest to it",
            triples.len()
        );
        (triples, Some(why))
    };
    ctx.check()?;
    let cosines = subject.cache.triples.compare_all(ctx, subject.question, &triples)?;
    let mut order: Vec<(f64, Triple)> = cosines.into_iter().zip(triples).filter(|(cosine, _)| *cosine > 0.0).collect();
    let nearer = |a: &(f64, Triple), b: &(f64, Triple)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if order.len() > NEAREST {
        order.select_nth_unstable_by(NEAREST, nearer);
        order.truncate(NEAREST);
    }
    order.sort_unstable_by(nearer);
    let chain = |(_, triple): (f64, Triple)| {
        let mut chain = Chain::start(triple.head.0);
        chain.push(triple.relation.0, true, triple.tail.0);
        graph.marked(chain)
    };
    let chains: Vec<Chain> = order.into_iter().map(chain).collect();
    let count = chains.len() as u64;
    Ok(FoundChains { chains, found: count, by_kind: [(ChainKind::Path, count)].into(), truncated })
}

fn all_triples(graph: &EvolvingGraph) -> Vec<Triple> {
    let of =
        |head: EntityId| graph.edges(head, Direction::Out).iter().map(move |edge| Triple { head, relation: edge.relation, tail: edge.to });
    graph.entity_ids().flat_map(of).collect()
}
