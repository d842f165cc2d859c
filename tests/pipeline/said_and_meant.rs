//! What is said and what it would be by its words alone: a painless bleeding, one sick morning, a rash that fades, a suspicion.

use catena::run::{AnswerPart, AskKind, ConditionStatus, FindingStatus, ResultDirection, UrgencyLevel};

use crate::starter::{ask, condition, entities, finding};

#[test]
fn what_is_painless_is_there() {
    for (question, name) in [
        ("55岁男，无痛肉眼血尿一周，怎么回事？", "Painless blood in urine"),
        ("无痛尿血三天，怎么回事？", "Painless blood in urine"),
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
        assert_ne!(finding(&trace, "Pinpoint red spots"), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
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
    let known = ask("He has leukaemia, bruises on his shins");
    assert_eq!(known.urgency.level, Some(UrgencyLevel::Emergency), "{}", known.answer.text);
}

#[test]
fn a_word_in_small_letters_is_no_abbreviation() {
    let trace = ask("there was blood on her pad, she is 70");
    assert_eq!(condition(&trace, "Peripheral artery disease"), None, "{:?}", trace.case.conditions);
    let trace = ask("Calf pain on walking. Known PAD, she is 70");
    assert_eq!(condition(&trace, "Peripheral artery disease"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
    for question in ["stubbed my toe and it is swollen", "end of an era, I feel low"] {
        let trace = ask(question);
        assert!(trace.case.drugs.is_empty(), "{question}: {:?}", trace.case.drugs);
        assert!(trace.anchors.iter().all(|anchor| anchor.entity != "Transoesophageal echocardiogram"), "{question}");
    }
}

#[test]
fn a_cold_with_a_blocked_nose_stays_a_cold() {
    for question in ["I've got a cold, blocked nose and runny nose", "I have a cold with a runny nose"] {
        let trace = ask(question);
        assert!(trace.urgency.level.is_none_or(|level| level == UrgencyLevel::Routine), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_common_condition_that_explains_more_precedes_a_rare_picture() {
    for question in ["50岁，最近老是口渴，尿多，瘦了十几斤，是什么病", "50岁男，老是口渴，尿多，人瘦了十几斤"]
    {
        let trace = ask(question);
        let leader = entities(&trace, AnswerPart::Conditions).first().map(|name| (*name).to_owned()).unwrap_or_default();
        assert!(leader.contains("iabet") && !leader.contains("insipidus"), "{question}: {leader}: {}", trace.answer.text);
    }
}

#[test]
fn what_has_not_changed_is_no_changing_mole() {
    for (question, name) in [
        ("The mole hasn't grown or changed", "Changing mole"),
        ("my mole hasn't changed shape in years", "Changing mole"),
        ("the lump hasn't grown", "Poor weight gain in a child"),
        ("the lump on my arm isn't growing", "Poor weight gain in a child"),
    ] {
        let trace = ask(question);
        assert_ne!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
    for (question, name) in [("my mole has grown", "Changing mole"), ("the baby hasn't grown since March", "Poor weight gain in a child")] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn words_of_time_between_what_hurts_and_how_are_skipped() {
    for (question, name) in [
        ("胸口最近有点闷", "Chest tightness"),
        ("走路最近有点喘", "Breathlessness on exertion"),
        ("眼睛最近有点黄", "Jaundice"),
        ("声音这两天总是哑", "Hoarseness"),
        ("胸口闷", "Chest tightness"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
    assert_ne!(finding(&ask("眼睛最近不黄，皮肤痒"), "Jaundice"), Some(FindingStatus::Present));
}

#[test]
fn whether_something_works_asks_for_treatment() {
    for question in [
        "is it colic and does Infacol work?",
        "does ibuprofen work for a migraine?",
        "is paracetamol any good for back pain?",
        "蒙脱石散治拉肚子管用吗",
    ] {
        let trace = ask(question);
        assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Treatment), "{question}: {:?}", trace.case.asks);
    }
    let trace = ask("Can I take ibuprofen while pregnant?");
    assert!(trace.case.asks.iter().all(|ask| ask.kind != AskKind::Treatment), "{:?}", trace.case.asks);
}
