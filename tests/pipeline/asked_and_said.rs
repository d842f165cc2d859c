//! What an answer says to a question about a drug and about a complaint beside it: what is left out, what is unread, doses, and circumstances that are told.

use catena::run::{AnswerPart, DrugStatus};

use crate::starter::{ask, drug, finding, lines};

#[test]
fn what_must_never_be_given_is_the_first_that_is_said_to_be_left_out() {
    let trace = ask("Acute pyelonephritis with fever 39 and flank pain, penicillin anaphylaxis. What antibiotic?");
    let safety = lines(&trace, AnswerPart::Safety);
    let place = |name: &str| safety.find(name);
    assert!(place("Co-amoxiclav").is_some(), "{safety}");
    assert!(place("Cefalexin").is_none_or(|of| place("Co-amoxiclav") < Some(of)), "{safety}");
}

#[test]
fn who_asks_for_a_dose_is_told_that_none_are_held_and_no_guess_at_the_illness() {
    let trace = ask("paracetamol dose for a 4 year old weighing 15 kg with fever 38.5");
    assert_eq!(drug(&trace, "Paracetamol"), Some(DrugStatus::Proposed), "{:?}", trace.case.drugs);
    assert!(trace.answer.text.contains("I have no doses"), "{}", trace.answer.text);
    for guess in ["Influenza", "Tonsillitis"] {
        assert!(!lines(&trace, AnswerPart::Conditions).contains(guess), "{}", trace.answer.text);
    }
    // What was taken is no dose that is asked for.
    let taken = ask("My son took the dose of paracetamol an hour ago and has a rash");
    assert_ne!(drug(&taken, "Paracetamol"), Some(DrugStatus::Proposed), "{:?}", taken.case.drugs);
}

#[test]
fn a_weight_is_no_age() {
    let trace = ask("boy 15 kg, amoxicillin safe?");
    assert!(trace.case.patient.age_months.is_none_or(|age| age.from < 15 * 12), "{:?}", trace.case.patient);
}

#[test]
fn contrast_is_read_with_the_scan_and_not_in_a_turn_of_phrase() {
    let trace = ask("Metformin in eGFR 25 and contrast CT tomorrow, is it safe?");
    assert!(lines(&trace, AnswerPart::Safety).contains("contrast"), "{}", trace.answer.text);
    for question in ["In contrast to last year she has a cough, on metformin", "On metformin, CT without contrast tomorrow, is it safe?"] {
        assert_eq!(drug(&ask(question), "Iodinated contrast medium"), None, "{question}");
    }
}

#[test]
fn an_alarm_names_no_circumstances_of_others() {
    for question in ["78 year old man with fever 38.9", "4 year old with fever 39"] {
        let trace = ask(question);
        assert!(!lines(&trace, AnswerPart::Emergency).contains("Newborn"), "{question}: {}", trace.answer.text);
    }
    // Where no age is told, a lay reader needs the limit.
    for question in ["Baby has a fever. What should I do?", "My son has a fever. When can he go to school?"] {
        let trace = ask(question);
        assert!(lines(&trace, AnswerPart::Emergency).contains("under three months"), "{question}: {}", trace.answer.text);
    }
    let trace = ask("宝宝发烧了怎么办？");
    assert!(lines(&trace, AnswerPart::Emergency).contains("三月龄以下"), "{}", trace.answer.text);
    let newborn = ask("My newborn 10 days old has fever 38.5");
    assert!(!lines(&newborn, AnswerPart::Emergency).is_empty(), "{}", newborn.answer.text);
}

#[test]
fn a_rare_effect_of_a_drug_does_not_lead_before_what_explains_more() {
    let trace = ask("80岁女性，意识模糊，小便有异味，吃二甲双胍");
    let conditions = lines(&trace, AnswerPart::Conditions);
    assert!(!conditions.lines().next().unwrap_or_default().contains("乳酸"), "{conditions}");
    assert!(finding(&trace, "Cloudy smelly urine").is_some(), "{:?}", trace.case.findings);
}

#[test]
fn a_rash_with_sore_eyes_or_mouth_under_a_drug_that_may_kill_by_it_is_an_emergency() {
    for question in [
        "Do I keep taking lamotrigine? I have a rash on my chest and sore eyes.",
        "Should I carry on with co-trimoxazole? I have a rash and a sore mouth.",
        "Should I continue lamotrigine? New rash on my trunk and my lips are sore.",
        "Man 40 on carbamazepine for 3 weeks, rash and mouth ulcers. What now?",
        "Is it ok to keep taking allopurinol? I have a rash and fever.",
    ] {
        let trace = ask(question);
        let condition = trace.urgency.condition.as_deref();
        assert!(
            matches!(condition, Some("Stevens-Johnson syndrome" | "Drug reaction with eosinophilia")),
            "{question}: {:?}",
            trace.urgency
        );
    }
    for question in [
        "I have a rash and a sore mouth. Can I take lamotrigine?",
        "Child 4 with fever and a rash, takes ibuprofen. What could it be?",
        "On allopurinol for 10 years, gout in the toe and fever. What now?",
    ] {
        let condition = ask(question).urgency.condition;
        assert_ne!(condition.as_deref(), Some("Stevens-Johnson syndrome"), "{question}");
    }
}
