//! The assessment: which conditions, tests and treatments the question's anchors speak for, from the graph's facts alone. The graph-derived
//! hypothesis words it; the reader sorts by it.
//!
//! A question may name a hub with tens of thousands of triples. So the facts of the named entities are walked once, and the rest is
//! looked up per entity at their far ends: whether it is a condition, what its features weigh, whether it is contraindicated.
//! Sums use sorted lists instead of maps, and only the best [`MOST_RANKED`] of a ranking are sorted and passed on.

use std::collections::HashMap;

use super::befits::{befits_picture, fitting};
use super::evidence::{CaseEvidence, Standing, explains, urgency_of};
use super::gives_way::{guess_gives_way, made_before_measured, untold_injury_behind};
use super::known::{guessed_first, known_first, named_emergency_first};
use super::likelihood::explained;
use super::of_drugs::{class_by_drugs_first, is_untold_overdose, made_by_drugs_first, rare_effect_behind, untold_poison_behind};
use super::order::{alarming_first, borderline_last, flagged_gives_way, harmless_last, has_own_sign, result_before_mind, whole_first};
use super::outclassed::Explained;
use super::pictured::{picture_first, pictured, rare_gives_way};
use super::precursor::{emergency_first, lesser_first};
use super::typicality::typical;
use crate::graph::{EntityId, Fact, Kind, PersonalisedPageRank, Role, personalised_pagerank};
use crate::language::knowledge::Knowledge;
use crate::pipeline::understand::intent::Intent;
use crate::run::event::AnswerPart;

/// A dangerous condition precedes a condition whose red flag it is if its score is at least this share of the other's.
const AS_LIKELY: f64 = 0.75;
/// The same in a case, where what must not be missed is named besides.
const AS_LIKELY_IN_CASE: f64 = 0.85;
/// The share of the leading condition's score with which a kind of it, or a cause, may precede it, and what a cause must explain at least.
const BY_CAUSE: f64 = 0.5;
const LEAST_EXPLAINED: usize = 3;
/// The same share of a leading condition that is nothing but what was measured: ketoacidosis before the acidosis of the blood gas.
const BY_KIND_OF_MEASURED: f64 = 0.3;
/// The number of leading conditions that this concerns.
const IN_SIGHT: usize = 6;
/// How many findings an emergency that is to be prevented must explain to be there again.
const TOLD_AGAIN: usize = 2;

/// The number of conditions that pass weight on to tests and treatments.
const LEADING: usize = 8;
/// The weight of the condition that accounts best for the question's words.
const ACCOUNT: f64 = 2.0;
/// The same beside findings that were understood.
const ACCOUNT_BESIDE_CASE: f64 = 0.3;
/// The weight of a condition that the question names, on top of what its name accounts for; a condition with every feature named has 1.
const NAMED: f64 = 2.2;
/// The same if the question asks for a diagnosis.
const NAMED_AS_FINDING: f64 = 0.35;
/// The share of it that a named condition gets even if it accounts for nothing else in the question …
const SUBJECT: f64 = 0.3;
/// … and if the question asks for a test or treatment, which is then meant for that condition.
const SUBJECT_OF_CARE: f64 = 0.8;
/// The share of that weight that a condition keeps if the question suspects another named one.
const NOT_SUSPECTED: f64 = 0.4;
/// The advantage of a well-described condition over a bare one that explains as much.
const DESCRIBED: f64 = 0.15;
/// The advantage of a condition that the findings are typical of over others that fit as well.
const TYPICAL: f64 = 0.1;
/// The number of best-fitting conditions whose typicality is computed.
const MOST_COMPARED: usize = 500;
/// How strongly a finding speaks for what the graph says it is caused by.
const CAUSES: f64 = 0.8;
/// The weight of reasons after the best one.
const FURTHER_REASONS: f64 = 0.15;
/// The weight of PageRank, so that conditions without a direct fact are ranked too.
const PAGERANK: f64 = 0.15;
/// The same in a case, where bands say more.
const PAGERANK_IN_CASE: f64 = 0.05;
/// The factor for the second member of a drug class, applied again for the third, and so on: three drugs of
/// three classes help a doctor more than three of one.
const SAME_CLASS: f64 = 0.8;

/// What remains of an overdose that nothing tells of, where a stored interaction accounts for what is found.
const UNTOLD_OVERDOSE: f64 = 0.3;

