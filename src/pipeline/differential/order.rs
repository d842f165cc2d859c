//! What decides between leading conditions besides their scores.

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, by_frequency, explains, urgency_of};
use super::flagged::points_elsewhere;
use super::likelihood::{HAS, HAS_UNSTATED};
use super::ruled_out::SEEN_IN_FEW;
use crate::graph::{EntityId, Role, qualifier_keys as keys};
use crate::language::knowledge::Knowledge;

/// The number of leading conditions that are looked at.
const IN_SIGHT: usize = 6;
/// An emergency that explains every finding precedes one that explains fewer if its score is at least this share of the other's …
const WHOLE: f64 = 0.4;
/// … (this share where it explains only more than what leads and is no emergency) …
const NEARLY: f64 = 0.75;
/// … and at least so many are told: by one finding more of two it would be chance.
const TOLD: usize = 3;
/// A condition that is no emergency gives way to such a one if it explains fewer than one in so many of the findings.
const HARDLY: usize = 2;
/// A kind has a sign of its own if it has it so many times as often as its class.
const OWN: f64 = 2.0;
/// The finding of a value between normal and diabetes.
const BORDERLINE: &str = "Borderline blood glucose";

/// Puts a leading condition that a borderline blood glucose speaks for behind all others, where it does not explain all that is told: nobody with chest
/// pain is told first that his blood glucose is borderline.
pub(super) fn borderline_last(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    let told = evidence.certain();
    let is_borderline = |finding: &EntityId| knowledge.graph.entity_name(*finding) == BORDERLINE;
    let is_of_borderline = told.iter().any(|finding| is_borderline(finding) && explains(knowledge, leader, *finding));
    let leaves_open = told.iter().any(|finding| !explains(knowledge, leader, *finding));
    if is_of_borderline && leaves_open {
        let last = conditions.last().map_or(0.0, |(_, score)| *score);
        conditions.retain(|(condition, _)| *condition != leader);
        conditions.push((leader, last));
    }
}

/// Puts leading conditions that are harmless (`harmless` in the graph) behind all others where they leave something open that is told: a rumbling stomach
/// explains no tremor, and a twitching lid no weak arm.
pub(super) fn harmless_last(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let told = evidence.certain();
    let leaves_open = |condition: EntityId| told.iter().any(|finding| !explains(knowledge, condition, *finding));
    let is_calm = |condition: EntityId| knowledge.graph.attributes(condition).get(keys::HARMLESS).is_some() && leaves_open(condition);
    if !conditions.iter().any(|(condition, _)| !is_calm(*condition)) {
        return;
    }
    let last = conditions.last().map_or(0.0, |(_, score)| *score);
    let leading = conditions.iter().take_while(|(condition, _)| is_calm(*condition)).count();
    let calm: Vec<EntityId> = conditions.drain(..leading).map(|(condition, _)| condition).collect();
    conditions.extend(calm.into_iter().map(|condition| (condition, last)));
}

/// Puts the emergency to which a sign that is told points before the condition whose red flag it is, where it explains as much: a stroke in the
/// cerebellum before a vestibular neuritis, if the nystagmus changes direction; whoever holds it to be the second.
pub(super) fn flagged_gives_way(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    let told = evidence.certain();
    let flags: Vec<EntityId> = told.iter().copied().filter(|finding| points_elsewhere(knowledge, leader, *finding)).collect();
    if flags.is_empty() {
        return;
    }
    let of_leader = explained(knowledge, leader, &told);
    let precedes = |condition: EntityId| {
        urgency_of(knowledge, condition) == Some("emergency")
            && flags.iter().any(|flag| explains(knowledge, condition, *flag))
            && explained(knowledge, condition, &told) >= of_leader
            && evidence.remains(knowledge, condition) > 0.0
    };
    let other = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(|condition| precedes(*condition));
    if let Some(other) = other {
        exchange(conditions, leader, other);
    }
}

