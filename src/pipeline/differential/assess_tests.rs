//! Tests of the assessment.

use super::*;
use crate::graph::{GraphBuilder, RoleRules};
use crate::model::EncoderHandle;
use crate::model::infer::StaticEncoder;
use crate::text::tokenise;

#[test]
fn conditions_that_do_not_fit_the_patient_come_last_but_what_is_named_stays() {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("t");
    let has_symptom = builder.relation(rules.guess("has_symptom")).expect("room");
    for condition in ["Appendicitis", "Ectopic pregnancy", "Neonatal colic", "Ovarian torsion", "Testicular torsion"] {
        let (condition, pain) = (builder.entity(condition), builder.entity("Abdominal pain"));
        builder.triple(condition, has_symptom, pain);
    }
    let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
    let knowledge = Knowledge::prepare(builder.finish(), &encoder).expect("opens");
    let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
    let order = |question: &str, named: &[&str]| {
        let anchors: Vec<_> = named.iter().chain(&["Abdominal pain"]).map(|name| (find(name), 1.0)).collect();
        let conditions =
            assess(&knowledge, &anchors, (&Ranking::new(), &Ranking::new()), &Intent::of(&tokenise(question)), &CaseEvidence::default())
                .conditions;
        conditions.into_iter().map(|(condition, _)| knowledge.graph.entity_name(condition).to_owned()).collect::<Vec<_>>()
    };
    let last_two = |order: Vec<String>| order[3..].to_vec();
    let man = order("I am a 40-year-old man with abdominal pain", &[]);
    assert_eq!(man[..2], ["Appendicitis", "Testicular torsion"]);
    assert_eq!(man.len(), 5, "nothing is taken away");
    assert_eq!(last_two(order("My daughter has abdominal pain, she is 12 years old", &[])), ["Neonatal colic", "Testicular torsion"]);
    let pregnant = order("I am pregnant and have abdominal pain", &[]);
    assert!(pregnant[..3].contains(&"Ectopic pregnancy".to_owned()), "{pregnant:?}");
    assert_eq!(order("abdominal pain", &[])[4], "Ectopic pregnancy");
    assert_eq!(order("I am a man, can it be ovarian torsion?", &["Ovarian torsion"])[0], "Ovarian torsion");
}

#[test]
fn of_named_conditions_the_suspected_one_leads() {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("t");
    let needs = builder.relation(rules.guess("need_medical_test")).expect("room");
    for condition in ["Cryptococcosis", "HIV infection"] {
        let (condition, test) = (builder.entity(condition), builder.entity("Blood test"));
        builder.triple(condition, needs, test);
    }
    let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
    let knowledge = Knowledge::prepare(builder.finish(), &encoder).expect("opens");
    let anchors = ["HIV infection", "Cryptococcosis"].map(|name| (knowledge.graph.base().find(name).expect("is there"), 1.0));
    let first = |suspected: &[EntityId]| {
        let mut intent = Intent::of(&[]);
        intent.suspected = suspected.to_vec();
        assess(&knowledge, &anchors, (&Ranking::new(), &Ranking::new()), &intent, &CaseEvidence::default()).conditions[0].0
    };
    for (suspected, _) in anchors {
        assert_eq!(first(&[suspected]), suspected);
    }
}

#[test]
fn of_conditions_that_fit_as_well_the_danger_comes_first() {
    let mut builder = crate::graph::GraphBuilder::new("t");
    let rules = crate::graph::RoleRules::built_in().expect("rules");
    let red_flag = builder.relation(rules.guess("red_flag")).expect("room");
    let [attack, angina, _] = ["Heart attack", "Angina", "Other"].map(|name| builder.entity(name));
    builder.triple(angina, red_flag, attack);
    let graph = builder.finish();
    let number = |name: &str| graph.find(name).expect("is there");
    let (attack, angina, other) = (number("Heart attack"), number("Angina"), number("Other"));
    let encoder = crate::model::EncoderHandle::start("catena-static", crate::model::infer::StaticEncoder::built_in).expect("a thread");
    let knowledge = Knowledge::prepare(graph, &encoder).expect("opens");
    let after = |conditions: &[(EntityId, f64)]| {
        let mut conditions = conditions.to_vec();
        dangers_first(&knowledge, &mut conditions, AS_LIKELY);
        conditions
    };
    assert_eq!(after(&[(angina, 2.0), (other, 1.9), (attack, 1.8)]), [(attack, 2.0), (other, 1.9), (angina, 1.8)]);
    assert_eq!(after(&[(angina, 2.0), (attack, 1.0)]), [(angina, 2.0), (attack, 1.0)], "far less likely");
    assert_eq!(after(&[(attack, 2.0), (angina, 1.9)]), [(attack, 2.0), (angina, 1.9)]);
}

#[test]
fn a_ranking_has_each_entity_once_and_only_the_best_in_order() {
    let values: Ranking = (0..9000u32).map(|i| (EntityId(i * 7919 % 4500), f64::from(i % 1000))).chain([(EntityId(5000), 0.0)]).collect();
    let mut sums = std::collections::BTreeMap::new();
    for (entity, value) in &values {
        *sums.entry(*entity).or_insert(0.0) += value;
    }
    let mut expected: Ranking = sums.into_iter().filter(|(_, score)| *score > 0.0).collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    expected.truncate(MOST_RANKED);
    assert_eq!(ranked(summed(values)), expected);
}
