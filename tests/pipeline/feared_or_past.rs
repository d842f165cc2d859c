//! What is only feared, asked, somebody's guess or a risk; what became of a medicine; who of several is the patient; and what is over or is not.

use catena::run::{AskKind, ConditionStatus, DrugStatus, FindingStatus, UrgencyLevel};

use crate::starter::{ask, condition, drug, finding};

#[test]
fn what_has_not_settled_is_there() {
    for question in ["The fever has not settled after 5 days of antibiotics.", "Cough for a week, the fever hasn't gone away."] {
        assert_eq!(finding(&ask(question), "Fever"), Some(FindingStatus::Present), "{question}");
    }
    assert_eq!(finding(&ask("Cough for a week, the fever has settled."), "Fever"), Some(FindingStatus::Resolved));
}

#[test]
fn a_risk_or_a_question_is_no_illness() {
    let trace = ask("58M, AKI risk, can he have ibuprofen for gout?");
    assert_ne!(condition(&trace, "Acute kidney injury"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
    assert!(trace.case.patient.renal.is_none(), "{:?}", trace.case.patient);
    let trace = ask("high stroke risk, AF, 78F, which anticoagulant?");
    assert_eq!(condition(&trace, "Atrial fibrillation"), Some(ConditionStatus::Known));
    assert_ne!(condition(&trace, "Stroke"), Some(ConditionStatus::Known));
    assert_ne!(condition(&ask("32F anaemic, loose stool. coeliac excluded?"), "Coeliac disease"), Some(ConditionStatus::Excluded));
    for (question, name) in [
        ("70F refuses contrast because of AKI risk, has suspected PE. What next?", "Acute kidney injury"),
        ("60M AF on apixaban, at risk of GI bleeding. Which painkiller?", "Gastrointestinal bleeding"),
        ("50M headache, worried about stroke risk. What to do?", "Stroke"),
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, name), None, "{question}: {:?}", trace.case.conditions);
    }
    // Where it is all that is named, it is what the question is about; and a suspicion stays one.
    assert!(condition(&ask("Stroke risk, what can he do?"), "Stroke").is_some());
    assert_eq!(condition(&ask("60M, suspected stroke, at risk of falls. What next?"), "Stroke"), Some(ConditionStatus::Suspected));
    let trace = ask("Bilirubin 31, the rest of the liver tests normal. should i stop drinking? is my liver failing");
    assert_ne!(condition(&trace, "Liver failure"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
}

#[test]
fn a_friends_guess_is_no_ill_liver_and_an_own_illness_stays() {
    let trace = ask("little bright red dots on my tummy and chest. my friend says its liver disease. drink a glass of wine at weekends");
    assert!(trace.case.patient.hepatic.is_none(), "{:?}", trace.case.patient);
    let trace = ask("my friend says wine is fine, I have cirrhosis. can I have ibuprofen?");
    assert!(trace.case.patient.hepatic.is_some(), "{:?}", trace.case.patient);
}

#[test]
fn what_became_of_a_medicine() {
    let trace =
        ask("been on prednisolone 15mg for 5 months. ran out over bank holiday so havent had any since saturday. feel dizzy when i stand");
    assert_eq!(drug(&trace, "Prednisolone"), Some(DrugStatus::Stopped), "{:?}", trace.case.drugs);
    let trace = ask("Type 1 diabetic on insulin. Ran out 2 days ago, now vomiting.");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
    let trace = ask("been on prednisolone 15mg for 5 months. Ran out of milk today, feel dizzy");
    assert_eq!(drug(&trace, "Prednisolone"), Some(DrugStatus::Taken), "{:?}", trace.case.drugs);
    let trace = ask("RA，MTX 10mg/周，误每日服×6d，口腔溃疡，WBC 2.1，Cr 130。处理？");
    assert_eq!(condition(&trace, "Methotrexate toxicity"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
    let trace = ask("Taking methotrexate 10mg every day instead of once a week by mistake.");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
    let trace = ask("toothache. been taking paracetamol 2 at a time maybe every 2 hrs for 2 days. what else can i take on top");
    assert_eq!(condition(&trace, "Paracetamol overdose"), Some(ConditionStatus::Known), "{:?}", trace.case.conditions);
}

#[test]
fn who_is_the_patient() {
    let is_pregnant = |question: &str| ask(question).case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
    for question in [
        "forgot friday and saturday tablets of microgynon. just carry on? i cant be pregnant im at uni",
        "查出幽门螺杆菌阳性，正准备要孩子，吃四联药能马上怀孕吗？",
        "neonate 29/40 1.18kg D3, EOS. gentamicin interval?",
        "my 4yo came out in chickenpox yesterday. my sister was round on sunday for hours and shes 20 weeks pregnant. is nurofen ok for his temp",
    ] {
        assert!(!is_pregnant(question), "{question}");
    }
    for question in [
        "I'm pregnant and can't be sure which week, is ibuprofen ok?",
        "29/40, threatened preterm labour, can she have ibuprofen?",
        "my son has chickenpox. my sister is 20 weeks pregnant, can she have aciclovir?",
    ] {
        assert!(is_pregnant(question), "{question}");
    }
    let trace = ask("baby is 7 weeks, feels hot and thermometer says 38.4 under arm. had no jabs yet. can i give calpol");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
    assert_eq!(trace.case.patient.age_months.map(|age| age.from), Some(1));
}

#[test]
fn what_is_over_and_has_been_looked_into_is_no_emergency() {
    let level = |question: &str| ask(question).urgency.level;
    let seen = "had my first ever seizure last week, scan was normal, clear EEG. waiting for neurology. am i allowed to drive?";
    assert_ne!(level(seen), Some(UrgencyLevel::Emergency));
    for question in ["had a seizure last week, scan normal, and another one this morning", "had my first seizure today, scan normal"] {
        assert_eq!(level(question), Some(UrgencyLevel::Emergency), "{question}");
    }
    let trace = ask("had a stroke in 2015, now new weakness of one side since this morning");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
}

#[test]
fn whether_to_go_to_hospital_asks_what_it_is() {
    let trace = ask("我老婆怀孕32周，手心脚心痒得睡不着，没有起疹子。邻居说是胎毒，涂点炉甘石就好。要不要去医院？");
    assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Diagnosis), "{:?}", trace.case.asks);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{:?}", trace.urgency);
}
