//! Pruning (HyKGE §4.4): fragments of question and hypothesis are scored against the chains, and the topK
//! are kept that serve relevance and coverage at once.
//!
//! Scoring is done in stages, cheap first: every chain by its entities' similarity with the fragments and by
//! what its ends and roles say; the best [`SIEVED`] of them by the encoder on the chain's whole text. The
//! trace says how many were scored how. The choice is greedy: each step takes the chain that adds most, so
//! that ten variants of one thought do not push out the others.

use std::collections::{HashMap, HashSet};

use super::assess::Assessment;
use super::context::{RunContext, StageError};
use super::event::{AnchorOrigin, Part, Pruning, ScoredBy, ScoredChain};
use super::intent::Intent;
use super::link::Anchors;
use crate::graph::{Chain, EntityId, FoundChains, Graph, Player, RelationId, Role};
use crate::model::{Matrix, ModelError};
use crate::text::{StopWords, fragments};

/// How many chains the encoder scores whole.
const SIEVED: usize = 256;
/// How many of the chains that were not kept are recorded with their scores.
const RUNNERS_UP: usize = 20;
/// The most fragments; more would only repeat each other.
const MOST_FRAGMENTS: usize = 24;

/// What a not yet covered entity that the answer wants adds to a chain's gain.
const COVER_ENTITY: f64 = 0.6;
/// What better coverage of a fragment adds.
const COVER_FRAGMENT: f64 = 0.25;
/// What a relation beyond the first takes away.
const PER_RELATION: f64 = 0.06;
/// What an interior entity takes away for each unit of `ln(1 + degree)`, unless it is wanted.
const PER_HUB: f64 = 0.04;
/// What a direct warning about a proposed treatment adds.
const WARNING: f64 = 1.5;

/// What pruning needs to know besides the chains.
pub(crate) struct PruneInput<'a> {
    pub(crate) found: &'a FoundChains,
    pub(crate) anchors: &'a Anchors,
    pub(crate) assessment: &'a Assessment,
    pub(crate) intent: &'a Intent,
    pub(crate) question: &'a str,
    pub(crate) hypothesis: &'a str,
}

/// Scores the chains and chooses.
pub(crate) fn prune(ctx: &RunContext<'_>, input: &PruneInput<'_>) -> Result<Pruning, StageError> {
    let mut pieces = fragments_of(ctx, input.question);
    pieces.extend(fragments_of(ctx, input.hypothesis));
    pieces.truncate(MOST_FRAGMENTS);
    let chains = &input.found.chains;
    if chains.is_empty() {
        return Ok(Pruning { fragments: pieces, ..Pruning::default() });
    }
    let fail = |error: candle_core::Error| ModelError::Compute { name: ctx.encoder.name().to_owned(), problem: error.to_string() };
    let fragment_vectors = ctx.encoder.encode(pieces.clone())?.normalised();

    let judge = Judge::new(ctx, input, &fragment_vectors).map_err(fail)?;
    let mut sieved: Vec<(f64, u32)> = Vec::with_capacity(chains.len());
    for (number, chain) in (0u32..).zip(chains) {
        if number % 8192 == 0 {
            ctx.check()?;
        }
        sieved.push((judge.at_a_glance(chain), number));
    }
    let by_score = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
    if sieved.len() > SIEVED {
        sieved.select_nth_unstable_by(SIEVED - 1, by_score);
        sieved.truncate(SIEVED);
    }
    sieved.sort_unstable_by(by_score);

    ctx.check()?;
    let graph = &ctx.knowledge.graph;
    let texts = sieved.iter().map(|(_, number)| graph.chain_text(&chains[*number as usize])).collect();
    let chain_vectors = ctx.encoder.encode(texts)?.normalised();
    let candidates: Vec<Candidate> = sieved
        .iter()
        .enumerate()
        .map(|(row, (_, number))| {
            let by_fragment: Vec<f64> =
                (0..pieces.len()).map(|f| f64::from(crate::model::dot(fragment_vectors.row(f), chain_vectors.row(row)))).collect();
            let best = by_fragment.iter().copied().fold(0.0, f64::max);
            let chain = &chains[*number as usize];
            Candidate { number: *number, score: best + judge.prior(chain), wanted: judge.wanted_in(chain), by_fragment }
        })
        .collect();
    let (kept, others) = choose(candidates, ctx.settings.top_k, pieces.len());
    Ok(Pruning {
        fragments: pieces,
        kept,
        runners_up: others,
        scored: vec![
            ScoredBy { scorer: "entity similarity".into(), chains: chains.len() as u64 },
            ScoredBy { scorer: format!("{} on the whole chain", ctx.encoder.name()), chains: sieved.len() as u64 },
        ],
    })
}

