//! Misreadings: what is denied in other words, called normal, only feared, wanted under a treatment, or said in part must not be read as more.

use catena::run::{AnswerPart, AskKind, ConditionStatus, DrugStatus, FindingStatus, Refusal, ResultDirection, Trace, UrgencyLevel};

use crate::starter::{ask, drug, finding, level};

fn first_condition(trace: &Trace) -> &str {
    trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions).map_or("", |line| line.entity.as_str())
}

#[test]
fn what_somebody_is_not_on_is_not_taken() {
    for question in ["Palpitations. Not on a beta blocker.", "Tired, cramps. Not on a diuretic, digoxin or lithium. What is it?"] {
        let trace = ask(question);
        assert!(trace.case.drugs.is_empty(), "{:?}", trace.case.drugs);
    }
    assert_eq!(drug(&ask("Tired, cramps, on lithium. What is it?"), "Lithium"), Some(DrugStatus::Taken));
}

#[test]
fn what_is_denied_by_non_or_called_normal_is_no_finding() {
    let trace = ask("72F, new headache. Temporal arteries pulsatile, non-tender. What is it?");
    assert_ne!(finding(&trace, "Tender temporal artery"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    let trace = ask("Both ankles swell by evening. Wee test and blood tests for heart and kidneys all fine. What is it?");
    assert_eq!(finding(&trace, "Blood in urine"), None, "{:?}", trace.case.findings);
    assert!(trace.case.conditions.is_empty(), "{:?}", trace.case.conditions);
}

#[test]
fn a_bare_name_between_two_denials_raises_no_alarm() {
    let trace = ask("67F, vertigo on turning in bed. No diplopia, dysarthria, no tinnitus. What is it?");
    assert_ne!(finding(&trace, "Slurred speech"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    let trace = ask("67F, dysarthria, no tinnitus. What is it?");
    assert_eq!(finding(&trace, "Slurred speech"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
}

#[test]
fn half_of_a_chinese_name_without_what_it_is_about_is_not_read() {
    let trace = ask("64岁男，服替格瑞洛，静息时突感吸气不够，数分钟缓解。什么原因？");
    assert_eq!(finding(&trace, "Chest pain at rest"), None, "{:?}", trace.case.findings);
}

#[test]
fn a_temperature_is_read_by_what_is_told_beside_it() {
    for question in ["My baby feels hot, the ear thermometer says 38.6. What is it?", "Cough since Monday, shivery, 38.7. What is it?"] {
        let trace = ask(question);
        let fever = trace.case.results.iter().find(|result| result.test == "temperature").map(|result| result.direction);
        assert_eq!(fever, Some(ResultDirection::High), "{question}: {:?}", trace.case.results);
    }
    assert!(ask("Shivery since I am on 37.5 micrograms of fentanyl").case.results.is_empty());
}

#[test]
fn a_fever_is_an_emergency_in_those_whom_it_kills() {
    for question in [
        "My baby is 19 days old and feels hot, the thermometer says 38.4. Give paracetamol and wait?",
        "Clozapine, week 9. Fever and sore throat. What is the worry?",
        "51F, day 9 after chemotherapy, fever, feels well. What is to be done?",
    ] {
        assert_eq!(level(question), Some(UrgencyLevel::Emergency), "{question}: {}", ask(question).answer.text);
    }
    assert_ne!(level("24F, fever and sore throat since yesterday, drinks well. What is it?"), Some(UrgencyLevel::Emergency));
}

#[test]
fn what_is_wanted_under_a_treatment_is_not_raised() {
    let direction = |question: &str| {
        let trace = ask(question);
        trace.case.results.iter().find(|result| result.test == "INR").map(|result| result.direction)
    };
    assert_eq!(direction("AF on warfarin, INR 2.4, knee pain. What is it?"), Some(ResultDirection::Normal));
    assert_eq!(direction("AF on warfarin, INR 6.1, knee pain. What is it?"), Some(ResultDirection::High));
    // Only while it is taken: without it, the liver may be failing.
    for question in [
        "Jaundice, INR 2.4. What is it?",
        "Jaundice, not on warfarin, INR 2.4. What is it?",
        "Jaundice, warfarin stopped 6 weeks ago, INR 2.4. What is it?",
        "Jaundice, INR 2.4. Can she start warfarin?",
    ] {
        assert_eq!(direction(question), Some(ResultDirection::High), "{question}");
    }
}

#[test]
fn of_a_value_before_and_after_the_later_counts() {
    let trace = ask("69M, day 8 on heparin, platelets 248 pre-op -> 96 today, swollen calf. What is it?");
    assert_eq!(trace.case.results.first().and_then(|result| result.value), Some(96.0), "{:?}", trace.case.results);
}

#[test]
fn a_drug_that_brings_out_a_rash_is_an_allergy() {
    let trace = ask("Sore throat. Penicillin brings me out in hives so couldn't have that. Is clarithromycin ok with simvastatin?");
    assert_eq!(drug(&trace, "Penicillin antibiotic"), Some(DrugStatus::Allergic), "{:?}", trace.case.drugs);
}

#[test]
fn what_is_feared_is_no_emergency_where_another_condition_explains_the_case() {
    assert_ne!(
        level("Runny nose, sneezing and sore throat for two days. Terrified I'm going to have a stroke."),
        Some(UrgencyLevel::Emergency)
    );
    assert_eq!(level("Sudden weakness of one arm and drooping face. Is it a stroke?"), Some(UrgencyLevel::Emergency));
}

#[test]
fn a_known_condition_that_explains_no_complaint_is_no_emergency_where_a_drug_is_asked_about() {
    assert_ne!(
        level("70F on clopidogrel for an ischaemic stroke years back, heartburn. Is omeprazole safe with it?"),
        Some(UrgencyLevel::Emergency)
    );
    let trace = ask("女，70岁，长期服氯吡格雷，烧心。家属怕白血病。奥美拉唑能合用吗？");
    let fear = trace.case.conditions.iter().find(|condition| condition.entity.as_deref() == Some("Leukaemia"));
    assert_ne!(fear.map(|condition| condition.status), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
}

#[test]
fn what_a_drug_may_do_to_anybody_is_not_what_this_patient_has() {
    let question = "I am 28 with epilepsy, fit free, on sodium valproate since I was 15. Should I take folic acid before a pregnancy?";
    let trace = ask(question);
    assert!(!trace.answer.text.contains("Valproate toxicity"), "{}", trace.answer.text);
}

#[test]
fn a_question_whether_to_stop_something_else_is_no_question_about_a_drug() {
    let trace = ask("Breastfeeding, one breast hot, red and sore, shivery, took paracetamol. Should I stop feeding from that side?");
    assert!(!trace.case.asks.iter().any(|ask| ask.kind == AskKind::Safety), "{:?}", trace.case.asks);
    let trace = ask("Dry cough on ramipril. Should I stop taking it?");
    assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Safety), "{:?}", trace.case.asks);
}

#[test]
fn a_question_about_an_unknown_drug_beside_a_known_one_is_refused() {
    let trace = ask("65M on cardivaxolin 40 mg od, eGFR 33. Does the dose need halving and can he have it with apixaban?");
    assert_eq!(trace.case.refusal, Some(Refusal::SubjectUnknown), "{:?}", trace.case);
    let trace = ask("The locum gave folic acid 5 mg od. Numb feet, MCV 116. Is that ok?");
    assert_eq!(trace.case.refusal, None);
    assert!(!trace.answer.text.contains("ocum"), "{}", trace.answer.text);
}

#[test]
fn a_recent_drug_that_explains_the_case_is_named_first() {
    for (question, cause) in [
        ("Started amlodipine 3 weeks ago, since then both ankles swell. What is it?", "Amlodipine"),
        ("79F, indapamide started 3 weeks ago. Sodium 121, tired, unsteady. Most likely cause?", "Indapamide"),
        ("Dry cough for 7 weeks, on perindopril for 3 months. What is it?", "ACE inhibitor cough"),
    ] {
        let trace = ask(question);
        let summary = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Summary).map_or("", |line| line.text.as_str());
        assert!(summary.contains(cause), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_kind_or_a_cause_that_explains_more_precedes() {
    let trace = ask("35M, epigastric pain spreading to the back, vomiting, pulse 122, lipase 1260. What is it?");
    assert_eq!(first_condition(&trace), "Acute pancreatitis", "{}", trace.answer.text);
    let trace = ask("73F tired, thirsty, back pain. Calcium 2.91, PTH low, Hb 94, ESR 104, creatinine 165. What is it?");
    assert_eq!(first_condition(&trace), "Multiple myeloma", "{}", trace.answer.text);
}

#[test]
fn results_are_named_in_the_language_of_the_question() {
    let trace = ask("男，38岁，阵发性头痛、心悸，血压 210/120。考虑什么？");
    assert!(trace.answer.text.contains("血压 210") && !trace.answer.text.contains("blood pressure 2"), "{}", trace.answer.text);
}

#[test]
fn words_of_two_parts_of_the_body_name_nothing_together() {
    for (question, other) in [
        ("Teenage son shivering, cold hands and sore legs, and now a few dark spots on his tummy", "Cold sores"),
        ("She has dry eyes and hoarse from shouting, throat sore", "Dry throat"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, other), None, "{question}: {:?}", trace.case.findings);
    }
    // What goes on after the "and" is still read together.
    assert_eq!(level("He put a little silver coin in his mouth and swallowed it"), Some(UrgencyLevel::Emergency));
}
