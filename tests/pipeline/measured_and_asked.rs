//! Values that were silent, temperatures that nothing names, what a drug has done, and what kind of question is asked, on the starter graph.

use catena::run::{AnswerPart, AskKind, ConditionStatus, DrugStatus, ResultDirection, UrgencyLevel};

use crate::starter::{ask, condition, entities, finding, level};

fn kinds(question: &str) -> Vec<AskKind> {
    ask(question).case.asks.iter().map(|ask| ask.kind).collect()
}

#[test]
fn a_low_vital_capacity_is_an_emergency_where_breathing_muscles_fail() {
    for question in [
        "GBS, FVC falling to 1.1 L",
        "MG, chest infection, VC 1.1 L",
        "Myasthenia gravis, VC 18 ml/kg",
        "Guillain-Barre syndrome, forced vital capacity 900 ml, what now?",
        "吉兰-巴雷综合征，用力肺活量1.0L",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        assert_eq!(trace.case.results.first().map(|result| result.direction), Some(ResultDirection::Low), "{question}");
    }
    for question in ["70M COPD, FVC 1.2 L, FEV1 38%", "FVC 1.1 L"] {
        let trace = ask(question);
        let because = trace.urgency.because.iter().any(|reason| reason.entity.as_deref() == Some("Low vital capacity"));
        assert!(!because || trace.urgency.level != Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    for question in ["GBS, FVC 3.4 L, walking", "6 year old boy with GBS, FVC 1.1 L, well"] {
        let trace = ask(question);
        assert_eq!(trace.case.results.first().map(|result| result.direction), Some(ResultDirection::Normal), "{question}");
    }
    let ratio = ask("COPD, FEV1/FVC 0.55");
    assert!(ratio.case.results.iter().all(|result| result.test != "forced vital capacity"), "{:?}", ratio.case.results);
}

#[test]
fn a_value_of_something_unknown_is_named_as_not_understood() {
    for (question, word) in [("62M, XYZ 1.1 L, tired", "XYZ"), ("GBS, NIF -18 cmH2O", "NIF"), ("62M tired, zorbin 14 mmol/L", "zorbin")] {
        let trace = ask(question);
        assert!(trace.answer.text.contains(&format!("“{word}”")), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_fall_in_pressure_on_standing_is_read() {
    let trace = ask("72F collapse, lying/standing BP 140/80 -> 98/60, on doxazosin");
    assert!(finding(&trace, "Fall in blood pressure on standing").is_some(), "{:?}", trace.case.findings);
    assert!(!trace.answer.text.contains("98/60 mmHg (normal)"), "{}", trace.answer.text);
    for question in ["72F collapse, lying/standing BP 140/80 -> 134/78", "BP 190/100 right arm, 150/85 left arm", "BP 140/80 -> 98/60"] {
        assert!(finding(&ask(question), "Fall in blood pressure on standing").is_none(), "{question}");
    }
}

#[test]
fn a_bare_temperature_of_a_young_infant_is_an_emergency() {
    for question in [
        "my 3 week old feels warm, 38.3 under the arm, otherwise feeding ok I think",
        "Baby is 10 days old and was 38.4 this morning, otherwise fine",
        "my newborn is 38.5 since lunch, 12 days old",
        "宝宝20天，昨晚38.6，不怎么吃奶",
    ] {
        assert_eq!(level(question), Some(UrgencyLevel::Emergency), "{question}: {}", ask(question).answer.text);
    }
    for question in ["Her BMI is 38.5, what can she do?", "58M, albumin was 38.5", "My baby weighs 38.5 hectograms", "she is 38.5 weeks"] {
        let results = ask(question).case.results.clone();
        assert!(results.iter().all(|result| result.test != "temperature"), "{question}: {results:?}");
    }
}

#[test]
fn what_a_drug_has_done_is_no_reason_to_forget_what_it_was_for() {
    for (question, known, other, left) in [
        ("Ramipril caused cough, heart failure. Alternative?", "Heart failure", "Angiotensin receptor blocker", "Lisinopril"),
        ("Lisinopril caused cough, hypertension and CKD3. Alternative?", "Hypertension", "Angiotensin receptor blocker", "Ramipril"),
        ("Metformin caused diarrhoea, T2DM and CKD3, alternative?", "Type 2 diabetes", "SGLT2 inhibitor", "Metformin"),
        ("amlodipine caused ankle swelling, hypertension and asthma, alternative?", "Hypertension", "ACE inhibitor", "Amlodipine"),
        ("T2DM metformin gave diarrhoea, what next?", "Type 2 diabetes", "SGLT2 inhibitor", "Metformin"),
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, known), Some(ConditionStatus::Known), "{question}: {:?}", trace.case.conditions);
        let offered = entities(&trace, AnswerPart::Treatments);
        assert!(offered.contains(&other) && !offered.contains(&left), "{question}: {offered:?}");
        assert!(trace.case.drugs.iter().all(|drug| drug.status == DrugStatus::Taken), "{question}: {:?}", trace.case.drugs);
    }
    // What the drug has done itself is over.
    let trace = ask("Crohn's disease, azathioprine caused pancreatitis. What instead?");
    assert!(trace.case.conditions.iter().any(|c| c.status == ConditionStatus::Past), "{:?}", trace.case.conditions);
    // Somebody else gave it.
    let trace = ask("We gave him amoxicillin, chest infection. What next?");
    assert!(trace.case.conditions.iter().all(|c| c.status != ConditionStatus::Past), "{:?}", trace.case.conditions);
}

#[test]
fn the_next_of_a_kind_is_asked_for_as_a_treatment() {
    for question in [
        "UTI in 45F, 3 days of nitrofurantoin and still symptomatic, next antibiotic?",
        "Bipolar, lithium failed and valproate not tolerated, next mood stabiliser?",
    ] {
        assert!(
            kinds(question).contains(&AskKind::Treatment) && !kinds(question).contains(&AskKind::Safety),
            "{question}: {:?}",
            kinds(question)
        );
    }
    let which = kinds("STEMI 5 days ago, stented, now which antiplatelets and for how long?");
    assert!(which.contains(&AskKind::Treatment) && !which.contains(&AskKind::Prognosis), "{which:?}");
    assert!(kinds("Bell's palsy, how long does it last?").contains(&AskKind::Prognosis));
}

#[test]
fn protection_that_is_asked_for_is_prevention() {
    for question in [
        "Long-term prednisolone in 70F, should I add a bisphosphonate?",
        "Long-term prednisolone 10 mg for PMR, 72F, bone protection?",
        "bone protection on long term steroids",
    ] {
        let trace = ask(question);
        assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Prevention), "{question}: {:?}", trace.case.asks);
        assert!(trace.answer.text.contains("Alendronic acid"), "{question}: {}", trace.answer.text);
    }
    // Nothing that the drug in use does is prevented by the other.
    let trace = ask("On warfarin, should I add clarithromycin?");
    assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Safety), "{:?}", trace.case.asks);
    let ill = ask("Osteoporosis, 80F, which drug?");
    assert!(condition(&ill, "Osteoporosis").is_some());
}

