//! What a colleague holds it to be does not lead the answer against what is told, and what is said in other words counts as much: mild illness, rates,
//! a dose that was raised.

use catena::run::{AnswerPart, Trace, UrgencyLevel};

use crate::starter::ask;

fn first_condition(trace: &Trace) -> &str {
    trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions).map_or("", |line| line.entity.as_str())
}

#[test]
fn what_is_told_decides_between_a_colleagues_opinion_and_another_condition() {
    for (question, leader) in [
        (
            "52M on prednisone 15 mg for 8 months, vomiting all his pills for 2 days. Lethargic, BP 82/44 despite 2 L saline, Na 127, glucose 56 mg/dL. \
             Team calling it septic shock. Anything else?",
            "Adrenal crisis",
        ),
        (
            "34F R facial weakness x 36 h, ear ache the day before. Can't raise eyebrow or close eye R. No limb weakness. Ambulance crew had her as FAST \
             positive stroke. Is it?",
            "Bell's palsy",
        ),
        (
            "48M. Woke with constant vertigo, vomiting. Cannot stand. Nystagmus changes direction with gaze. CT head normal. ENT on-call says labyrinthitis. \
             What is it?",
            "Cerebellar stroke",
        ),
    ] {
        let trace = ask(question);
        assert_eq!(first_condition(&trace), leader, "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_mild_illness_is_an_emergency_only_with_a_danger_sign() {
    let level = |question: &str| ask(question).urgency.level;
    assert_ne!(level("Mild croup, 20 months, barky cough, no stridor at rest, SpO2 98. What to give?"), Some(UrgencyLevel::Emergency));
    assert_eq!(level("Mild croup, 20 months, barky cough, now drooling. What to give?"), Some(UrgencyLevel::Emergency));
    assert_eq!(level("He had a mild stroke this morning, arm weak. What to do?"), Some(UrgencyLevel::Emergency));
}

#[test]
fn a_rate_in_words_is_an_emergency_where_it_is_too_slow() {
    for question in ["Drowsy after morphine, breathing 6 a minute", "Fainted twice, pulse rate is 32 a minute", "Wheezy, 86% on air"] {
        assert_eq!(ask(question).urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
}

#[test]
fn a_raised_dose_may_have_caused_what_began_and_the_kind_that_only_drugs_make_is_named() {
    let text = ask("27M, aripiprazole 10->15 mg 10 days ago. Can't sit still, pacing. What is it?").answer.text;
    assert!(text.contains("side effect of Aripiprazole") && text.contains("Akathisia"), "{text}");
}

#[test]
fn what_a_complaint_is_a_sign_of_is_treated_not_the_complaint() {
    let text =
        ask("Burning when I pee and going every 20 min since yesterday, 15 weeks pregnant. Do I need antibiotics or not?").answer.text;
    assert!(text.contains("Urinary tract infection") && !text.contains("treatments of Painful urination"), "{text}");
}
