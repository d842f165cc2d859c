//! By rule: good, gold and bad answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::dkg::{Act, CheckOutcome, Proposer, Rating};
use catena::graph::{Kind, Role, starter_graph};
use catena::run::{ChainKey, Triage};

use super::{graph_with_kinds, new, propose};
use crate::support::engine::{ENGINE, graph_of, open_graph};
use crate::support::runs::ask;

/// Questions whose answers take chains of several steps.
const QUESTIONS: [&str; 4] = [
    "I have heartburn and regurgitation after meals. What medicine should I take?",
    "I have a burning feeling behind my breastbone. What tests do I need?",
    "My joints are stiff in the morning and my fingers are swollen. What could it be, and what helps?",
    "我烧心反酸，应该吃什么药？",
];

#[test]
fn a_good_answer_shortens_the_way_from_question_to_answer_by_sound_chains_only() {
    let mut proposed = 0;
    for question in QUESTIONS {
        let run = ask(&ENGINE, question);
        let trace = &run.trace;
        let found = propose(&ENGINE, trace, Rating::Good, "");
        let of_question: BTreeSet<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
        let of_answer: BTreeSet<&str> = trace.answer.lines.iter().flat_map(catena::run::AnswerLine::stated).collect();
        for proposal in &found.proposals {
            proposed += 1;
            let triple = &proposal.triple;
            let ends = [triple.head.name.as_str(), triple.tail.name.as_str()];
            assert!(ends.iter().any(|end| of_question.contains(end)), "{}", triple.text());
            assert!(ends.iter().any(|end| of_answer.contains(end)), "{}", triple.text());
            assert!(proposal.act == Act::Add && proposal.proposer == Proposer::Rule && proposal.new_entities.is_empty());
            // Each rests on cited chains of several steps that hold both ends.
            assert!(!proposal.basis.chains.is_empty() && proposal.basis.why.contains("rated good"));
            for chain in &proposal.basis.chains {
                assert!(ends.iter().all(|end| chain.contains(end)), "{chain}: {}", triple.text());
                assert!(chain.matches(['→', '←']).count() >= 4, "{chain}");
                for hop in ["may cause", "contraindicated", "may lead to", "told apart", "raises the risk"] {
                    assert!(!chain.contains(hop) || triple.relation.role == Role::Contraindication, "{chain}: {}", triple.text());
                }
            }
            assert!(ENGINE.knowledge().graph.relations().iter().any(|known| known.name == triple.relation.name), "the graph's own words");
        }
        println!("{question}\n  {:?}", found.proposals.iter().map(|p| (p.triple.text(), &p.standing)).collect::<Vec<_>>());
    }
    assert!(proposed > 0, "some chain was an argument");
}

/// Heartburn is known of reflux alone, and omeprazole as its treatment.
const SMALL: &str = "Reflux\thas_symptom\tHeartburn\nReflux\thas_symptom\tRegurgitation\nReflux\tdiagnosed_by\tGastroscopy\nOmeprazole\ttreats\tReflux\nRanitidine\ttreats\tReflux\nReflux\tleads_to\tStricture\nDilatation\ttreats\tStricture\n";

fn small() -> catena::method::Engine {
    open_graph(graph_with_kinds(
        SMALL,
        &[
            ("Heartburn", Kind::Symptom),
            ("Regurgitation", Kind::Symptom),
            ("Omeprazole", Kind::Drug),
            ("Ranitidine", Kind::Drug),
            ("Dilatation", Kind::Treatment),
        ],
    ))
}

#[test]
fn a_mentors_plain_sentence_is_a_fact_and_nothing_else_follows_from_it() {
    let run = ask(&ENGINE, "I feel stomach reflux after eating. What medicine should I take?");
    for (sentence, head) in [("Bisodol relieves reflux", "Bisodol"), ("Zavexil variant 1 treats acid reflux.", "Zavexil variant 1")] {
        let found = propose(&ENGINE, &run.trace, Rating::Gold, sentence);
        let texts: Vec<String> = found.proposals.iter().map(|proposal| proposal.triple.text()).collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
        let triple = &found.proposals[0].triple;
        assert!(triple.head.name.starts_with(head) && triple.relation.role == Role::Treatment, "{texts:?}");
        assert_eq!(triple.tail.name, "Gastro-oesophageal reflux disease", "{texts:?}");
        assert!(found.proposals[0].basis.why.contains("the mentor's answer says"), "{:?}", found.proposals[0].basis);
    }
    // What is denied is not learned.
    let found = propose(&ENGINE, &run.trace, Rating::Gold, "Zavexil does not treat reflux.");
    assert!(found.proposals.iter().all(|proposal| !proposal.triple.text().contains("Zavexil")), "{:?}", found.proposals);
}

const HEARTBURN: &str = "I have heartburn. What medicine should I take, and which tests?";

