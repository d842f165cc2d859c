//! RoK (Jiang et al., "Reasoning on Efficient Knowledge Paths"): expands the question, ranks all paths between its key entities by
//! PageRank, and fills in what the paths leave out with neighbouring triples ("branches").
//!
//! | paper | here |
//! |---|---|
//! | expansion by a language model (4.1) | the expansion stands in the hypothesis's place; without a model the graph's own hypothesis expands |
//! | entities extracted from it by another call (A.2.2) | bare, the same, as a list of names that stand in question or expansion; otherwise entities are recognised there as in any text, so one call is saved |
//! | all n-hop paths between pairs of key entities (4.2.1) | the same, whichever way relations run; n is the setting k |
//! | PageRank over the subgraph of the paths (Eq. 2, 3) | the same, d = 0.85, both ways: a relation's direction is a matter of wording |
//! | buckets by the number of key entities, then the mean rank | the same |
//! | top N paths, and every neighbour that the model likes | bare, the same with N = topK (without a model, the topK best neighbours); otherwise topK in all, half for paths, half for branches; either may use what the other leaves free |
//! | neighbours of a relation that a path shows at the entity are removed | the same |
//! | one call judges all the rest | the same, for the 60 most similar to the question; without a model the built-in scorer |
//! | the answer in three parts by the model (4.3) | bare, the same; otherwise the model adds to the answer that stands without it |
//!
//! Bare: [`crate::run::AskOptions::bare`], the paper's algorithm alone.

use std::collections::{BTreeMap, HashSet};

use super::Method;
use super::ranking::{Ranked, Scores};
use super::relevance::{SCORER, Worth, scores};
use super::run_state::{RunState, Subject};
use super::triple_similarity::TripleVectors;
use crate::graph::{
    Chain, ChainBudget, ChainKind, ChainSearch, EntityId, EvolvingGraph, FoundChains, GlobalPageRank, RelationId, Triple, TripleSubset,
    all_paths, global_pagerank, neighbourhood,
};
use crate::language::context::{RunContext, StageError};
use crate::language::link::Anchors;
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::{numbered, question_part};
use crate::language::{consult_as, numbers_form, numbers_in};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::llm::ReaderPrompt;
use crate::pipeline::prune::ScoreCache;
use crate::run::{Decided, MOST_KEPT, Pruning, ScoredBy, ScoredChain, Stage};

/// The most branches that are considered.
const MOST_BRANCHES: usize = 20_000;
/// The most branches that a language model judges at once.
const JUDGED: usize = 60;

/// The method RoK.
pub(super) struct Rok;

impl Method for Rok {
    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        let warning = "No language model is in use: the graph supplies RoK's expansion, and the built-in scorer filters its triples.";
        ctx.generator.is_none().then_some(warning)
    }

    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        Some(PromptFor::Expansion)
    }

    fn is_answered_by_model(&self, bare: bool) -> bool {
        bare
    }

    fn names_prompt(&self, bare: bool) -> Option<PromptFor> {
        bare.then_some(PromptFor::KeyEntities)
    }

    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        let graph = &ctx.knowledge.graph;
        let stop = || ctx.cancel.is_cancelled();
        let mut paths = all_paths(graph, &subject.anchors.entities(), ctx.settings.k, ChainBudget::default().chains, &stop);
        ctx.check()?;
        for path in &mut paths.chains {
            *path = graph.marked(*path);
        }
        Ok((with_branches(ctx, paths, subject.anchors), Scores::new()))
    }

    fn decided(&self, ctx: &RunContext<'_>, state: &RunState<'_>) -> Decided {
        state.decided_between_anchors(ctx)
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        let choice = Choice {
            question: state.question,
            chains: state.chains(),
            open,
            key: state.anchors.entities().into_iter().map(|entity| entity.0).collect(),
            worth: state.worth(),
            vectors: &state.cache.triples,
            scores: state.scores,
            bare: state.bare,
        };
        rank(ctx, &choice)
    }

    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        decided: &Decided,
        _cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError> {
        let ranked = self.order(ctx, state, &state.open(decided))?;
        let top_k = ctx.settings.top_k;
        if !state.bare {
            return Ok(ranked.choose(&decided.pinned, top_k));
        }
        // The top N paths stand above 0.75, and what was found related above 0.5.
        let related = ranked.order.iter().filter(|scored| (0.5..0.75).contains(&scored.score)).count();
        let related = if ctx.asked_model().is_some() { related } else { related.min(top_k) };
        let paths = ranked.order.iter().filter(|scored| scored.score >= 0.75).count();
        Ok(ranked.choose(&decided.pinned, (paths + related).clamp(1, MOST_KEPT)))
    }

    fn chosen_by_model(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, _subject: &Subject<'_>) -> Result<Vec<Chain>, StageError> {
        if ctx.asked_model().is_none() {
            return Ok(Vec::new());
        }
        let open = state.open(&Decided::default());
        let chosen = self.order(ctx, state, &open)?.choose(&[], ctx.settings.top_k);
        Ok(state.chains_of(&chosen))
    }

    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt { prompt: PromptFor::ThreeParts, ..ReaderPrompt::default() }
    }
}

