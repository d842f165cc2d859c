//! Which condition leads, and what the answer says of it, on the starter graph: drugs that only some conditions come from, effects told
//! in a wider word, emergencies that explain everything, kinds with a sign of their own, known conditions, and what must not be given.

use catena::run::{AnswerLine, AnswerPart, AskKind, UrgencyLevel};

use crate::starter::{ask, entities, lines};

fn kinds(question: &str) -> Vec<AskKind> {
    ask(question).case.asks.iter().map(|asked| asked.kind).collect()
}

#[test]
fn what_only_a_drug_makes_does_not_come_first_without_the_drug() {
    for question in [
        "Boy of 4 with a cold. Cough, sleeps badly. What is it?",
        "8 year old with a cold, cough keeps her awake at night, no fever, no wheeze",
        "小孩六岁感冒咳嗽，晚上咳得睡不好，不发烧不喘",
    ] {
        let trace = ask(question);
        assert_ne!(entities(&trace, AnswerPart::Conditions).first(), Some(&"ACE inhibitor cough"), "{}", trace.answer.text);
    }
    // Of another drug, it is not listed at all.
    let trace = ask("58F takes metformin. Cough and poor sleep. What is it?");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"ACE inhibitor cough"), "{}", trace.answer.text);
    let trace = ask("58F takes perindopril. Dry cough. What is it?");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"ACE inhibitor cough"), "{}", trace.answer.text);
}