fn fragments_of(ctx: &RunContext<'_>, text: &str) -> Vec<String> {
    fragments(text, ctx.settings.fragment_words, ctx.settings.fragment_overlap, StopWords::built_in())
}

/// A chain that the encoder has scored.
struct Candidate {
    number: u32,
    score: f64,
    /// Wanted things that it shows, with their weights.
    wanted: Vec<(Want, f64)>,
    by_fragment: Vec<f64>,
}

/// Something that the kept chains should show: an entity, in a part of the answer.
type Want = (EntityId, Option<Part>);

/// Chooses greedily: each step takes the chain with the greatest score plus what it newly covers.
fn choose(mut candidates: Vec<Candidate>, top_k: usize, fragment_count: usize) -> (Vec<ScoredChain>, Vec<ScoredChain>) {
    let mut covered: HashSet<Want> = HashSet::new();
    let mut best_of_fragment = vec![0.0f64; fragment_count];
    let mut kept = Vec::new();
    while kept.len() < top_k && !candidates.is_empty() {
        let gain = |candidate: &Candidate| {
            let entities: f64 = candidate.wanted.iter().filter(|(want, _)| !covered.contains(want)).map(|(_, weight)| weight).sum();
            let fragments: f64 = candidate.by_fragment.iter().zip(&best_of_fragment).map(|(s, best)| (s - best).max(0.0)).sum();
            candidate.score + COVER_ENTITY * entities + COVER_FRAGMENT * fragments
        };
        let best = (0..candidates.len()).max_by(|a, b| gain(&candidates[*a]).total_cmp(&gain(&candidates[*b])).then_with(|| b.cmp(a)));
        let Some(best) = best else { break };
        let score = gain(&candidates[best]);
        let chosen = candidates.remove(best);
        covered.extend(chosen.wanted.iter().map(|(want, _)| *want));
        for (best, similarity) in best_of_fragment.iter_mut().zip(&chosen.by_fragment) {
            *best = best.max(*similarity);
        }
        kept.push(ScoredChain { chain: chosen.number, score, by_fragment: chosen.by_fragment });
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    let others = candidates.into_iter().take(RUNNERS_UP);
    (kept, others.map(|c| ScoredChain { chain: c.number, score: c.score, by_fragment: c.by_fragment }).collect())
}

/// Judges chains by what is known without reading them whole.
struct Judge<'a> {
    graph: &'a Graph,
    intent: &'a Intent,
    /// Best similarity of each entity's name with any fragment.
    similarity: Vec<f32>,
    anchors: HashMap<EntityId, AnchorOrigin>,
    /// Linking scores of the anchors.
    certainty: HashMap<EntityId, f64>,
    wanted: HashMap<Want, f64>,
}

impl<'a> Judge<'a> {
    fn new(ctx: &'a RunContext<'_>, input: &'a PruneInput<'_>, fragments: &Matrix) -> candle_core::Result<Self> {
        let knowledge = ctx.knowledge;
        let products = knowledge.name_vectors.products(fragments)?;
        let mut similarity = vec![f32::MIN; knowledge.graph.entity_count()];
        for row in 0..products.rows() {
            for (entity, product) in knowledge.name_entities.iter().zip(products.row(row)) {
                let best = &mut similarity[entity.index()];
                *best = best.max(*product);
            }
        }
        let anchors: HashMap<_, _> = input.anchors.all.iter().map(|a| (a.entity, a.origin)).collect();
        let certainty = input.anchors.all.iter().map(|a| (a.entity, a.score)).collect();

        let mut wanted: HashMap<Want, f64> = HashMap::new();
        for anchor in input.anchors.of_question() {
            wanted.insert((anchor.entity, None), anchor.score);
        }
        let nothing_asked = input.intent.parts.is_empty();
        let parts = [
            (Part::Conditions, &input.assessment.conditions, 5, 0.6),
            (Part::Tests, &input.assessment.tests, 12, 0.25),
            (Part::Treatments, &input.assessment.treatments, 12, 0.25),
        ];
        for (part, ranking, most, otherwise) in parts {
            let top = ranking.first().map_or(1.0, |(_, score)| *score).max(1e-9);
            let weight = if input.intent.asks(part) {
                1.0
            } else if nothing_asked {
                0.6
            } else {
                otherwise
            };
            for (entity, score) in ranking.iter().take(most) {
                wanted.insert((*entity, Some(part)), weight * (score / top).sqrt());
            }
        }
        Ok(Self { graph: &knowledge.graph, intent: input.intent, similarity, anchors, certainty, wanted })
    }

