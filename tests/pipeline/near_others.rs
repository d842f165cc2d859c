//! What somebody was near, had and no longer has, or wants, on the starter graph.

use catena::run::{AnswerPart, ConditionStatus};

use crate::starter::{ask, condition, entities, lines};

#[test]
fn contact_with_what_is_catching_is_told_and_the_illness_is_not_the_patients() {
    for question in [
        "I'm on chemo and my neighbour's kid has chickenpox, I sat with him yesterday",
        "I'm pregnant and sat next to a child with chickenpox",
        "my grandson has chickenpox and I take methotrexate",
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, "Contact with chickenpox"), Some(ConditionStatus::Known), "{question}: {:?}", trace.case);
        assert_eq!(condition(&trace, "Chickenpox"), None, "{question}");
        assert!(trace.answer.text.contains("immunosuppressed"), "{question}: {}", trace.answer.text);
    }
    let trace = ask("my son has chickenpox, can he have ibuprofen?");
    assert_eq!(condition(&trace, "Chickenpox"), Some(ConditionStatus::Known), "{:?}", trace.case);
}

#[test]
fn who_had_a_cancer_is_not_treated_for_it() {
    let trace = ask("postmenopausal, hot flushes, had breast cancer. What can she take?");
    assert_eq!(condition(&trace, "Breast cancer"), Some(ConditionStatus::Past), "{:?}", trace.case.conditions);
    assert!(!entities(&trace, AnswerPart::Treatments).contains(&"Breast surgery"), "{}", trace.answer.text);
    assert!(!entities(&trace, AnswerPart::Treatments).contains(&"Oestrogen"), "{}", trace.answer.text);
    assert_eq!(condition(&ask("has had breast cancer for two years, back pain"), "Breast cancer"), Some(ConditionStatus::Known));
}

#[test]
fn contraception_is_asked_for_and_checked() {
    let trace = ask("22F wants contraception, migraine with aura");
    let safety = lines(&trace, AnswerPart::Safety);
    assert!(safety.contains("Combined oral contraceptive pill"), "{}", trace.answer.text);
}

#[test]
fn nobody_is_answered_with_a_list_that_was_not_asked_for() {
    for question in
        ["Blood pressure 98/60, feel fine, 28 year old woman", "COPD exacerbation 3rd this winter, on triple inhaler. What can I add?"]
    {
        let trace = ask(question);
        assert!(!trace.answer.text.contains("Contraindicated in"), "{question}: {}", trace.answer.text);
    }
    let trace = ask("cholesterol 5.6, 52F, nothing else. statin?");
    assert!(!trace.answer.text.contains("Contraindications of"), "{}", trace.answer.text);
    assert!(ask("What are the contraindications of statins?").answer.text.contains("Contraindications of"));
    assert!(ask("Which drugs are contraindicated in pregnancy?").answer.text.contains("Contraindicated in"));
}

#[test]
fn a_cold_sore_is_no_cold() {
    let trace = ask("Can I breastfeed if I have a cold sore?");
    assert_eq!(condition(&trace, "Common cold"), None, "{:?}", trace.case);
    assert_eq!(condition(&ask("I have a cold and a sore throat"), "Common cold"), Some(ConditionStatus::Known));
}

#[test]
fn an_illness_that_is_named_is_no_picture_of_another() {
    let trace = ask("I think I have ADHD, I'm 34, always late and lose things");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"Tourette syndrome"), "{}", trace.answer.text);
}

#[test]
fn a_device_is_checked_with_the_scan_that_is_named() {
    for question in ["Pt with ICD needs MRI", "Can I have an MRI with a copper coil?"] {
        assert!(
            lines(&ask(question), AnswerPart::Care).contains("Magnetic resonance imaging and"),
            "{question}: {}",
            ask(question).answer.text
        );
    }
}

#[test]
fn what_a_scan_could_not_see_is_no_blindness() {
    for question in ["29F right iliac fossa pain, US couldn't see appendix", "scan couldn't see the ovary, pain right side"] {
        assert!(ask(question).case.findings.iter().all(|finding| finding.entity.as_deref() != Some("Blindness")), "{question}");
    }
    let trace = ask("suddenly can't see out of my left eye");
    assert!(
        trace.case.findings.iter().any(|finding| finding.entity.as_deref().is_some_and(|name| name.contains("ision"))),
        "{:?}",
        trace.case
    );
}

#[test]
fn magnesium_behind_a_value_is_no_milligrams() {
    let trace = ask("Na 128 Mg 0.5 creat 155");
    let tests: Vec<&str> = trace.case.results.iter().map(|result| result.test.as_str()).collect();
    assert_eq!(tests, ["sodium", "magnesium", "creatinine"]);
}
