//! Features of chains that need no look at their text: similarity of names, anchors at the ends, roles of relations, results wanted.
//!
//! A search can find a quarter of a million chains, and a graph can hold millions of entities. So features are laid out for the entities
//! that occur in the chains, by their [`ChainEntities`] numbers; the few prominent ones (anchors, wanted results) have a table of their own.

use std::collections::HashMap;

use rayon::prelude::*;

use super::PruneInput;
use crate::graph::{Chain, ChainEntities, EntityId, EvolvingGraph, Facts, Player, RelationId, Role};
use crate::pipeline::differential::confidence::expected;
use crate::pipeline::understand::intent::Intent;
use crate::run::event::{AnchorOrigin, AnswerPart};

/// What a wanted entity that no kept chain shows yet adds to a chain's gain. It is twice what the best similarity can add, because ten chains
/// must together state everything that the answer can say.
pub(super) const COVER_ENTITY: f64 = 1.8;
/// How much a finding that the question names is wanted, on the same scale.
const COVER_NAMED: f64 = 1.0 / 3.0;
/// The cost of each relation after the first.
const PER_RELATION: f32 = 0.06;
/// The cost of an inner entity that is neither an anchor nor a condition that matters …
const FOREIGN: f32 = 0.1;
/// … and its further cost for each unit of `ln(1 + degree)`.
const PER_HUB: f32 = 0.04;
/// What an end adds that the question names.
const NAMED_END: f32 = 0.5;
/// What an end adds that only the hypothesis names.
const PROPOSED_END: f32 = 0.15;
/// What a direct warning about a proposed treatment adds.
const WARNING: f64 = 1.5;
/// Parts of the answer: how many entities of each are wanted, and how much if the question asks for another part.
const WANTED: [(AnswerPart, usize, f64); 4] =
    [(AnswerPart::Conditions, 5, 0.6), (AnswerPart::Tests, 12, 0.25), (AnswerPart::Treatments, 12, 0.25), (AnswerPart::Cautions, 12, 0.25)];
/// If the question asks for no part: how many of the expected results ([`expected`]) are wanted most, …
const EXPECTED: usize = 14;
/// … how much less the last of these is wanted than the first …
const LESS_BY_THE_LAST: f64 = 0.4;
/// … and how much the results after them are wanted.
const AFTER_EXPECTED: f64 = 0.2;
/// How much other parts are wanted if the question only asks whether something is safe: it asks for no diagnosis and no other treatment.
const BESIDE_CAUTIONS: f64 = 0.05;
/// Places in [`WANTED`].
const CONDITIONS: usize = 0;
const TESTS: usize = 1;
const TREATMENTS: usize = 2;
const CAUTIONS: usize = 3;
/// The number of wants per entity: to be shown at all, and to be shown in each part of the answer.
const WANTS_EACH: usize = 1 + WANTED.len();

/// The number of a want: an entity that the kept chains should show, at all or in a part of the answer.
pub(super) type Want = u16;

/// A prominent entity: an anchor, or a result that the answer wants.
#[derive(Debug, Clone, Copy, Default)]
struct Prominent {
    /// What it adds as the end of a chain.
    as_end: f32,
    /// Whether the question names it.
    of_question: bool,
    /// Whether it is a condition that matters: named by the question, or leading the assessment.
    subject: bool,
    /// Whether it is a condition that no finding of the question is tied to by a triple: whatever is said of it shows it.
    unexplained: bool,
    /// How much it is wanted in each part of the answer.
    wanted: [f32; WANTED.len()],
}

/// The features of one run's chains. Methods take chains in their [`Self::local`] form.
pub(super) struct Features<'a> {
    graph: &'a EvolvingGraph,
    chains: &'a [Chain],
    occurring: ChainEntities,
    /// The prominent entities; the first entry stands for all others.
    prominents: Vec<Prominent>,
    /// Which of them an occurring entity is.
    prominent_of: Vec<u16>,
    /// For each occurring entity, the best similarity of its names with any fragment; 0 until it is set.
    similarity: Vec<f32>,
    /// The cost of each occurring entity as an inner entity.
    as_interior: Vec<f32>,
    /// How well each relation's role fits what is asked for.
    fitness: Vec<f32>,
}