    /// The first, cheap score.
    fn at_a_glance(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let similarity: f32 = nodes.iter().map(|node| self.similarity[*node as usize].max(0.0)).sum::<f32>() / nodes.len() as f32;
        let mut wanted = 0.0;
        self.for_each_want(chain, |_, weight| wanted += weight);
        f64::from(similarity) + self.prior(chain) + COVER_ENTITY * wanted
    }

    /// What a chain's ends, length, interior and roles say of it, whatever its words.
    fn prior(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let end = |node: u32| {
            let entity = EntityId(node);
            let certainty = self.certainty.get(&entity).copied().unwrap_or(0.0);
            match self.anchors.get(&entity) {
                Some(AnchorOrigin::Question | AnchorOrigin::Both) => 0.5 * certainty,
                Some(AnchorOrigin::Hypothesis) => 0.15 * certainty,
                None => 0.0,
            }
        };
        let ends = end(nodes[0]) + end(nodes[nodes.len() - 1]);
        let hubs: f64 = nodes[1..nodes.len() - 1]
            .iter()
            .map(|node| EntityId(*node))
            .filter(|entity| !self.wanted.contains_key(&(*entity, Some(Part::Conditions))) && !self.anchors.contains_key(entity))
            .map(|entity| 0.1 + PER_HUB * (1.0 + self.graph.degree(entity) as f64).ln())
            .sum();
        let roles: f64 =
            chain.relations().iter().map(|relation| self.fitness(self.graph.role(RelationId(*relation)))).sum::<f64>() / chain.len() as f64;
        ends + 0.5 * roles - hubs - PER_RELATION * (chain.len() - 1) as f64 + if self.is_warning(chain) { WARNING } else { 0.0 }
    }

    /// How well a role fits what is asked for.
    fn fitness(&self, role: Role) -> f64 {
        let asked = |part| self.intent.parts.is_empty() || self.intent.asks(part);
        match role {
            Role::Symptom | Role::RedFlag => 1.0,
            Role::FirstLine => {
                if asked(Part::Treatments) {
                    1.1
                } else {
                    0.6
                }
            }
            Role::Treatment | Role::Prevention => {
                if asked(Part::Treatments) {
                    1.0
                } else {
                    0.5
                }
            }
            Role::Test => {
                if asked(Part::Tests) {
                    1.0
                } else {
                    0.5
                }
            }
            Role::Contraindication | Role::Interaction => {
                if asked(Part::Treatments) || asked(Part::Cautions) {
                    0.8
                } else {
                    0.4
                }
            }
            Role::AdverseEffect => {
                if self.intent.asks(Part::Cautions) {
                    1.0
                } else {
                    0.2
                }
            }
            Role::Cause | Role::Complication => 0.6,
            Role::RiskFactor | Role::Differential => 0.45,
            Role::Monitoring => 0.3,
            Role::Broader => 0.35,
            Role::Related => 0.3,
        }
    }

    /// Whether the chain says, in one triple, that a treatment must not be given in a state that the question names.
    fn is_warning(&self, chain: &Chain) -> bool {
        let role = self.graph.role(RelationId(chain.relations()[0]));
        let of_question = |node: u32| matches!(self.anchors.get(&EntityId(node)), Some(AnchorOrigin::Question | AnchorOrigin::Both));
        chain.len() == 1
            && match role {
                Role::Contraindication => chain.nodes().iter().any(|node| of_question(*node)),
                Role::Interaction => chain.nodes().iter().all(|node| of_question(*node)),
                _ => false,
            }
    }

    fn wanted_in(&self, chain: &Chain) -> Vec<(Want, f64)> {
        let mut wants = Vec::new();
        self.for_each_want(chain, |want, weight| {
            if !wants.iter().any(|(known, _)| *known == want) {
                wants.push((want, weight));
            }
        });
        wants
    }

    /// Wanted things that a chain shows: the question's anchors at its ends, and players in the parts that
    /// they belong to.
    fn for_each_want(&self, chain: &Chain, mut visit: impl FnMut(Want, f64)) {
        let mut look = |want: Want| {
            if let Some(weight) = self.wanted.get(&want) {
                visit(want, *weight);
            }
        };
        let nodes = chain.nodes();
        look((EntityId(nodes[0]), None));
        look((EntityId(nodes[nodes.len() - 1]), None));
        for hop in chain.hops() {
            let relation = self.graph.relation(RelationId(hop.relation));
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            let (owner, player) = match relation.player {
                Player::Head => (tail, head),
                Player::Tail => (head, tail),
            };
            match relation.role {
                Role::Symptom | Role::RedFlag => look((EntityId(owner), Some(Part::Conditions))),
                Role::Test => look((EntityId(player), Some(Part::Tests))),
                Role::Treatment | Role::FirstLine => look((EntityId(player), Some(Part::Treatments))),
                _ => {}
            }
        }
    }
}