/// Of two emergencies that fit, the one that explains all that is told comes first: a heart attack without chest pain, before the failing
/// heart that has no pain in the jaw. So it does before what is no emergency and explains hardly anything. The two exchange places and scores.
pub(super) fn whole_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, score)) = conditions.first().copied() else { return };
    let is_emergency = |condition: EntityId| urgency_of(knowledge, condition) == Some("emergency");
    let is_told = |(entity, standing): &(&EntityId, &Standing)| {
        **standing == Standing::Finding && !evidence.is_uncertain(**entity) && !evidence.states.contains(entity)
    };
    let told: Vec<EntityId> = evidence.standing.iter().filter(is_told).map(|(entity, _)| *entity).collect();
    let explains_all = |condition: EntityId| told.iter().all(|finding| accounts_for(knowledge, condition, *finding));
    let of_leader = told.iter().filter(|finding| accounts_for(knowledge, leader, **finding)).count();
    let gives_way = is_emergency(leader) || of_leader * HARDLY < told.len();
    // A clear picture stands, unless it explains at most half of the findings.
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    if told.len() < TOLD || of_leader == told.len() || (is_pictured && of_leader * HARDLY > told.len()) {
        return;
    }
    // What is merely feared or guessed at gives way to an emergency that explains as much, and what is no emergency to one that explains more.
    let least = if evidence.standing(leader) == Standing::Subject { of_leader } else { of_leader + 1 };
    let explains_more = |condition: EntityId, other: f64| {
        let of_other = told.iter().filter(|finding| accounts_for(knowledge, condition, **finding)).count();
        !is_emergency(leader) && !is_pictured && other >= NEARLY * score && of_other >= least.max(TOLD) && of_other * HARDLY > told.len()
    };
    // What the patient is known to have or to take brings the leader, and not the other: varices in a cirrhosis.
    let is_backed = |condition: EntityId| {
        let known = evidence.standing.iter().filter(|(_, standing)| **standing == Standing::Context);
        known.into_iter().any(|(of, _)| knowledge.facts().states(condition, *of, |role| matches!(role, Role::Cause | Role::RiskFactor)))
    };
    let is_leader_backed = of_leader * HARDLY >= told.len() && is_backed(leader);
    let is_whole = |(condition, other): &(EntityId, f64)| {
        let is_candidate = *other >= WHOLE * score
            && is_emergency(*condition)
            && !told.contains(condition)
            && (!is_leader_backed || is_backed(*condition));
        is_candidate && ((gives_way && explains_all(*condition)) || explains_more(*condition, *other))
    };
    let place = conditions.iter().take(IN_SIGHT).position(is_whole);
    if let Some((condition, _)) = place.and_then(|place| conditions.get(place).copied()) {
        exchange(conditions, leader, condition);
    }
}

/// A finding that is an emergency by itself, and that few conditions have, is explained by what leads: of a feverish newborn, sepsis leads and no
/// cold. An emergency that explains it precedes what does not, if its score is at least this share of the other's.
const ALARMING: f64 = 0.5;

/// Puts such an emergency first; the scores stay in their places.
pub(super) fn alarming_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, score)) = conditions.first().copied() else { return };
    let facts = knowledge.facts();
    let is_emergency = |entity: EntityId| urgency_of(knowledge, entity) == Some("emergency");
    let is_alarming = |(entity, standing): &(&EntityId, &Standing)| {
        **standing == Standing::Finding
            && is_emergency(**entity)
            && !evidence.is_uncertain(**entity)
            && !knowledge.is_condition(**entity)
            && facts.owners_of_role(**entity, Role::Symptom).count() <= SEEN_IN_FEW
    };
    let alarming: Vec<EntityId> = evidence.standing.iter().filter(is_alarming).map(|(entity, _)| *entity).collect();
    let explains_any = |condition: EntityId| alarming.iter().any(|finding| explains(knowledge, condition, *finding));
    if alarming.is_empty() || evidence.standing(leader) == Standing::Subject || explains_any(leader) {
        return;
    }
    let precedes =
        |(condition, other): &&(EntityId, f64)| *other >= ALARMING * score && is_emergency(*condition) && explains_any(*condition);
    if let Some((condition, _)) = conditions.iter().take(IN_SIGHT).find(precedes).copied() {
        to_front(conditions, condition);
    }
}

/// The test of conditions of the mind.
const OF_MIND: &str = "Mental state examination";

/// Puts what explains an abnormal result before a condition of the mind that explains none: who worries about his bilirubin does not first of all
/// have an anxiety disorder. The scores stay in their places.
pub(super) fn result_before_mind(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    let (facts, graph) = (knowledge.facts(), &knowledge.graph);
    let is_of_mind = |condition: EntityId| facts.players_of_role(condition, Role::Test).any(|test| graph.entity_name(test) == OF_MIND);
    let explains_result = |condition: EntityId| evidence.of_results.iter().any(|result| explains(knowledge, condition, *result));
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    let stands = is_pictured || leader_stands(knowledge, leader, evidence);
    if evidence.of_results.is_empty() || stands || !is_of_mind(leader) || explains_result(leader) {
        return;
    }
    // With more than the worry, as low spirits and no sleep, the mind is what is ill.
    let is_told = |(entity, standing): &(&EntityId, &Standing)| **standing == Standing::Finding && explains(knowledge, leader, **entity);
    if evidence.standing.iter().filter(is_told).count() > 1 {
        return;
    }
    let of_body = conditions.iter().map(|(condition, _)| *condition).find(|other| explains_result(*other) && !is_of_mind(*other));
    if let Some(condition) = of_body {
        to_front(conditions, condition);
    }
}

/// Whether what leads stays first, whatever drugs and results say: where nothing is told, what the question is about, and an emergency.
pub(super) fn leader_stands(knowledge: &Knowledge, leader: EntityId, evidence: &CaseEvidence) -> bool {
    let is_meant = evidence.standing(leader) == Standing::Subject && evidence.standing.contains_key(&leader);
    evidence.is_empty() || is_meant || urgency_of(knowledge, leader) == Some("emergency")
}

