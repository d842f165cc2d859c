//! What values, kidneys and comorbidity do to an answer: a named emergency beside a mild value, limits that a value rules out, and the presenting problem before
//! what the patient has long had. On the starter graph.

use catena::run::{AnswerPart, AskKind, UrgencyLevel};

use crate::starter::{ask, entities};

fn offered(question: &str) -> Vec<String> {
    entities(&ask(question), AnswerPart::Treatments).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_named_emergency_stays_one_beside_a_value_that_is_not_critical() {
    for question in [
        "62M STEMI, BP 178/96. Treatment?",
        "25M testicular torsion, WCC 14. What next?",
        "66F ischaemic stroke 2h ago, BP 178/96. Treatment?",
        "70M ruptured AAA, BP 170/95. Treatment?",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    // What is dangerous by itself is no company.
    let low = ask("Stroke, glucose 3.1. Treatment?");
    assert!(low.answer.text.contains("lucose") && low.urgency.level == Some(UrgencyLevel::Emergency), "{}", low.answer.text);
    let treated = ask("On apixaban for a pulmonary embolism, BP 170/95. Treatment?");
    assert_ne!(treated.urgency.condition.as_deref(), Some("Pulmonary embolism"), "{}", treated.answer.text);
}

#[test]
fn a_diastolic_pressure_is_no_number_of_weeks() {
    let trace = ask("81F, new confusion, temp 38.6, HR 118, BP 88/52, SpO2 93%. What next?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert!(trace.case.findings.iter().all(|finding| finding.days.is_none_or(|days| days < 100.0)), "{:?}", trace.case.findings);
}

#[test]
fn a_measured_filtration_rate_decides_whether_a_limit_holds() {
    let drugs = offered("42F cystitis, eGFR 70. Which antibiotic?");
    assert!(drugs.iter().any(|drug| drug == "Nitrofurantoin"), "{drugs:?}");
    let text = ask("Nitrofurantoin for cystitis with eGFR 25, safe?").answer.text.clone();
    assert!(text.contains("contraindicated (") && !text.contains("says otherwise"), "{text}");
    let text = ask("Nitrofurantoin for cystitis, eGFR 60 in June, now creatinine 420?").answer.text.clone();
    assert!(!text.contains("says otherwise"), "an older rate rules nothing out: {text}");
}

#[test]
fn what_is_acute_is_treated_before_what_the_patient_has_long_had() {
    let place = |text: &str, name: &str| text.find(name).unwrap_or(usize::MAX);
    for (question, of, beside) in [
        ("DVT in 70M with T2DM. Treatment?", "anticoagulant", "Metformin"),
        ("65M type 2 diabetes, hypertension and cellulitis. Treatment?", "lucloxacillin", "Metformin"),
    ] {
        let text = ask(question).answer.text.clone();
        let treated = text.find("For ").map_or("", |at| text.get(at..).unwrap_or_default());
        assert!(treated.contains(of) && place(treated, of) < place(treated, beside), "{question}: {text}");
    }
    // What the question puts side by side stays.
    let text = ask("Osteoarthritis and heart failure. Treatment?").answer.text.clone();
    assert!(text.contains("Osteoarthritis") && text.contains("Heart failure"), "{text}");
}

#[test]
fn what_is_to_be_prevented_is_the_goal_and_not_what_the_patient_has() {
    for (question, goal) in [("Migraine prophylaxis in asthma?", "Migraine"), ("Gout prophylaxis in CKD 4?", "Gout")] {
        let trace = ask(question);
        let asks = &trace.case.asks;
        let of: Vec<&str> = asks.iter().filter(|ask| ask.kind == AskKind::Prevention).flat_map(|ask| &ask.of).map(String::as_str).collect();
        assert_eq!(of, [goal], "{question}: {asks:?}");
    }
}

#[test]
fn what_only_raises_the_risk_is_not_treated_where_something_prevents_the_goal() {
    for (question, name) in [("Gout prophylaxis in CKD 4?", "Allopurinol"), ("Stroke prevention in atrial fibrillation?", "nticoagulant")] {
        let drugs = offered(question);
        assert!(drugs.iter().any(|drug| drug.contains(name)), "{question}: {drugs:?}");
        assert!(!drugs.iter().any(|drug| drug == "Phosphate binder"), "{question}: {drugs:?}");
    }
}

#[test]
fn a_drug_that_is_not_tolerated_forbids_no_other() {
    let drugs = offered("Painful diabetic neuropathy, amitriptyline not tolerated. What next?");
    assert!(drugs.iter().any(|drug| drug == "Duloxetine"), "{drugs:?}");
    // It is still taken, or something else is.
    let drugs = offered("Methotrexate makes me sick. UTI, which antibiotic?");
    assert!(!drugs.iter().any(|drug| drug == "Trimethoprim"), "{drugs:?}");
    let drugs = offered("On warfarin and could not tolerate amiodarone. AF, what next?");
    assert!(!drugs.iter().any(|drug| drug == "Dabigatran"), "{drugs:?}");
}

#[test]
fn what_may_be_used_is_said_only_where_it_is_stated() {
    let stated = ask("Is paracetamol safe in pregnancy?").answer.text.clone();
    assert!(stated.contains("may be used") && !stated.contains("does not make it safe"), "{stated}");
    let silent = ask("Is sucralfate safe in psoriasis?").answer.text.clone();
    assert!(!silent.contains("may be used"), "{silent}");
}

#[test]
fn what_to_do_about_a_side_effect_is_said() {
    let text = ask("Started sertraline 4 days ago and feel sick, should I stop?").answer.text.clone();
    assert!(text.contains("if it comes from Sertraline"), "{text}");
    let other = ask("Started sertraline 4 days ago and my finger is cut, what now?").answer.text.clone();
    assert!(!other.contains("if it comes from"), "{other}");
}

#[test]
fn what_is_urgent_only_with_something_else_has_no_level_alone() {
    for question in
        ["BP 152/96 at the clinic, 40M, feels well. What next?", "35F fever, runny nose and sore throat for two days. What is it?"]
    {
        let trace = ask(question);
        assert!(!matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {}", trace.answer.text);
    }
    for question in [
        "Fever for three days after coming back from Ghana",
        "Fever 38.5, chemotherapy last week",
        "BP 168/112 three days after birth, feels well.",
        "85M with a fever. What is it?",
    ] {
        let trace = ask(question);
        assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_may_come_of_a_named_illness_is_looked_for_unless_it_is_small() {
    for question in [
        "Cellulitis, leg very painful, purple skin and blisters.",
        "Diabetes, drinking and passing a lot of urine for three days, tired, sick.",
    ] {
        let trace = ask(question);
        assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {}", trace.answer.text);
    }
    let cold = ask("I've got a cold, blocked nose and runny nose. What helps?");
    assert!(!matches!(cold.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", cold.answer.text);
}

#[test]
fn what_the_patient_is_said_to_have_comes_before_what_is_merely_feared() {
    let text = ask("I was told it is Bell's palsy and that they suspected a stroke. How long does it last?").answer.text.clone();
    assert!(text.contains("Bell's palsy: ") && !text.contains("Stroke: "), "what to do is that of the palsy: {text}");
}

#[test]
fn both_illnesses_that_a_question_names_are_cared_for() {
    let trace = ask("COPD with pneumonia. Treatment?");
    let treatments = crate::starter::lines(&trace, AnswerPart::Treatments);
    assert!(treatments.contains("neumonia") && treatments.contains("COPD") | treatments.contains("hronic obstructive"), "{treatments}");
}

#[test]
fn a_drug_that_needs_care_in_pregnancy_does_not_lead_there() {
    let drugs = offered("Pyelonephritis at 20 weeks pregnant. Which antibiotic?");
    let first = drugs.first().map(String::as_str).unwrap_or_default();
    assert!(!["Ciprofloxacin", "Gentamicin", "Trimethoprim"].contains(&first), "{drugs:?}");
}

#[test]
fn what_an_action_names_is_not_beside_the_finding_for_nothing() {
    for question in ["Fever and a rash. What is it?", "My little girl has a fever and wont wee. What now?"] {
        let trace = ask(question);
        assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_is_there_behind_a_denied_change_is_told() {
    let trace = ask("A mole on my back hasn't grown but bleeds.");
    assert!(trace.case.findings.iter().any(|finding| finding.text.contains("bleed") || finding.text.contains("mole")), "{:?}", trace.case);
    assert!(!matches!(trace.urgency.level, None | Some(UrgencyLevel::Routine)), "{}", trace.answer.text);
}

#[test]
fn a_dipstick_is_read() {
    let trace = ask("Urine dip: nitrites positive, leucocytes 3+, burning on passing urine. What is it?");
    let leading = trace.answer.text.to_lowercase();
    assert!(leading.contains("urinary tract infection") || leading.contains("cystitis"), "{leading}");
}

#[test]
fn a_sore_throat_under_carbimazole_is_urgent() {
    let trace = ask("On carbimazole, sore throat and fever. What now?");
    assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", trace.answer.text);
    assert!(trace.answer.text.contains("granulocytosis") || trace.answer.text.contains("eutropenia"), "{}", trace.answer.text);
}
