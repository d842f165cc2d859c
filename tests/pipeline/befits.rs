//! Whom a condition befalls, what makes a finding more telling, what turns a same-day matter into an emergency, and what is answered
//! although its words look like something else; on the starter graph.

use catena::run::{AnswerPart, ConditionStatus, DrugStatus, FindingStatus, Trace, UrgencyLevel};

use crate::starter::{ask, entities, lines};

fn first(trace: &Trace) -> &str {
    entities(trace, AnswerPart::Conditions).first().copied().unwrap_or_default()
}

fn finding<'a>(trace: &'a Trace, name: &str) -> Option<&'a FindingStatus> {
    trace.case.findings.iter().find(|finding| finding.entity.as_deref() == Some(name)).map(|finding| &finding.status)
}

#[test]
fn what_befalls_others_does_not_lead() {
    // Ages.
    let trace = ask("I am 61 and put on weight, no period for years, and hair on my chin. What is it?");
    assert_ne!(first(&trace), "Polycystic ovary syndrome", "{}", trace.answer.text);
    let trace = ask("22F, no period for 5 months, weight gain, hair on the chin. What is it?");
    assert_eq!(first(&trace), "Polycystic ovary syndrome", "{}", trace.answer.text);
    // What it cannot be without.
    let trace = ask("3 year old boy, fever 39 and a bit drowsy since this morning. What is it?");
    assert_ne!(first(&trace), "Febrile seizure", "{}", trace.answer.text);
    let trace = ask("3 year old boy, fever 39, had a fit this morning, drowsy now. What is it?");
    assert_eq!(first(&trace), "Febrile seizure", "{}", trace.answer.text);
    // What began yesterday is no narcolepsy.
    let trace = ask("Banged my head yesterday, since today drowsy. 70, on apixaban");
    assert_ne!(first(&trace), "Narcolepsy", "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn every_fever_of_a_young_infant_is_an_emergency_however_its_age_is_told() {
    for question in [
        "baby 6 weeks temp 38.3 quite sleepy, is it her vaccines",
        "newborn, 12 days, temp 38.5",
        "My 8 week old is hot, 38.7",
        "6周宝宝发烧38.4，有点嗜睡",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        assert_eq!(first(&trace), "Neonatal sepsis", "{question}: {}", trace.answer.text);
    }
    let trace = ask("My 2 year old is hot, 38.7, runny nose, playing happily");
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn duration_age_and_company_make_a_finding_more_telling() {
    for (question, is) in [
        ("I'm 60 and there's been some spotting for two days", "Postmenopausal bleeding"),
        ("52, no period for 3 years, now vaginal bleeding", "Postmenopausal bleeding"),
        ("mouth ulcer for 4 weeks, smoker, 58", "Mouth ulcer that does not heal"),
        ("mouth ulcer for 5 weeks, it does not heal", "Mouth ulcer that does not heal"),
        ("hoarse for 6 weeks", "Hoarseness for more than three weeks"),
    ] {
        let trace = ask(question);
        assert!(finding(&trace, is).is_some(), "{question}: {:?}", trace.case.findings);
    }
    for (question, is_not) in [
        ("I'm 30 and there's been some spotting for two days", "Postmenopausal bleeding"),
        ("mouth ulcer for 4 days", "Mouth ulcer that does not heal"),
        ("I get mouth ulcers once a month, they heal in a few days", "Mouth ulcer that does not heal"),
        ("mouth ulcers on and off for 5 years", "Mouth ulcer that does not heal"),
        ("I get hoarse every winter for 5 years", "Hoarseness for more than three weeks"),
        ("嘴里长溃疡，两个月一次，几天就好", "Mouth ulcer that does not heal"),
        ("hoarse since yesterday", "Hoarseness for more than three weeks"),
    ] {
        let trace = ask(question);
        assert!(finding(&trace, is_not).is_none(), "{question}: {:?}", trace.case.findings);
    }
    let trace = ask("I'm 63 and there's been some spotting. Overweight, diabetic. What could it be?");
    assert_eq!(first(&trace), "Endometrial cancer", "{}", trace.answer.text);
}

#[test]
fn what_turns_a_same_day_matter_into_an_emergency_is_in_the_graph() {
    for (with, without) in [
        (
            "5 month old with bronchiolitis, keeps stopping breathing for a few seconds",
            "5 month old with bronchiolitis, snotty, feeding well",
        ),
        ("known kidney stone, now fever 39 and loin pain with shivering", "known kidney stone, loin pain comes and goes, no fever"),
        ("my asthma is so bad I cannot speak in full sentences", "my asthma is a bit worse this week, can speak normally"),
        ("anorexia nervosa, fainted twice today", "anorexia nervosa, eating a little more, what bloods?"),
        ("cirrhosis, vomiting blood since an hour", "cirrhosis, feet swollen for two weeks"),
        ("flatmate hears voices telling him to kill the neighbour", "flatmate hears voices, takes his tablets"),
        ("splashed hydrofluoric acid on his hand", "has dry skin on his hand"),
        ("toddler chewed foxglove leaves, well so far", "toddler chewed a carrot, well so far"),
    ] {
        let trace = ask(with);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{with}: {}", trace.answer.text);
        let trace = ask(without);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{without}: {}", trace.answer.text);
    }
}

#[test]
fn just_tells_when_and_hedges_nothing() {
    for question in ["he has just had a seizure", "she just coughed up blood", "stopped breathing for maybe twenty seconds, just now"] {
        let trace = ask(question);
        let is_sure = trace.case.findings.iter().any(|finding| finding.status == FindingStatus::Present);
        assert!(is_sure, "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn an_animal_that_is_named_is_not_the_patient() {
    for question in [
        "A pig farmer has had fever and weight loss for weeks. What should be excluded?",
        "34F, bloating and cramps, rabbit droppings for stools, eased by opening the bowels. What tests?",
    ] {
        assert!(ask(question).case.refusal.is_none(), "{question}");
    }
    for question in ["My sheep has a fever and is off its feed, which antibiotic?", "our rabbit has diarrhoea, what can I give it?"] {
        assert!(ask(question).case.refusal.is_some(), "{question}");
    }
}

#[test]
fn a_bite_with_a_risk_of_rabies_is_treated_wherever_it_happens() {
    let trace = ask("在公园被流浪狗咬了小腿，要打什么针");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Rabies vaccination"), "{}", trace.answer.text);
    let trace = ask("A macaque scratched my hand at a temple, bled a little. Can it wait?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{}", trace.answer.text);
    assert!(trace.answer.text.contains("rabies vaccine"), "{}", trace.answer.text);
}

#[test]
fn the_usual_treatment_of_a_condition_is_offered_beside_its_interaction() {
    let trace = ask("64M with HFrEF on perindopril and carvedilol, K 4.4, eGFR 70. What to add?");
    let treatments = entities(&trace, AnswerPart::Treatments);
    assert!(treatments.contains(&"Spironolactone"), "{}", trace.answer.text);
    assert!(lines(&trace, AnswerPart::Treatments).contains("potassium"), "{}", trace.answer.text);
    // Without heart failure, the pair is left out as before.
    let trace = ask("64M with hypertension on perindopril, K 4.4, eGFR 70. What to add?");
    assert!(!entities(&trace, AnswerPart::Treatments).contains(&"Spironolactone"), "{}", trace.answer.text);
}

#[test]
fn a_lack_that_drugs_make_precedes_its_autoimmune_kind() {
    let trace = ask("71M on metformin for 9 years: numb feet, tired, Hb 101, MCV 114. What is the cause?");
    assert_eq!(first(&trace), "Vitamin B12 deficiency", "{}", trace.answer.text);
    let trace = ask("71M, vitiligo, numb feet, tired, Hb 101, MCV 114, intrinsic factor antibodies positive. What is the cause?");
    assert_eq!(first(&trace), "Pernicious anaemia", "{}", trace.answer.text);
}

#[test]
fn what_is_there_now_is_not_read_away() {
    for question in [
        "I had a stroke in June, face drooping again since an hour",
        "he had a fit today, head injury two weeks ago",
        "had a fever this week, chemo was 2 weeks ago",
        "my son is having a fit again, the last one was in March",
    ] {
        assert_eq!(ask(question).urgency.level, Some(UrgencyLevel::Emergency), "{question}");
    }
    for (question, drug) in [
        ("is it an NSAID? I take warfarin and lisinopril", "Warfarin"),
        ("had a cold 3 weeks ago, carbimazole, sore throat", "Carbimazole"),
    ] {
        let trace = ask(question);
        let is_used = |drug: &&catena::run::CaseDrug| matches!(drug.status, DrugStatus::Taken | DrugStatus::New);
        assert!(
            trace.case.drugs.iter().filter(is_used).any(|used| used.entity.as_deref() == Some(drug)),
            "{question}: {:?}",
            trace.case.drugs
        );
    }
    for question in ["is she just fainted or is it a stroke", "Could I just have a UTI, burning", "possibly 3rd degree heart block"] {
        let trace = ask(question);
        let conditions = &trace.case.conditions;
        assert!(!conditions.iter().any(|condition| condition.status == ConditionStatus::Known), "{question}: {conditions:?}");
    }
}

#[test]
fn the_mother_is_not_her_baby() {
    for question in [
        "postpartum, baby 5 weeks, fever 38.5 and heavy bleeding",
        "Breastfeeding, baby 6 weeks, sore red breast, fever 39",
        "I have a baby 8 weeks, feeling low and crying",
        "baby 30 weeks breech",
        "产后6周宝宝母乳，乳房红肿痛发热39",
        "发烧3天宝宝精神不好",
    ] {
        let age = ask(question).case.patient.age_months;
        assert!(age.is_none_or(|age| age.from != age.to), "{question}: {age:?}");
    }
}

#[test]
fn words_that_only_resemble_an_accident_are_none() {
    for question in [
        "can I put fusidic acid on the rash of my hand?",
        "hit by a baseball bat that scratched my leg",
        "my blood pumping in my ears at night",
        "my hand went white and cold after holding ice",
        "I have to go to my boss's dinner tomorrow, what can I take for diarrhoea?",
    ] {
        let trace = ask(question);
        assert!(trace.case.refusal.is_none() || trace.urgency.level.is_none(), "{question}: {}", trace.answer.text);
        let named = trace.urgency.level.is_some()
            && trace
                .case
                .conditions
                .iter()
                .any(|c| matches!(c.entity.as_deref(), Some("Chemical on the skin" | "Bite with a risk of rabies")));
        assert!(!named && trace.urgency.level != Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}