/// Adds the triples that lead from a key entity to another entity; which of them are kept depends on the chosen paths. (The paper's text leaves out
/// relations on a chosen path, its algorithm those on any path; in a dense graph the latter leaves hardly a triple, so this follows the text.)
fn with_branches(ctx: &RunContext<'_>, mut found: FoundChains, anchors: &Anchors) -> FoundChains {
    let key = anchors.entities();
    let mut around = neighbourhood(&ctx.knowledge.graph, &key, MOST_BRANCHES);
    // A triple between two key entities is a path.
    around.chains.retain(|chain| chain.nodes().last().is_some_and(|far| !key.contains(&EntityId(*far))));
    let beside = if around.truncated.is_some() { around.found } else { around.chains.len() as u64 };
    found.found += beside;
    *found.by_kind.entry(ChainKind::Neighbour).or_default() += beside;
    found.chains.extend(around.chains);
    found.truncated = match (found.truncated.take(), around.truncated) {
        (Some(paths), Some(branches)) => Some(format!("{paths}; {branches}")),
        (one, other) => one.or(other),
    };
    found
}

fn triples_of(chain: &Chain) -> impl Iterator<Item = Triple> + '_ {
    chain.hops().map(|hop| {
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        Triple { head: EntityId(head), relation: RelationId(hop.relation), tail: EntityId(tail) }
    })
}

/// The bucket of each path: its number of key entities, and the mean PageRank of its entities over the subgraph of all paths.
fn buckets(paths: &[&Chain], key: &HashSet<u32>) -> Vec<(usize, f64)> {
    let part = TripleSubset::of(paths.iter().flat_map(|path| triples_of(path)).collect());
    let ranks = global_pagerank(&part, GlobalPageRank::default()).ranks;
    let rank = |node: &u32| part.number(EntityId(*node)).map_or(0.0, |at| ranks[at]);
    let place = |path: &&Chain| {
        let nodes = path.nodes();
        (nodes.iter().filter(|node| key.contains(node)).count(), nodes.iter().map(rank).sum::<f64>() / nodes.len() as f64)
    };
    paths.iter().map(place).collect()
}

/// The relations that the chosen paths show at their entities: entity, relation, and whether it leaves the entity.
fn shown_at<'a>(paths: impl Iterator<Item = &'a Chain>) -> HashSet<(u32, u16, bool)> {
    let of_hop = |hop: crate::graph::Hop| [(hop.from, hop.relation, hop.forward), (hop.to, hop.relation, !hop.forward)];
    paths.flat_map(|path| path.hops().flat_map(of_hop)).collect()
}

/// The input of a ranking.
struct Choice<'a> {
    question: &'a str,
    chains: &'a [Chain],
    /// Numbers of the chains that may be kept.
    open: &'a [u32],
    key: HashSet<u32>,
    worth: Worth,
    vectors: &'a TripleVectors,
    /// Scores that a language model gave before.
    scores: &'a Scores,
    /// The paper's algorithm alone.
    bare: bool,
}