/// The longest ranking; an answer shows a dozen entries of each.
const MOST_RANKED: usize = 2000;

/// Ranked entities with scores, best first.
pub(crate) type Ranking = Vec<(EntityId, f64)>;

/// What the question's anchors speak for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assessment {
    pub(crate) conditions: Ranking,
    pub(crate) tests: Ranking,
    pub(crate) treatments: Ranking,
    /// Adverse effects, contraindications and interactions of named entities; empty if the question asks for none.
    pub(crate) cautions: Ranking,
}

impl Assessment {
    /// The conditions that pass weight on to tests and treatments, with their shares; shares below
    /// a twentieth are left out.
    pub(crate) fn leading(&self) -> impl Iterator<Item = (EntityId, f64)> {
        leading_weights(&self.conditions).into_iter().filter(|(_, share)| *share >= 0.05)
    }
}

/// How strongly an entity in this role speaks for the condition it belongs to.
pub(crate) fn pull(role: Role) -> f64 {
    match role {
        Role::Symptom => 1.0,
        Role::Cause => 0.6,
        // A red flag says that it may be something worse.
        Role::RedFlag => 0.2,
        Role::Complication => 0.5,
        Role::RiskFactor => 0.4,
        Role::Test | Role::Monitoring => 0.3,
        Role::Treatment | Role::FirstLine | Role::Prevention => 0.25,
        Role::Differential | Role::Broader => 0.2,
        Role::AdverseEffect | Role::Contraindication | Role::Interaction | Role::Related => 0.0,
    }
}

/// Assesses what the question speaks for. `anchors`: entity and linking score; `hints`: how well each condition accounts for the
/// question's words; `evidence`: what each anchor is to the case.
pub(crate) fn assess(
    knowledge: &Knowledge,
    anchors: &[(EntityId, f64)],
    (hints, pictures): (&Ranking, &Ranking),
    intent: &Intent,
    evidence: &CaseEvidence,
) -> Assessment {
    // In a question for the cause, a named condition is a finding that another condition may explain.
    let named = match (intent.asks(AnswerPart::Conditions), intent.asks(AnswerPart::Tests) || intent.asks(AnswerPart::Treatments)) {
        (true, _) => (NAMED_AS_FINDING, SUBJECT),
        (false, true) => (NAMED, SUBJECT_OF_CARE),
        (false, false) => (NAMED, SUBJECT),
    };
    let conditions = rank_conditions(knowledge, anchors, (hints, pictures), named, &intent.suspected, evidence);
    let mut conditions = fitting(knowledge, conditions, anchors, (&intent.patient, evidence));
    against(knowledge, &mut conditions, anchors, evidence);
    causes_first(knowledge, &mut conditions, anchors, evidence);
    dangers_first(knowledge, &mut conditions, if evidence.is_empty() { AS_LIKELY } else { AS_LIKELY_IN_CASE });
    whole_first(knowledge, &mut conditions, evidence);
    alarming_first(knowledge, &mut conditions, evidence);
    if befits_picture(knowledge, pictures, &intent.patient, evidence) {
        picture_first(knowledge, &mut conditions, pictures, evidence);
    }
    rare_gives_way(knowledge, &mut conditions, pictures, evidence);
    class_by_drugs_first(knowledge, &mut conditions, evidence);
    made_by_drugs_first(knowledge, &mut conditions, evidence);
    untold_poison_behind(knowledge, &mut conditions, evidence);
    borderline_last(knowledge, &mut conditions, evidence);
    harmless_last(knowledge, &mut conditions, evidence);
    result_before_mind(knowledge, &mut conditions, evidence);
    lesser_first(knowledge, &mut conditions, evidence);
    emergency_first(knowledge, &mut conditions, evidence);
    known_first(knowledge, &mut conditions, evidence);
    guessed_first(knowledge, &mut conditions, evidence);
    named_emergency_first(&mut conditions, evidence);
    rare_effect_behind(knowledge, &mut conditions, evidence);
    flagged_gives_way(knowledge, &mut conditions, evidence);
    untold_injury_behind(knowledge, &mut conditions, evidence);
    made_before_measured(knowledge, &mut conditions, evidence);
    guess_gives_way(knowledge, &mut conditions, evidence);
    // A condition to be prevented is absent, so it is neither diagnosed nor treated, unless it is an emergency that is there again: asked
    // how asthma attacks are prevented, somebody may be having one.
    let is_goal = |entity: &EntityId| intent.goals.contains(entity) && !is_there_again(knowledge, *entity, anchors, evidence);
    if conditions.iter().any(|(condition, _)| !is_goal(condition)) {
        conditions.retain(|(condition, _)| !is_goal(condition));
    }
    let leading: Ranking = leading_weights(&conditions);
    let monitoring = if concerns_drugs_only(knowledge, anchors) {
        rank_players(knowledge, &Ranking::new(), anchors, |f| if f.role == Role::Monitoring { 1.0 } else { 0.0 })
    } else {
        Ranking::new()
    };
    let tests = rank_players(knowledge, &leading, anchors, |fact| match fact.role {
        Role::Test => 1.0,
        Role::Monitoring => 0.3,
        _ => 0.0,
    });
    // In a question about a drug alone, the tests are those that monitor it.
    let tests = if monitoring.is_empty() { tests } else { monitoring };
    let wants_drugs = intent.asks(AnswerPart::Treatments);
    let is_drug = |entity| matches!(knowledge.graph.kind(entity), Kind::Drug | Kind::DrugClass);
    let treatments = rank_players(knowledge, &leading, anchors, |fact| {
        let base = match fact.role {
            Role::FirstLine => 1.5,
            Role::Treatment => 1.0,
            Role::Prevention => 0.3,
            _ => return 0.0,
        };
        // A question for a medicine is better answered by a drug than by a change of habits.
        base * if wants_drugs && !is_drug(fact.other) { 0.5 } else { 1.0 }
    });
    let treatments = by_class(knowledge, treatments);
    let cautions = if intent.asks(AnswerPart::Cautions) { rank_cautions(knowledge, anchors) } else { Ranking::new() };
    Assessment { conditions, tests, treatments, cautions }
}

