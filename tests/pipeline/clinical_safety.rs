//! What would make an answer unsafe, on the starter graph: a drug that explains too much, a normal value that rules out too much, an
//! emergency that is named and not treated.

use catena::run::{AnswerLine, AnswerPart, UrgencyLevel};

use crate::starter::{ask, entities, lines};

#[test]
fn what_a_drug_is_known_to_do_to_the_marrow_is_no_less_urgent_for_it() {
    let trace = ask("44F takes carbimazole. Sore throat. What is the cause?");
    assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", trace.answer.text);
}

#[test]
fn a_swelling_of_one_side_is_not_put_down_to_a_drug() {
    let trace = ask("63M takes amlodipine. Right ankle swelling. What is the cause?");
    assert!(!trace.answer.text.contains("side effect of Amlodipine"), "{}", trace.answer.text);
}

#[test]
fn so_many_tablets_for_days_are_an_overdose() {
    let trace = ask("paracetamol two tablets every two hours for four days for a bad tooth. Is that all right?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn the_emergency_that_is_named_leads_and_is_treated() {
    let trace = ask("31F asthma attack, silent chest, SpO2 87 %. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Acute asthma attack"), "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Salbutamol"), "{}", trace.answer.text);
}

#[test]
fn alternatives_that_are_all_drugs_are_checked_together() {
    let offers = |drug: &str| {
        let trace = ask(&format!("67M with subarachnoid haemorrhage, takes {drug}. Treatment?"));
        entities(&trace, AnswerPart::Treatments).contains(&"Prothrombin complex concentrate")
    };
    assert!(!offers("aspirin"));
}

#[test]
fn a_sign_that_is_told_outweighs_a_normal_value() {
    let listed = |sign: &str| {
        let trace = ask(&format!("52F, {sign}, B12 450 ng/l. Cause?"));
        entities(&trace, AnswerPart::Conditions).contains(&"Vitamin B12 deficiency") || trace.answer.text.contains("Pernicious anaemia")
    };
    assert!(listed("loss of vibration and position sense, smooth red tongue"));
}

#[test]
fn what_is_stored_of_liver_disease_is_told() {
    for (question, drug) in [
        ("Is nimesulide dangerous in liver disease?", "Nimesulide"),
        ("Can she have interferon beta? Has liver disease.", "Interferon beta"),
    ] {
        let trace = ask(question);
        let safety: Vec<&AnswerLine> = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety).collect();
        assert!(safety.iter().any(|line| line.text.contains("Liver disease") && line.text.contains(drug)), "{}", trace.answer.text);
    }
}

#[test]
fn a_treatment_that_is_for_those_without_something_is_not_offered_to_those_with_it() {
    let treatments = |question: &str| lines(&ask(question), AnswerPart::Treatments);
    // Stated of these: no kidney disease, ulcer, heart failure or anticoagulant.
    for others in ["chronic kidney disease", "heart failure"] {
        let treatments = treatments(&format!("Acute gout in a patient with {others}: which drug?"));
        for drug in ["Indometacin", "Etoricoxib"] {
            assert!(!treatments.contains(drug), "{drug}, {others}: {treatments}");
        }
    }
    let with_kidneys = treatments("Acute gout in a patient with chronic kidney disease: which drug?");
    assert!(with_kidneys.contains("Prednisolone"), "{with_kidneys}");
    assert!(!treatments("Acute gout in a man on apixaban: which drug?").contains("Indometacin"));
    let gout = treatments("Acute gout: which drug?");
    assert!(gout.contains("Naproxen") || gout.contains("Indometacin") || gout.contains("Etoricoxib"), "{gout}");
}
