//! What the clinical pictures of conditions ([`crate::language::pictures`]) add to what they explain of a case.

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, explains, urgency_of};
use super::order::exchange;
use super::prevalence::Prevalence;
use crate::graph::{EntityId, Role};
use crate::language::knowledge::Knowledge;

/// What the clinical picture adds at most to what a condition explains of the case.
const MOST: f64 = 2.0;
/// The BM25 score up to which too little was said for a picture, and the one from which on it counts in full.
const FAINT: f64 = 8.0;
const WHOLE: f64 = 22.0;
/// The share of the best score from which on a picture adds anything.
const LEAST: f64 = 0.5;

/// What a picture adds that is clearly better than every other: it leads, unless the case speaks against it.
const CLEARLY: f64 = 2.5;

/// What the clinical pictures add: the best most, those half as good nothing; the more, the more was said. `recognised`: the condition whose
/// picture is clearly better than the others'. What nobody has without an exposure (`prevalence=exceptional`) needs more than a picture.
pub(super) fn pictured(knowledge: &Knowledge, pictures: &Ranking, recognised: Option<EntityId>) -> Ranking {
    let best = pictures.first().map_or(0.0, |(_, score)| *score);
    let weight = MOST * ((best - FAINT) / (WHOLE - FAINT)).clamp(0.0, 1.0);
    let share = |score: f64| ((score / best.max(f64::MIN_POSITIVE) - LEAST) / (1.0 - LEAST)).max(0.0);
    let is_exceptional = |condition: EntityId| Prevalence::of(&knowledge.graph, condition) == Some(Prevalence::Exceptional);
    let usual = pictures.iter().filter(|(condition, _)| !is_exceptional(*condition));
    let mut added: Ranking =
        usual.map(|(condition, score)| (*condition, weight * share(*score))).filter(|(_, added)| *added > 0.0).collect();
    added.extend(recognised.map(|condition| (condition, CLEARLY)));
    added
}

/// The BM25 score from which on a picture may take the lead, and how much better it must be than the picture of the condition that leads. Of 121
/// unseen questions with a leading condition, BM25 over the pictures alone put it first in 104, the findings in 97; with this rule and where nothing
/// led, both together would in 108 (record 121).
const TOLD: f64 = 20.0;
const FAR_BETTER: f64 = 1.75;

/// A condition that leads by a few findings, although the question hardly has its words, gives way to the one whose words it has: sneezing and a red
/// eye are found in an allergy, and a blood-red white of the eye without pain is told of a burst vessel. The two exchange places and scores.
///
/// What the question names or asks about stands, and so does an emergency before what is none.
pub(super) fn picture_first(knowledge: &Knowledge, conditions: &mut Ranking, pictures: &Ranking, evidence: &CaseEvidence) {
    let (Some((leader, _)), Some((pictured, best))) = (conditions.first().copied(), pictures.first().copied()) else { return };
    let of_leader = pictures.iter().find(|(condition, _)| *condition == leader).map_or(0.0, |(_, score)| *score);
    let is_told = knowledge.pictures().is_told(pictured) && best >= TOLD && best >= FAR_BETTER * of_leader;
    if evidence.is_empty() || !evidence.seeks_diagnosis || !is_told || evidence.standing(leader) == Standing::Subject {
        return;
    }
    let is_emergency = |condition: EntityId| urgency_of(knowledge, condition) == Some("emergency");
    let is_of = |one: EntityId, other: EntityId| {
        knowledge.facts().states(one, other, |role| matches!(role, Role::Broader | Role::Cause | Role::Complication))
    };
    let is_kin = is_of(leader, pictured) || is_of(pictured, leader);
    if is_kin || evidence.excluded.contains(&pictured) || (is_emergency(leader) && !is_emergency(pictured)) {
        return;
    }
    // One that does not fit the patient is no longer among the conditions.
    if conditions.iter().any(|(condition, _)| *condition == pictured) {
        exchange(conditions, leader, pictured);
    }
}

/// What the graph says nothing of is neither rare nor common.
const UNTOLD: Prevalence = Prevalence::Uncommon;
/// How many findings a common condition must explain to precede a rare one, and among how many leading ones it is looked for.
const EXPLAINED: usize = 3;
const IN_SIGHT: usize = 6;
/// What share of the leading score it must have: who is too old for it does not have it, however much it explains.
const NEAR: f64 = 0.6;

