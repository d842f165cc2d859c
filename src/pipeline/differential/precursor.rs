//! The lesser condition that leads before the emergency that may come of it: a clot in the leg before one in the lung.
//!
//! A swollen, painful calf is a sign of the clot there; of a clot in the lung it is one that few have. The emergency explains it, too,
//! and would lead with a treatment that nobody needs yet. So it gives way to what it comes of if that accounts for all that is told, and
//! far more often. Where an emergency is one by what must be there besides (a blocked ureter, a fallen blood pressure), the graph says by
//! what: `leads_if`.
//!
//! The emergency stays among the conditions. Nothing gives way where anything told speaks for it alone, or is an emergency by itself.

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, by_frequency, explains, urgency_of};
use super::likelihood::{HAS, HAS_UNSTATED};
use super::order::to_front;
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};

/// The number of leading conditions that are looked at.
const IN_SIGHT: usize = 6;
/// The share of the emergency's score that the lesser condition must have.
const NEAR: f64 = 0.5;
/// How many times as often the lesser condition must have each finding.
const FAR_MORE: f64 = 2.0;

/// How many findings an emergency must explain to precede what scores far better.
const EXPLAINED: usize = 2;

/// How often one gives way to the next: from the clot that stops the heart to one in the lung, and on to one in the leg.
const STEPS: usize = 2;

/// Lets the emergency that leads give way to what it comes of, and stand second.
pub(super) fn lesser_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    for _ in 0..STEPS {
        let Some(lesser) = lesser_than_leader(knowledge, conditions, evidence).filter(|_| !evidence.is_empty()) else { return };
        to_front(conditions, lesser);
    }
}

/// Puts an emergency before the lesser condition that it comes of, where what makes it one (`leads_if`) is told: anaphylaxis before the food
/// allergy, once the child wheezes.
pub(super) fn emergency_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, score)) = conditions.first().copied().filter(|_| !evidence.is_empty()) else { return };
    let is_emergency = |entity: EntityId| urgency_of(knowledge, entity) == Some("emergency");
    if is_emergency(leader) || evidence.standing(leader) == Standing::Subject {
        return;
    }
    let told = told(evidence);
    // A picture may put the lesser condition far ahead: what is told decides then.
    let is_explaining = |condition: EntityId| told.iter().filter(|finding| explains(knowledge, condition, **finding)).count() >= EXPLAINED;
    let precedes = |(condition, other): &&(EntityId, f64)| {
        (*other >= NEAR * score || is_explaining(*condition))
            && is_emergency(*condition)
            && !evidence.excluded.contains(condition)
            && comes_of(knowledge, *condition, leader)
            && lacks_what_makes_it(knowledge, *condition, evidence) == Some(false)
    };
    if let Some((emergency, _)) = conditions.iter().take(IN_SIGHT).find(precedes).copied() {
        to_front(conditions, emergency);
    }
}

/// The condition to which the one that leads gives way.
fn lesser_than_leader(knowledge: &Knowledge, conditions: &Ranking, evidence: &CaseEvidence) -> Option<EntityId> {
    let (leader, score) = conditions.first().copied()?;
    let is_meant = evidence.standing.get(&leader) == Some(&Standing::Subject) || evidence.named_emergencies.contains(&leader);
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    if urgency_of(knowledge, leader) != Some("emergency") || is_meant || is_pictured {
        return None;
    }
    let told = told(evidence);
    let of_leader: Vec<EntityId> = told.iter().copied().filter(|finding| explains(knowledge, leader, *finding)).collect();
    let warns = |of: EntityId, finding: EntityId| knowledge.facts().states(of, finding, |role| role == Role::RedFlag);
    // A D-dimer that is raised in both speaks for neither.
    let times = |finding: &EntityId| if evidence.of_results.contains(finding) { 1.0 } else { FAR_MORE };
    let gives_way = |lesser: EntityId| match lacks_what_makes_it(knowledge, leader, evidence) {
        Some(lacks) => {
            lacks && accounts_for(knowledge, lesser, &of_leader) && told.iter().any(|finding| has(knowledge, lesser, *finding) > 0.0)
        }
        None => {
            urgency_of(knowledge, lesser) == Some("urgent")
                && !told.iter().any(|finding| urgency_of(knowledge, *finding) == Some("emergency") || warns(lesser, *finding))
                && !is_backed(knowledge, leader, lesser, evidence)
                && accounts_for(knowledge, lesser, &of_leader)
                && of_leader.iter().any(|finding| !evidence.of_results.contains(finding))
                && of_leader.iter().all(|finding| has(knowledge, lesser, *finding) >= times(finding) * has(knowledge, leader, *finding))
        }
    };
    let is_candidate = |(lesser, other): &&(EntityId, f64)| {
        *lesser != leader
            && *other >= NEAR * score
            && !told.contains(lesser)
            && !evidence.excluded.contains(lesser)
            && comes_of(knowledge, leader, *lesser)
    };
    conditions.iter().take(IN_SIGHT).filter(is_candidate).map(|(lesser, _)| *lesser).find(|lesser| gives_way(*lesser))
}

