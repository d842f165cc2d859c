//! What is offered, in whatever part of an answer: nothing that the case forbids, that has failed or that is not tolerated, and what the kind of
//! drug that is asked for is for. On the starter graph.

use catena::run::{AnswerPart, AskKind, DrugStatus};

use crate::starter::{ask, drug, entities, lines};

fn offered(question: &str) -> Vec<String> {
    entities(&ask(question), AnswerPart::Treatments).into_iter().map(str::to_owned).collect()
}

fn offers(question: &str, name: &str) -> bool {
    offered(question).iter().any(|offered| offered == name)
}

/// What a treatment line is for.
fn said(question: &str) -> String {
    let trace = ask(question);
    format!("{}{}", lines(&trace, AnswerPart::Summary), lines(&trace, AnswerPart::Treatments))
}

#[test]
fn a_limit_that_does_not_hold_forbids_nothing_and_one_that_holds_does() {
    let moderate = ask("Which anticoagulant for AF in liver cirrhosis Child-Pugh B?");
    assert!(!lines(&moderate, AnswerPart::Safety).contains("Apixaban"), "{}", moderate.answer.text);
    assert!(!entities(&moderate, AnswerPart::Treatments).contains(&"Rivaroxaban"), "{}", moderate.answer.text);
    for drug in ["Direct oral anticoagulant", "Apixaban", "Warfarin"] {
        assert!(!offers("Which anticoagulant for AF in liver cirrhosis Child-Pugh C?", drug), "{drug}");
    }
}

#[test]
fn a_limit_that_the_name_of_the_illness_says_holds() {
    assert!(
        !offers("HFrEF and AF, which rate control drug?", "Verapamil") && !offers("HFrEF and AF, which rate control drug?", "Diltiazem")
    );
    assert!(offers("AF and gout, which rate control drug?", "Verapamil"));
}

#[test]
fn a_limit_that_names_another_illness_of_the_patient_holds() {
    let question = "Rate control in AF with WPW";
    for drug in ["Beta blocker", "Bisoprolol", "Verapamil", "Diltiazem", "Digoxin"] {
        assert!(!offers(question, drug), "{drug}: {}", said(question));
    }
    assert!(offers("Rate control in AF", "Beta blocker") && offers("Rate control in AF with gout", "Beta blocker"));
}

#[test]
fn a_class_is_offered_with_what_of_it_is_forbidden() {
    let valve = lines(&ask("stroke prevention in AF with mechanical aortic valve"), AnswerPart::Treatments);
    assert!(valve.contains("Direct oral anticoagulant") && valve.contains("Mechanical heart valve"), "{valve}");
    let kidneys = lines(&ask("stroke prevention in AF and eGFR 12"), AnswerPart::Treatments);
    assert!(kidneys.contains("Dabigatran"), "{kidneys}");
    let plain = lines(&ask("stroke prevention in AF"), AnswerPart::Treatments);
    assert!(!plain.contains("Caution"), "{plain}");
}

#[test]
fn what_failed_or_is_not_tolerated_prevents_nothing() {
    for (question, drug) in [
        ("Migraine prevention, amitriptyline not tolerated", "Amitriptyline"),
        ("Prevention of migraine after propranolol failed", "Propranolol"),
        ("Migraine prevention, no response to topiramate", "Topiramate"),
        ("Migraine prevention: propranolol not tolerated and topiramate failed", "Propranolol"),
    ] {
        assert!(!offers(question, drug) && !offered(question).is_empty(), "{question}: {:?}", offered(question));
    }
    for (question, drug) in [
        ("Prevention of migraine", "Propranolol"),
        ("Prevention of migraine, amoxicillin not tolerated", "Amitriptyline"),
        ("Prevention of migraine after ibuprofen failed", "Propranolol"),
        ("Prevention of migraine, no topiramate so far", "Topiramate"),
    ] {
        assert!(offers(question, drug), "{question}: {:?}", offered(question));
    }
}

#[test]
fn after_a_failure_that_is_told_in_any_words_the_next_comes() {
    for (question, failed, next) in [
        (
            "Status epilepticus refractory to lorazepam and levetiracetam",
            &["Lorazepam", "Levetiracetam", "Benzodiazepine"][..],
            "Sodium valproate",
        ),
        ("Status epilepticus, two doses of lorazepam given, still fitting", &["Lorazepam", "Benzodiazepine"], "Levetiracetam"),
        ("RA, inadequate response to methotrexate", &["Methotrexate"], "TNF inhibitor"),
        ("COPD exacerbation, no better on doxycycline, sputum green, next?", &["Doxycycline"], "Amoxicillin"),
    ] {
        let offered = offered(question);
        assert!(!offered.iter().any(|name| failed.contains(&name.as_str())), "{question}: {offered:?}");
        assert!(offered.iter().any(|name| name == next), "{question}: {offered:?}");
    }
    // What goes on in an emergency stays, behind what comes after it.
    let offered = offered("Anaphylaxis, adrenaline x3 IM no response");
    assert_eq!(offered.first().map(String::as_str), Some("Intravenous fluids"), "{offered:?}");
    for name in ["Adrenaline infusion", "Vasopressor", "Adrenaline"] {
        assert!(offered.iter().any(|offered| offered == name), "{name}: {offered:?}");
    }
    assert!(offers("Acute severe asthma attack refractory to salbutamol, cannot finish sentences. Treatment?", "Salbutamol"));
    assert!(offers("Epilepsy on levetiracetam, fitting for 10 minutes. What next?", "Lorazepam"));
}

