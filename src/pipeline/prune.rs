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
/// How many chains are passed on to it for each thing that the answer wants.
const PER_WANT: usize = 8;
/// How many of the chains that were not kept are recorded with their scores.
const RUNNERS_UP: usize = 20;
/// The most fragments; more would only repeat each other.
const MOST_FRAGMENTS: usize = 24;

/// What a not yet covered entity that the answer wants adds to a chain's gain.
const COVER_ENTITY: f64 = 0.6;
/// What better coverage of a fragment adds.
const COVER_FRAGMENT: f64 = 0.25;
/// What statements that were shown already take away, where the chain says nothing else.
const REPEATS: f64 = 1.2;
/// What a relation beyond the first takes away.
const PER_RELATION: f32 = 0.06;
/// What an entity between the ends takes away that is neither an anchor nor a condition that matters …
const FOREIGN: f32 = 0.1;
/// … and what it takes away for each unit of `ln(1 + degree)`.
const PER_HUB: f32 = 0.04;
/// What an end that the question names adds.
const NAMED_END: f32 = 0.5;
/// What an end that only the hypothesis names adds.
const PROPOSED_END: f32 = 0.15;
/// What a direct warning about a proposed treatment adds.
const WARNING: f64 = 1.5;
/// Parts of the answer, how many entities of each are wanted, and how much where something else is asked for.
const WANTED: [(Part, usize, f64); 4] =
    [(Part::Conditions, 5, 0.6), (Part::Tests, 12, 0.25), (Part::Treatments, 12, 0.25), (Part::Cautions, 12, 0.25)];

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
    let sieved = sieve(ctx, &judge, chains)?;

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
            Candidate {
                number: *number,
                score: best + judge.prior(chain),
                wanted: judge.wanted_in(chain),
                facts: facts_of(graph, chain).collect(),
                by_fragment,
            }
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

/// The chains that the encoder is to score: the best at a glance, and for each thing that the answer wants
/// the best that show it, so that a few strong ones cannot hide the rest. Best first.
fn sieve(ctx: &RunContext<'_>, judge: &Judge<'_>, chains: &[Chain]) -> Result<Vec<(f64, u32)>, StageError> {
    let by_score = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
    let keep_best = |scores: &mut Vec<(f64, u32)>, most: usize| {
        if scores.len() > most {
            scores.select_nth_unstable_by(most - 1, by_score);
            scores.truncate(most);
        }
    };
    let mut overall: Vec<(f64, u32)> = Vec::with_capacity(chains.len());
    let mut by_want: HashMap<Want, Vec<(f64, u32)>> = HashMap::new();
    for (number, chain) in (0u32..).zip(chains) {
        if number % 8192 == 0 {
            ctx.check()?;
        }
        let scored = (judge.at_a_glance(chain), number);
        overall.push(scored);
        judge.for_each_want(chain, |want, _| {
            let best = by_want.entry(want).or_default();
            best.push(scored);
            if best.len() >= 4 * PER_WANT {
                keep_best(best, PER_WANT);
            }
        });
    }
    keep_best(&mut overall, SIEVED / 2);
    let mut wanted: Vec<(f64, u32)> = by_want
        .into_values()
        .flat_map(|mut best| {
            keep_best(&mut best, PER_WANT);
            best
        })
        .collect();
    let known: HashSet<u32> = overall.iter().map(|(_, number)| *number).collect();
    wanted.retain(|(_, number)| !known.contains(number));
    wanted.sort_unstable_by(by_score);
    wanted.dedup();
    wanted.truncate(SIEVED / 2);
    overall.extend(wanted);
    overall.sort_unstable_by(by_score);
    Ok(overall)
}

/// A chain that the encoder has scored.
struct Candidate {
    number: u32,
    score: f64,
    /// Wanted things that it shows, with their weights.
    wanted: Vec<(Want, f64)>,
    /// What it states.
    facts: Vec<(Role, u32, u32)>,
    by_fragment: Vec<f64>,
}

/// Something that the kept chains should show: an entity, in a part of the answer.
type Want = (EntityId, Option<Part>);

