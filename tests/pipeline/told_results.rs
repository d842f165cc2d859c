//! Results as people tell them: lists of what is normal, what is only feared, values behind short names, ages and temperatures.

use catena::run::{AskKind, ConditionStatus, DrugStatus, ResultDirection, Trace, UrgencyLevel};

use crate::starter::ask;

fn is_taken(trace: &Trace, drug: &str) -> bool {
    trace.case.drugs.iter().any(|known| known.entity.as_deref() == Some(drug) && known.status == DrugStatus::Taken)
}

fn has_condition(trace: &Trace, name: &str) -> bool {
    let is_it = |entity: &Option<String>| entity.as_deref() == Some(name);
    trace.case.conditions.iter().any(|known| is_it(&known.entity) && known.status != ConditionStatus::Excluded)
}

fn asks(trace: &Trace, kind: AskKind) -> bool {
    trace.case.asks.iter().any(|ask| ask.kind == kind)
}

fn months(question: &str) -> Option<(u16, u16)> {
    ask(question).case.patient.age_months.map(|age| (age.from, age.to))
}

#[test]
fn names_in_a_list_of_what_is_normal_are_neither_drugs_nor_conditions() {
    for question in [
        "Tired for months. Ferritin 8, folate b12 thyroid coeliac all normal.",
        "Tired for months. Bloods: folate, b12, coeliac and thyroid all fine.",
        "Tired for months, folate + coeliac + thyroid negative.",
    ] {
        let trace = ask(question);
        assert!(!is_taken(&trace, "Folic acid"), "{question}: {:?}", trace.case.drugs);
        assert!(!has_condition(&trace, "Coeliac disease"), "{question}: {:?}", trace.case.conditions);
    }
    let trace = ask("Known coeliac, on folic acid, tired.");
    assert!(has_condition(&trace, "Coeliac disease") && is_taken(&trace, "Folic acid"), "{:?}", trace.case);
    let fatty = ask("Fatty liver, sugar fine, tired.");
    assert_eq!(fatty.case.results.len(), 1, "{:?}", fatty.case.results);
}

#[test]
fn a_test_that_is_told_is_not_asked_for() {
    for question in [
        "Dry cough since spring, chest xray clear, breathing test spot on, never smoked.",
        "8 year old wets the bed, wee test and sugar clear.",
        "Swollen ankles. Heart scan fine, kidneys + liver + wee test fine.",
        "干咳两个月，检查都正常。",
    ] {
        let trace = ask(question);
        assert!(!asks(&trace, AskKind::Tests) && !asks(&trace, AskKind::Monitoring), "{question}: {:?}", trace.case.asks);
    }
    for question in [
        "Dry cough since spring. Which tests do I need?",
        "Swollen ankles, heart scan fine. What tests next?",
        "干咳两个月，需要做什么检查？",
    ] {
        assert!(asks(&ask(question), AskKind::Tests), "{question}");
    }
}

#[test]
fn what_is_feared_of_a_drug_is_no_result() {
    for question in
        ["On warfarin, INR 2.6. Will clarithromycin push the INR up?", "Takes ramipril. Could spironolactone send his potassium too high?"]
    {
        let trace = ask(question);
        let results = &trace.case.results;
        assert!(results.iter().all(|result| result.direction != ResultDirection::High), "{question}: {results:?}");
    }
    let trace = ask("On warfarin, INR up at 6.2. Stop it?");
    let results = &trace.case.results;
    assert!(results.iter().any(|result| result.direction == ResultDirection::High), "{results:?}");
}

#[test]
fn uric_acid_behind_its_short_name_is_no_angina() {
    for question in ["Gout for 3 years, UA 540, eGFR 70. Which drug lowers it?", "痛风3年，UA 560，eGFR 70。降尿酸药怎么选？"]
    {
        let trace = ask(question);
        assert!(!has_condition(&trace, "Unstable angina"), "{question}: {:?}", trace.case.conditions);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
}

#[test]
fn ages_are_read_where_people_put_them() {
    assert_eq!(months("宝宝刚满两个月，鼻塞"), Some((2, 2)));
    assert_eq!(months("男41 痛风3年，UA 540"), Some((492, 492)));
    assert_eq!(months("little one is 3, barking cough"), Some((36, 36)));
    assert_eq!(months("my youngest (4) has a rash"), Some((48, 48)));
    assert_eq!(months("Can I get viagra over the counter? 61"), Some((732, 732)));
}

#[test]
fn a_fever_in_the_first_three_months_is_an_emergency() {
    for question in ["宝宝刚满两个月，晚上量38.6，鼻塞", "10 week old girl, temp 38.4, feeding well", "My 2 month old baby has a fever"]
    {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    assert_ne!(ask("My 2 month old baby has no fever, a blocked nose").urgency.level, Some(UrgencyLevel::Emergency));
    let is_infant =
        |question: &str| ask(question).case.findings.iter().any(|finding| finding.entity.as_deref() == Some("Febrile young infant"));
    assert!(is_infant("6 week old boy, temp 38.3") && !is_infant("9 year old girl, temp 38.4, sore throat"));
}

#[test]
fn dangerous_heat_is_found_beside_the_fever() {
    let found =
        |question: &str| ask(question).case.findings.iter().any(|finding| finding.entity.as_deref() == Some("High body temperature"));
    assert!(found("Collapsed on a 10k run, temp 41.6, muddled"));
    assert!(found("collapsed in the garden, temperature 106.5 F"));
    assert!(!found("Sore throat, temp 39.1"));
}
