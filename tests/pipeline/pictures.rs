//! What the words of a case say by themselves, what others think of it, and what happened long ago, on the starter graph.

use catena::run::{AnswerPart, AskKind, ConditionStatus, DrugStatus, FindingStatus, UrgencyLevel};

use crate::starter::{ask, condition, drug, entities, finding};

#[test]
fn a_finding_of_a_likely_condition_is_read_from_half_of_its_words_and_said_to_be_possible() {
    let trace = ask("81M, HbA1c 88. Discharging ear 7 weeks, granulation on floor of canal, deep pain at night. What is it?");
    assert_eq!(finding(&trace, "Granulation in the ear canal"), Some(FindingStatus::Uncertain), "{:?}", trace.case.findings);
    assert!(trace.answer.text.contains("possibly granulation in the ear canal"), "{}", trace.answer.text);
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Necrotising otitis externa"), "{}", trace.answer.text);
}

#[test]
fn what_is_denied_or_a_relatives_is_read_in_no_part() {
    for question in [
        "Ear pain, no granulation on the floor of the canal. What is it?",
        "I have ear pain. My father had granulation on the floor of the canal.",
    ] {
        let read = finding(&ask(question), "Granulation in the ear canal");
        assert!(!matches!(read, Some(FindingStatus::Present | FindingStatus::Uncertain)), "{question}: {read:?}");
    }
}

#[test]
fn what_a_colleague_thinks_is_a_guess_and_what_he_rules_out_is_open() {
    let denied =
        ask("T2DM on empagliflozin. Vomiting, pH 7.16, ketones 5.9, glucose 10.8. SHO says it is not diabetic ketoacidosis. Agree?");
    assert_eq!(condition(&denied, "Diabetic ketoacidosis"), Some(ConditionStatus::Suspected), "{:?}", denied.case.conditions);
    assert_eq!(entities(&denied, AnswerPart::Conditions).first(), Some(&"Diabetic ketoacidosis"), "{}", denied.answer.text);
    let held = ask("Vomiting, headache, red eye, hazy cornea, fixed oval pupil. Night F1 wrote migraine. Agree?");
    assert_eq!(condition(&held, "Migraine"), Some(ConditionStatus::Suspected));
    // A diagnosis that somebody was told is one.
    let told = ask("The doctor says I have gout. What can I eat?");
    assert_eq!(condition(&told, "Gout"), Some(ConditionStatus::Known), "{:?}", told.case.conditions);
}

#[test]
fn a_reaction_of_long_ago_is_an_allergy_and_one_of_today_is_a_finding() {
    for question in [
        "Came up in hives and needed adrenaline after co-trimoxazole years ago. What instead for a urinary tract infection?",
        "Co-trimoxazole gave me a rash as a child. What can I take for a urinary tract infection?",
    ] {
        let trace = ask(question);
        assert_eq!(drug(&trace, "Co-trimoxazole"), Some(DrugStatus::Allergic), "{question}: {:?}", trace.case.drugs);
        assert!(!entities(&trace, AnswerPart::Treatments).contains(&"Co-trimoxazole"), "{}", trace.answer.text);
        assert_eq!(finding(&trace, "Wheals"), None, "{question}: what was then is no finding of today");
    }
    let today = ask("Came up in hives an hour after co-trimoxazole. What is it?");
    assert_ne!(drug(&today, "Co-trimoxazole"), Some(DrugStatus::Allergic), "{:?}", today.case.drugs);
    assert_eq!(finding(&today, "Wheals"), Some(FindingStatus::Present), "{:?}", today.case.findings);
}