/// Chooses greedily: each step takes the chain with the greatest score plus what it newly covers.
fn choose(mut candidates: Vec<Candidate>, top_k: usize, fragment_count: usize) -> (Vec<ScoredChain>, Vec<ScoredChain>) {
    let mut covered: HashSet<Want> = HashSet::new();
    let mut stated: HashSet<(Role, u32, u32)> = HashSet::new();
    let mut best_of_fragment = vec![0.0f64; fragment_count];
    let mut kept = Vec::new();
    while kept.len() < top_k && !candidates.is_empty() {
        let gain = |candidate: &Candidate| {
            let entities: f64 = candidate.wanted.iter().filter(|(want, _)| !covered.contains(want)).map(|(_, weight)| weight).sum();
            let fragments: f64 = candidate.by_fragment.iter().zip(&best_of_fragment).map(|(s, best)| (s - best).max(0.0)).sum();
            let repeated = candidate.facts.iter().filter(|fact| stated.contains(fact)).count() as f64 / candidate.facts.len() as f64;
            candidate.score + COVER_ENTITY * entities + COVER_FRAGMENT * fragments - REPEATS * repeated
        };
        let best = (0..candidates.len()).max_by(|a, b| gain(&candidates[*a]).total_cmp(&gain(&candidates[*b])).then_with(|| b.cmp(a)));
        let Some(best) = best else { break };
        let score = gain(&candidates[best]);
        let chosen = candidates.remove(best);
        covered.extend(chosen.wanted.iter().map(|(want, _)| *want));
        stated.extend(&chosen.facts);
        for (best, similarity) in best_of_fragment.iter_mut().zip(&chosen.by_fragment) {
            *best = best.max(*similarity);
        }
        kept.push(ScoredChain { chain: chosen.number, score: squashed(score), by_fragment: chosen.by_fragment });
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    let others = candidates.into_iter().take(RUNNERS_UP);
    (kept, others.map(|c| ScoredChain { chain: c.number, score: squashed(c.score), by_fragment: c.by_fragment }).collect())
}

/// A score between 0 and 1, in the same order.
fn squashed(score: f64) -> f64 {
    let score = score.max(0.0);
    score / (1.0 + score)
}

/// Judges chains by what is known without reading them whole. Everything that is asked of an entity or a
/// relation is laid out by its number, because a search can bring a quarter of a million chains.
struct Judge<'a> {
    graph: &'a Graph,
    /// Best similarity of each entity's names with any fragment.
    similarity: Vec<f32>,
    /// What an entity adds as the end of a chain.
    as_end: Vec<f32>,
    /// What an entity takes away between the ends.
    as_interior: Vec<f32>,
    /// Whether the question names the entity.
    of_question: Vec<bool>,
    /// Weights of wanted conditions, tests, treatments and cautions.
    wanted: [Vec<f32>; 4],
    /// Conditions that matter: those that the question names and those that lead the assessment.
    subject: Vec<bool>,
    /// How well each relation's role fits what is asked for.
    fitness: Vec<f32>,
}

impl<'a> Judge<'a> {
    fn new(ctx: &'a RunContext<'_>, input: &PruneInput<'_>, fragments: &Matrix) -> candle_core::Result<Self> {
        let knowledge = ctx.knowledge;
        let graph = &knowledge.graph;
        let count = graph.entity_count();
        let products = knowledge.name_vectors.products(fragments)?;
        let mut similarity = vec![0f32; count];
        for row in 0..products.rows() {
            for (entity, product) in knowledge.name_entities.iter().zip(products.row(row)) {
                let best = &mut similarity[entity.index()];
                *best = best.max(*product);
            }
        }
        let mut as_end = vec![0f32; count];
        let mut of_question = vec![false; count];
        let mut subject = vec![false; count];
        for anchor in &input.anchors.all {
            let named = anchor.origin != AnchorOrigin::Hypothesis;
            as_end[anchor.entity.index()] = anchor.score as f32 * if named { NAMED_END } else { PROPOSED_END };
            of_question[anchor.entity.index()] = named;
            subject[anchor.entity.index()] = named;
        }
        let mut wanted = [const { Vec::new() }; 4].map(|_: Vec<f32>| vec![0f32; count]);
        let rankings = [&input.assessment.conditions, &input.assessment.tests, &input.assessment.treatments, &input.assessment.cautions];
        for ((part, most, otherwise), (ranking, weights)) in WANTED.into_iter().zip(rankings.into_iter().zip(&mut wanted)) {
            let top = ranking.first().map_or(1.0, |(_, score)| *score).max(1e-9);
            let asked = if input.intent.asks(part) {
                1.0
            } else if input.intent.parts.is_empty() {
                0.6
            } else {
                otherwise
            };
            for (entity, score) in ranking.iter().take(most) {
                weights[entity.index()] = (asked * (score / top).sqrt()) as f32;
            }
        }
        for (condition, _) in input.assessment.leading() {
            subject[condition.index()] = true;
        }
        let as_interior = graph
            .entity_ids()
            .map(|entity| {
                let matters = subject[entity.index()] || as_end[entity.index()] > 0.0;
                if matters { 0.0 } else { FOREIGN + PER_HUB * (1.0 + graph.degree(entity) as f32).ln() }
            })
            .collect();
        let fitness = graph.relations().iter().map(|relation| fitness(relation.role, input.intent)).collect();
        Ok(Self { graph, similarity, as_end, as_interior, of_question, wanted, subject, fitness })
    }