/// Whether the case tells of an emergency that is to be prevented as of one that is there: it explains several findings, one of which is an
/// emergency by itself.
fn is_there_again(knowledge: &Knowledge, goal: EntityId, anchors: &[(EntityId, f64)], evidence: &CaseEvidence) -> bool {
    let is_emergency = |entity: EntityId| urgency_of(knowledge, entity) == Some("emergency");
    let is_told =
        |finding: &EntityId| *finding != goal && evidence.standing(*finding) == Standing::Finding && explains(knowledge, goal, *finding);
    let told: Vec<EntityId> = anchors.iter().map(|(anchor, _)| *anchor).filter(is_told).collect();
    !evidence.is_empty() && is_emergency(goal) && told.len() >= TOLD_AGAIN && told.into_iter().any(is_emergency)
}

/// Whether the question names drugs and nothing else.
fn concerns_drugs_only(knowledge: &Knowledge, anchors: &[(EntityId, f64)]) -> bool {
    anchors.iter().all(|(entity, _)| matches!(knowledge.graph.kind(*entity), Kind::Drug | Kind::DrugClass))
}

/// Cautions about the drugs that the question names; those about something else that it names come first.
fn rank_cautions(knowledge: &Knowledge, anchors: &[(EntityId, f64)]) -> Ranking {
    // Other cautions about A do not answer "Is A safe in B?".
    let named_only = anchors.len() > 1 && !concerns_drugs_only(knowledge, anchors);
    let facts = knowledge.facts();
    let mut scores = Ranking::new();
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
            scores.push((fact.other, certainty * weight * if named { 3.0 } else { 1.0 }));
        }
    }
    ranked(summed(scores))
}

/// Ranks treatments again so that members of one class do not crowd out the others.
fn by_class(knowledge: &Knowledge, ranking: Ranking) -> Ranking {
    let facts = knowledge.facts();
    let mut seen: HashMap<EntityId, i32> = HashMap::new();
    let mut scores = Ranking::new();
    for (entity, score) in ranking {
        let classes: Vec<EntityId> = std::iter::once(entity).chain(facts.players_of_role(entity, Role::Broader)).collect();
        let before = classes.iter().filter_map(|class| seen.get(class)).copied().max().unwrap_or(0);
        for class in classes {
            *seen.entry(class).or_default() += 1;
        }
        scores.push((entity, score * SAME_CLASS.powi(before)));
    }
    ranked(scores)
}