#[test]
fn a_symptom_is_treated_and_tested_for_by_what_does_so_for_its_condition() {
    let engine = small();
    let run = ask(&engine, HEARTBURN);
    let found = propose(&engine, &run.trace, Rating::Good, "");
    let texts = new(&found);
    assert!(texts.contains(&"Omeprazole → treats → Heartburn".to_owned()), "{texts:?}");
    assert!(texts.contains(&"Heartburn → diagnosed by → Gastroscopy".to_owned()), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("Dilatation") || text.contains("Stricture")), "{texts:?}");
    assert_eq!(propose(&engine, &run.trace, Rating::Good, ""), found, "the same each time");
}

#[test]
fn what_the_doctor_rejected_is_not_learned_from() {
    let engine = small();
    let run = ask(&engine, HEARTBURN);
    let omeprazole = |found: &catena::feedback::Proposals| new(found).iter().any(|text| text.contains("Omeprazole"));
    assert!(omeprazole(&propose(&engine, &run.trace, Rating::Good, "")));
    // Chains rejected after the answer was read, which goes on citing them.
    let mut trace = run.trace.clone();
    let table = Arc::clone(&trace.table);
    let through: BTreeSet<ChainKey> = table
        .chains
        .iter()
        .map(|chain| ChainKey::of(&table, chain))
        .filter(|key| key.entities.iter().any(|name| name == "Omeprazole"))
        .collect();
    trace.triage = Arc::new(Triage { rejected: through, ..Triage::default() });
    let found = propose(&engine, &trace, Rating::Good, "");
    assert!(!omeprazole(&found) && found.rejected.contains_key("from a chain that you rejected"), "{found:?}");
    let mut trace = run.trace.clone();
    trace.triage = Arc::new(Triage { rejected_anchors: ["Heartburn".to_owned()].into(), ..Triage::default() });
    assert_eq!(new(&propose(&engine, &trace, Rating::Good, "")), Vec::<String>::new());
    assert!(!new(&propose(&engine, &trace, Rating::Gold, "Conditions: Oesophagitis")).iter().any(|text| text.contains("Heartburn")));
}

#[test]
fn a_mentor_teaches_an_empty_graph() {
    let engine = open_graph(graph_of(""));
    let run = ask(&engine, "Doctor, I have a hoarse voice and difficulty in swallowing for 3 weeks. What could it be?");
    let gold =
        "Conditions: Vocal cord polyp\nTests: Laryngoscopy; biopsy (of the polyp; by endoscopy)\nMedication: omeprazole\nCautions: smoking";
    let found = propose(&engine, &run.trace, Rating::Gold, gold);
    let texts = new(&found);
    for expected in [
        "Vocal cord polyp → has symptom → Hoarse voice",
        "Vocal cord polyp → diagnosed by → Laryngoscopy",
        "Vocal cord polyp → diagnosed by → biopsy (of the polyp; by endoscopy)",
        "omeprazole → treats → Vocal cord polyp",
    ] {
        assert!(texts.contains(&expected.to_owned()), "{expected} in {texts:?}");
    }
    assert!(!texts.iter().any(|text| text.contains('3') || text.contains("Doctor") || text.contains("smoking")), "{texts:?}");
    for proposal in &found.proposals {
        assert_eq!(proposal.new_entities, ["head", "tail"]);
        assert!(!proposal.triple.head.kind.is_empty() && !proposal.triple.tail.kind.is_empty());
    }
    assert!(found.rejected.keys().any(|why| why.contains("caution")), "{:?}", found.rejected);
}

#[test]
fn without_a_condition_tests_and_treatments_belong_to_what_the_question_names() {
    let engine = open_graph(graph_of(""));
    let run = ask(&engine, "I think I might have Turner syndrome. Which tests do I need?");
    let texts = new(&propose(&engine, &run.trace, Rating::Gold, "Tests: Echocardiography"));
    assert_eq!(texts, ["Turner syndrome → diagnosed by → Echocardiography"]);
    let run = ask(&engine, "我最近反酸，吃什么药？");
    let found = propose(&engine, &run.trace, Rating::Gold, "用药：奥美拉唑");
    assert!(new(&found).iter().all(|text| text.starts_with("奥美拉唑 → treats → ")) && !new(&found).is_empty(), "{found:?}");
}