#[test]
fn a_vaccination_is_no_disease() {
    let trace = ask("GP nurse is giving out jabs - yellow fever for our trip. I'm on adalimumab. Can I have it?");
    assert_eq!(condition(&trace, "Yellow fever"), None, "{:?}", trace.case.conditions);
    assert!(drug(&trace, "Yellow fever vaccination").is_some(), "{:?}", trace.case.drugs);
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn a_plan_put_up_for_judgement_asks_what_it_is_and_what_to_do() {
    for question in
        ["Sudden hearing loss in one ear today, told to wait a fortnight. Right advice?", "Swollen knee, fever 39. Can this go home?"]
    {
        let asks: Vec<AskKind> = ask(question).case.asks.iter().map(|ask| ask.kind).collect();
        assert!(asks.contains(&AskKind::Diagnosis) && asks.contains(&AskKind::Treatment), "{question}: {asks:?}");
    }
    let worry = ask("My mole has grown. Should I worry?");
    assert_eq!(finding(&worry, "Excessive worry"), None, "{:?}", worry.case.findings);
    assert_eq!(finding(&worry, "Changing mole"), Some(FindingStatus::Present));
}

#[test]
fn treatment_of_mild_disease_is_not_for_shock() {
    let trace = ask("70F temp 38.5, confused, RR 26, BP 80/45, creps left base. Management?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    for line in trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments) {
        assert!(!line.text.contains("not severe") && !line.text.contains("mild") && !line.text.contains("bronchiolitis"), "{}", line.text);
    }
}

#[test]
fn an_ill_patient_gets_a_differential_whatever_is_asked() {
    let trace = ask("Drooling, tears, pinpoint pupils, muscle twitching and a wheezy chest in a farm worker. Is ibuprofen safe?");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Organophosphate poisoning"), "{}", trace.answer.text);
    let pair = ask("On warfarin, has a headache. Is ibuprofen safe?");
    assert!(entities(&pair, AnswerPart::Conditions).is_empty(), "{}", pair.answer.text);
}

#[test]
fn a_finding_that_is_dangerous_only_with_others_is_urgent_and_says_with_which() {
    let trace = ask("My 40 year old husband fainted once yesterday while queueing. What should we do?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{}", trace.answer.text);
    assert!(trace.urgency.text.as_deref().is_some_and(|text| text.contains("emergency services")), "{:?}", trace.urgency);
}

#[test]
fn a_clear_picture_is_named_with_what_is_typical_of_it_though_no_finding_links() {
    let told = "Swabs were fine. Ivory, crinkly skin in a figure of eight around the vulva and anus, labia shrunk away, splits with sex";
    let trace = ask(&format!("{told}. What is it?"));
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Lichen sclerosus"), "{}", trace.answer.text);
    let line = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions).expect("a condition");
    assert!(!line.citations.is_empty(), "cited: {}", line.text);
    // What is asked of a drug is not answered with a diagnosis.
    let safety = ask("Is ibuprofen safe with warfarin?");
    assert!(entities(&safety, AnswerPart::Conditions).is_empty(), "{}", safety.answer.text);
}

#[test]
fn a_clear_picture_is_named_beside_what_the_question_is_about() {
    let trace = ask(
        "54M with known sciatica. Since this morning he cannot pass urine, is numb around the back passage and inner thighs when he wipes, \
         and both legs are weak; lax anal tone. Which test does his sciatica need?",
    );
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Cauda equina syndrome"), "{}", trace.answer.text);
    // With nothing told of the patient, the question is about what it names.
    let named = ask("Which test does sciatica need?");
    assert!(!entities(&named, AnswerPart::Conditions).contains(&"Cauda equina syndrome"), "{}", named.answer.text);
}

#[test]
fn an_unmistakable_picture_is_named_whatever_is_asked() {
    let trace = ask(
        "Hip replacement 9 days ago, dalteparin since. Platelets fell by half, 230 -> 74, new clot in the calf, black skin where it is injected, \
         PF4 antibodies positive. Is warfarin safe?",
    );
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Heparin-induced thrombocytopenia"), "{}", trace.answer.text);
    assert!(trace.answer.text.contains("Warfarin"), "what is asked is answered, too: {}", trace.answer.text);
}

#[test]
fn a_picture_does_not_choose_between_a_condition_and_the_emergency_that_comes_of_it() {
    let trace = ask("Left calf swollen and sore since a ten hour flight, I take the pill, no breathlessness, no chest pain. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Deep vein thrombosis"), "{}", trace.answer.text);
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
}

#[test]
fn a_drug_that_is_only_taken_is_no_picture_of_what_it_may_do() {
    let trace = ask("I began St John's wort for my low mood. Does it matter with my contraceptive pill?");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"Serotonin syndrome"), "{}", trace.answer.text);
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", trace.urgency);
}

