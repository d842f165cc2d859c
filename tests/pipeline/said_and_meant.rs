//! What is said and what it would be by its words alone: a painless bleeding, one sick morning, a rash that fades, a suspicion.

use catena::run::{ConditionStatus, FindingStatus, ResultDirection, UrgencyLevel};

use crate::starter::{ask, condition, finding};

#[test]
fn what_is_painless_is_there() {
    for (question, name) in [
        ("55岁男，无痛肉眼血尿一周，怎么回事？", "Painless blood in urine"),
        ("无痛尿血三天，怎么回事？", "Blood in urine"),
        ("体检发现无症状血尿，要紧吗？", "Blood in urine"),
        ("Red urine with no pain since Monday. What is it?", "Painless blood in urine"),
        ("red urine without any pain, 60 year old man", "Painless blood in urine"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
    for question in ["无痛、无血尿，就是尿频，怎么回事？", "尿频，无血尿，怎么回事？"] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Blood in urine"), Some(FindingStatus::Absent), "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn a_fit_without_fever_is_no_febrile_one() {
    let trace = ask("孩子三岁，无热惊厥一次，怎么回事？");
    assert_eq!(finding(&trace, "Seizure"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    assert_eq!(condition(&trace, "Febrile seizure"), None, "{:?}", trace.case.conditions);
}

#[test]
fn nobody_is_pregnant_because_a_morning_is_told() {
    for question in [
        "I was sick this morning and have a headache. What is it?",
        "He was sick in the morning, he is 6. What is it?",
        "30 year old man, sick every morning. What is it?",
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, "Hyperemesis gravidarum"), None, "{question}: {:?}", trace.case.conditions);
    }
}

#[test]
fn a_rash_that_fades_is_not_read_as_one_that_does_not() {
    for question in [
        "pink spots that do fade with the glass on my child",
        "the rash does fade when I press a glass on it, he is 3",
        "spots on his legs fade under a glass, he is 3",
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Pinpoint red spots"), None, "{question}: {:?}", trace.case.findings);
    }
    for question in ["rash that won't fade when I press a glass on it, he is 3", "spots still there under the glass, he is 3"] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Pinpoint red spots"), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn counts_are_read_in_their_power_of_ten_and_of_their_specimen() {
    let first = |question: &str| {
        let trace = ask(question);
        trace.case.results.first().map(|result| (result.test.clone(), result.value, result.direction))
    };
    let is = |test: &str, value: f64, direction| Some((test.to_owned(), Some(value), direction));
    assert_eq!(first("Cough, WBC 6000×10^6/L. What is it?"), is("white cell count", 6.0, ResultDirection::Normal));
    assert_eq!(first("发热头痛，脑脊液：白细胞 2800×10^6/L"), is("CSF white cells", 2800.0, ResultDirection::High));
}

#[test]
fn a_suspicion_alone_is_no_emergency() {
    for question in ["shin bruises from football, is it leukaemia?", "女儿会不会是白血病", "bruises on her shins, could it be leukaemia?"]
    {
        let trace = ask(question);
        assert_eq!(condition(&trace, "Leukaemia"), Some(ConditionStatus::Suspected), "{question}: {:?}", trace.case.conditions);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    for question in ["He has leukaemia and bruises all over", "Bruises and nosebleeds for two weeks, is it leukaemia?"] {
        assert_eq!(ask(question).urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
}
