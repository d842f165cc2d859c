//! What the patient is known to have comes before a stranger that explains one finding more: the failing lungs of somebody with COPD before an asthma
//! attack that nobody has spoken of.
//!
//! It is the known acute illness itself, or what comes of a known condition at once (an exacerbation, a failure, a complication), that goes
//! first, and only where it leaves nothing open but measured values and complaints that many conditions bring. It is as urgent as what it
//! precedes, so that no emergency is lost.

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, urgency_of};
use super::order::{explained, to_front};
use super::ruled_out::SEEN_IN_FEW;
use crate::graph::{EntityId, Role, qualifier_keys as keys};
use crate::language::knowledge::Knowledge;

/// The number of leading conditions that are looked at.
const IN_SIGHT: usize = 6;
/// The share of the leader's score that the other must have.
const NEAR: f64 = 0.3;
/// How many findings it must explain, and how many fewer than the leader it may.
const EXPLAINED: usize = 2;
const FEWER: usize = 1;

/// Puts it first; the scores stay in their places.
pub(super) fn known_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, score)) = conditions.first().copied().filter(|_| !evidence.known.is_empty()) else { return };
    let is_meant = evidence.standing.get(&leader) == Some(&Standing::Subject);
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    if is_meant || is_pictured || is_backed(knowledge, leader, evidence) {
        return;
    }
    let mut told = evidence.certain();
    told.retain(|finding| !evidence.states.contains(finding));
    let of_leader = explained(knowledge, leader, &told);
    let leaves_little = |condition: EntityId| {
        let mut open = told.iter().filter(|finding| explained(knowledge, condition, std::slice::from_ref(*finding)) == 0);
        open.all(|finding| evidence.of_results.contains(finding) || is_unspecific(knowledge, *finding))
    };
    let is_candidate = |(condition, other): &&(EntityId, f64)| {
        let of_other = explained(knowledge, *condition, &told);
        *condition != leader
            && *other >= NEAR * score
            && !evidence.excluded.contains(condition)
            && of_other >= EXPLAINED
            && of_other + FEWER >= of_leader
            && gravity(knowledge, *condition) >= gravity(knowledge, leader)
            && is_of_known(knowledge, *condition, evidence)
            && leaves_little(*condition)
    };
    let candidates = conditions.iter().take(IN_SIGHT).filter(is_candidate).map(|(condition, _)| *condition);
    // Of several, the one that explains most, and what the values show before what it comes of.
    let candidates: Vec<EntityId> = candidates.collect();
    let best = candidates.iter().rev().copied().max_by_key(|condition| (explained(knowledge, *condition, &told), told.contains(condition)));
    if let Some(condition) = best {
        to_front(conditions, condition);
    }
}

/// Puts the emergency first that the question names and that explains what is told. What is ruled out has no score.
pub(super) fn named_emergency_first(conditions: &mut Ranking, evidence: &CaseEvidence) {
    let is_named = |(condition, score): &(EntityId, f64)| evidence.named_emergencies.contains(condition) && *score > 0.0;
    let place = conditions.iter().position(is_named).filter(|place| *place > 0);
    if let (Some(place), Some((_, top))) = (place, conditions.first().copied()) {
        let (condition, _) = conditions.remove(place);
        conditions.insert(0, (condition, top));
    }
}

/// Of the guesses that the question itself names, puts one first that explains as much as what leads and is as urgent: "thalassaemia or iron deficiency?"
/// does not ask for the tumour that may be behind the second.
pub(super) fn guessed_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    let is_meant = |condition: EntityId| evidence.standing.get(&condition) == Some(&Standing::Subject);
    let told: Vec<EntityId> = evidence.certain().into_iter().chain(evidence.of_results.iter().copied()).collect();
    let of_leader = explained(knowledge, leader, &told);
    // A clear picture stands, unless it explains at most half of what is told: failing kidneys, of somebody in shock in whom a clot in the lung is feared.
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader) && 2 * of_leader > told.len();
    if is_meant(leader) || of_leader == 0 || is_pictured {
        return;
    }
    let is_as_good = |condition: EntityId| {
        is_meant(condition)
            && !evidence.only_explain.contains(&condition)
            && !evidence.excluded.contains(&condition)
            && gravity(knowledge, condition) >= gravity(knowledge, leader)
            && explained(knowledge, condition, &told) >= of_leader
    };
    let guess =
        conditions.iter().take(IN_SIGHT).filter(|(_, score)| *score > 0.0).map(|(condition, _)| *condition).find(|of| is_as_good(*of));
    if let Some(guess) = guess {
        to_front(conditions, guess);
    }
}