/// Conditions by how much of the question's findings they explain (inverse-frequency weighted, as cosine of
/// the question's and the condition's features), conditions that the question names first, and of these the suspected ones.
fn rank_conditions(
    knowledge: &Knowledge,
    anchors: &[(EntityId, f64)],
    (hints, pictures): (&Ranking, &Ranking),
    (named_weight, subject): (f64, f64),
    suspected: &[EntityId],
    evidence: &CaseEvidence,
) -> Ranking {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let mut matched = Ranking::new();
    let mut named = Ranking::new();
    let mut question_weight = 0.0;
    let findings_told = anchors.iter().filter(|(anchor, _)| evidence.standing(*anchor) == Standing::Finding).count();
    let one_is_suspected = anchors.iter().any(|(anchor, _)| suspected.contains(anchor) && knowledge.is_condition(*anchor));
    for (anchor, score) in anchors {
        let weight = knowledge.rarity(*anchor) * score;
        let owners = facts.owners(*anchor);
        let pulls = owners
            .iter()
            .filter(|f| knowledge.is_condition(f.other))
            .map(|f| (f.other, evidence.pull(knowledge, *anchor, f.role, f.other)));
        let best = merged(pulls.collect(), f64::max);
        if best.iter().any(|(_, pull)| *pull > 0.0) {
            question_weight += weight * weight;
        }
        matched
            .extend(best.iter().map(|(condition, pull)| (*condition, pull)).map(|(condition, pull)| (condition, weight * weight * pull)));
        let standing = evidence.standing(*anchor);
        if standing == Standing::Finding && !evidence.is_empty() {
            // What a finding is caused by explains it, too.
            let causes = facts.players_of_role(*anchor, Role::Cause).filter(|cause| knowledge.is_condition(*cause));
            let causes: Ranking = causes.map(|cause| (cause, weight * weight * CAUSES)).collect();
            if !causes.is_empty() && best.iter().all(|(_, pull)| *pull <= 0.0) {
                question_weight += weight * weight;
            }
            matched.extend(causes.into_iter().filter(|(cause, _)| best.binary_search_by_key(cause, |(known, _)| *known).is_err()));
        }
        // Beside other findings, a low sodium is one of them, and not what the question is about.
        let is_one_of_several = standing == Standing::Finding && !evidence.is_empty() && findings_told > 1;
        if knowledge.is_condition(*anchor)
            && matches!(standing, Standing::Finding | Standing::Subject)
            && !is_one_of_several
            && !evidence.only_explain.contains(anchor)
        {
            // A disease counts as named; a symptom that is also described as a condition counts with less force.
            let force = if matches!(graph.kind(*anchor), Kind::Symptom) { 0.4 } else { 1.0 };
            // If one condition is suspected, another is part of the history, or a complaint.
            let force = if one_is_suspected && !suspected.contains(anchor) { force * NOT_SUSPECTED } else { force };
            named.push((*anchor, named_weight * score * force));
        }
    }
    let walk = personalised_pagerank(graph, anchors, PersonalisedPageRank::default());
    let highest = walk.iter().filter(|(e, _)| knowledge.is_condition(*e)).map(|(_, r)| *r).fold(0.0, f64::max);

    let is_case = !evidence.is_empty();
    let matched = if is_case { Ranking::new() } else { summed(matched) };
    let most_described = matched.iter().map(|(c, _)| (1.0 + graph.degree(*c) as f64).ln()).fold(1.0, f64::max);
    let mut scores = Ranking::with_capacity(matched.len());
    for (condition, matched) in matched {
        let features = knowledge.features(condition);
        // Softened on the condition's side: a well-described condition must not lose to a bare one.
        let cosine = matched / (question_weight.sqrt() * (features + matched).sqrt().max(1.0));
        let explained = if question_weight > 0.0 { matched / question_weight } else { 0.0 };
        let described = (1.0 + graph.degree(condition) as f64).ln() / most_described;
        scores.push((condition, 0.4 * cosine + 0.5 * explained + DESCRIBED * described * explained.min(1.0)));
    }
    if is_case {
        scores = explained(knowledge, anchors, evidence);
    }
    let candidates = best(scores.clone(), MOST_COMPARED);
    let findings: Ranking =
        anchors.iter().copied().filter(|(anchor, _)| matches!(evidence.standing(*anchor), Standing::Finding | Standing::Subject)).collect();
    scores.extend(typical(knowledge, &findings, &candidates).into_iter().map(|(condition, share)| (condition, TYPICAL * share)));
    for (condition, weight) in named {
        // A named condition is the subject in so far as it accounts for the rest of the question.
        let accounted: f64 = anchors
            .iter()
            .filter(|(anchor, _)| *anchor == condition || facts.states(condition, *anchor, |_| true))
            .map(|(_, score)| score)
            .sum();
        let share = accounted / anchors.iter().map(|(_, score)| score).sum::<f64>().max(1e-9);
        scores.push((condition, weight * (subject + (1.0 - subject) * share)));
    }
    let account_weight = if is_case { ACCOUNT_BESIDE_CASE } else { ACCOUNT };
    scores.extend(hints.iter().map(|(condition, account)| (*condition, account_weight * account)));
    if is_case || evidence.recognised.is_some() {
        let told = Explained::of(knowledge, &evidence.certain());
        scores.extend(
            pictured(knowledge, pictures, evidence.recognised.filter(|_| evidence.is_clear))
                .into_iter()
                .map(|(condition, added)| (condition, told.share(knowledge, condition) * added)),
        );
    }
    if highest > 0.0 {
        for (entity, rank) in walk.into_iter().filter(|(e, _)| knowledge.is_condition(*e)) {
            scores.push((entity, if is_case { PAGERANK_IN_CASE } else { PAGERANK } * rank / highest));
        }
    }
    ranked(summed(scores))
}