/// The findings that are told. What is not sure counts: it may be what the emergency shows itself by.
fn told(evidence: &CaseEvidence) -> Vec<EntityId> {
    let is_told = |(entity, standing): &(&EntityId, &Standing)| **standing == Standing::Finding && !evidence.states.contains(entity);
    evidence.standing.iter().filter(is_told).map(|(entity, _)| *entity).collect()
}

/// Whether an emergency is a kind of a condition or may come of it, at once or by one step between.
fn comes_of(knowledge: &Knowledge, emergency: EntityId, condition: EntityId) -> bool {
    let facts = knowledge.facts();
    let sources = |of: EntityId| {
        let stated = facts.players_of_role(of, Role::Broader).chain(facts.players_of_role(of, Role::Cause));
        stated.chain(facts.owners_of_role(of, Role::Complication)).filter(|source| knowledge.is_condition(*source)).collect::<Vec<_>>()
    };
    let first = sources(emergency);
    first.contains(&condition) || first.into_iter().any(|source| sources(source).contains(&condition))
}

/// Whether a condition has every one of these findings by itself: a red flag of it says that it is more than that.
fn accounts_for(knowledge: &Knowledge, condition: EntityId, findings: &[EntityId]) -> bool {
    let facts = knowledge.facts();
    let is_symptom = |finding: &EntityId| facts.states(condition, *finding, |role| role == Role::Symptom);
    findings.iter().all(is_symptom)
}

fn has(knowledge: &Knowledge, condition: EntityId, finding: EntityId) -> f64 {
    let is_symptom = knowledge.facts().states(condition, finding, |role| role == Role::Symptom);
    if is_symptom { by_frequency(knowledge, condition, finding, Role::Symptom, &HAS, HAS_UNSTATED) } else { 0.0 }
}

/// Whether what the patient has or takes brings the emergency, and does not bring the lesser condition as much.
fn is_backed(knowledge: &Knowledge, emergency: EntityId, lesser: EntityId, evidence: &CaseEvidence) -> bool {
    let facts = knowledge.facts();
    let raises = |condition: EntityId, of: EntityId| facts.states(condition, of, |role| matches!(role, Role::Cause | Role::RiskFactor));
    let known = evidence.standing.iter().filter(|(_, standing)| **standing == Standing::Context).map(|(entity, _)| *entity);
    known
        .chain(evidence.states.iter().copied())
        .any(|of| facts.states(emergency, of, |role| role == Role::Cause) || (raises(emergency, of) && !raises(lesser, of)))
}

