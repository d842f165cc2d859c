//! How well each condition explains a case, as a naive Bayes score (Miller, Pople and Myers, INTERNIST-1, 1982, and Shwe et al., QMR-DT,
//! 1991, weigh findings by the same two numbers): each finding counts by how often the condition has it against how often anything has
//! it, what makes a condition likelier is added, and common conditions have a head start.
//!
//! All numbers come from bands (`frequency`, `prevalence`) that are editorial judgements, so the sums rank conditions; they are no probabilities.

use std::collections::BTreeSet;

use super::assess::{Ranking, merged};
use super::evidence::{CaseEvidence, Standing, by_frequency, urgency_of};
use super::flagged::points_elsewhere;
use super::of_drugs::is_made_no_longer;
use super::prevalence::Prevalence;
use crate::graph::{EntityId, Kind, Role, classes_of, statements_of};
use crate::language::knowledge::Knowledge;

/// How often a condition has a finding, by band.
pub(super) const HAS: [(&str, f64); 4] = [("very_common", 0.8), ("common", 0.5), ("uncommon", 0.2), ("rare", 0.05)];
/// The same where no band is stated.
pub(super) const HAS_UNSTATED: f64 = 0.4;
/// The same for a red flag of something dangerous, and for what may follow from a condition.
const HAS_RED_FLAG: f64 = 0.3;
const HAS_COMPLICATION: f64 = 0.15;
/// The same for a finding that is the condition.
const CERTAIN: f64 = 0.9;
/// What remains of that beside other findings.
const ITSELF: f64 = 0.5;
/// What the finding of the case is a kind of, or what is a kind of it, says less.
const NEARLY: f64 = 0.5;
/// What the condition that this one is a kind of has: subacute thyroiditis makes sweat as every overactive thyroid does.
const AS_KIND: f64 = 0.8;
/// A finding may have another reason: this share of how often it is seen at all.
const OTHERWISE: f64 = 0.5;
/// How often a finding is seen at all, at least and at most.
const SEEN: [f64; 2] = [0.0005, 0.3];
/// The logarithm by which a condition is the likelier for what is stated to cause it, for a drug or condition that may lead to it, and for
/// what raises its risk.
const CAUSED: f64 = 1.6;
const LED_TO: f64 = 1.4;
const AT_RISK: f64 = 0.8;
/// The same for what two drugs in use are stated to lead to together.
const BY_INTERACTION: f64 = 2.0;
/// A known condition counts as a finding of what it is a feature of (anaemia, of coeliac disease), but less: it is there for its own sake, too.
const KNOWN: f64 = 0.4;
/// The factor of these for a state that few patients are in.
const RARE_STATE: f64 = 2.0;
/// The same for what the question suspects.
const SUSPECTED: f64 = 1.0;
/// The most that all of these add.
const MOST_BACKGROUND: f64 = 3.0;
/// The same as a share of what the condition explains.
const MOST_SHARE: f64 = 0.6;
/// The logarithm by which a condition is the rarer, by its prevalence.
const RARER: [(Prevalence, f64); 4] =
    [(Prevalence::VeryCommon, 0.0), (Prevalence::Common, 0.5), (Prevalence::Uncommon, 1.1), (Prevalence::Rare, 2.0)];
/// The same for what nobody has without an exposure (Ebola virus disease), where the case tells of none; dangerous or not.
const EXCEPTIONAL: f64 = 4.0;
/// The same where it tells of one.
const EXPOSED: f64 = 0.75;
/// The same for a condition that is typical of another age.
const OTHER_AGE: f64 = 1.2;
/// What is dangerous loses no more than this for being rare, or this share of what another would lose if that is more.
const RARER_DANGER: f64 = 0.75;
const SHARE_OF_DANGER: f64 = 0.6;
/// The least weight of all findings together, so that one of them alone does not outweigh everything.
const LEAST: f64 = 2.0;