#[test]
fn a_mentors_answer_is_linked_to_the_graph_and_held_against_it() {
    let run = ask(&ENGINE, "I have heartburn at night. What could it be?");
    let reflux = ENGINE.knowledge().graph.find("GORD").expect("an alias");
    let knowledge = ENGINE.knowledge();
    let reflux = knowledge.graph.entity_name(reflux);
    let gold = "Diagnosis: GORD\nTests: Zorbography\nDrugs: omeprazole; zorbium";
    let found = propose(&ENGINE, &run.trace, Rating::Gold, gold);
    let by_text = |text: &str| found.proposals.iter().find(|proposal| proposal.triple.text().contains(text));
    let known = by_text("Omeprazole").expect("proposed, to be seen");
    assert!(matches!(&known.standing, CheckOutcome::Redundant { distance, learned: false, .. } if *distance == 0.0), "{known:?}");
    let zorbium = by_text("zorbium").expect("proposed");
    assert_eq!((&zorbium.standing, zorbium.new_entities.as_slice()), (&CheckOutcome::New, &["head".to_owned()][..]));
    assert!(zorbium.triple.tail.name == reflux && zorbium.triple.head.kind == "drug", "{}", zorbium.triple.text());
    assert!(by_text("Zorbography").is_some_and(|proposal| proposal.triple.tail.kind == "test"));
    // Running text is read as far as the graph knows its names, and not where it denies them.
    let found = propose(&ENGINE, &run.trace, Rating::Gold, "This is gastritis. Take sucralfate. Aspirin must be avoided.");
    let texts: Vec<String> = found.proposals.iter().map(|proposal| proposal.triple.text()).collect();
    assert!(texts.iter().any(|text| text.contains("astritis") && text.contains("Heartburn")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("Sucralfate")) && !texts.iter().any(|text| text.contains("Aspirin")), "{texts:?}");
}

#[test]
fn of_several_conditions_each_gets_what_the_graph_knows_of_it() {
    let run = ask(&ENGINE, "72 year old man on warfarin, cough and fever, INR 7, bleeding gums. What is going on?");
    let gold = "Conditions: Over-anticoagulation; Pneumonia\nTests: Chest X-ray; Zorbography\nTreatments: Doxycycline; Vitamin K; zorbium";
    let found = propose(&ENGINE, &run.trace, Rating::Gold, gold);
    let texts: Vec<String> = found.proposals.iter().map(|proposal| proposal.triple.text()).collect();
    let says = |one: &str, other: &str| texts.iter().any(|text| text.contains(one) && text.contains(other));
    for (condition, its_own, not_its_own) in [
        ("Over-anticoagulation", "Phytomenadione", ["Doxycycline", "Chest X-ray"]),
        ("Pneumonia", "Doxycycline", ["Phytomenadione", "normalised ratio"]),
    ] {
        assert!(says(condition, its_own), "{condition}, {its_own}: {texts:#?}");
        for other in not_its_own {
            assert!(!says(condition, other), "{condition}, {other}: {texts:#?}");
        }
    }
    // What the graph knows of neither belongs to the condition that comes first.
    for new in ["zorbium", "Zorbography"] {
        assert!(says("Over-anticoagulation", new) && !says("Pneumonia", new), "{new}: {texts:#?}");
    }
    // An empty graph knows nothing that could tell them apart.
    let engine = open_graph(graph_of(""));
    let run = ask(&engine, "I have a cough. What is it?");
    let found = propose(&engine, &run.trace, Rating::Gold, "Conditions: Measles; Croup\nTreatments: Zorbium");
    let of = |condition: &str| new(&found).iter().filter(|text| text.contains("Zorbium") && text.contains(condition)).count();
    assert_eq!((of("Measles"), of("Croup")), (1, 1), "{:?}", new(&found));
}

#[test]
fn what_contradicts_the_graph_is_held_back() {
    let graph = starter_graph().expect("sound");
    let contraindicated = graph.triples().find(|triple| graph.role(triple.relation) == Role::Contraindication).expect("one");
    let (drug, state) = (graph.entity_name(contraindicated.head).to_owned(), graph.entity_name(contraindicated.tail).to_owned());
    let run = ask(&ENGINE, &format!("I have {state}. What medicine should I take?"));
    let found = propose(&ENGINE, &run.trace, Rating::Gold, &format!("Conditions: {state}\nDrugs: {drug}"));
    let held = found.proposals.iter().find(|proposal| proposal.triple.head.name == drug).expect("shown");
    assert!(matches!(&held.standing, CheckOutcome::Conflict { learned: false, with, .. } if with.contains(&drug)), "{held:?}");
}

#[test]
fn a_bad_answer_of_the_graph_alone_takes_nothing_back() {
    let engine = small();
    let run = ask(&engine, HEARTBURN);
    let found = propose(&engine, &run.trace, Rating::Bad, "");
    assert!(found.proposals.is_empty() && found.warnings.iter().any(|warning| warning.contains("nothing to retract")), "{found:?}");
}

#[test]
fn hostile_gold_answers_are_bounded_and_cleaned() {
    let engine = small();
    let run = ask(&engine, HEARTBURN);
    let many: String = (0..500).map(|i| format!("drug{i}a;")).collect();
    let hostile = format!("Conditions: \u{1b}[31mReflux\u{202e}; </question>; {}\nDrugs: {many}", "x".repeat(5000));
    let found = propose(&engine, &run.trace, Rating::Gold, &hostile);
    assert!(found.proposals.len() <= 200);
    for proposal in &found.proposals {
        let text = proposal.triple.text() + &proposal.basis.why;
        assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{text:?}");
    }
    assert!(found.rejected.keys().any(|why| why.contains("markup")) && found.rejected.keys().any(|why| why.contains("too long")));
}