/// A kind of the leading condition precedes it if it explains more, and so does what the leading condition is itself a finding of: acute
/// pancreatitis before pancreatitis, myeloma before the high calcium that was measured. The two exchange places and scores.
fn causes_first(knowledge: &Knowledge, conditions: &mut Ranking, anchors: &[(EntityId, f64)], evidence: &CaseEvidence) {
    let Some((leader, score)) = conditions.first().copied().filter(|_| !evidence.is_empty()) else { return };
    let told: Vec<EntityId> =
        anchors.iter().map(|(anchor, _)| *anchor).filter(|anchor| evidence.standing(*anchor) == Standing::Finding).collect();
    let explained =
        |condition: EntityId| told.iter().filter(|finding| **finding != condition && explains(knowledge, condition, **finding)).count();
    let (is_measured, of_leader) = (told.contains(&leader), explained(leader));
    // It comes first, too, if it explains as much and its own sign is told.
    let is_kind = |condition: EntityId| {
        let of_kind = explained(condition);
        knowledge.facts().states(condition, leader, |role| role == Role::Broader)
            && (of_kind > of_leader || (of_kind == of_leader && has_own_sign(knowledge, condition, leader, &told)))
    };
    // By one finding more it would be chance: the leader's own is counted with the other.
    let is_cause = |condition: EntityId| {
        let of_cause = explained(condition);
        // What is measured is a finding: the condition of the clear picture comes before it if it explains as much.
        if is_measured && evidence.is_clear && evidence.recognised == Some(condition) && of_cause >= of_leader {
            return true;
        }
        is_measured && explains(knowledge, condition, leader) && of_cause >= LEAST_EXPLAINED && of_cause >= of_leader + 2
    };
    let is_kind_of_measured = |condition: EntityId| is_measured && explained(condition) >= LEAST_EXPLAINED && is_kind(condition);
    let precedes = |(condition, other): &(EntityId, f64)| {
        (*other >= BY_CAUSE * score && (is_kind(*condition) || is_cause(*condition)))
            || (*other >= BY_KIND_OF_MEASURED * score && is_kind_of_measured(*condition))
    };
    let sight = conditions.len().min(IN_SIGHT);
    // Of several causes, the one that explains most: failing kidneys before the dying tumour.
    let of = |then: &usize| conditions.get(*then).map_or(0, |(condition, _)| explained(*condition));
    let causes = (1..sight).filter(|then| conditions.get(*then).is_some_and(precedes));
    if let Some(then) = causes.max_by_key(|then| (of(then), std::cmp::Reverse(*then))) {
        (conditions[0].0, conditions[then].0) = (conditions[then].0, conditions[0].0);
    }
}