    /// The first, cheap score.
    fn at_a_glance(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let similarity: f32 = nodes.iter().map(|node| self.similarity[*node as usize]).sum::<f32>() / nodes.len() as f32;
        let mut wanted = 0.0;
        self.for_each_want(chain, |_, weight| wanted += weight);
        f64::from(similarity) + self.prior(chain) + COVER_ENTITY * wanted
    }

    /// What a chain's ends, length, interior and roles say of it, whatever its words.
    fn prior(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let ends = self.as_end[nodes[0] as usize] + self.as_end[nodes[nodes.len() - 1] as usize];
        let interior: f32 = nodes[1..nodes.len() - 1].iter().map(|node| self.as_interior[*node as usize]).sum();
        let roles = chain.relations().iter().map(|relation| self.fitness[usize::from(*relation)]).sum::<f32>() / chain.len() as f32;
        let warning = if self.is_warning(chain) { WARNING } else { 0.0 };
        f64::from(ends + 0.5 * roles - interior - PER_RELATION * (chain.len() - 1) as f32) + warning
    }

    /// Whether the chain says, in one triple, that a treatment must not be given in a state that the question names.
    fn is_warning(&self, chain: &Chain) -> bool {
        chain.len() == 1
            && match self.graph.role(RelationId(chain.relations()[0])) {
                // The player is the state, the owner the drug: named too, or about to be proposed.
                Role::Contraindication => facts_of(self.graph, chain).any(|(_, owner, player)| {
                    self.of_question[player as usize] && (self.of_question[owner as usize] || self.wanted[2][owner as usize] > 0.0)
                }),
                Role::Interaction => chain.nodes().iter().all(|node| self.of_question[*node as usize]),
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

    /// Wanted things that a chain shows: findings of the question at its ends, conditions that it ties to such
    /// a finding, tests and treatments that it ties to a condition that matters.
    fn for_each_want(&self, chain: &Chain, mut visit: impl FnMut(Want, f64)) {
        let nodes = chain.nodes();
        for end in [nodes[0], nodes[nodes.len() - 1]] {
            if self.of_question[end as usize] {
                visit((EntityId(end), None), f64::from(self.as_end[end as usize]));
            }
        }
        let mut look = |part: Part, slot: usize, entity: u32| {
            let weight = self.wanted[slot][entity as usize];
            if weight > 0.0 {
                visit((EntityId(entity), Some(part)), f64::from(weight));
            }
        };
        for (role, owner, player) in facts_of(self.graph, chain) {
            match role {
                Role::Symptom | Role::RedFlag if self.of_question[player as usize] => look(Part::Conditions, 0, owner),
                Role::Test if self.subject[owner as usize] => look(Part::Tests, 1, player),
                Role::Treatment | Role::FirstLine if self.subject[owner as usize] => look(Part::Treatments, 2, player),
                Role::AdverseEffect | Role::Contraindication | Role::Interaction if self.of_question[owner as usize] => {
                    look(Part::Cautions, 3, player);
                }
                _ => {}
            }
        }
    }
}

/// A chain's triples read through their roles: (role, owner, player).
fn facts_of<'a>(graph: &'a Graph, chain: &'a Chain) -> impl Iterator<Item = (Role, u32, u32)> + 'a {
    chain.hops().map(|hop| {
        let relation = graph.relation(RelationId(hop.relation));
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        match relation.player {
            Player::Head => (relation.role, tail, head),
            Player::Tail => (relation.role, head, tail),
        }
    })
}

/// How well a role fits what is asked for.
fn fitness(role: Role, intent: &Intent) -> f32 {
    let asked = |part| intent.parts.is_empty() || intent.asks(part);
    let either = |fits: bool, yes: f32, no: f32| if fits { yes } else { no };
    match role {
        Role::Symptom | Role::RedFlag => 1.0,
        Role::FirstLine => either(asked(Part::Treatments), 1.1, 0.6),
        Role::Treatment | Role::Prevention => either(asked(Part::Treatments), 1.0, 0.5),
        Role::Test => either(asked(Part::Tests), 1.0, 0.5),
        Role::Contraindication | Role::Interaction => either(asked(Part::Treatments) || asked(Part::Cautions), 0.8, 0.4),
        Role::AdverseEffect => either(intent.asks(Part::Cautions), 1.0, 0.2),
        Role::Cause | Role::Complication => 0.6,
        Role::RiskFactor | Role::Differential => 0.45,
        Role::Broader => 0.35,
        Role::Monitoring | Role::Related => 0.3,
    }
}