#[test]
fn doses_that_were_given_ask_for_none() {
    let asks_dose = |question: &str| ask(question).case.asks.iter().any(|ask| ask.kind == AskKind::Dose);
    for question in
        ["Status epilepticus, two doses of lorazepam given, still fitting", "anaphylaxis after 3 doses of amoxicillin were given"]
    {
        assert!(!asks_dose(question), "{question}");
    }
    for question in [
        "Status epilepticus, dose of lorazepam?",
        "How many doses of lorazepam can be given?",
        "What are two doses of amoxicillin given for?",
    ] {
        assert!(asks_dose(question) || question.starts_with("What are"), "{question}");
    }
}

#[test]
fn a_drug_that_failed_and_was_replaced_is_no_longer_taken() {
    let status = |question: &str, name: &str| drug(&ask(question), name);
    let replaced = "Depression, failed sertraline, now on mirtazapine, migraine. Is sumatriptan ok?";
    assert_eq!(status(replaced, "Sertraline"), Some(DrugStatus::Stopped));
    assert!(!lines(&ask(replaced), AnswerPart::Safety).contains("Sertraline"), "{}", ask(replaced).answer.text);
    assert!(lines(&ask(replaced), AnswerPart::Safety).contains("Mirtazapine"), "{}", ask(replaced).answer.text);
    for question in [
        "Depression, failed sertraline, on mirtazapine. Is sumatriptan ok?",
        "Depression, sertraline failed, now on mirtazapine too. Is sumatriptan ok?",
        "Depression, sertraline failed, mirtazapine added. Is sumatriptan ok?",
        "Depression on sertraline, now on mirtazapine. Is sumatriptan ok?",
    ] {
        assert_ne!(status(question, "Sertraline"), Some(DrugStatus::Stopped), "{question}");
    }
}

#[test]
fn the_kind_of_drug_chooses_the_condition() {
    for (question, subject, other) in [
        ("antihypertensive in asthma and gout?", "Hypertension", "Asthma"),
        ("which antihypertensive in asthma and gout?", "Hypertension", "Gout"),
        ("antidepressant in epilepsy", "Depression", "Epilepsy"),
        ("which antihypertensive in pregnancy and migraine?", "ypertension", "Migraine"),
        ("rate control in AF with asthma", "Atrial fibrillation", "Asthma"),
    ] {
        let said = said(question);
        let is_of = |subject: &str| said.contains(&format!("of {subject}")) || said.contains(&format!("For {subject}"));
        assert!(said.contains(subject) && !is_of(other), "{question}: {said}");
    }
    assert!(!offers("which antihypertensive in pregnancy and migraine?", "ACE inhibitor"));
    assert!(!offers("rate control in AF with asthma", "Beta blocker") && offers("rate control in AF with asthma", "Diltiazem"));
    // What it is said to be for, and what its members treat, stays what is asked about.
    for (question, subject) in [
        ("Which antibiotic for cellulitis in a patient with epilepsy?", "Cellulitis"),
        ("which antihypertensive in stable angina and gout?", "angina"),
        ("which beta blocker for essential tremor?", "ssential tremor"),
    ] {
        assert!(said(question).contains(subject), "{question}: {}", said(question));
    }
    // Of a narrow class it is asked whether it is safe.
    let statin = ask("statin in pregnancy?");
    assert!(statin.case.asks.iter().any(|ask| ask.kind == AskKind::Safety), "{:?}", statin.case.asks);
}

#[test]
fn a_first_choice_that_was_not_tried_comes_before_what_is_for_stubborn_disease() {
    for (question, first, later) in [
        ("hay fever, loratadine not enough", "Fluticasone nasal spray", "Allergen immunotherapy"),
        ("Acute mania, olanzapine 3 weeks no response, what to add?", "Quetiapine", "Electroconvulsive therapy"),
    ] {
        let offered = offered(question);
        let place = |name: &str| offered.iter().position(|offered| offered == name).unwrap_or(usize::MAX);
        assert!(place(first) < place(later), "{question}: {offered:?}");
    }
    // One of the class of what was given was tried as well.
    let pressure = offered("Hypertension uncontrolled despite ramipril, amlodipine and indapamide, what to add?");
    assert_eq!(pressure.first().map(String::as_str), Some("Spironolactone"), "{pressure:?}");
    // What is stated for after the failure of that very drug comes first.
    let gout = offered("Gout, allopurinol not tolerated. What next?");
    assert_eq!(gout.first().map(String::as_str), Some("Febuxostat"), "{gout:?}");
}
