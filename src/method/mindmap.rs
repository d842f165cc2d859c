//! MindMap (RoK's baseline, after Wen et al., 2023): paths between the entities of the question and the triples around them are put into sentences by the
//! language model, each kind by a call; from both and its own knowledge it answers and shows how it came to it. Three calls.

use super::by_model::AskedModel;
use super::by_query::by_query;
use super::from_triples::Baseline;
use super::ranking::Ranked;
use super::run_state::{RunState, Subject};
use crate::graph::{Chain, ChainBudget, ChainKind, EntityId, FoundChains, all_paths};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::numbered;
use crate::pipeline::llm::ReaderPrompt;
use crate::run::ScoredChain;

/// Draws a map of the evidence.
pub(super) struct MindMap;

impl Baseline for MindMap {
    fn narrow(&self, ctx: &mut RunContext<'_>, subject: &Subject<'_>, found: &mut FoundChains) -> Result<(), StageError> {
        let graph = &ctx.knowledge.graph;
        let stop = || ctx.cancel.is_cancelled();
        let anchors = subject.anchors.entities();
        let mut paths = all_paths(graph, &anchors, ctx.settings.k, ChainBudget::default().chains, &stop);
        ctx.check()?;
        for path in &mut paths.chains {
            *path = graph.marked(*path);
        }
        // A triple between two anchors is a path.
        super::from_triples::keep(found, |chain| chain.nodes().last().is_some_and(|far| !anchors.contains(&EntityId(*far))));
        paths.chains.append(&mut found.chains);
        paths.found += found.found;
        for (kind, count) in &found.by_kind {
            *paths.by_kind.entry(*kind).or_default() += count;
        }
        paths.truncated = match (paths.truncated.take(), found.truncated.take()) {
            (Some(of_paths), Some(around)) => Some(format!("{of_paths}; {around}")),
            (one, other) => one.or(other),
        };
        *found = paths;
        Ok(())
    }

    /// Half of the places for the shortest paths, the others for the triples nearest to the question; what one leaves free the other takes.
    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        let is_path = |number: &u32| state.chains().get(*number as usize).is_some_and(|chain| chain.kind() != ChainKind::Neighbour);
        let (paths, around): (Vec<u32>, Vec<u32>) = open.iter().copied().partition(is_path);
        let mut ranked = by_query(ctx, state, state.question, &around)?;
        let near: Vec<u32> = ranked.order.iter().map(|scored| scored.chain).collect();
        let (first, others) = paths.split_at(paths.len().min(ctx.settings.top_k.div_ceil(2)));
        let order = first.iter().chain(&near).chain(others);
        let scored = order.zip(1u32..).map(|(chain, place)| ScoredChain {
            chain: *chain,
            score: 1.0 / f64::from(place),
            by_fragment: vec![0.0; ranked.fragments.len()],
        });
        ranked.order = scored.collect();
        Ok(ranked)
    }

    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let kept = asked.kept_chains();
        let (around, paths): (Vec<Chain>, Vec<Chain>) = kept.into_iter().partition(|chain| chain.kind() == ChainKind::Neighbour);
        let mut told = Vec::new();
        for (what, chains) in [(PromptFor::MapPaths, paths), (PromptFor::MapNeighbours, around)] {
            let lines = numbered(&ctx.knowledge.graph, &chains);
            let reply = if chains.is_empty() {
                None
            } else {
                asked.consult(ctx, (what, None), "the model reads this evidence as the graph has it", |_| lines.clone())?
            };
            told.push(reply.map_or(lines, |reply| asked.text(&reply)));
        }
        if told.iter().all(Vec::is_empty) {
            return asked.read(ctx, ReaderPrompt::default());
        }
        asked.answer(ctx, PromptFor::FromMap, |gap| match gap {
            "paths" => told[0].clone(),
            "neighbours" => told[1].clone(),
            _ => asked.question(),
        })
    }
}
