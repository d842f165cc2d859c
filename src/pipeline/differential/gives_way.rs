//! What leads and gives way: a guess to an emergency that tells itself by its own signs, a disturbance that was measured to the illness that a drug in use makes,
//! and an injury that nothing tells of but what brings it about.

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, explains, urgency_of};
use super::order::{explained, to_front};
use super::prevalence::Prevalence;
use super::ruled_out::SEEN_IN_FEW;
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::language::knowledge::Knowledge;

/// How many of the conditions are looked at.
const IN_SIGHT: usize = 40;
/// How many findings more than the guess the emergency must explain.
const MORE: usize = 2;
/// How many findings the illness that a drug makes must explain.
const EXPLAINED: usize = 2;

/// Puts an emergency before what somebody merely takes the illness for, or a kind of that, where it explains clearly more and a sign that few conditions have: a
/// torn aorta, with a tearing pain and a new murmur, of which a colleague thinks as a heart attack.
pub(super) fn guess_gives_way(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied().filter(|_| evidence.seeks_diagnosis) else { return };
    let facts = knowledge.facts();
    let is_guess = |(of, standing): &(&EntityId, &Standing)| **standing == Standing::Subject && !evidence.known.contains(of);
    let is_kin = |a: EntityId, b: EntityId| classes_of(&knowledge.graph, a).contains(&b);
    let mut guesses = evidence.standing.iter().filter(is_guess).map(|(of, _)| *of);
    if evidence.is_empty() || !guesses.any(|guess| guess == leader || is_kin(guess, leader) || is_kin(leader, guess)) {
        return;
    }
    let mut told = evidence.certain();
    told.retain(|finding| !evidence.states.contains(finding));
    let of_leader = explained(knowledge, leader, &told);
    let is_telling = |condition: EntityId, finding: EntityId| {
        facts.owners_of_role(finding, Role::Symptom).count() <= SEEN_IN_FEW
            && explains(knowledge, condition, finding)
            && !explains(knowledge, leader, finding)
    };
    let precedes = |condition: &EntityId| {
        *condition != leader
            && urgency_of(knowledge, *condition) == Some("emergency")
            && explained(knowledge, *condition, &told) >= of_leader + MORE
            && told.iter().any(|finding| is_telling(*condition, *finding))
            && !evidence.excluded.contains(condition)
            && evidence.remains(knowledge, *condition) > 0.0
    };
    let found = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).filter(precedes);
    // Of several, the one that explains most, and of these the first.
    let best = found.rev().max_by_key(|condition| explained(knowledge, *condition, &told));
    if let Some(condition) = best {
        to_front(conditions, condition);
    }
}

/// Puts a kind of the disturbance that was measured before it, where that is an emergency, not rare, and a drug in use makes it: the ketoacidosis of somebody
/// on an SGLT2 inhibitor, whatever his glucose, before the acidosis of the blood gas.
pub(super) fn made_before_measured(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    if evidence.is_empty() || !evidence.of_results.contains(&leader) || evidence.standing(leader) == Standing::Subject {
        return;
    }
    let facts = knowledge.facts();
    let told = evidence.certain();
    let precedes = |condition: &EntityId| {
        let is_rare = Prevalence::of(&knowledge.graph, *condition).is_some_and(|of| of >= Prevalence::Rare);
        facts.states(*condition, leader, |role| role == Role::Broader)
            && urgency_of(knowledge, *condition) == Some("emergency")
            && !is_rare
            && evidence.drugs_causing(knowledge, *condition) > 0
            && explained(knowledge, *condition, &told) >= EXPLAINED
            && !evidence.excluded.contains(condition)
            && evidence.remains(knowledge, *condition) > 0.0
    };
    let made = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(precedes);
    if let Some(condition) = made {
        to_front(conditions, condition);
    }
}