impl<'a> Features<'a> {
    pub(super) fn new(graph: &'a EvolvingGraph, input: &PruneInput<'a>) -> Self {
        let chains = &input.found.chains[..];
        let occurring = ChainEntities::of_chains(graph, chains, |chain| chain);
        let mut prominents = vec![Prominent::default()];
        let mut prominent_of = vec![0u16; occurring.len()];
        let mut give = |entity: EntityId, what: &dyn Fn(&mut Prominent)| {
            // An entity in no chain needs no entry.
            let Some(local) = occurring.number(entity.0) else { return };
            let place = &mut prominent_of[local as usize];
            if *place == 0 {
                *place = prominents.len() as u16;
                prominents.push(Prominent::default());
            }
            what(&mut prominents[usize::from(*place)]);
        };
        for anchor in &input.anchors.all {
            let named = anchor.origin != AnchorOrigin::Hypothesis;
            give(anchor.entity, &|prominent| {
                prominent.as_end = anchor.score as f32 * if named { NAMED_END } else { PROPOSED_END };
                prominent.of_question = named;
                prominent.subject = named;
            });
        }
        // If the question asks for no part, a result's rank among all results counts.
        let order = if input.intent.parts.is_empty() { expected(input.assessment) } else { Vec::new() };
        let only_cautions = input.intent.parts == [AnswerPart::Cautions];
        let places: HashMap<(AnswerPart, EntityId), usize> = order.into_iter().zip(0..).collect();
        let rankings = [&input.assessment.conditions, &input.assessment.tests, &input.assessment.treatments, &input.assessment.cautions];
        for (slot, ((part, most, otherwise), ranking)) in WANTED.into_iter().zip(rankings).enumerate() {
            let top = ranking.first().map_or(1.0, |(_, score)| *score).max(1e-9);
            // A question for the diagnosis also wants the tests that confirm it.
            let goes_along = part == AnswerPart::Tests && input.intent.parts == [AnswerPart::Conditions];
            let asked = match (input.intent.asks(part) || goes_along, only_cautions) {
                (true, _) => 1.0,
                (false, false) => otherwise,
                (false, true) => BESIDE_CAUTIONS,
            };
            for (entity, score) in ranking.iter().take(most) {
                let weight = match places.get(&(part, *entity)) {
                    Some(place) if *place < EXPECTED => 1.0 - LESS_BY_THE_LAST * *place as f64 / EXPECTED as f64,
                    Some(_) => AFTER_EXPECTED,
                    None => asked * (score / top).sqrt(),
                };
                give(*entity, &|prominent| prominent.wanted[slot] = weight as f32);
            }
        }
        let facts = Facts::of(graph);
        let findings: Vec<EntityId> = input.anchors.of_question().map(|anchor| anchor.entity).collect();
        for (condition, _) in input.assessment.conditions.iter().take(WANTED[CONDITIONS].1) {
            let is_finding = |role: Role| matches!(role, Role::Symptom | Role::RedFlag);
            if !findings.iter().any(|finding| facts.states(*condition, *finding, is_finding)) {
                give(*condition, &|prominent| prominent.unexplained = true);
            }
        }
        for (condition, _) in input.assessment.leading() {
            give(condition, &|prominent| prominent.subject = true);
        }
        let interior = |(entity, place): (&EntityId, &u16)| {
            let prominent = prominents[usize::from(*place)];
            let matters = prominent.subject || prominent.as_end > 0.0;
            if matters { 0.0 } else { FOREIGN + PER_HUB * (1.0 + graph.degree(*entity) as f32).ln() }
        };
        let as_interior = occurring.entities().par_iter().zip(&prominent_of).with_min_len(1024).map(interior).collect();
        let fitness = graph.relations().iter().map(|relation| fitness(relation.role, input.intent)).collect();
        Self { graph, chains, similarity: vec![0.0; occurring.len()], occurring, prominents, prominent_of, as_interior, fitness }
    }

