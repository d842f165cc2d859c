//! What a value means by how far it is from normal, where a question tells of little else, on the starter graph.

use catena::run::{AnswerPart, ConditionStatus, DrugStatus, UrgencyLevel};

use crate::starter::{ask, condition, drug, entities, level, lines};

#[test]
fn a_single_slight_value_is_explained_and_no_reason_for_haste() {
    for (question, said) in [
        ("My blood test says eGFR 58, is that bad? I'm 71.", "three months"),
        ("Sodium 132, no symptoms, man 60", "one to two weeks"),
        ("Platelets 121 on a routine blood test, woman 44", "film"),
        ("My D-dimer is 560 and I'm 68, no leg swelling", "below the limit for this age"),
        ("体检尿酸480，要紧吗", "无须服药"),
    ] {
        let trace = ask(question);
        let text = &trace.answer.text;
        assert!(lines(&trace, AnswerPart::Care).contains(said), "{question}: {text}");
        assert_eq!(entities(&trace, AnswerPart::Conditions), Vec::<&str>::new(), "{question}: {text}");
        assert_eq!(entities(&trace, AnswerPart::Treatments), Vec::<&str>::new(), "{question}: {text}");
        let level = trace.urgency.level;
        assert!(!matches!(level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent)), "{question}: {text}");
        assert!(trace.case.not_understood.is_empty(), "{question}: {:?}", trace.case.not_understood);
    }
}

#[test]
fn a_fasting_glucose_between_the_limits_is_no_diabetes() {
    for question in ["血糖空腹6.5，是糖尿病吗", "fasting glucose 6.5, am I diabetic?"] {
        let trace = ask(question);
        let text = &trace.answer.text;
        assert!(text.contains("糖尿病前期") || text.to_lowercase().contains("prediabetes"), "{question}: {text}");
        assert_eq!(condition(&trace, "Diabetes mellitus"), Some(ConditionStatus::Suspected), "{question}");
    }
}

#[test]
fn a_complaint_a_child_or_a_grave_value_is_answered_as_before() {
    for question in [
        "potassium 5.8 and palpitations, on spironolactone",
        "my 5 year old's platelets are 121 and he has bruises",
        "D-dimer 560, 68 years old, chest pain and breathless",
        "potassium 6.9, no symptoms",
        "TSH 0.2, palpitations and weight loss",
    ] {
        let trace = ask(question);
        assert!(trace.urgency.level.is_some(), "{question}: {}", trace.answer.text);
        let care = lines(&trace, AnswerPart::Care);
        assert!(!["slightly raised", "slightly low", "below the limit"].iter().any(|said| care.contains(said)), "{question}: {care}");
    }
}

#[test]
fn what_several_values_are_together_comes_before_each_of_them() {
    let trace = ask("Hb 104, MCV 72, ferritin 180, Cypriot man 25");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Thalassaemia"), "{}", trace.answer.text);
    let trace = ask("Calcium 2.78 PTH 9.8, 62F");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Primary hyperparathyroidism"), "{}", trace.answer.text);
    // Both are high cholesterol.
    let trace = ask("Cholesterol 7.9, LDL 5.8, 29 years old, father MI at 44");
    assert!(lines(&trace, AnswerPart::Care).contains("familial hypercholesterolaemia"), "{}", trace.answer.text);
}

#[test]
fn a_drug_in_use_says_what_its_value_means() {
    for question in ["INR 6.2 no bleeding on warfarin for AF", "I take warfarin, INR 6.2 today, no bleeding"] {
        let trace = ask(question);
        assert_eq!(drug(&trace, "Warfarin"), Some(DrugStatus::Taken), "{question}");
        assert!(lines(&trace, AnswerPart::Care).contains("leave out one or two doses"), "{question}: {}", trace.answer.text);
        assert!(!trace.answer.text.contains("Disseminated intravascular coagulation"), "{question}: {}", trace.answer.text);
    }
    assert_eq!(drug(&ask("He has a cough and is not on warfarin"), "Warfarin"), None);
    assert_eq!(drug(&ask("no chest pain, not on warfarin, INR 1.1"), "Warfarin"), None);
}