/// Ranks paths and branches: first the best paths, for half of the places; then branches relevant to the question; then the other
/// paths; then the other branches. Each of the four groups has its own quarter of the scores.
fn rank(ctx: &mut RunContext<'_>, choice: &Choice<'_>) -> Result<Ranked, StageError> {
    let chain = |number: u32| &choice.chains[number as usize];
    let (beside, between): (Vec<u32>, Vec<u32>) = choice.open.iter().partition(|number| chain(**number).kind() == ChainKind::Neighbour);
    let paths: Vec<&Chain> = between.iter().map(|number| chain(*number)).collect();
    let places = buckets(&paths, &choice.key);
    let largest = places.iter().map(|(count, _)| *count).max().unwrap_or(0) as f64 + 1.0;
    let mut main: Vec<(u32, f64)> =
        between.iter().zip(places).map(|(number, (count, mean))| (*number, (count as f64 + mean) / largest)).collect();
    main.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut ranked = Ranked { fragments: vec![choice.question.to_owned()], record_all: ctx.asks_model, ..Ranked::default() };
    ranked.scored.push(ScoredBy {
        scorer: "PageRank over the subgraph of the paths, by the number of key entities".into(),
        chains: main.len() as u64,
    });
    let places = if choice.bare { ctx.settings.top_k } else { ctx.settings.top_k.div_ceil(2) };
    let chosen = main.len().min(places);

    let shown = shown_at(main[..chosen].iter().map(|(number, _)| chain(*number)));
    let is_new = |number: &&u32| chain(**number).hops().next().is_some_and(|hop| !shown.contains(&(hop.from, hop.relation, hop.forward)));
    let branches: Vec<u32> = beside.iter().filter(is_new).copied().collect();
    ranked.scored.push(ScoredBy { scorer: "triples whose relation a kept path shows left out".into(), chains: beside.len() as u64 });
    ctx.check()?;
    let judged = judge(ctx, choice, &branches, &mut ranked)?;

    let path = |(number, score): &(u32, f64), base: f64| ScoredChain { chain: *number, score: base + 0.25 * score, by_fragment: vec![0.0] };
    let branch = |branch: &Branch, base: f64| ScoredChain {
        chain: branch.number,
        score: base + 0.25 * branch.score,
        by_fragment: vec![branch.cosine],
    };
    ranked.order.extend(main[..chosen].iter().map(|scored| path(scored, 0.75)));
    ranked.order.extend(judged.iter().filter(|branch| branch.related).map(|scored| branch(scored, 0.5)));
    ranked.order.extend(main[chosen..].iter().map(|scored| path(scored, 0.25)));
    ranked.order.extend(judged.iter().filter(|branch| !branch.related).map(|scored| branch(scored, 0.0)));
    ranked.sort();
    Ok(ranked)
}

struct Branch {
    number: u32,
    score: f64,
    cosine: f64,
    related: bool,
}