    pub(super) fn graph(&self) -> &'a EvolvingGraph {
        self.graph
    }

    /// All chains, by number.
    pub(super) fn chains(&self) -> &'a [Chain] {
        self.chains
    }

    /// The numbers of the chains of one relation between two entities that the question names, in the search's order.
    pub(super) fn direct(&self) -> Vec<u32> {
        let is_direct = |chain: &Chain| chain.len() == 1 && self.local(chain).nodes().iter().all(|node| self.prominent(*node).of_question);
        (0u32..).zip(self.chains).filter(|(_, chain)| is_direct(chain)).map(|(number, _)| number).collect()
    }

    /// The entities that occur in them.
    pub(super) fn occurring(&self) -> &ChainEntities {
        &self.occurring
    }

    /// An upper bound of the numbers of wants.
    pub(super) fn wants(&self) -> usize {
        self.prominents.len() * WANTS_EACH
    }

    /// Sets how similar entities are to the fragments.
    pub(super) fn set_similarity(&mut self, entities: &[EntityId], similarity: &[f32]) {
        for (entity, similarity) in entities.iter().zip(similarity) {
            if let Some(local) = self.occurring.number(entity.0) {
                self.similarity[local as usize] = *similarity;
            }
        }
    }

    /// A chain with its entities' numbers among those that occur.
    pub(super) fn local(&self, chain: &Chain) -> Chain {
        chain.renumbered(|node| self.occurring.number(node).unwrap_or(0), |relation| relation)
    }

    fn prominent(&self, node: u32) -> &Prominent {
        &self.prominents[usize::from(self.prominent_of[node as usize])]
    }

    /// The first, cheap score.
    pub(super) fn cheap_score(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let similarity: f32 = nodes.iter().map(|node| self.similarity[*node as usize]).sum::<f32>() / nodes.len() as f32;
        let mut wanted = 0.0;
        self.for_each_want(chain, |_, weight| wanted += weight);
        f64::from(similarity) + self.prior(chain) + COVER_ENTITY * wanted
    }

    /// The part of the score that comes from ends, length, inner entities and roles, not from text.
    pub(super) fn prior(&self, chain: &Chain) -> f64 {
        let nodes = chain.nodes();
        let ends = self.prominent(nodes[0]).as_end + self.prominent(nodes[nodes.len() - 1]).as_end;
        let interior: f32 = nodes[1..nodes.len() - 1].iter().map(|node| self.as_interior[*node as usize]).sum();
        let roles = chain.relations().iter().map(|relation| self.fitness[usize::from(*relation)]).sum::<f32>() / chain.len() as f32;
        let warning = if self.is_warning(chain) { WARNING } else { 0.0 };
        f64::from(ends + 0.5 * roles - interior - PER_RELATION * (chain.len() - 1) as f32) + warning
    }

    /// Whether the chain is a single triple that warns against a treatment in a state that the question names.
    fn is_warning(&self, chain: &Chain) -> bool {
        let named = |node: u32| self.prominent(node).of_question;
        chain.len() == 1
            && match self.graph.role(RelationId(chain.relations()[0])) {
                // The player is the state, the owner the drug: named too, or about to be proposed.
                Role::Contraindication => self
                    .facts_of(chain)
                    .any(|(_, owner, player)| named(player) && (named(owner) || self.prominent(owner).wanted[TREATMENTS] > 0.0)),
                Role::Interaction => chain.nodes().iter().all(|node| named(*node)),
                _ => false,
            }
    }

    pub(super) fn wanted_in(&self, chain: &Chain) -> Vec<(Want, f64)> {
        let mut wants = Vec::new();
        self.for_each_want(chain, |want, weight| {
            if !wants.iter().any(|(known, _)| *known == want) {
                wants.push((want, weight));
            }
        });
        wants
    }

    /// Visits the wants that a chain shows: findings of the question at its ends, conditions that it links to such a finding, tests and
    /// treatments that it links to a condition that matters.
    pub(super) fn for_each_want(&self, chain: &Chain, mut visit: impl FnMut(Want, f64)) {
        let want = |node: u32, which: usize| self.prominent_of[node as usize] * WANTS_EACH as u16 + which as u16;
        let nodes = chain.nodes();
        for end in [nodes[0], nodes[nodes.len() - 1]] {
            let prominent = self.prominent(end);
            if prominent.of_question {
                visit(want(end, 0), COVER_NAMED * f64::from(prominent.as_end));
            }
        }
        let mut look = |slot: usize, node: u32| {
            let weight = self.prominent(node).wanted[slot];
            if weight > 0.0 {
                visit(want(node, 1 + slot), f64::from(weight));
            }
        };
        for (role, owner, player) in self.facts_of(chain) {
            if matches!(role, Role::Test | Role::Treatment | Role::FirstLine) && self.prominent(owner).unexplained {
                look(CONDITIONS, owner);
            }
            match role {
                Role::Symptom | Role::RedFlag if self.prominent(player).of_question || self.prominent(owner).unexplained => {
                    look(CONDITIONS, owner);
                }
                Role::Test | Role::Monitoring if self.prominent(owner).subject => look(TESTS, player),
                Role::Treatment | Role::FirstLine if self.prominent(owner).subject => look(TREATMENTS, player),
                Role::AdverseEffect | Role::Contraindication | Role::Interaction if self.prominent(owner).of_question => {
                    look(CAUTIONS, player);
                }
                _ => {}
            }
        }
    }

    /// A chain's triples read through their roles: (role, owner, player).
    pub(super) fn facts_of<'c>(&self, chain: &'c Chain) -> impl Iterator<Item = (Role, u32, u32)> + use<'a, 'c> {
        let graph = self.graph;
        chain.hops().map(move |hop| {
            let relation = graph.relation(RelationId(hop.relation));
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            match relation.player {
                Player::Head => (relation.role, tail, head),
                Player::Tail => (relation.role, head, tail),
            }
        })
    }
}

/// How well a role fits what the question asks for.
fn fitness(role: Role, intent: &Intent) -> f32 {
    let asked = |part| intent.parts.is_empty() || intent.asks(part);
    let either = |fits: bool, yes: f32, no: f32| if fits { yes } else { no };
    match role {
        Role::Symptom | Role::RedFlag => 1.0,
        Role::FirstLine => either(asked(AnswerPart::Treatments), 1.1, 0.6),
        Role::Treatment | Role::Prevention => either(asked(AnswerPart::Treatments), 1.0, 0.5),
        Role::Test => either(asked(AnswerPart::Tests), 1.0, 0.5),
        Role::Contraindication | Role::Interaction => either(asked(AnswerPart::Treatments) || asked(AnswerPart::Cautions), 0.8, 0.4),
        Role::AdverseEffect => either(intent.asks(AnswerPart::Cautions), 1.0, 0.2),
        Role::Cause | Role::Complication => 0.6,
        Role::RiskFactor | Role::Differential => 0.45,
        Role::Broader => 0.35,
        Role::Monitoring | Role::Related => 0.3,
    }
}
