//! What is an emergency and what is not, on the starter graph, by property rather than by phrase.

use catena::run::UrgencyLevel;

use crate::support::engine::ENGINE;
use crate::support::runs;

fn level(question: &str) -> Option<UrgencyLevel> {
    runs::ask(&ENGINE, question).trace.urgency.level
}

fn is_emergency(question: &str) -> bool {
    level(question) == Some(UrgencyLevel::Emergency)
}

#[test]
fn what_is_conditional_is_an_emergency_only_where_its_condition_holds() {
    for (without, with) in [
        ("Breathless for two months on hills, saturation 98%. Cause?", "Suddenly breathless with blue lips, saturation 86%. Cause?"),
        ("Petechiae on both shins for a week, otherwise well. What is it?", "Petechiae on both shins with fever since today. What is it?"),
        ("Painful eye since last week. What is it?", "Painful red eye, haloes around lights and vomiting. What is it?"),
    ] {
        assert!(!is_emergency(without), "{without}");
        assert!(is_emergency(with), "{with}");
    }
}

#[test]
fn what_is_old_somebody_elses_or_only_in_a_question_about_a_drug_is_none() {
    for question in [
        "70M, old stroke with spasticity on tizanidine. OK to give ciprofloxacin?",
        "Rifampicin for 2 days because a girl at nursery got meningitis. Is my pill still safe?",
    ] {
        assert!(!is_emergency(question), "{question}");
    }
    assert!(is_emergency("My dad is having a stroke right now, his face has dropped. Is aspirin safe?"));
    assert!(is_emergency("I took 30 paracetamol. Is it safe to drink alcohol?"));
}

#[test]
fn an_event_that_is_over_is_urgent_and_one_that_goes_on_is_an_emergency() {
    let over = level("24F with epilepsy on lamotrigine, two typical seizures last week, recovered fully. Why now?");
    assert_ne!(over, Some(UrgencyLevel::Emergency));
    assert!(is_emergency("My son is having a seizure, he is still shaking. What do I do?"));
}

#[test]
fn signs_that_are_none_alone_are_an_emergency_together() {
    assert!(is_emergency("Thoracic back pain 10 days, CRP 188, since yesterday urinary hesitancy. Which test next?"));
    assert!(!is_emergency("Thoracic back pain 10 days after lifting. Which test next?"));
}
