//! What comes next after a drug that failed or is not tolerated, and who and when a Chinese question is about, on the starter graph.

use catena::run::{AnswerPart, ConditionStatus, DrugStatus, UrgencyLevel};

use crate::starter::{ask, entities};

/// Whether a treatment is offered.
fn is_offered(question: &str, names: &[&str]) -> bool {
    let trace = ask(question);
    entities(&trace, AnswerPart::Treatments).iter().any(|name| names.contains(name))
}

#[test]
fn no_drug_of_the_class_that_does_harm_is_offered() {
    for (question, alike, other) in [
        ("Statin gives me muscle pain, LDL 4.9. What next?", ["Atorvastatin", "Statin", "Rosuvastatin"], "Ezetimibe"),
        (
            "70M on ramipril has a dry cough, hypertension. What instead?",
            ["ACE inhibitor", "Lisinopril", "Perindopril"],
            "Angiotensin receptor blocker",
        ),
    ] {
        let trace = ask(question);
        assert!(!is_offered(question, &alike), "{question}: {}", trace.answer.text);
        assert!(trace.answer.text.contains(other), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_is_taken_or_has_failed_is_not_offered_as_new() {
    let question = "Type 2 diabetes on metformin, HbA1c 9.1. What next?";
    assert!(!is_offered(question, &["Metformin"]) && is_offered(question, &["SGLT2 inhibitor"]), "{}", ask(question).answer.text);
    let question = "Schizophrenia, failed olanzapine and risperidone. What next?";
    assert!(!is_offered(question, &["Olanzapine", "Risperidone"]) && is_offered(question, &["Clozapine"]), "{}", ask(question).answer.text);
    // In an emergency more of it may be needed.
    let question = "Known asthma on salbutamol, now severe attack, cannot speak in full sentences. Treatment?";
    assert!(is_offered(question, &["Salbutamol"]), "{}", ask(question).answer.text);
}

#[test]
fn a_bare_drug_before_an_open_question_is_taken() {
    for question in ["氯沙坦、氨氯地平足量，血压仍165/100，加什么？", "地西泮10mg后仍抽搐，下一步？"] {
        let case = ask(question).case;
        assert!(!case.drugs.is_empty() && case.drugs.iter().all(|drug| drug.status == DrugStatus::Taken), "{question}: {:?}", case.drugs);
    }
}

#[test]
fn a_value_that_only_says_how_the_kidneys_work_needs_no_haste() {
    let calm = ask("Type 2 diabetes on metformin, eGFR 48, HbA1c 8. What next?");
    assert_ne!(calm.urgency.level, Some(UrgencyLevel::Urgent), "{}", calm.answer.text);
    let new = ask("Type 2 diabetes on metformin, eGFR dropped to 38 from 80 since yesterday. What next?");
    assert!(matches!(new.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", new.answer.text);
}

#[test]
fn the_mother_is_the_patient_and_not_the_child_that_she_has_borne() {
    let trace = ask("我姐生完孩子三天 下面血流个不停 一小时湿透两片卫生巾");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert!(trace.case.patient.age_months.is_none_or(|age| age.from > 0 || age.to > 300), "{:?}", trace.case.patient);
    let trace = ask("孩子把奶奶的降压药当糖吃了好几片");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert_eq!(trace.case.patient.sex, None, "the grandmother is not the patient");
}

#[test]
fn a_stroke_of_last_year_is_no_stroke_now() {
    let trace = ask("我爸去年脑梗过 现在恢复的挺好 阿司匹林要吃一辈子吗");
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert!(trace.case.conditions.iter().any(|condition| condition.status == ConditionStatus::Past), "{:?}", trace.case.conditions);
    assert!(!trace.answer.text.contains("阿替普酶"), "{}", trace.answer.text);
    let now = ask("我爸突然脑梗了 半边身子动不了");
    assert_eq!(now.urgency.level, Some(UrgencyLevel::Emergency), "{}", now.answer.text);
}

#[test]
fn a_space_between_chinese_clauses_separates_them() {
    // 黑头 are blackheads.
    let trace = ask("大便黑 头晕 没力气");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Conditions).iter().all(|name| *name != "Acne"), "{}", trace.answer.text);
}

#[test]
fn reflux_with_pain_on_lying_is_no_pericarditis() {
    let trace = ask("45 year old man with burning chest pain after meals, worse lying down. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Gastro-oesophageal reflux disease"), "{}", trace.answer.text);
    let trace = ask("27M sharp chest pain, worse lying flat, better sitting forward, friction rub");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Pericarditis"), "{}", trace.answer.text);
}

#[test]
fn in_an_emergency_what_did_not_help_is_given_again() {
    let trace = ask("Anaphylaxis, EpiPen did not help. Next?");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Adrenaline"), "{}", trace.answer.text);
    // What the patient takes every day is no first choice that was given.
    let trace = ask("Epilepsy on levetiracetam, fitting for 10 minutes. What next?");
    assert!(
        is_offered(
            "Epilepsy on levetiracetam, fitting for 10 minutes. What next?",
            &["Lorazepam", "Midazolam", "Benzodiazepine", "Diazepam"]
        ),
        "{}",
        trace.answer.text
    );
    let trace = ask("Anaphylaxis, adrenaline given twice, still wheezy. What next?");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Adrenaline"), "{}", trace.answer.text);
    let trace = ask("Organophosphate poisoning, atropine did not help, drooling, pinpoint pupils. What next?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn what_is_to_be_added_is_checked_against_what_is_taken() {
    let trace = ask("Phenelzine, depression, add?");
    let offered = entities(&trace, AnswerPart::Treatments);
    assert!(!offered.contains(&"Sertraline") || trace.answer.text.contains("Phenelzine (as"), "{}", trace.answer.text);
    let trace = ask("Azathioprine, gout, add?");
    let offered = entities(&trace, AnswerPart::Treatments);
    assert!(!offered.contains(&"Allopurinol") || trace.answer.text.contains("interaction"), "{}", trace.answer.text);
}

#[test]
fn who_shared_what_the_neighbour_had_is_told_of() {
    for question in ["我和邻居一起吃了野蘑菇 邻居中毒了 我呕吐 怎么办？", "邻居煤气中毒 我也头痛 恶心"] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn an_emergency_of_somebody_else_is_told_whoever_asks() {
    for question in [
        "同事突然昏迷没有呼吸，我该怎么办",
        "小朋友发烧40度抽搐，我该怎么办",
        "女朋友停经两月肚子剧痛晕倒，我怎么办",
        "朋友突然胸痛大汗 我在旁边 怎么急救",
        "新生宝宝发烧38.5，不吃奶",
        "孩子奶奶的嘴歪了，左手抬不起来",
        "COPD. Sudden tearing pain between the shoulder blades, sweating. Please advise.",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    let gran = ask("孩子奶奶的嘴歪了，左手抬不起来");
    assert!(gran.case.patient.age_months.is_none_or(|age| age.to > 300), "{:?}", gran.case.patient);
    let child = ask("孩子误吃了奶奶的降糖药");
    assert_eq!(child.urgency.level, Some(UrgencyLevel::Emergency), "{}", child.answer.text);
    for question in ["我家孩子把硝苯地平当糖吃了", "我女儿把我的硝苯地平当糖吃了", "弟弟误吞了格列本脲"]
    {
        let child = ask(question);
        assert_eq!(child.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", child.answer.text);
    }
    let grown_up = ask("奶奶误服了两片华法林");
    assert!(!grown_up.answer.text.contains("儿童误吞"), "{}", grown_up.answer.text);
}

#[test]
fn who_had_no_treatment_is_offered_the_first_choice() {
    let trace = ask("Newly diagnosed type 2 diabetes, no drugs yet. What next?");
    assert_eq!(entities(&trace, AnswerPart::Treatments).first(), Some(&"Metformin"), "{}", trace.answer.text);
    let trace = ask("Schizophrenia, gained weight on olanzapine. What next?");
    let first = *entities(&trace, AnswerPart::Treatments).first().expect("something is offered");
    assert_ne!(first, "Clozapine", "clozapine needs two failures: {}", trace.answer.text);
    // Of a hormone, another dose is needed.
    let question = "Type 1 diabetes on insulin glargine, sugars never well controlled. Treatment?";
    assert!(
        entities(&ask(question), AnswerPart::Treatments).iter().any(|name| name.to_lowercase().contains("insulin")),
        "{}",
        ask(question).answer.text
    );
}

#[test]
fn a_first_choice_is_not_left_in_an_emergency() {
    for (question, drug) in [
        ("Asthma, acute severe attack despite salbutamol, cannot finish sentences. Treatment?", "Salbutamol"),
        ("Anaphylaxis, EpiPen given 5 min ago, pale, palpitations, pulse 140, lips swelling. Treatment?", "Adrenaline"),
    ] {
        assert!(is_offered(question, &[drug]), "{question}: {}", ask(question).answer.text);
    }
}

#[test]
fn kidneys_that_worked_better_a_month_ago_need_haste() {
    let trace = ask("Type 2 diabetes on metformin and ramipril, eGFR 34, last month 82. What next?");
    assert!(matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", trace.answer.text);
}

#[test]
fn what_was_never_taken_is_no_drug_in_use() {
    for question in ["Migraine, haven't tried sumatriptan yet. What next?", "偏头痛，没吃过布洛芬，用什么"] {
        let case = ask(question).case;
        assert!(
            !case.drugs.is_empty() && case.drugs.iter().all(|drug| drug.status == DrugStatus::Proposed),
            "{question}: {:?}",
            case.drugs
        );
    }
}

#[test]
fn what_did_harm_and_its_class_are_replaced() {
    let trace = ask("Crohn's, azathioprine caused pancreatitis. What instead?");
    let offered = entities(&trace, AnswerPart::Treatments);
    assert!(!offered.contains(&"Mercaptopurine") && !offered.contains(&"Azathioprine"), "{}", trace.answer.text);
    assert!(offered.contains(&"Methotrexate"), "{}", trace.answer.text);
    assert!(trace.case.conditions.iter().any(|condition| condition.status == ConditionStatus::Past), "{:?}", trace.case.conditions);
    // What takes the place of ramipril is not given beside it.
    let question = "70M on ramipril has a dry cough, hypertension. What instead?";
    assert!(is_offered(question, &["Angiotensin receptor blocker", "Candesartan", "Losartan"]), "{}", ask(question).answer.text);
}

#[test]
fn no_second_drug_of_a_class_comes_beside_the_first() {
    let question = "78M heart failure with reduced ejection fraction on ramipril and bisoprolol. Treatment?";
    let trace = ask(question);
    let offered = entities(&trace, AnswerPart::Treatments);
    assert!(!offered.is_empty() && !["Carvedilol", "Metoprolol", "Nebivolol"].iter().any(|name| offered.contains(name)), "{offered:?}");
}

#[test]
fn a_mild_value_raises_no_alarm_and_one_in_dangerous_company_does() {
    for question in ["55F BP 148/92 in clinic, no symptoms", "70M Na 132, well"] {
        let level = ask(question).urgency.level;
        assert!(!matches!(level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {level:?}");
    }
    for question in [
        "34 weeks pregnant, BP 150/95",
        "Na 112, confused",
        "K 6.8",
        "BP 150/95, sudden weakness of one side",
        "K 5.8, peaked T waves",
        "K 3.0, ventricular tachycardia",
    ] {
        let level = ask(question).urgency.level;
        assert!(matches!(level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {level:?}");
    }
}

#[test]
fn what_is_named_and_explains_all_is_what_the_answer_is_about() {
    let trace = ask("twisted my ankle at football, its swollen but i can walk on it");
    let text = &trace.answer.text;
    assert!(text.contains("Ankle sprain") && !text.contains("Heart failure"), "{text}");
    // What is dangerous is explained all the same.
    let trace = ask("Migraine, worst headache of my life, came in a second");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn after_a_heart_attack_is_no_heart_attack_unless_it_hurts() {
    let trace = ask("Atorvastatin 80 after MI, LDL 3.1. What to add?");
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    let trace = ask("pulmonary oedema after MI, what next");
    assert!(trace.case.conditions.iter().all(|condition| condition.status == ConditionStatus::Known), "{:?}", trace.case.conditions);
    let trace = ask("Crushing chest pain and sweating after MI two weeks ago");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn a_drug_that_was_prescribed_has_not_failed() {
    let question = "Depression, my doctor gave me sertraline last week. Which treatment?";
    let trace = ask(question);
    assert_ne!(entities(&trace, AnswerPart::Treatments).first(), Some(&"Mirtazapine"), "{}", trace.answer.text);
    // A sartan comes in the place of an ACE inhibitor, not beside one that does no harm.
    let question = "Heart failure with reduced ejection fraction on bisoprolol and ramipril, still breathless on stairs. What to add?";
    assert_ne!(
        entities(&ask(question), AnswerPart::Treatments).first(),
        Some(&"Angiotensin receptor blocker"),
        "{}",
        ask(question).answer.text
    );
}
