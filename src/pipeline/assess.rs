//! Weighing the evidence: which conditions, tests and treatments the question's own anchors speak for,
//! read from the graph's facts alone. The graph-derived hypothesis words it; the reader orders by it.
//!
//! A question may name a hub with tens of thousands of triples. So the facts of what is named are walked once,
//! and whatever is asked of the entities at their far ends is looked up: whether it is a condition, what its features
//! weigh, whether it is ruled out. Only the best [`MOST_TREATMENTS`] treatments are looked at more closely.

use std::collections::HashMap;

use super::event::Part;
use super::intent::Intent;
use super::knowledge::Knowledge;
use crate::graph::{EntityId, Fact, Kind, PageRank, Role, personalised_pagerank};

/// How many conditions pass their weight on to tests and treatments.
const LEADING: usize = 8;
/// Weight of a condition that the question names, against 1 for one whose every feature it names.
const NAMED: f64 = 1.6;
/// The same where the question asks what it could be.
const NAMED_AS_FINDING: f64 = 0.7;
/// What reasons after the best one count.
const FURTHER_REASONS: f64 = 0.15;
/// What PageRank adds, so that conditions without a direct fact are ranked at all.
const PAGERANK: f64 = 0.15;

/// How many pushes PageRank may take: the neighbourhood of the anchors, not the whole graph.
const WALK: usize = 400;
/// What the second member of a drug class keeps of its weight, the third of that, and so on: three drugs of
/// three classes are worth more to a doctor than three of one.
const SAME_CLASS: f64 = 0.8;

/// The most treatments that are ranked by class; a doctor reads a dozen.
const MOST_TREATMENTS: usize = 2000;

/// Ranked entities with scores, best first.
pub(crate) type Ranking = Vec<(EntityId, f64)>;

/// What the question's anchors speak for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assessment {
    pub(crate) conditions: Ranking,
    pub(crate) tests: Ranking,
    pub(crate) treatments: Ranking,
    /// Side effects, contraindications and interactions of what the question names; empty where it asks for none.
    pub(crate) cautions: Ranking,
}

impl Assessment {
    /// The conditions that pass their weight on to tests and treatments, with their shares of it; those with
    /// less than a twentieth are left out.
    pub(crate) fn leading(&self) -> impl Iterator<Item = (EntityId, f64)> {
        leading_weights(&self.conditions).into_iter().filter(|(_, share)| *share >= 0.05)
    }
}

/// How much the mention of an entity that plays this role speaks for the condition it plays it for.
fn pull(role: Role) -> f64 {
    match role {
        Role::Symptom => 1.0,
        Role::Cause => 0.6,
        // A red flag of a condition tells that it may be something worse.
        Role::RedFlag => 0.2,
        Role::Complication => 0.5,
        Role::RiskFactor => 0.4,
        Role::Test | Role::Monitoring => 0.3,
        Role::Treatment | Role::FirstLine | Role::Prevention => 0.25,
        Role::Differential | Role::Broader => 0.2,
        Role::AdverseEffect | Role::Contraindication | Role::Interaction | Role::Related => 0.0,
    }
}

/// Weighs what the anchors speak for. `anchors`: entity and linking score.
pub(crate) fn assess(knowledge: &Knowledge, anchors: &[(EntityId, f64)], intent: &Intent) -> Assessment {
    // Asked for the cause, a condition that is named is a finding, which another may explain.
    let named = if intent.asks(Part::Conditions) { NAMED_AS_FINDING } else { NAMED };
    let mut conditions = rank_conditions(knowledge, anchors, named);
    // What is to be prevented is not there, and so neither to be found nor to be treated.
    let is_goal = |entity: &EntityId| intent.goals.contains(entity);
    if conditions.iter().any(|(condition, _)| !is_goal(condition)) {
        conditions.retain(|(condition, _)| !is_goal(condition));
    }
    let leading: Ranking = leading_weights(&conditions);
    let monitoring = if concerns_drugs_only(knowledge, anchors) {
        rank_players(knowledge, &Ranking::new(), anchors, |f, _| if f.role == Role::Monitoring { 1.0 } else { 0.0 })
    } else {
        Ranking::new()
    };
    let tests = rank_players(knowledge, &leading, anchors, |fact, _| match fact.role {
        Role::Test => 1.0,
        Role::Monitoring => 0.3,
        _ => 0.0,
    });
    // Asked about a drug alone, the tests are those that watch over it.
    let tests = if monitoring.is_empty() { tests } else { monitoring };
    let wants_drugs = intent.asks(Part::Treatments);
    let treatments = rank_players(knowledge, &leading, anchors, |fact, kind| {
        let base = match fact.role {
            Role::FirstLine => 1.5,
            Role::Treatment => 1.0,
            Role::Prevention => 0.3,
            _ => return 0.0,
        };
        // Asked for a medicine, a drug answers better than a change of habits.
        base * if wants_drugs && !matches!(kind, Kind::Drug | Kind::DrugClass) { 0.5 } else { 1.0 }
    });
    let treatments = by_class(knowledge, treatments);
    let cautions = if intent.asks(Part::Cautions) { rank_cautions(knowledge, anchors) } else { Ranking::new() };
    Assessment { conditions, tests, treatments, cautions }
}