#[test]
fn what_is_feared_or_treated_as_is_suspected_and_what_is_free_of_is_absent() {
    for (question, name) in [
        ("Numb hand for ten minutes, now well. Sent to the TIA clinic. What else could it be?", "Transient ischaemic attack"),
        ("He keeps losing his keys and is frightened of dementia. What is it?", "Dementia"),
        ("Itchy rash for a month, treated as psoriasis by two doctors, no better. What is it?", "Psoriasis"),
        ("大便带血三个月，一直当痔疮治，没有好转。是什么病？", "Haemorrhoids"),
    ] {
        assert_eq!(condition(&ask(question), name), Some(ConditionStatus::Suspected), "{question}");
    }
    let free = ask("Seizure-free on lamotrigine for two years. Can she stop it?");
    assert_ne!(finding(&free, "Seizure"), Some(FindingStatus::Present), "{:?}", free.case.findings);
    assert_ne!(free.urgency.level, Some(UrgencyLevel::Emergency), "{:?}", free.urgency);
    let told = ask("Weight loss and tremor, hyperthyroidism, free T4 38. What is first-line?");
    assert_eq!(condition(&told, "Hyperthyroidism"), Some(ConditionStatus::Known), "\"free\" begins what follows: {:?}", told.case);
}

#[test]
fn a_name_that_denies_is_not_said_without_its_denial() {
    let hair = ask("My hair comes out in clumps with a wee white root. What is it?");
    assert_eq!(finding(&hair, "Urinary retention"), None, "{:?}", hair.case.findings);
    let wee = ask("Since last night my wee simply won't come out. What is it?");
    assert_eq!(finding(&wee, "Urinary retention"), Some(FindingStatus::Present), "{:?}", wee.case.findings);
}

#[test]
fn what_is_called_normal_is_read_in_no_part() {
    for question in [
        "The room spins for seconds when I turn over in bed. My ears hear fine on both sides. What is it?",
        "Ear pain, the floor of the canal and its granulation normal. What is it?",
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Hearing loss in one ear"), None, "{question}: {:?}", trace.case.findings);
        assert_eq!(finding(&trace, "Granulation in the ear canal"), None, "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn how_not_to_catch_a_disease_asks_for_prevention() {
    for question in ["What can we take so that we don't catch malaria?", "What can I take to prevent malaria?"] {
        let trace = ask(question);
        assert!(
            trace.case.asks.iter().any(|ask| ask.kind == AskKind::Prevention && ask.of == ["Malaria"]),
            "{question}: {:?}",
            trace.case.asks
        );
        assert!(trace.answer.text.contains("Atovaquone-proguanil"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn everyday_words_are_no_findings() {
    for (question, never) in [
        ("She won't drink and has a breath test tomorrow. What is it?", "Slow breathing"),
        ("He won't drink his milk. What is it?", "Excessive thirst"),
        ("Small pink spots in lines over my back. What is it?", "Positive pregnancy test"),
    ] {
        assert_eq!(finding(&ask(question), never), None, "{question}");
    }
}

#[test]
fn a_verb_that_goes_on_names_no_drug_and_an_emergency_is_answered() {
    let trace = ask("我妈70岁，有高血压，刚才吃完饭突然胸口压榨样疼，左胳膊发麻，满头冷汗，想吐。家里有胃药，先吃点行吗？");
    assert!(trace.case.refusal.is_none(), "{:?}", trace.case.not_understood);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    let is_drug = |term: &catena::run::NotUnderstood| term.likely == Some(catena::run::LikelyKind::Drug) || term.subject;
    assert!(!trace.case.not_understood.iter().any(is_drug), "{:?}", trace.case.not_understood);
}

#[test]
fn the_checks_that_a_drug_needs_are_asked_in_many_ways() {
    for question in ["What checks does someone on lithium need?", "List the baseline and ongoing checks for someone on lithium."] {
        let trace = ask(question);
        assert!(trace.case.asks.iter().any(|ask| ask.kind == AskKind::Monitoring), "{question}: {:?}", trace.case.asks);
        assert!(trace.answer.text.contains("Serum lithium level"), "{question}: {}", trace.answer.text);
    }
}