/// A rare condition that its picture helps to lead gives way to a common one that explains all that it does and more: who drinks and passes much
/// water and loses weight has diabetes before he has taken too much vitamin D. The two exchange places and scores.
pub(super) fn rare_gives_way(knowledge: &Knowledge, conditions: &mut Ranking, pictures: &Ranking, evidence: &CaseEvidence) {
    let Some((leader, top)) = conditions.first().copied() else { return };
    let prevalence = |condition: EntityId| Prevalence::of(&knowledge.graph, condition).unwrap_or(UNTOLD);
    let is_emergency = |condition: EntityId| urgency_of(knowledge, condition) == Some("emergency");
    let is_helped = pictures.iter().any(|(condition, _)| *condition == leader);
    let is_free = evidence.seeks_diagnosis && evidence.standing(leader) != Standing::Subject && !is_emergency(leader);
    if !is_free || !is_helped || prevalence(leader) < Prevalence::Rare {
        return;
    }
    let told = evidence.certain();
    let explained = |condition: EntityId| told.iter().filter(move |finding| explains(knowledge, condition, **finding));
    let is_whole = |condition: EntityId| explained(leader).all(|finding| explains(knowledge, condition, *finding));
    let precedes = |condition: &EntityId| {
        let count = explained(*condition).count();
        let says_more = count >= EXPLAINED && count > explained(leader).count() && is_whole(*condition);
        prevalence(*condition) <= Prevalence::Common && says_more && !evidence.excluded.contains(condition)
    };
    let other = conditions.iter().take(IN_SIGHT).filter(|(_, score)| *score >= NEAR * top).map(|(condition, _)| *condition).find(precedes);
    if let Some(other) = other {
        exchange(conditions, leader, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn the_condition_whose_words_are_said_leads_before_one_that_hardly_has_them() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |leader: &str, of_leader: f64, pictured: &str, change: &dyn Fn(&mut CaseEvidence)| {
            let mut evidence = CaseEvidence::default();
            evidence.seeks_diagnosis = true;
            evidence.standing.insert(find("Headache"), Standing::Finding);
            change(&mut evidence);
            let mut conditions: Ranking =
                [(leader, 1.0), ("Obesity", 0.8), (pictured, 0.5)].map(|(name, score)| (find(name), score)).to_vec();
            let pictures: Ranking = [(pictured, 35.0), (leader, of_leader)].map(|(name, score)| (find(name), score)).to_vec();
            picture_first(&knowledge, &mut conditions, &pictures, &evidence);
            assert_eq!(conditions[0].1, 1.0, "the scores stay in their places");
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        let as_it_is = |_: &mut CaseEvidence| {};
        assert_eq!(first("Gout", 19.0, "Cauda equina syndrome", &as_it_is), "Cauda equina syndrome");
        assert_eq!(first("Gout", 21.0, "Cauda equina syndrome", &as_it_is), "Gout", "its picture is nearly as good");
        assert_eq!(first("Meningitis", 5.0, "Gout", &as_it_is), "Meningitis", "an emergency stands");
        assert_eq!(first("Meningitis", 5.0, "Cauda equina syndrome", &as_it_is), "Cauda equina syndrome");
        assert_eq!(first("Migraine", 5.0, "Migraine with aura", &as_it_is), "Migraine", "kin is told by its own signs");
        let subject = |evidence: &mut CaseEvidence| {
            evidence.standing.insert(find("Gout"), Standing::Subject);
        };
        assert_eq!(first("Gout", 5.0, "Cauda equina syndrome", &subject), "Gout", "the question is about it");
        let excluded = |evidence: &mut CaseEvidence| {
            evidence.excluded.insert(find("Cauda equina syndrome"));
        };
        assert_eq!(first("Gout", 5.0, "Cauda equina syndrome", &excluded), "Gout", "it is ruled out");
    }

    #[test]
    fn a_rare_condition_gives_way_to_a_common_one_that_explains_more() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let first = |told: &[&str], pictured: &str| {
            let mut evidence = CaseEvidence::default();
            evidence.seeks_diagnosis = true;
            evidence.standing.extend(told.iter().map(|name| (find(name), Standing::Finding)));
            let mut conditions: Ranking =
                [("Vitamin D toxicity", 1.0), ("Diabetes mellitus", 0.7)].map(|(name, score)| (find(name), score)).to_vec();
            let pictures: Ranking = vec![(find(pictured), 20.0)];
            rare_gives_way(&knowledge, &mut conditions, &pictures, &evidence);
            knowledge.graph.entity_name(conditions[0].0).to_owned()
        };
        let of_diabetes = ["Excessive thirst", "Excessive urination", "Weight loss"];
        assert_eq!(first(&of_diabetes, "Vitamin D toxicity"), "Diabetes mellitus");
        assert_eq!(first(&of_diabetes, "Gout"), "Vitamin D toxicity", "no picture helped it");
        assert_eq!(first(&of_diabetes[..2], "Vitamin D toxicity"), "Vitamin D toxicity", "it explains as much");
    }
}