/// Of two leading conditions that fit about equally, the dangerous one that must not be missed comes first: a heart attack before the
/// angina that it may be mistaken for. The two exchange places and scores.
fn dangers_first(knowledge: &Knowledge, conditions: &mut Ranking, as_likely: f64) {
    let facts = knowledge.facts();
    let sight = conditions.len().min(IN_SIGHT);
    for first in 0..sight {
        let (condition, score) = conditions[first];
        let is_danger = |(danger, other): &(EntityId, f64)| {
            *other >= as_likely * score && facts.states(condition, *danger, |role| role == Role::RedFlag)
        };
        if let Some(then) = (first + 1..sight).find(|then| is_danger(&conditions[*then])) {
            (conditions[first].0, conditions[then].0) = (conditions[then].0, conditions[first].0);
        }
    }
}

/// Ranks conditions again by what speaks against them: findings that are absent, results that are normal, conditions ruled out. What
/// is merely background is no candidate where something else explains the case.
fn against(knowledge: &Knowledge, conditions: &mut Ranking, anchors: &[(EntityId, f64)], evidence: &CaseEvidence) {
    let is_background = |condition: &EntityId| {
        (anchors.iter().any(|(anchor, _)| anchor == condition) && evidence.standing(*condition) == Standing::Context)
            || (evidence.states.contains(condition) && evidence.standing(*condition) != Standing::Subject)
    };
    let others = conditions.iter().any(|(condition, _)| !is_background(condition) && !evidence.excluded.contains(condition));
    for (condition, score) in conditions.iter_mut() {
        *score *= evidence.remains(knowledge, *condition);
        if is_untold_overdose(knowledge, *condition, evidence) {
            *score *= UNTOLD_OVERDOSE;
        }
        if others && is_background(condition) {
            *score = 0.0;
        }
    }
    *conditions = ranked(std::mem::take(conditions));
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
fn rank_players(knowledge: &Knowledge, leading: &Ranking, anchors: &[(EntityId, f64)], weigh: impl Fn(&Fact) -> f64) -> Ranking {
    let facts = knowledge.facts();
    // Each reason as (best, sum): many weak ones must not outweigh a strong one.
    let mut reasons: Vec<(EntityId, (f64, f64))> = Vec::new();
    let symptom_share = 0.3 / anchors.len().max(1) as f64;
    let symptoms = anchors.iter().filter(|(e, _)| !leading.iter().any(|(c, _)| c == e)).map(|(e, score)| (*e, score * symptom_share));
    for (owner, share) in leading.iter().copied().chain(symptoms) {
        for fact in facts.players(owner).iter() {
            let weight = weigh(fact);
            // A drug that prevents a state but is contraindicated in it (a contraceptive, in pregnancy) does not treat it.
            let is_ruled_out = || facts.states(fact.other, owner, |role| role == Role::Contraindication);
            if weight > 0.0 && !is_ruled_out() {
                reasons.push((fact.other, (share * weight, share * weight)));
            }
        }
    }
    let reasons = merged(reasons, |(best, sum), (reason, _)| (best.max(reason), sum + reason));
    ranked(reasons.into_iter().map(|(entity, (best, sum))| (entity, best + FURTHER_REASONS * (sum - best))).collect())
}

/// Each entity once, its values merged in the order in which they came; ordered by entity.
pub(crate) fn merged<T: Copy>(mut values: Vec<(EntityId, T)>, merge: impl Fn(T, T) -> T) -> Vec<(EntityId, T)> {
    values.sort_by_key(|(entity, _)| *entity);
    values.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = merge(kept.1, next.1);
        }
        same
    });
    values
}

/// Each entity once, with the sum of its values.
fn summed(values: Ranking) -> Ranking {
    merged(values, |a, b| a + b)
}

/// Best first; equals by name. `scores`: each entity once.
pub(super) fn ranked(scores: Ranking) -> Ranking {
    best(scores, MOST_RANKED)
}

/// The `most` best, best first; equals by name. `scores`: each entity once.
fn best(mut scores: Ranking, most: usize) -> Ranking {
    scores.retain(|(_, score)| *score > 0.0);
    let by_score = |a: &(EntityId, f64), b: &(EntityId, f64)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0));
    if scores.len() > most {
        scores.select_nth_unstable_by(most, by_score);
        scores.truncate(most);
    }
    scores.sort_unstable_by(by_score);
    scores
}

#[cfg(test)]
#[path = "assess_tests.rs"]
mod tests;
