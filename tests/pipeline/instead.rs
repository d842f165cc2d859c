//! What an answer offers where the case rules out the drug that somebody considers, and what the line of care begins with.

use catena::run::{AnswerPart, Trace};

use crate::starter::{ask, entities};
use crate::support::engine::starter;

fn treatments(trace: &Trace) -> Vec<&str> {
    entities(trace, AnswerPart::Treatments)
}

#[test]
fn where_a_considered_drug_is_ruled_out_others_for_the_same_condition_follow() {
    for (question, ruled_out) in [
        ("72 year old woman with cystitis and eGFR 20. Is nitrofurantoin safe?", "Nitrofurantoin"),
        ("Hypertension, takes lithium. Can I add losartan?", "Losartan"),
    ] {
        let trace = ask(question);
        let text = &trace.answer.text;
        let offered = treatments(&trace);
        assert!(!offered.is_empty() && offered.len() <= 3, "{question}\n{text}");
        assert!(!offered.contains(&ruled_out), "{question}\n{text}");
        let place = |part: AnswerPart| trace.answer.lines.iter().position(|line| line.part == part);
        assert!(place(AnswerPart::Safety) < place(AnswerPart::Treatments), "what is unsafe comes first\n{text}");
    }
}

#[test]
fn a_considered_drug_that_may_be_given_brings_no_other_treatments() {
    let trace = ask("Known hypertension, takes paracetamol. Is it safe to add amlodipine?");
    assert!(treatments(&trace).iter().all(|treatment| *treatment == "Amlodipine"), "{}", trace.answer.text);
}

#[test]
fn the_line_of_care_says_what_is_done_first_once() {
    let trace = ask("How is Bell's palsy treated?");
    let care: Vec<&str> = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Care).map(|line| line.text.as_str()).collect();
    let graph = starter();
    let palsy = graph.entity_ids().find(|entity| graph.entity_name(*entity) == "Bell's palsy").expect("it is in the starter graph");
    let action = graph.attributes(palsy).get("action").expect("it says what is done first").trim_end_matches('.').to_owned();
    assert!(care.iter().any(|line| line.contains(&action)), "{}", trace.answer.text);
    assert_eq!(trace.answer.text.matches(action.as_str()).count(), 1, "{}", trace.answer.text);
}

#[test]
fn what_a_condition_is_treated_with_first_is_listed_though_care_is_needed_in_it() {
    let trace = ask("Heart failure with reduced ejection fraction, EF 30%, stable. Which drugs are first-line?");
    let offered = treatments(&trace);
    assert!(offered.iter().any(|name| ["Beta blocker", "Bisoprolol", "Carvedilol"].contains(name)), "{}", trace.answer.text);
}

#[test]
fn what_replaces_the_cause_is_offered_though_it_must_not_be_taken_with_it() {
    let trace =
        ask("Dry cough for two months since starting ramipril, chest X-ray normal, never smoked. What is it, and what could replace it?");
    let offered = treatments(&trace);
    assert!(offered.contains(&"Angiotensin receptor blocker"), "{}", trace.answer.text);
    assert!(!offered.contains(&"Ramipril") && !offered.contains(&"ACE inhibitor"), "{}", trace.answer.text);
}

#[test]
fn an_interaction_of_a_drug_that_treats_what_is_told_is_stated_once() {
    for question in [
        "My calf is red, hot and swollen since a long flight. Can I take ibuprofen with apixaban?",
        "Atrial fibrillation, takes warfarin. Can he have naproxen for his knee?",
        "Heart failure, on spironolactone. May she take trimethoprim for cystitis?",
    ] {
        let trace = ask(question);
        let warnings: Vec<&str> =
            trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety).map(|line| line.text.as_str()).collect();
        assert!(!warnings.is_empty(), "{question}");
        let said: std::collections::BTreeSet<&str> =
            warnings.iter().filter_map(|text| text.split(" [").next()?.split(". It is left out").next()).collect();
        assert_eq!(said.len(), warnings.len(), "{question}\n{}", trace.answer.text);
    }
}