#[test]
fn a_drug_is_thought_of_where_its_effect_is_told_in_a_wider_word() {
    for question in ["Started nifedipine last month. Both legs swollen. What is the cause?", "new amlodipine, both legs swelling up. Why?"]
    {
        let trace = ask(question);
        let summary = lines(&trace, AnswerPart::Summary);
        assert!(summary.contains("side effect of") && summary.contains("do not stop it suddenly"), "{question}: {}", trace.answer.text);
    }
    // A narrower finding is more than the effect: this headache is a bleed until shown otherwise.
    let trace = ask("Started nifedipine last month. Thunderclap headache. What is the cause?");
    assert!(!trace.answer.text.contains("side effect of"), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn what_is_feared_does_not_take_the_place_of_what_a_new_drug_does() {
    let trace = ask("Scared of lung cancer. Dry cough since perindopril was started. Which tests?");
    let summary = lines(&trace, AnswerPart::Summary);
    assert!(summary.contains("Perindopril") || summary.contains("ACE inhibitor cough"), "{}", trace.answer.text);
    // Asked about the cancer itself, its tests are told.
    let trace = ask("Which tests for lung cancer?");
    assert!(entities(&trace, AnswerPart::Tests).contains(&"Chest X-ray"), "{}", trace.answer.text);
}

#[test]
fn a_heart_attack_without_chest_pain_comes_before_what_explains_less() {
    for question in [
        "Woman, 82, diabetic. Cold and clammy since this morning, breathless on walking, aching jaw. No chest pain.",
        "77F with diabetes: clammy, short of breath on exertion, jaw pain, no chest pain. What is it?",
    ] {
        let trace = ask(question);
        let first = entities(&trace, AnswerPart::Conditions).first().copied().unwrap_or_default();
        assert!(first.contains("yocardial infarction") || first == "Acute coronary syndrome", "{}", trace.answer.text);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    }
}

#[test]
fn two_drugs_that_make_it_bleed_raise_the_emergency() {
    let trace = ask("71M takes aspirin and naproxen. Dizzy and sweating. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Upper gastrointestinal bleeding"), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    let trace = ask("71M, black tarry stools, cold clammy skin. What is it?");
    assert!(entities(&trace, AnswerPart::Conditions).iter().any(|name| name.contains("leeding")), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn a_kind_with_its_own_sign_comes_before_its_class() {
    for question in ["Zigzag lines across my vision, then a throbbing headache. What is it?", "visual aura, throbbing headache and nausea"]
    {
        let trace = ask(question);
        assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Migraine with aura"), "{}", trace.answer.text);
    }
    let trace = ask("Throbbing headache, nausea, no aura. What is it?");
    assert_ne!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Migraine with aura"), "{}", trace.answer.text);
}

#[test]
fn a_known_condition_is_looked_after_where_nothing_else_is_told() {
    for question in [
        "a health check says I have a thyroid nodule, 7 mm, hormones normal, no pain",
        "A scan showed gallstones, 5 mm, nothing hurts, liver normal",
        "体检发现胆囊结石，没有不舒服，要不要手术",
    ] {
        let trace = ask(question);
        assert!(!entities(&trace, AnswerPart::Treatments).is_empty(), "{question}: {}", trace.answer.text);
        assert!(!trace.answer.text.contains("Monoclonal gammopathy"), "{}", trace.answer.text);
    }
}

#[test]
fn findings_are_explained_beside_a_question_about_a_cream() {
    let trace = ask("68M, blisters on the forehead and a red eye. Carry on with the hydrocortisone cream?");
    assert!(!entities(&trace, AnswerPart::Conditions).is_empty(), "{}", trace.answer.text);
}

#[test]
fn what_is_asked_in_everyday_words_is_read() {
    for (question, kind) in [
        ("I start warfarin today. Which foods should I not take with it", AskKind::Interactions),
        ("On warfarin. Anything I cant mix with it?", AskKind::Interactions),
        ("44F, migraine twice a week. Needs a preventer", AskKind::Prevention),
        ("She has osteoarthritis. What painkiller suits best?", AskKind::Treatment),
        ("My son has eczema, any advice", AskKind::Treatment),
        ("I have acne. What can I safely use", AskKind::Treatment),
        ("痛风患者，尿酸560，降尿酸药如何选择", AskKind::Treatment),
        ("慢性乙型肝炎，需不需要抗病毒", AskKind::Treatment),
        ("Stiff neck, fever and a rash. Surely it cant be that", AskKind::Diagnosis),
        ("Palpitations and tingling fingers, is it just nerves", AskKind::Diagnosis),
    ] {
        assert!(kinds(question).contains(&kind), "{question}: {:?}", kinds(question));
    }
}

#[test]
fn what_prevents_the_first_named_condition_is_told_without_what_the_others_forbid() {
    let trace = ask("39M migraine 5 a month. Asthma. Kidney stones. BP 124/76. Needs a preventer");
    let treatments = entities(&trace, AnswerPart::Treatments);
    assert!(treatments.contains(&"Candesartan") || treatments.contains(&"Amitriptyline"), "{}", trace.answer.text);
    assert!(!treatments.contains(&"Propranolol"), "{}", trace.answer.text);
}

#[test]
fn what_not_to_give_is_about_what_leads_and_not_about_a_habit() {
    let trace = ask("40M smoker, sudden tearing chest pain through to the back, unequal pulses. What not to give?");
    assert!(!trace.answer.text.contains("Contraindicated in Smoking"), "{}", trace.answer.text);
    assert!(trace.answer.text.contains("contraindicated in Aortic dissection"), "{}", trace.answer.text);
}

#[test]
fn a_metal_valve_forbids_direct_oral_anticoagulants_by_whatever_name() {
    for valve in ["a Bjork-Shiley valve", "a metal valve", "a St Jude aortic valve", "a mechanical MVR"] {
        let trace = ask(&format!("52M with {valve}. Is dabigatran all right?"));
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(safety.contains("Mechanical heart valve") && safety.contains("contraindicated"), "{valve}: {}", trace.answer.text);
    }
}

#[test]
fn asked_about_a_drug_that_nobody_knows_the_others_are_not_gone_through() {
    let trace = ask("72M on warfarin and bisoprolol. Ok to add plostrimadine 20 mg?");
    assert!(trace.answer.text.contains("plostrimadine"), "{}", trace.answer.text);
    assert!(
        !trace.answer.text.contains("No interaction between") && !trace.answer.text.contains("No contraindication of"),
        "{}",
        trace.answer.text
    );
}

#[test]
fn changing_a_drug_for_another_is_not_taking_both() {
    for question in ["Can I swap warfarin for rivaroxaban? 61F with AF and a metal valve.", "61岁女，机械瓣，华法林换成利伐沙班可以吗？"]
    {
        let trace = ask(question);
        let safety: Vec<&AnswerLine> = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety).collect();
        let place = |words: &[&str]| safety.iter().position(|line| words.iter().any(|word| line.text.contains(word)));
        let valve = place(&["Mechanical heart valve", "机械心脏瓣膜"]);
        let change = place(&["time of changing", "换药期间"]);
        assert!(valve.is_some() && change.is_some() && valve < change, "{question}: {}", trace.answer.text);
    }
    let trace = ask("She takes warfarin. Can I add rivaroxaban?");
    assert!(!trace.answer.text.contains("time of changing"), "{}", trace.answer.text);
}

#[test]
fn a_telling_sign_is_not_overlooked_for_what_the_words_at_large_are_like() {
    for question in [
        "im 66. painful blisters on one side of my ribs. should i worry",
        "Band of blisters on one side of her chest, burning. She changed her soap powder last week. What is it?",
    ] {
        let trace = ask(question);
        assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Herpes zoster"), "{}", trace.answer.text);
    }
}

#[test]
fn an_emergency_that_explains_as_much_comes_before_what_somebody_guesses() {
    let trace = ask(
        "Back pain since last night, saddle numbness, cannot pee, pins and needles in both legs. A friend says it is sciatica. What is it?",
    );
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Cauda equina syndrome"), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn too_many_tablets_are_an_overdose_also_without_a_number() {
    for question in
        ["had too many paracetamol since yesterday for a toothache, do I need to do anything?", "She has taken too much paracetamol."]
    {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    let asked = ask("What happens if I take too many paracetamol?");
    assert!(!asked.case.conditions.iter().any(|condition| condition.text.starts_with("too")), "{:?}", asked.case.conditions);
}

#[test]
fn what_the_patients_disease_brings_keeps_its_place() {
    let trace = ask("52M with cirrhosis and known oesophageal varices. Vomiting blood, jaundice, ascites, BP 84/40, INR 2.0. Treatment?");
    assert_ne!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Acute liver failure"), "{}", trace.answer.text);
}

#[test]
fn what_explains_most_leads_before_a_picture_that_explains_hardly_anything() {
    let trace = ask("45F palpitations, sweating, headache, BP 190/110, K 3.2. What is it?");
    let first = entities(&trace, AnswerPart::Conditions).first().copied();
    assert_eq!(first, Some("Phaeochromocytoma"), "{}", trace.answer.text);
}