/// The share of the case that each condition explains: about 1 for one that has all findings often, less for rare ones, more for one that the
/// background makes likelier. Conditions that explain nothing and are made no likelier are left out.
pub(super) fn explained(knowledge: &Knowledge, anchors: &[(EntityId, f64)], evidence: &CaseEvidence) -> Ranking {
    let mut findings: Vec<(f64, Ranking)> = Vec::new();
    let mut background = Ranking::new();
    let mut most = 0.0;
    let told = anchors.iter().filter(|(anchor, _)| evidence.standing(*anchor) == Standing::Finding).count();
    for (anchor, certainty) in anchors {
        match evidence.standing(*anchor) {
            Standing::Finding => {
                let mut weights = of_finding(knowledge, *anchor);
                // That a low sodium explains itself says little beside other findings.
                if let Some((_, own)) = weights.iter_mut().find(|(condition, _)| condition == anchor && told > 1) {
                    *own *= ITSELF;
                }
                if let Some(best) = weights.iter().map(|(_, weight)| *weight).reduce(f64::max) {
                    let certainty = certainty * evidence.certainty(*anchor);
                    most += certainty * best.max(weight_of(HAS_UNSTATED, seen(knowledge, *anchor)));
                    findings.push((certainty, weights));
                }
                // What the patient is counts below, also where it is told as a finding.
                if !evidence.states.contains(anchor) {
                    background.extend(raised_by(knowledge, *anchor));
                }
            }
            Standing::Context => {
                let raised = of_background(knowledge, *anchor).into_iter();
                background.extend(raised.filter(|(condition, _)| !is_made_no_longer(knowledge, evidence, (*anchor, *condition))));
            }
            Standing::Subject if knowledge.is_condition(*anchor) && !evidence.only_explain.contains(anchor) => {
                background.push((*anchor, SUSPECTED));
            }
            Standing::Subject | Standing::Nothing => {}
        }
    }
    let mut of_organs = Ranking::new();
    for state in &evidence.states {
        // A pregnancy says more than an age, or kidneys that work badly: few patients are pregnant, and what belongs to it is met in nobody
        // else.
        let is_of_organ = evidence.organ_states.contains(state);
        let share = if is_of_organ || evidence.ages.contains(state) { 1.0 } else { RARE_STATE };
        let raised = of_background(knowledge, *state).into_iter().map(|(condition, weight)| (condition, share * weight));
        if is_of_organ { of_organs.extend(raised) } else { background.extend(raised) }
    }
    background.extend(evidence.by_interaction.iter().map(|condition| (*condition, BY_INTERACTION)));
    background.extend(evidence.by_contact.iter().map(|condition| (*condition, LED_TO)));
    // A rare condition is as rare where kidneys work badly: many patients' do, and the findings often tell it once more.
    let mut exposed: Vec<EntityId> = background.iter().map(|(condition, _)| *condition).collect();
    exposed.sort_unstable();
    background.extend(of_organs);
    let mut background = merged(background, |a, b| (a + b).min(MOST_BACKGROUND));
    let most: f64 = most.max(LEAST);
    let sum = |a: f64, b: f64| a + b;
    let mut scores = merged(weighed(knowledge, findings), sum);
    // What only the background makes likelier explains nothing.
    let explains = |condition: &EntityId| scores.binary_search_by_key(condition, |(known, _)| *known).is_ok();
    let is_suspected = |condition: &EntityId| evidence.standing(*condition) == Standing::Subject;
    background.retain(|(condition, _)| explains(condition) || is_suspected(condition));
    // What makes a condition likelier does not outweigh what it explains.
    for (condition, weight) in &mut background {
        if let Ok(at) = scores.binary_search_by_key(condition, |(known, _)| *known)
            && let Some((_, explained)) = scores.get(at)
        {
            let is_by_interaction = evidence.by_interaction.contains(condition);
            *weight = weight.min(if is_by_interaction { *explained } else { MOST_SHARE * explained });
        }
    }
    scores.extend(background);
    let scores = merged(scores, sum);
    let is_exposed = |condition: EntityId| exposed.binary_search(&condition).is_ok();
    let rarer = |condition: EntityId| rarer(knowledge, condition, is_exposed(condition)) + other_age(knowledge, condition, evidence);
    scores.into_iter().map(|(condition, weight)| (condition, ((weight - rarer(condition)) / most).max(0.01))).collect()
}

