//! Words that resemble a finding, a condition or a drug, and tell of something else.

use catena::run::{ConditionStatus, DrugStatus, FindingStatus, Trace};

use crate::starter::{ask, condition, finding};

fn drugs(trace: &Trace) -> Vec<(&str, DrugStatus)> {
    trace.case.drugs.iter().filter_map(|drug| Some((drug.entity.as_deref()?, drug.status))).collect()
}

#[test]
fn who_talks_like_a_drunk_is_not_drunk() {
    for question in [
        "Gran's speech is like she's drunk and she has not had a drop. What is it?",
        "64M sudden onset, wife says he sounds drunk, hasn't touched any alcohol. What is it?",
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, "Alcohol intoxication"), None, "{question}: {:?}", trace.case.conditions);
        assert_eq!(finding(&trace, "Slurred speech"), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
    let trace = ask("I have drunk three litres and still pee nothing. What is it?");
    assert_eq!(condition(&trace, "Alcohol intoxication"), None, "{:?}", trace.case.conditions);
    let trace = ask("58F, her walk is as if she had a stroke. What is it?");
    assert_eq!(condition(&trace, "Stroke"), Some(ConditionStatus::Suspected), "{:?}", trace.case.conditions);
    let trace = ask("19M very drunk, cannot be woken. What do I do?");
    assert_eq!(condition(&trace, "Alcohol intoxication"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
}

#[test]
fn all_of_a_list_is_denied() {
    for question in [
        "45F, vertigo since this morning. No tinnitus/diplopia/dysarthria, gait normal. What is it?",
        "45F, vertigo since this morning. No tinnitus, diplopia, dysarthria. What is it?",
    ] {
        let trace = ask(question);
        for name in ["Ringing in the ears", "Double vision", "Slurred speech"] {
            assert_eq!(finding(&trace, name), Some(FindingStatus::Absent), "{question}: {:?}", trace.case.findings);
        }
    }
    let trace = ask("45F. No tinnitus/diplopia, slurred speech since noon. What is it?");
    assert_eq!(finding(&trace, "Slurred speech"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
}

#[test]
fn a_denial_within_a_finding_is_part_of_it_and_one_beside_it_is_not() {
    for question in
        ["Numb bottom, and he has not been able to wee since lunch. What is it?", "Both legs numb, haven't been able to pee. What is it?"]
    {
        assert_eq!(finding(&ask(question), "Urinary retention"), Some(FindingStatus::Present), "{question}");
    }
    let trace = ask("Itchy all over, but her eyes aren't yellow. What is it?");
    assert_ne!(finding(&trace, "Jaundice"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    let trace = ask("Itchy all over, and her eyes are yellow. What is it?");
    assert_eq!(finding(&trace, "Jaundice"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
}

#[test]
fn small_words_that_tell_what_is_meant_must_be_said() {
    let trace = ask("Gastroenteritis, unable to keep tablets down, can't be pregnant. What helps?");
    for name in ["Looking down is hard", "Inability to conceive"] {
        assert_eq!(finding(&trace, name), None, "{:?}", trace.case.findings);
    }
    assert_eq!(finding(&trace, "Vomiting"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    let trace = ask("The dentist can't see me until Friday, and I can't get up the stairs for pain. What is it?");
    assert_eq!((finding(&trace, "Blindness"), condition(&trace, "Erectile dysfunction")), (None, None), "{:?}", trace.case);
    let trace = ask("We have tried for two years and just can't seem to get pregnant. Why?");
    // Said in part: the words stand apart.
    let told = finding(&trace, "Inability to conceive");
    assert!(matches!(told, Some(FindingStatus::Present | FindingStatus::Uncertain)), "{:?}", trace.case.findings);
}

#[test]
fn what_only_looks_like_a_name_is_none() {
    for (question, name) in [
        ("CRP 80 and falling on ceftriaxone, cough better. When to stop?", "Falls"),
        ("Toddler cries, holds her breath and goes blue. What is it?", "Shortness of breath"),
        ("Bitten by one of the bulls, hand sore. What is it?", "Bull's-eye rash"),
        ("Sore knee, tried ibuprofen gel, no joy. What else?", "Low mood"),
        ("Headache for a week. When should I start to worry, do I worry now?", "Excessive worry"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), None, "{question}: {:?}", trace.case.findings);
    }
    for (question, drug) in [
        ("76F, cough. Seen by rheum and psych last month. What is it?", "Methotrexate"),
        ("Night handover: 70M, cough, resus status unknown. What is it?", "Alcohol use"),
        ("81F cystitis, eGFR 28. Nitro bd for the UTI?", "Glyceryl trinitrate"),
    ] {
        let trace = ask(question);
        assert!(drugs(&trace).iter().all(|(name, _)| *name != drug), "{question}: {:?}", trace.case.drugs);
    }
    let trace = ask("70M angina, used his nitro spray twice. Chest tight. What is it?");
    assert!(drugs(&trace).iter().any(|(name, _)| *name == "Glyceryl trinitrate"), "{:?}", trace.case.drugs);
}

#[test]
fn a_time_after_an_operation_is_no_duration() {
    let trace = ask("61M sore calf two weeks after hip surgery. What is it?");
    let calf = trace.case.findings.iter().find(|finding| finding.entity.as_deref() == Some("Calf pain"));
    assert!(calf.is_some_and(|finding| finding.days.is_none()), "{:?}", trace.case.findings);
}