/// Whether nothing of what makes an emergency one (`leads_if`) is told; `None` if the graph does not say what does.
fn lacks_what_makes_it(knowledge: &Knowledge, emergency: EntityId, evidence: &CaseEvidence) -> Option<bool> {
    let graph = &knowledge.graph;
    graph.attributes(emergency).get(keys::LEADS_IF)?;
    let is_held = |of: EntityId| {
        let is_there = |(entity, standing): (&EntityId, &Standing)| {
            *standing != Standing::Nothing && (*entity == of || classes_of(graph, *entity).contains(&of))
        };
        evidence.standing.iter().any(is_there) || evidence.states.contains(&of)
    };
    Some(!graph.attributes(emergency).list(keys::LEADS_IF).filter_map(|name| named(graph, name, "")).any(is_held))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn what_makes_it_an_emergency_puts_it_before_what_it_comes_of() {
        let knowledge = knowledge();
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |told: &[&str], score: f64| {
            let mut evidence = CaseEvidence::default();
            evidence.standing.extend(told.iter().map(|name| (find(name), Standing::Finding)));
            let mut conditions: Ranking = [("Food allergy", 1.0), ("Anaphylaxis", score)].map(|(name, score)| (find(name), score)).to_vec();
            emergency_first(&knowledge, &mut conditions, &evidence);
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        assert_eq!(first(&["Wheals", "Swelling of lips", "Wheezing"], 0.7), "Anaphylaxis");
        assert_eq!(first(&["Wheals", "Swelling of lips", "Itching"], 0.7), "Food allergy", "the skin alone");
        assert_eq!(first(&["Wheals", "Wheezing"], 0.2), "Anaphylaxis", "whatever a picture says");
        assert_eq!(first(&["Wheezing"], 0.2), "Food allergy", "it hardly fits");
    }

    fn knowledge() -> Knowledge {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens")
    }

    fn first(knowledge: &Knowledge, ranking: &[&str], told: &[&str], known: &[&str]) -> String {
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let mut evidence = CaseEvidence::default();
        evidence.standing.extend(told.iter().map(|name| (find(name), Standing::Finding)));
        evidence.standing.extend(known.iter().map(|name| (find(name), Standing::Context)));
        let mut conditions: Ranking = ranking.iter().enumerate().map(|(at, name)| (find(name), 1.0 - 0.05 * at as f64)).collect();
        lesser_first(knowledge, &mut conditions, &evidence);
        assert_eq!(conditions.len(), ranking.len(), "the emergency stays");
        knowledge.graph.entity_name(conditions[0].0).to_owned()
    }

    #[test]
    fn the_emergency_gives_way_only_to_what_it_comes_of_and_what_accounts_for_all_that_is_told() {
        let knowledge = knowledge();
        let of_clot = ["Pulmonary embolism", "Gout", "Deep vein thrombosis"];
        assert_eq!(first(&knowledge, &of_clot, &["Leg swelling", "Calf pain"], &[]), "Deep vein thrombosis");
        let of_shock = ["High-risk pulmonary embolism", "Deep vein thrombosis"];
        assert_eq!(first(&knowledge, &of_clot, &["Leg swelling", "Calf pain", "Itching"], &[]), "Deep vein thrombosis");
        assert_eq!(first(&knowledge, &of_shock, &["One-sided leg swelling", "Calf pain"], &[]), "Deep vein thrombosis", "by two steps");
        for sign in ["Pleuritic chest pain", "Shortness of breath", "Coughing up blood", "Fainting", "Rapid heartbeat", "Low oxygen level"]
        {
            assert_eq!(first(&knowledge, &of_clot, &["Leg swelling", "Calf pain", sign], &[]), "Pulmonary embolism", "{sign}");
        }
        for (ranking, told) in [
            (["Acute myocardial infarction", "Stable angina"], ["Jaw pain", "Radiating arm pain"]),
            (["Ectopic pregnancy", "Pelvic inflammatory disease"], ["Pelvic pain", "Vaginal bleeding"]),
            (["Ischaemic stroke", "Transient ischaemic attack"], ["Numbness", "Double vision"]),
            (["Sepsis", "Pneumonia"], ["Fever", "Chills"]),
            (["Septic arthritis", "Cellulitis"], ["Fever", "Skin redness and warmth"]),
            (["Pre-eclampsia", "Hypertension in pregnancy"], ["Headache", "Swelling of hands and feet"]),
            (["Meningitis", "Influenza"], ["Fever", "Headache"]),
        ] {
            assert_eq!(first(&knowledge, &ranking, &told, &[]), ranking[0], "{told:?}");
        }
    }

    #[test]
    fn an_emergency_without_what_makes_it_one_gives_way() {
        let knowledge = knowledge();
        let kidney = ["Obstructed infected kidney", "Pyelonephritis"];
        let told = ["Fever", "Flank pain", "Chills"];
        assert_eq!(first(&knowledge, &kidney, &told, &["Pregnancy"]), "Pyelonephritis");
        for known in ["Kidney stones", "Hydronephrosis", "Ureteric stent"] {
            assert_eq!(first(&knowledge, &kidney, &told, &[known]), "Obstructed infected kidney", "{known}");
        }
        for sign in ["Low blood pressure", "Reduced urine output", "Hydronephrosis on ultrasound", "Confusion"] {
            assert_eq!(first(&knowledge, &kidney, &["Fever", "Flank pain", sign], &[]), "Obstructed infected kidney", "{sign}");
        }
        let unborn = ["Stillbirth", "Obstetric cholestasis", "Fetal growth restriction"];
        assert_eq!(first(&knowledge, &unborn, &["Reduced fetal movements"], &["Pregnancy"]), "Fetal growth restriction");
        assert_eq!(first(&knowledge, &unborn, &["Reduced fetal movements", "No fetal heartbeat"], &[]), "Stillbirth");
        let lung = ["High-risk pulmonary embolism", "Pulmonary embolism"];
        assert_eq!(first(&knowledge, &lung, &["Chest pain", "Leg swelling"], &[]), "Pulmonary embolism");
        assert_eq!(first(&knowledge, &lung, &["Chest pain", "Low blood pressure"], &[]), "High-risk pulmonary embolism");
    }

    #[test]
    fn what_makes_an_emergency_one_is_in_the_starter_graph() {
        let graph = starter_graph().expect("sound");
        let mut lists = 0;
        for entity in graph.entity_ids() {
            let attributes = graph.attributes(entity);
            lists += usize::from(attributes.get(keys::LEADS_IF).is_some());
            for item in attributes.list(keys::LEADS_IF) {
                let is_known = graph.entity_ids().any(|known| graph.entity_name(known) == item);
                assert!(is_known && attributes.get(keys::URGENCY) == Some("emergency"), "{}: {item}", graph.entity_name(entity));
            }
        }
        assert!(lists >= 3);
    }
}
