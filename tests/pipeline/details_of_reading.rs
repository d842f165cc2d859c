//! Small words that change what is read: what a denial reaches, what only names a place, what was given, what is asked for.

use catena::run::{AnswerPart, FindingStatus, Trace, UrgencyLevel};

use crate::starter::{ask, lines};

fn status(trace: &Trace, finding: &str) -> Option<FindingStatus> {
    trace.case.findings.iter().find(|known| known.entity.as_deref() == Some(finding)).map(|known| known.status)
}

#[test]
fn a_denial_reaches_the_whole_finding_behind_it() {
    for (question, finding) in [
        ("Barking cough. No noise when he breathes in, pink and playing", "Stridor"),
        ("epilepsy on lamotrigine, seizure free. Wants the combined pill, ok?", "Seizure"),
        ("chest pain-free 2 days after the stent, on ticagrelor", "Chest pain"),
    ] {
        let trace = ask(question);
        assert_ne!(status(&trace, finding), Some(FindingStatus::Present), "{question}: {}", trace.answer.text);
    }
    let trace = ask("Fever for six days, red eyes but no discharge, swollen hands, child of 2");
    assert_eq!(status(&trace, "Red eyes without discharge"), Some(FindingStatus::Present), "{}", trace.answer.text);
}

#[test]
fn a_place_or_a_verb_alone_is_no_finding() {
    for question in ["I cut down the coffee, still nervous", "doesn't swing the left arm when walking"] {
        let trace = ask(question);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn the_signs_of_a_condition_are_listed_however_they_are_asked_for() {
    for question in [
        "give me the list of signs of deep vein thrombosis",
        "which signs of deep vein thrombosis should I look out for?",
        "What are the symptoms of deep vein thrombosis?",
    ] {
        let trace = ask(question);
        let said = lines(&trace, AnswerPart::Conditions);
        assert!(said.contains("Deep vein thrombosis") && said.contains("typical signs"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_was_given_does_not_come_next() {
    let trace = ask("Adult in status epilepticus, given lorazepam twice, still fitting at 20 min. Next drug?");
    let said = lines(&trace, AnswerPart::Treatments);
    for given in ["Lorazepam", "Benzodiazepine", "Diazepam", "Midazolam"] {
        let mut offered = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments).flat_map(|line| line.stated());
        assert!(!offered.any(|name| name == given), "{given}: {}", trace.answer.text);
    }
    assert!(said.contains("Levetiracetam"), "{}", trace.answer.text);
}

#[test]
fn a_condition_that_is_only_named_is_no_picture_of_another() {
    for question in ["腰椎间盘突出吃什么药", "slipped disc, what can I take for it?"] {
        let trace = ask(question);
        assert!(!lines(&trace, AnswerPart::Conditions).contains("auda equina"), "{question}: {}", trace.answer.text);
        assert!(!lines(&trace, AnswerPart::Emergency).contains("马尾"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn loperamide_is_not_offered_to_a_small_child() {
    let trace = ask("My 4 year old has diarrhoea since last night, can she have Imodium?");
    assert!(lines(&trace, AnswerPart::Safety).contains("contraindicated"), "{}", trace.answer.text);
    assert!(!lines(&trace, AnswerPart::Treatments).contains("Loperamide"), "{}", trace.answer.text);
}

#[test]
fn chinese_complaints_are_read_by_the_part_of_the_body() {
    for (question, finding) in
        [("右小腿一直有点胀", "Calf pain"), ("膝盖里面总是疼", "Knee pain"), ("上楼就喘", "Breathlessness on exertion")]
    {
        let trace = ask(question);
        assert_eq!(status(&trace, finding), Some(FindingStatus::Present), "{question}: {}", trace.answer.text);
    }
    let trace = ask("膝盖不疼，腿没有肿，头疼三天");
    assert_ne!(status(&trace, "Knee pain"), Some(FindingStatus::Present), "{}", trace.answer.text);
}
