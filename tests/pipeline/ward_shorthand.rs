//! Findings as doctors write them on the ward, and what must not be made of them, on the starter graph.

use catena::run::{AnswerPart, FindingStatus};

use crate::starter::{ask, condition, entities, finding};

#[test]
fn short_forms_are_the_findings_that_they_stand_for() {
    for (question, name) in [
        ("45F, purple striae, prox weakness. Cause?", "Proximal muscle weakness"),
        ("40M, bitemp hemianopia. Cause?", "Bitemporal hemianopia"),
        ("55M, LMN VII. Cause?", "Facial weakness with the forehead"),
        ("68M on apixaban, head strike. CT?", "Head injury"),
        ("30F, blistering, Nikolsky +. Cause?", "Nikolsky sign"),
        ("74F, APTT 92, mixing study does not correct. Cause?", "Clotting time not corrected by mixing"),
        ("30M, target lesions on hands. Cause?", "Target-shaped skin spots"),
    ] {
        let trace = ask(question);
        let is_read = finding(&trace, name) == Some(FindingStatus::Present) || trace.anchors.iter().any(|anchor| anchor.entity == name);
        assert!(is_read, "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn short_forms_are_not_what_else_they_could_be() {
    for (question, name) in [
        ("50M, CTCA: LAD 80%. Plan?", "Swollen lymph nodes"),
        ("62M, dysphagia solids > liquids. Cause?", "Difficulty swallowing both solids and liquids"),
        ("62F, dropped head. Cause?", "Head injury"),
        ("45F, purple striae, prox weakness. Cause?", "Fatigue"),
    ] {
        assert_eq!(finding(&ask(question), name), None, "{question}");
    }
    assert_eq!(condition(&ask("40M, abdominal pain, colicky, comes in waves. Cause?"), "Infant colic"), None);
}

#[test]
fn a_newborn_of_so_many_weeks_is_not_pregnant() {
    let trace = ask("Newborn boy, 37/40, jaundice at 8 hours. Cause?");
    assert_eq!(trace.case.patient.pregnancy, None, "{}", trace.answer.text);
    let mother = ask("32F, 37/40, itching palms. Cause?");
    assert_eq!(mother.case.patient.pregnancy.and_then(|pregnancy| pregnancy.week), Some(37));
}

#[test]
fn an_inhibitor_of_clotting_in_an_old_person_is_acquired() {
    let trace = ask("74F, huge bruises, APTT 92, PT normal, mixing study does not correct, factor VIII 2%. Cause?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Acquired haemophilia"), "{}", trace.answer.text);
}