/// Whether a condition is a known acute illness, or a kind or a complication of a known condition.
fn is_of_known(knowledge: &Knowledge, condition: EntityId, evidence: &CaseEvidence) -> bool {
    let facts = knowledge.facts();
    let is_acute = || {
        let is_lasting = knowledge.graph.attributes(condition).get(keys::LASTING).is_some();
        let is_chronic = knowledge.graph.attributes(condition).get(keys::ONSET) == Some("chronic");
        !is_lasting && !is_chronic
    };
    let comes_of = |known: EntityId| {
        facts.states(condition, known, |role| matches!(role, Role::Broader | Role::Cause))
            || facts.states(known, condition, |role| role == Role::Complication)
    };
    evidence.known.iter().any(|known| if *known == condition { is_acute() } else { comes_of(*known) })
}

/// Whether something that is known of the patient speaks for a condition: what he has, what he is, a drug in use.
fn is_backed(knowledge: &Knowledge, condition: EntityId, evidence: &CaseEvidence) -> bool {
    let facts = knowledge.facts();
    let raises = |of: EntityId| facts.states(condition, of, |role| matches!(role, Role::Cause | Role::RiskFactor));
    let is_done_by = |of: EntityId| facts.states(of, condition, |role| matches!(role, Role::AdverseEffect | Role::Complication));
    let known = evidence.standing.iter().filter(|(_, standing)| **standing == Standing::Context).map(|(entity, _)| *entity);
    let mut known = known.chain(evidence.known.iter().copied()).chain(evidence.drugs.iter().copied());
    is_of_known(knowledge, condition, evidence) || known.any(|of| raises(of) || is_done_by(of))
}

/// Whether a finding is no danger by itself and many conditions bring it.
fn is_unspecific(knowledge: &Knowledge, finding: EntityId) -> bool {
    gravity(knowledge, finding) == 0 && knowledge.facts().owners_of_role(finding, Role::Symptom).count() > SEEN_IN_FEW
}

/// How soon somebody must act: 2 at once, 1 soon.
fn gravity(knowledge: &Knowledge, entity: EntityId) -> u8 {
    match urgency_of(knowledge, entity) {
        Some("emergency") => 2,
        Some("urgent") => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn what_is_known_comes_before_a_stranger_that_explains_one_value_more() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |ranking: &[&str], told: &[&str], measured: &[&str], known: &str| {
            let mut evidence = CaseEvidence::default();
            evidence.standing.extend(told.iter().chain(measured).map(|name| (find(name), Standing::Finding)));
            evidence.of_results.extend(measured.iter().map(|name| find(name)));
            evidence.known.insert(find(known));
            let mut conditions: Ranking = ranking.iter().enumerate().map(|(at, name)| (find(name), 1.0 - 0.05 * at as f64)).collect();
            known_first(&knowledge, &mut conditions, &evidence);
            assert_eq!(conditions.len(), ranking.len());
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        let values = ["Low oxygen level", "Respiratory acidosis", "Hypercapnic respiratory failure", "Tachypnoea"];
        let ranking = ["Acute asthma attack", "Exacerbation of COPD", "Hypercapnic respiratory failure"];
        assert_ne!(first(&ranking, &[], &values, "Exacerbation of COPD"), "Acute asthma attack");
        assert_ne!(first(&ranking, &[], &values, "Chronic obstructive pulmonary disease"), "Acute asthma attack");
        assert_eq!(first(&ranking, &[], &values, "Asthma"), "Acute asthma attack", "it comes of what is known");
        assert_eq!(first(&ranking, &[], &values, "Migraine"), "Acute asthma attack", "nothing that is known");
        // A complaint that the known illness does not bring keeps the other first.
        let ranking = ["Pulmonary embolism", "Exacerbation of COPD"];
        let told = ["Shortness of breath", "Pleuritic chest pain"];
        assert_eq!(first(&ranking, &told, &["Low oxygen level"], "Exacerbation of COPD"), "Pulmonary embolism");
    }
}