#[test]
fn a_question_about_a_drug_is_no_question_about_the_value() {
    let trace = ask("eGFR 40, can I take ibuprofen?");
    assert!(!lines(&trace, AnswerPart::Safety).is_empty(), "{}", trace.answer.text);
    assert!(!lines(&trace, AnswerPart::Care).contains("3b"), "{}", trace.answer.text);
}

#[test]
fn what_a_scan_showed_by_chance_is_answered_by_what_follows_from_it() {
    for question in ["体检发现肺结节5毫米，不抽烟，怎么办", "5 mm lung nodule on CT, never smoked, what next?"] {
        let trace = ask(question);
        assert!(
            !trace.answer.text.contains("mbrolizumab") && !trace.answer.text.contains("帕博利珠单抗"),
            "{question}: {}",
            trace.answer.text
        );
        assert!(trace.answer.text.contains("6 mm"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_chinese_asks_to_be_so_is_not_known() {
    for (question, name) in [("头痛是脑瘤吗", "Brain tumour"), ("这是糖尿病吗", "Diabetes mellitus")] {
        assert_eq!(condition(&ask(question), name), Some(ConditionStatus::Suspected), "{question}");
    }
    assert_eq!(condition(&ask("我是糖尿病人，能吃西瓜吗"), "Diabetes mellitus"), Some(ConditionStatus::Known));
    assert_eq!(condition(&ask("我是糖尿病人能吃西瓜吗"), "Diabetes mellitus"), Some(ConditionStatus::Known));
}

#[test]
fn what_only_a_pregnancy_brings_is_not_named_where_none_is_told() {
    let trace = ask("ALT 140 AST 90, upper belly pain and nausea, 40 years old");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"HELLP syndrome"), "{}", trace.answer.text);
    let trace = ask("34 weeks pregnant, ALT 140, platelets 70, upper belly pain");
    assert!(trace.answer.text.contains("HELLP"), "{}", trace.answer.text);
}

#[test]
fn who_asks_about_driving_while_it_happens_is_told_to_call() {
    for question in
        ["When can I drive after a seizure, he's fitting on the floor", "Can I drive after fainting? Fainted at the wheel, third time"]
    {
        assert!(matches!(level(question), Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent)), "{question}");
    }
    for question in ["had a seizure in 2005, none since, can I drive", "I had a fit three months ago. When can I drive?"] {
        assert!(!matches!(level(question), Some(UrgencyLevel::Emergency)), "{question}");
    }
}

#[test]
fn a_value_is_calm_only_where_nothing_speaks_against_it() {
    for (question, calm) in [
        ("eGFR 58, I am 71", true),
        ("potassium 5.6, well, 60", true),
        ("Potassium 5.9, peritoneal dialysis, skipped exchanges", false),
        ("BP 155/100, had my baby five days ago", false),
        ("ALT 130, liver transplant", false),
        ("neutrophils 1.3, chemo last week", false),
        ("血压165/100，突然说不清话", false),
        ("Sodium 148, dad won't wake up properly", false),
    ] {
        let is_calm = !matches!(level(question), Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
        assert_eq!(is_calm, calm, "{question}: {:?}", level(question));
    }
}

#[test]
fn life_with_what_is_over_calls_no_ambulance() {
    let trace = ask("How soon can I drive after a seizure in the UK?");
    assert!(!matches!(trace.urgency.level, Some(UrgencyLevel::Emergency)), "{}", trace.answer.text);
    assert!(!trace.answer.text.contains("Febrile seizure"), "{}", trace.answer.text);
    for question in ["My son is having a seizure, can he go to school tomorrow?", "seizure an hour ago, can I drive now?"] {
        assert_eq!(ask(question).urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
}

#[test]
fn a_child_that_got_at_another_s_tablets_is_an_emergency() {
    for question in ["Child swallowed some of grandad's glibenclamide, looks fine", "my child swallowed two of grandma's amlodipine"] {
        assert_eq!(ask(question).urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
    assert_ne!(ask("my child swallowed his amoxicillin with juice").urgency.level, Some(UrgencyLevel::Emergency));
}

#[test]
fn a_negative_test_beside_a_late_period_is_a_pregnancy_test() {
    let trace = ask("My period is 5 days late, test negative, stomach cramps");
    assert!(trace.case.results.iter().any(|result| result.test == "hCG"), "{:?}", trace.case.results);
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}