/// How many of these findings a condition explains.
pub(super) fn explained(knowledge: &Knowledge, condition: EntityId, findings: &[EntityId]) -> usize {
    findings.iter().filter(|finding| explains(knowledge, condition, **finding)).count()
}

/// Puts one condition before all others; the scores stay in their places.
pub(super) fn to_front(conditions: &mut Ranking, one: EntityId) {
    let mut next = one;
    for (condition, _) in conditions {
        let here = std::mem::replace(condition, next);
        if here == one {
            return;
        }
        next = here;
    }
}

/// Exchanges two conditions; the scores stay in their places.
pub(super) fn exchange(conditions: &mut Ranking, one: EntityId, other: EntityId) {
    for (condition, _) in conditions {
        *condition = match *condition {
            of if of == one => other,
            of if of == other => one,
            of => of,
        };
    }
}

/// Whether a condition has a finding, or what that is a kind of.
fn accounts_for(knowledge: &Knowledge, condition: EntityId, finding: EntityId) -> bool {
    let facts = knowledge.facts();
    let has = |wider: EntityId| facts.states(condition, wider, |role| matches!(role, Role::Symptom | Role::RedFlag | Role::Complication));
    explains(knowledge, condition, finding)
        || !points_elsewhere(knowledge, condition, finding) && facts.players_of_role(finding, Role::Broader).any(has)
}

/// Whether a finding is told that a kind of a condition has far more often than the condition at large: the zigzags of a migraine with
/// aura.
pub(super) fn has_own_sign(knowledge: &Knowledge, kind: EntityId, class: EntityId, told: &[EntityId]) -> bool {
    let facts = knowledge.facts();
    told.iter().any(|finding| {
        let has = |condition: EntityId| by_frequency(knowledge, condition, *finding, Role::Symptom, &HAS, HAS_UNSTATED);
        let is_symptom = |condition: EntityId| facts.states(condition, *finding, |role| role == Role::Symptom);
        is_symptom(kind) && is_symptom(class) && has(kind) >= OWN * has(class)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    fn first(knowledge: &Knowledge, ranking: &[(&str, f64)], told: &[&str]) -> String {
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let mut evidence = CaseEvidence::default();
        evidence.standing.extend(told.iter().map(|name| (find(name), Standing::Finding)));
        let mut conditions: Ranking = ranking.iter().map(|(name, score)| (find(name), *score)).collect();
        whole_first(knowledge, &mut conditions, &evidence);
        knowledge.graph.entity_name(conditions[0].0).to_owned()
    }

    #[test]
    fn of_two_emergencies_the_one_that_explains_everything_comes_first() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let ranking = |score| [("Acute heart failure", 1.0), ("Hypoglycaemia", 0.9), ("Acute myocardial infarction", score)];
        let told = ["Cold clammy skin", "Breathlessness on exertion", "Jaw pain"];
        assert_eq!(first(&knowledge, &ranking(0.6), &told), "Acute myocardial infarction");
        assert_eq!(first(&knowledge, &ranking(0.2), &told), "Acute heart failure", "it hardly fits");
        assert_eq!(first(&knowledge, &ranking(0.6), &told[..2]), "Acute heart failure", "it explains both");
        // What is no emergency gives way where it explains hardly anything.
        let benign = [("Obesity", 1.0), ("Acute myocardial infarction", 0.6)];
        assert_eq!(first(&knowledge, &benign, &told), "Acute myocardial infarction");
        let asthma = [("Asthma", 1.0), ("Acute myocardial infarction", 0.6)];
        let told = ["Shortness of breath", "Cough", "Wheezing", "Jaw pain"];
        assert_eq!(first(&knowledge, &asthma, &told), "Asthma");
    }

    #[test]
    fn an_emergency_that_explains_a_telling_sign_comes_before_what_does_not() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |ranking: &[(&str, f64)], told: &[&str], standing| {
            let mut evidence = CaseEvidence::default();
            evidence.standing.extend(told.iter().map(|name| (find(name), standing)));
            let mut conditions: Ranking = ranking.iter().map(|(name, score)| (find(name), *score)).collect();
            alarming_first(&knowledge, &mut conditions, &evidence);
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        let ranking = |score| [("Roseola infantum", 1.0), ("Viral infection", 0.9), ("Neonatal sepsis", score)];
        let told = ["Febrile young infant", "Fever"];
        assert_eq!(first(&ranking(0.6), &told, Standing::Finding), "Neonatal sepsis");
        assert_eq!(first(&ranking(0.4), &told, Standing::Finding), "Roseola infantum", "it hardly fits");
        assert_eq!(first(&ranking(0.6), &told[1..], Standing::Finding), "Roseola infantum", "fever is no emergency");
        assert_eq!(first(&ranking(0.6), &told, Standing::Nothing), "Roseola infantum", "it is not there");
    }

    #[test]
    fn a_sign_that_the_class_seldom_has_is_the_kinds_own() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let is_own = |sign: &str| has_own_sign(&knowledge, find("Migraine with aura"), find("Migraine"), &[find(sign)]);
        assert!(is_own("Visual aura") && !is_own("Nausea") && !is_own("Throbbing headache"));
    }
}