/// What each finding says for each condition, its certainty counted in. A condition for which a finding speaks by itself also has the findings
/// of what it is a kind of.
fn weighed(knowledge: &Knowledge, findings: Vec<(f64, Ranking)>) -> Ranking {
    let facts = knowledge.facts();
    let own: BTreeSet<EntityId> = findings.iter().flat_map(|(_, weights)| weights.iter().map(|(condition, _)| *condition)).collect();
    let mut all = Ranking::new();
    for (certainty, mut weights) in findings {
        let of_kinds: Ranking = weights
            .iter()
            .flat_map(|(condition, weight)| {
                let kinds = facts.owners_of_role(*condition, Role::Broader).filter(|kind| own.contains(kind));
                kinds.map(|kind| (kind, AS_KIND * weight)).collect::<Vec<_>>()
            })
            .collect();
        weights.extend(of_kinds);
        all.extend(merged(weights, f64::max).into_iter().map(|(condition, weight)| (condition, certainty * weight)));
    }
    all
}

/// How strongly a finding speaks for each condition that has it, as the logarithm of a ratio.
fn of_finding(knowledge: &Knowledge, finding: EntityId) -> Ranking {
    let facts = knowledge.facts();
    let broader: Vec<EntityId> = facts.players_of_role(finding, Role::Broader).collect();
    let narrower: Vec<EntityId> = facts.owners_of_role(finding, Role::Broader).collect();
    let mut weights = Ranking::new();
    let nearly = broader.into_iter().chain(narrower).map(|other| (other, NEARLY));
    for (stated, share) in std::iter::once((finding, 1.0)).chain(nearly) {
        let seen = seen(knowledge, stated).max(seen(knowledge, finding));
        for fact in facts.owners(stated).iter().filter(|fact| knowledge.is_condition(fact.other)) {
            let has = match (fact.role, urgency_of(knowledge, fact.other)) {
                (Role::Symptom, _) => by_frequency(knowledge, fact.other, stated, Role::Symptom, &HAS, HAS_UNSTATED),
                (Role::RedFlag, Some("emergency" | "urgent")) => HAS_RED_FLAG,
                (Role::Complication, _) => HAS_COMPLICATION,
                // What a finding is a cause of is background to it.
                (Role::Cause, _) => HAS_COMPLICATION,
                _ => continue,
            };
            weights.push((fact.other, weight_of(has * share, seen)));
        }
        // What a finding is caused by explains it, too.
        let causes = facts.players_of_role(stated, Role::Cause).filter(|cause| knowledge.is_condition(*cause));
        let has = |cause: EntityId| by_frequency(knowledge, stated, cause, Role::Cause, &HAS, HAS_UNSTATED);
        weights.extend(causes.map(|cause| (cause, weight_of(has(cause) * share, seen))));
    }
    // A kind of it is there as surely as it is.
    let kinds = facts.owners_of_role(finding, Role::Broader).filter(|kind| knowledge.is_condition(*kind));
    weights.extend(kinds.map(|kind| (kind, weight_of(CERTAIN, seen(knowledge, finding)))));
    weights.retain(|(condition, weight)| *weight > 0.0 && *condition != finding && !points_elsewhere(knowledge, *condition, finding));
    // A finding that is a condition itself, as a low sodium, is there for certain.
    if matches!(knowledge.graph.kind(finding), Kind::Disease) {
        weights.push((finding, weight_of(CERTAIN, seen(knowledge, finding))));
    }
    merged(weights, f64::max)
}

