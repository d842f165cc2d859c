//! Emergencies that numbers, rates and signs tell without a name, and alarms that a harmless explanation takes away, on the starter graph.

use catena::run::{AnswerPart, ConditionStatus, UrgencyLevel};

use crate::starter::{ask, condition, lines};

fn is_emergency(question: &str) -> bool {
    ask(question).urgency.level == Some(UrgencyLevel::Emergency)
}

#[test]
fn too_many_tablets_are_an_emergency_in_whatever_way_they_are_counted() {
    for question in [
        "My friend swallowed about thirty paracetamol last night and says she feels fine, is she out of danger?",
        "30 paracetamol tablets at once",
        "took about a dozen paracetamol",
        "swallowed 25 ibuprofen",
        "He swallowed thirty of his amitriptyline",
        "paracetamol overdose, feels fine",
        "我朋友昨晚吞了三十片对乙酰氨基酚，现在没事",
    ] {
        assert!(is_emergency(question), "{question}");
    }
    for question in [
        "took two paracetamol, still headache",
        "took 1 g paracetamol",
        "takes 50 atenolol",
        "prescribed thirty paracetamol",
        "took 40 furosemide this morning",
        "taken ten paracetamol over three days for toothache",
    ] {
        assert!(!is_emergency(question), "{question}");
    }
}

#[test]
fn a_blocked_airway_is_known_by_its_signs() {
    let is_blocked = |question: &str| condition(&ask(question), "Foreign body airway obstruction") == Some(ConditionStatus::Known);
    for question in [
        "my toddler put a peanut in his mouth, now silent and blue",
        "3yo ate nuts, suddenly cannot make a sound",
        "2 year old went blue and silent at lunch",
    ] {
        assert!(is_blocked(question) && is_emergency(question), "{question}");
    }
    assert!(is_emergency("Choking child, what to do?"));
    for question in ["silent reflux after eating, cough", "Toddler with asthma, silent chest, going blue"] {
        assert!(!is_blocked(question), "{question}");
    }
}

#[test]
fn a_chest_that_hurts_where_it_is_pressed_is_no_emergency_in_the_young_alone() {
    let question = "sore chest after push-ups, hurts when I press on it, 24 years old";
    assert!(!is_emergency(question));
    assert!(is_emergency("62M chest pain, tender to touch") && is_emergency("24M chest pain tender to touch, BP 80/50"));
    for question in [
        "Man 36, chest pain since he fell off a ladder, tender to touch, brother died suddenly at 30",
        "25-year-old woman, chest pain, tender when pressed, father died suddenly at 30",
        "Man 38, cocaine last night, chest pain 20 minutes, sore to touch",
        "COPD usually stable, breathless on stairs since yesterday",
    ] {
        assert!(is_emergency(question), "{question}");
    }
    assert!(is_emergency("heart failure, breathless on one flight since yesterday"));
    assert!(!is_emergency("heart failure, stable, breathless on one flight of stairs as always"));
}

#[test]
fn a_fever_or_a_creatinine_that_a_known_illness_does_not_explain_away_stays_urgent() {
    for question in
        ["Known Crohn's, 30M, temp 39.2 and on infliximab", "Known pyelonephritis, 30F, temp 39.3", "CKD 3, creatinine 620, what is it?"]
    {
        let level = ask(question).urgency.level;
        assert!(matches!(level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {level:?}");
    }
    assert!(is_emergency("12 day old, mastitis, fever 38.5, which antibiotic?"));
}

#[test]
fn rates_pressures_and_cells_are_those_of_what_they_stand_with() {
    let results = |question: &str| {
        let of = ask(question).case.results.clone();
        of.into_iter().map(|result| (result.test, result.value.unwrap_or_default())).collect::<Vec<_>>()
    };
    let has = |question: &str, test: &str, value: f64| results(question).iter().any(|(name, is)| name == test && *is == value);
    assert!(has("AF 168, BP 74/40", "pulse", 168.0) && has("HBPM average 152/94", "blood pressure", 152.0));
    let urine = "Urine dip: WBC 200, RBC 50, protein 2+, glucose 25, ketones 5, pH 7.1";
    assert!(!has(urine, "white cell count", 200.0) && has(urine, "ketones", 5.0) && is_emergency(urine));
    assert!(has("Urine: WBC 200; bloods: WBC 15, K 6.8", "white cell count", 15.0));
    let arms = ask("56M tearing interscapular pain, BP 190/100 R arm 150/85 L arm, what is the diagnosis and imaging?");
    assert_eq!(arms.urgency.condition.as_deref(), Some("Aortic dissection"));
    let shock = ask("AF 168, BP 74/40");
    assert_eq!(shock.urgency.condition.as_deref(), Some("Atrial fibrillation"));
    // A slow heart is not shocked back.
    let slow = ask("AF, pulse 35, BP 74/40");
    assert_ne!(slow.urgency.condition.as_deref(), Some("Atrial fibrillation"), "{}", slow.answer.text);
}

#[test]
fn the_emergency_behind_a_low_pressure_stands_above_it() {
    for (question, condition) in [
        ("BP 90/50, pulse 120, known GI bleed on bisoprolol. Target blood pressure?", "Gastrointestinal bleeding"),
        ("Known pneumonia, 70F on amlodipine, BP 90/54, pulse 122, temp 39.1. Target blood pressure?", "Pneumonia"),
        ("Anaphylaxis, BP 90/50, pulse 130, on atenolol. Treatment?", "Anaphylaxis"),
        ("Known pulmonary embolism, BP 90/60 on bisoprolol, pulse 125. Which treatment?", "Pulmonary embolism"),
        ("Sepsis, BP 90/60, pulse 125, on lisinopril. Treatment?", "Sepsis"),
        ("Ectopic pregnancy, BP 90/60, pulse 120. Treatment?", "Ectopic pregnancy"),
        ("Acute pancreatitis, BP 90/60, pulse 124, on bisoprolol. Which treatment?", "Acute pancreatitis"),
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}");
        assert_eq!(trace.urgency.condition.as_deref(), Some(condition), "{question}: {:?}", trace.urgency);
    }
    let anaphylaxis = ask("Anaphylaxis, BP 90/50, pulse 130, on atenolol. Treatment?");
    assert!(lines(&anaphylaxis, AnswerPart::Emergency).contains("Adrenaline"), "{}", anaphylaxis.answer.text);
    // The care of the bleeding does not vanish beside what speaks against a tablet.
    let bleed = ask("BP 90/50, pulse 120, known GI bleed on bisoprolol. Target blood pressure?");
    assert!(lines(&bleed, AnswerPart::Treatments).contains("Intravenous fluids"), "{}", bleed.answer.text);
    assert!(lines(&bleed, AnswerPart::Safety).contains("Bisoprolol"), "{}", bleed.answer.text);
    assert!(is_emergency("Ruptured ectopic, BP 90/50. What next?"));
    // Where nothing else is told, the pressure stands alone.
    let alone = ask("Man 60 on bisoprolol, BP 86/50. Which treatment?");
    assert_eq!(alone.urgency.condition, None, "{:?}", alone.urgency);
    assert_eq!(alone.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", alone.urgency);
}