/// The one filter step: which branches are relevant to the question.
fn judge(ctx: &mut RunContext<'_>, choice: &Choice<'_>, branches: &[u32], ranked: &mut Ranked) -> Result<Vec<Branch>, StageError> {
    if branches.is_empty() {
        return Ok(Vec::new());
    }
    let chains: Vec<Chain> = branches.iter().map(|number| choice.chains[*number as usize]).collect();
    let (scored, compared) = scores(ctx, choice.vectors, &choice.worth, choice.question, &chains)?;
    ranked.scored.extend(compared.scored);
    let mut judged: Vec<Branch> =
        scored.into_iter().map(|of| Branch { number: branches[of.at], score: of.score, cosine: of.cosine, related: true }).collect();
    judged.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
    let Some(generator) = ctx.asked_model() else {
        ranked.scored.push(ScoredBy { scorer: SCORER.into(), chains: judged.len() as u64 });
        return Ok(judged);
    };
    if !choice.scores.is_empty() {
        // The model has already judged some; the built-in scorer judges the rest.
        for branch in &mut judged {
            if let Some(said) = choice.scores.get(&branch.number) {
                branch.related = *said >= 0.5;
                branch.score = (4.0 * (said - if branch.related { 0.5 } else { 0.0 })).clamp(0.0, 1.0);
            }
        }
        return Ok(judged);
    }
    let shown: Vec<Chain> = judged.iter().take(JUDGED).map(|branch| choice.chains[branch.number as usize]).collect();
    let lines = numbered(&ctx.knowledge.graph, &shown);
    let chinese = Wording::for_text(choice.question).is_chinese();
    let form = Some(numbers_form(shown.len(), shown.len()));
    let reply = consult_as(ctx, generator, Stage::Prune, (PromptFor::Branches, chinese), form, |gap| match gap {
        "triples" => lines.clone(),
        _ => question_part(choice.question),
    })?;
    match reply.and_then(|reply| numbers_in(&reply, shown.len()).ok_or_else(|| "The language model named no numbers".to_owned())) {
        Ok(numbers) => {
            ranked.scored.push(ScoredBy { scorer: generator.name().to_owned(), chains: shown.len() as u64 });
            let places: BTreeMap<usize, usize> = numbers.iter().copied().zip(0..).collect();
            for (branch, number) in judged.iter_mut().zip(1..) {
                let place = places.get(&number);
                branch.related = place.is_some();
                // The model's order, not the built-in scorer's.
                if let Some(place) = place {
                    branch.score = 1.0 - *place as f64 / shown.len() as f64;
                }
            }
            judged.sort_by(|a, b| b.related.cmp(&a.related).then(b.score.total_cmp(&a.score)).then(a.number.cmp(&b.number)));
        }
        Err(why) => {
            ctx.warn(format!("{why}; the built-in scorer chooses the neighbouring triples instead."));
            ranked.scored.push(ScoredBy { scorer: SCORER.into(), chains: judged.len() as u64 });
        }
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(nodes: &[u32], relations: &[u16]) -> Chain {
        let mut chain = Chain::start(nodes[0]);
        for (relation, to) in relations.iter().zip(&nodes[1..]) {
            chain.push(*relation, true, *to);
        }
        chain
    }

    #[test]
    fn paths_go_into_buckets_by_key_entities_and_are_ranked_there_by_mean_page_rank() {
        // 1 – 2 – 3 and 1 – 4 – 3 and 1 – 2: the subgraph is a square of 1, 2, 3, 4, in which every entity has two triples, so that
        // every rank is 1/4. With 5 behind 4 it is not: worked out from PR = 0.85 Σ PR/L + 0.03 for the five.
        let square = [chain(&[1, 2, 3], &[0, 0]), chain(&[1, 4, 3], &[0, 0]), chain(&[1, 2], &[0])];
        let key = HashSet::from([1, 2, 3]);
        let places = buckets(&square.iter().collect::<Vec<_>>(), &key);
        assert_eq!(places.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [3, 2, 2]);
        assert!(places.iter().all(|(_, mean)| (mean - 0.25).abs() < 1e-9), "{places:?}");

        let with_tail = [chain(&[1, 2, 3], &[0, 0]), chain(&[1, 4, 3], &[0, 0]), chain(&[4, 5], &[0])];
        let places = buckets(&with_tail.iter().collect::<Vec<_>>(), &HashSet::from([1, 3, 5]));
        // By symmetry 1 and 3 have one rank a; b is that of 2, c that of 4, e that of 5:
        // a = 0.85 (b/2 + c/3) + 0.03, b = 0.85 a + 0.03, c = 0.85 (a + e) + 0.03, e = 0.85 c/3 + 0.03.
        let e_of = |c: f64| 0.85 * c / 3.0 + 0.03;
        let c_of = |a: f64| (0.85 * (a + 0.03) + 0.03) / (1.0 - 0.85 * 0.85 / 3.0);
        let a = {
            // a (1 − 0.36125) = 0.85 · 0.03/2 + 0.85/3 c + 0.03 with c linear in a.
            let slope = 0.85 / (1.0 - 0.85 * 0.85 / 3.0);
            let at_zero = c_of(0.0);
            (0.01275 + 0.85 / 3.0 * at_zero + 0.03) / (1.0 - 0.36125 - 0.85 / 3.0 * slope)
        };
        let (b, c) = (0.85 * a + 0.03, c_of(a));
        let e = e_of(c);
        assert!((2.0 * a + b + c + e - 1.0).abs() < 1e-9, "the worked example adds up to 1");
        let expected = [(2, (2.0 * a + b) / 3.0), (2, (2.0 * a + c) / 3.0), (1, (c + e) / 2.0)];
        for (found, expected) in places.iter().zip(expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-7, "{found:?} {expected:?}");
        }
        assert!(places[1].1 > places[0].1, "the better connected path is the better of its bucket");
    }

    #[test]
    fn a_relation_that_a_path_shows_at_an_entity_is_shown_from_both_of_its_ends() {
        let shown = shown_at([chain(&[1, 2, 3], &[7, 8])].iter());
        assert_eq!(shown, HashSet::from([(1, 7, true), (2, 7, false), (2, 8, true), (3, 8, false)]));
    }
}