/// What a finding that is no condition raises the risk of: a fall, of bleeding around the brain.
fn raised_by(knowledge: &Knowledge, finding: EntityId) -> Ranking {
    if knowledge.is_condition(finding) {
        return Ranking::new();
    }
    let at_risk = knowledge.facts().owners_of_role(finding, Role::RiskFactor).filter(|owner| knowledge.is_condition(*owner));
    merged(at_risk.map(|owner| (owner, AT_RISK)).collect(), f64::max)
}

/// How much likelier a drug in use, a known condition or a state of the patient makes each condition.
fn of_background(knowledge: &Knowledge, context: EntityId) -> Ranking {
    let facts = knowledge.facts();
    let raises = |of: EntityId| {
        let owners = facts.owners(of);
        let raised = owners.iter().filter_map(|fact| match fact.role {
            Role::Cause if of == context => Some((fact.other, CAUSED)),
            // What a class causes, its member makes likelier.
            Role::Cause | Role::RiskFactor => Some((fact.other, AT_RISK)),
            _ => None,
        });
        raised.collect::<Ranking>()
    };
    // What is stated of every anticoagulant is true of the one that is taken.
    let is_drug = matches!(knowledge.graph.kind(context), Kind::Drug | Kind::DrugClass);
    let classes = if is_drug { classes_of(&knowledge.graph, context) } else { Vec::new() };
    let caused = std::iter::once(context).chain(classes).flat_map(raises);
    // What a class of drugs may cause, its members may.
    let of_classes = statements_of(&knowledge.graph, context, Role::AdverseEffect).into_iter().map(|stated| (stated.tail, LED_TO));
    let as_finding = if knowledge.is_condition(context) { of_finding(knowledge, context) } else { Ranking::new() };
    let as_finding = as_finding.into_iter().map(|(condition, weight)| (condition, KNOWN * weight));
    let leads_to = facts.players(context);
    let leads_to = leads_to.iter().filter(|fact| matches!(fact.role, Role::AdverseEffect | Role::Complication));
    let all: Ranking = caused
        .chain(as_finding)
        .chain(of_classes)
        .chain(leads_to.map(|fact| (fact.other, LED_TO)))
        .filter(|(other, _)| knowledge.is_condition(*other))
        .collect();
    merged(all, f64::max)
}

/// How often a finding is seen at all: the share of conditions that have it.
fn seen(knowledge: &Knowledge, finding: EntityId) -> f64 {
    // The inverse of the rarity, ln(1 + conditions / (1 + bearers)).
    let share = 1.0 / knowledge.rarity(finding).exp_m1().max(1e-6);
    share.clamp(SEEN[0], SEEN[1])
}

fn weight_of(has: f64, seen: f64) -> f64 {
    (has / (OTHERWISE * seen)).ln().max(0.0)
}

/// What a condition loses that is typical of other ages than the patient's.
fn other_age(knowledge: &Knowledge, condition: EntityId, evidence: &CaseEvidence) -> f64 {
    let facts = knowledge.facts();
    let at_risk = facts.players(condition);
    let ages =
        at_risk.iter().filter(|fact| matches!(fact.role, Role::RiskFactor | Role::Cause) && evidence.other_ages.contains(&fact.other));
    let is_of_age = at_risk.iter().any(|fact| matches!(fact.role, Role::RiskFactor | Role::Cause) && evidence.ages.contains(&fact.other));
    if ages.count() > 0 && !is_of_age { OTHER_AGE } else { 0.0 }
}

/// What a condition loses for being rare. `is_exposed`: something in the case makes it likelier.
fn rarer(knowledge: &Knowledge, condition: EntityId, is_exposed: bool) -> f64 {
    let prevalence = Prevalence::of(&knowledge.graph, condition);
    if prevalence == Some(Prevalence::Exceptional) {
        return if is_exposed { EXPOSED } else { EXCEPTIONAL };
    }
    let by = RARER.iter().find(|(band, _)| Some(*band) == prevalence).map_or(0.0, |(_, by)| *by);
    if urgency_of(knowledge, condition) == Some("emergency") { by.min(RARER_DANGER.max(SHARE_OF_DANGER * by)) } else { by }
}