#[test]
fn a_target_is_no_diagnosis() {
    for question in
        ["what is the target BP in CKD with ACR 80?", "target INR for mechanical aortic valve", "Target ferritin in restless legs?"]
    {
        assert!(
            !kinds(question).contains(&AskKind::Diagnosis) && kinds(question).contains(&AskKind::Monitoring),
            "{question}: {:?}",
            kinds(question)
        );
    }
    assert!(kinds("58M chest pain, target lesion on angiography, what is the diagnosis?").contains(&AskKind::Diagnosis));
}

#[test]
fn what_is_denied_or_goes_well_is_no_complaint() {
    for (question, name) in [
        (
            "There's a mole on my arm I've had since childhood, hasn't grown or changed colour, doesn't bleed.",
            "Poor weight gain in a child",
        ),
        ("My baby is gaining weight well, feeds well, should I worry that she cries in the evening?", "Weight gain"),
        ("My nine year old scratches his bottom at night and I saw tiny white threads in his poo", "Pale stools"),
    ] {
        assert!(finding(&ask(question), name).is_none(), "{question}: {:?}", ask(question).case.findings);
    }
    for (question, name) in [
        ("My baby is 4 months old and is not growing", "Poor weight gain in a child"),
        ("I keep gaining weight though I eat well", "Weight gain"),
        ("my poo is white and my urine is dark", "Pale stools"),
    ] {
        assert!(finding(&ask(question), name).is_some(), "{question}: {:?}", ask(question).case.findings);
    }
}

#[test]
fn an_animal_that_is_ill_beside_the_family_stops_no_answer() {
    let trace = ask("昨晚家里烧炭火锅关着窗,今早全家都有点头晕恶心,狗也没精神,是不是吃坏肚子了");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert_eq!(trace.case.refusal, None, "{}", trace.answer.text);
    assert!(ask("My dog has been vomiting since yesterday, what can I give him?").case.refusal.is_some());
}