/// Whether the question names drugs and nothing else.
fn concerns_drugs_only(knowledge: &Knowledge, anchors: &[(EntityId, f64)]) -> bool {
    anchors.iter().all(|(entity, _)| matches!(knowledge.graph.kind(*entity), Kind::Drug | Kind::DrugClass))
}

/// What is to be known about the drugs that the question names; something that it names too comes first.
fn rank_cautions(knowledge: &Knowledge, anchors: &[(EntityId, f64)]) -> Ranking {
    // "Is A safe in B?" is not answered by what else is to be known about A.
    let named_only = anchors.len() > 1 && !concerns_drugs_only(knowledge, anchors);
    let facts = knowledge.facts();
    let mut scores: HashMap<EntityId, f64> = HashMap::new();
    for (anchor, certainty) in anchors {
        // An interaction is stated from one of its two sides only.
        let mutual = facts.owners_of_role(*anchor, Role::Interaction).map(|other| Fact { role: Role::Interaction, other });
        for fact in facts.players(*anchor).iter().copied().chain(mutual) {
            let weight = match fact.role {
                Role::AdverseEffect => 1.0,
                Role::Contraindication | Role::Interaction => 0.8,
                _ => continue,
            };
            let named = anchors.iter().any(|(other, _)| *other == fact.other);
            if named_only && !named {
                continue;
            }
            *scores.entry(fact.other).or_default() += certainty * weight * if named { 3.0 } else { 1.0 };
        }
    }
    ranked(scores)
}

/// Ranks treatments anew so that members of one class do not crowd out the others.
fn by_class(knowledge: &Knowledge, mut ranking: Ranking) -> Ranking {
    ranking.truncate(MOST_TREATMENTS);
    let facts = knowledge.facts();
    let mut seen: HashMap<EntityId, i32> = HashMap::new();
    let mut scores = HashMap::new();
    for (entity, score) in ranking {
        let classes: Vec<EntityId> = std::iter::once(entity).chain(facts.players_of_role(entity, Role::Broader)).collect();
        let before = classes.iter().filter_map(|class| seen.get(class)).copied().max().unwrap_or(0);
        for class in classes {
            *seen.entry(class).or_default() += 1;
        }
        scores.insert(entity, score * SAME_CLASS.powi(before));
    }
    ranked(scores)
}