/// Puts conditions behind all others for which nothing speaks but what brings them about: a broken hip, of somebody who falls and tells of no injury.
pub(super) fn untold_injury_behind(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let facts = knowledge.facts();
    let is_told = |(_, standing): &(&EntityId, &Standing)| **standing == Standing::Finding;
    let told: Vec<EntityId> = evidence.standing.iter().filter(is_told).map(|(entity, _)| *entity).collect();
    let brings = |finding: EntityId, condition: EntityId| {
        matches!(knowledge.graph.kind(finding), Kind::Symptom) && facts.states(condition, finding, |role| role == Role::Cause)
    };
    let is_untold = |condition: EntityId| {
        let mut signs = told.iter().copied().filter(|finding| explains(knowledge, condition, *finding)).peekable();
        let is_named = evidence.standing(condition) == Standing::Subject;
        let is_pictured = evidence.is_clear && evidence.recognised == Some(condition);
        signs.peek().is_some() && !is_named && !is_pictured && signs.all(|finding| brings(finding, condition))
    };
    let behind: Vec<EntityId> =
        conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).filter(|condition| is_untold(*condition)).collect();
    let last = conditions.last().map_or(0.0, |(_, score)| *score);
    if behind.is_empty() || behind.len() == conditions.len() {
        return;
    }
    conditions.retain(|(condition, _)| !behind.contains(condition));
    conditions.extend(behind.into_iter().map(|condition| (condition, last)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    fn knowledge() -> Knowledge {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens")
    }

    fn evidence(knowledge: &Knowledge, told: &[&str]) -> CaseEvidence {
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let mut evidence = CaseEvidence::default();
        evidence.seeks_diagnosis = true;
        evidence.standing.extend(told.iter().map(|name| (find(name), Standing::Finding)));
        evidence
    }

    fn ranking(knowledge: &Knowledge, names: &[&str]) -> Ranking {
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        names.iter().enumerate().map(|(at, name)| (find(name), 1.0 - 0.05 * at as f64)).collect()
    }

    #[test]
    fn a_guess_gives_way_to_an_emergency_with_a_sign_of_its_own() {
        let knowledge = knowledge();
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |told: &[&str], is_known: bool| {
            let mut evidence = evidence(&knowledge, told);
            let guess = find("Non-ST-elevation myocardial infarction");
            evidence.standing.insert(guess, Standing::Subject);
            if is_known {
                evidence.known.insert(guess);
            }
            let mut conditions = ranking(&knowledge, &["Non-ST-elevation myocardial infarction", "Unstable angina", "Aortic dissection"]);
            guess_gives_way(&knowledge, &mut conditions, &evidence);
            assert_eq!(conditions.len(), 3);
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        let told = ["Back pain tearing in character", "Early diastolic murmur", "Hypertension", "Raised troponin"];
        assert_eq!(first(&told, false), "Aortic dissection");
        assert_eq!(first(&told, true), "Non-ST-elevation myocardial infarction", "the patient has it");
        assert_eq!(first(&told[3..], false), "Non-ST-elevation myocardial infarction", "no sign of its own");
    }

    #[test]
    fn what_only_its_cause_speaks_for_is_last() {
        let knowledge = knowledge();
        let last = |told: &[&str]| {
            let evidence = evidence(&knowledge, told);
            let mut conditions = ranking(&knowledge, &["Hip fracture", "Orthostatic hypotension", "Frailty"]);
            untold_injury_behind(&knowledge, &mut conditions, &evidence);
            assert_eq!(conditions.len(), 3);
            knowledge.graph.entity_name(conditions[2].0).to_owned()
        };
        assert_eq!(last(&["Falls"]), "Hip fracture");
        assert_eq!(last(&["Falls", "Groin pain"]), "Frailty", "an injury is told");
    }

    #[test]
    fn the_illness_that_a_drug_makes_comes_before_what_was_measured() {
        let knowledge = knowledge();
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |drug: Option<&str>| {
            let mut evidence = evidence(&knowledge, &["Metabolic acidosis", "Low bicarbonate"]);
            evidence.of_results.insert(find("Metabolic acidosis"));
            evidence.standing.extend(drug.map(|drug| (find(drug), Standing::Context)));
            evidence.drugs.extend(drug.map(find));
            let names = ["Metabolic acidosis", "High anion gap metabolic acidosis", "Diabetic ketoacidosis"];
            let mut conditions = ranking(&knowledge, &names);
            made_before_measured(&knowledge, &mut conditions, &evidence);
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        assert_eq!(first(Some("Empagliflozin")), "Diabetic ketoacidosis");
        assert_eq!(first(None), "Metabolic acidosis");
        assert_eq!(first(Some("Metformin")), "Metabolic acidosis", "it hardly ever does that");
    }
}