/// Conditions by how much of the question's findings they explain (inverse-frequency weighted, as cosine of
/// the question's and the condition's features), conditions that the question names first.
fn rank_conditions(knowledge: &Knowledge, anchors: &[(EntityId, f64)], named_weight: f64) -> Ranking {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let mut matched: HashMap<EntityId, f64> = HashMap::new();
    let mut named: HashMap<EntityId, f64> = HashMap::new();
    let mut question_weight = 0.0;
    for (anchor, score) in anchors {
        let weight = knowledge.rarity(*anchor) * score;
        let mut best: HashMap<EntityId, f64> = HashMap::new();
        for fact in facts.owners(*anchor).iter().filter(|f| knowledge.is_condition(f.other)) {
            let pull = best.entry(fact.other).or_default();
            *pull = pull.max(self::pull(fact.role));
        }
        if best.values().any(|pull| *pull > 0.0) {
            question_weight += weight * weight;
        }
        for (condition, pull) in best {
            *matched.entry(condition).or_default() += weight * weight * pull;
        }
        if knowledge.is_condition(*anchor) {
            // A disease is named; a symptom that is described as a condition too is named with less force.
            let force = if matches!(graph.kind(*anchor), Kind::Symptom) { 0.4 } else { 1.0 };
            named.insert(*anchor, named_weight * score * force);
        }
    }
    let walk = personalised_pagerank(graph, anchors, PageRank { max_pushes: WALK, tolerance: 1e-5, ..PageRank::default() });
    let highest = walk.iter().filter(|(e, _)| knowledge.is_condition(*e)).map(|(_, r)| *r).fold(0.0, f64::max);

    let most_described = matched.keys().map(|c| (1.0 + graph.degree(*c) as f64).ln()).fold(1.0, f64::max);
    let mut scores: HashMap<EntityId, f64> = HashMap::new();
    for (condition, matched) in matched {
        let features = knowledge.features(condition);
        // Softened on the condition's side: a well-described condition must not lose to a bare one.
        let cosine = matched / (question_weight.sqrt() * (features + matched).sqrt().max(1.0));
        let explained = if question_weight > 0.0 { matched / question_weight } else { 0.0 };
        let described = (1.0 + graph.degree(condition) as f64).ln() / most_described;
        scores.insert(condition, 0.4 * cosine + 0.5 * explained + 0.25 * described * explained.min(1.0));
    }
    for (condition, weight) in named {
        // What is named is the subject as far as it accounts for what else the question says.
        let accounted: f64 = anchors
            .iter()
            .filter(|(anchor, _)| *anchor == condition || facts.states(condition, *anchor, |_| true))
            .map(|(_, score)| score)
            .sum();
        let share = accounted / anchors.iter().map(|(_, score)| score).sum::<f64>().max(1e-9);
        *scores.entry(condition).or_default() += weight * (0.3 + 0.7 * share);
    }
    if highest > 0.0 {
        for (entity, rank) in walk.into_iter().filter(|(e, _)| knowledge.is_condition(*e)) {
            *scores.entry(entity).or_default() += PAGERANK * rank / highest;
        }
    }
    ranked(scores)
}

/// The leading conditions with weights that add up to 1; a clear leader takes most of it.
fn leading_weights(conditions: &Ranking) -> Ranking {
    let top = conditions.first().map_or(0.0, |(_, score)| *score);
    let mut leading: Ranking =
        conditions.iter().take(LEADING).map(|(condition, score)| (*condition, (score / top.max(1e-9)).powi(6))).collect();
    let sum: f64 = leading.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in &mut leading {
        *weight /= sum.max(1e-9);
    }
    leading
}

/// Players of a role for the leading conditions, and for the anchors themselves (what relieves a symptom).
fn rank_players(knowledge: &Knowledge, leading: &Ranking, anchors: &[(EntityId, f64)], weigh: impl Fn(&Fact, &Kind) -> f64) -> Ranking {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    // Best single reason and sum of all reasons: many weak ones must not outweigh a strong one.
    let mut reasons: HashMap<EntityId, (f64, f64)> = HashMap::new();
    let symptom_share = 0.3 / anchors.len().max(1) as f64;
    let symptoms = anchors.iter().filter(|(e, _)| !leading.iter().any(|(c, _)| c == e)).map(|(e, score)| (*e, score * symptom_share));
    for (owner, share) in leading.iter().copied().chain(symptoms) {
        for fact in facts.players(owner).iter() {
            let weight = weigh(fact, graph.kind(fact.other));
            // What prevents a state but must not be given in it (a contraceptive, in pregnancy) is no treatment of it.
            let is_ruled_out = || facts.states(fact.other, owner, |role| role == Role::Contraindication);
            if weight > 0.0 && !is_ruled_out() {
                let (best, sum) = reasons.entry(fact.other).or_default();
                *best = best.max(share * weight);
                *sum += share * weight;
            }
        }
    }
    ranked(reasons.into_iter().map(|(entity, (best, sum))| (entity, best + FURTHER_REASONS * (sum - best))).collect())
}

/// Best first; equals by name.
fn ranked(scores: HashMap<EntityId, f64>) -> Ranking {
    let mut ranking: Ranking = scores.into_iter().filter(|(_, score)| *score > 0.0).collect();
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranking
}
