//! What is told of somebody else, what is denied by a verb, drugs and tests as they are named, and what happens where a drug is stopped. On the
//! starter graph.

use catena::run::{AnswerPart, AskKind, ConditionStatus, DrugStatus, FindingStatus, Trace};

use crate::starter::{ask, entities};

fn has_condition(trace: &Trace, name: &str) -> bool {
    let is_now = |status| matches!(status, ConditionStatus::Known | ConditionStatus::Suspected);
    trace.case.conditions.iter().any(|of| is_now(of.status) && of.entity.as_deref() == Some(name))
}

fn is_known(trace: &Trace, name: &str) -> bool {
    trace.case.conditions.iter().any(|of| of.status == ConditionStatus::Known && of.entity.as_deref() == Some(name))
}

fn finding(trace: &Trace, name: &str) -> Option<FindingStatus> {
    trace.case.findings.iter().find(|of| of.entity.as_deref() == Some(name)).map(|of| of.status)
}

fn drug(trace: &Trace, name: &str) -> Option<DrugStatus> {
    trace.case.drugs.iter().find(|of| of.entity.as_deref() == Some(name)).map(|of| of.status)
}

#[test]
fn what_an_acquaintance_has_the_patient_has_not() {
    for (question, condition) in [
        ("Both my ankles swell since my amlodipine was doubled. My neighbour had the same and it was heart failure.", "Heart failure"),
        ("My neighbour had the same and it was heart failure. My ankles swell.", "Heart failure"),
        ("A mate at work had whooping cough in the spring. I've had a cough for 6 weeks", "Whooping cough"),
        ("A customer had shingles. I have a rash on my arm", "Herpes zoster"),
        ("I get headaches a lot. My friend's husband died of a brain tumour", "Brain tumour"),
        ("A lad at my work had gout last week. I have a sore toe", "Gout"),
    ] {
        let trace = ask(question);
        assert!(!has_condition(&trace, condition), "{question}: {:?}", trace.case.conditions);
    }
}

#[test]
fn an_acquaintance_may_be_the_patient() {
    for (question, condition) in [
        ("My neighbour has heart failure and she is more breathless today. What should I do?", "Heart failure"),
        ("My friend has asthma and can't breathe, what do I do?", "Asthma"),
        ("Pharmacy here. Customer has asthma and wants ibuprofen. Is it safe?", "Asthma"),
        ("What should I do if a friend has epilepsy and has a seizure?", "Epilepsy"),
        ("I am a dentist, my client has haemophilia. Can I give ibuprofen?", "Haemophilia"),
        ("I run a pharmacy. My customer has asthma and wants ibuprofen. Is it safe?", "Asthma"),
        ("I am a social worker and my client has schizophrenia and is stiff with fever on haloperidol", "Schizophrenia"),
        ("My colleague has myasthenia gravis and I was asked to prescribe ciprofloxacin. Is it safe?", "Myasthenia gravis"),
        ("I look after my neighbour who has Parkinson's disease and he has become stiff with fever", "Parkinson's disease"),
    ] {
        let trace = ask(question);
        assert!(has_condition(&trace, condition), "{question}: {:?}", trace.case);
    }
}

#[test]
fn what_a_contact_has_and_people_catch_is_thought_of() {
    let place = |question: &str| {
        let trace = ask(question);
        entities(&trace, AnswerPart::Conditions).iter().position(|name| *name == "Whooping cough")
    };
    let with = place("A mate at work had whooping cough. I've had a cough for 3 weeks, worse at night. What is it?");
    assert!(with.is_some(), "it is named");
}

#[test]
fn what_somebody_who_is_no_clinician_says_is_a_guess() {
    for question in
        ["My roommate says I have schizophrenia, I feel tired all the time", "Google says I have lupus. I have a rash on my cheeks"]
    {
        let trace = ask(question);
        assert!(!is_known(&trace, "Schizophrenia") && !is_known(&trace, "Systemic lupus erythematosus"), "{question}: {:?}", trace.case);
    }
    assert!(is_known(&ask("My doctor says I have gout. Can I take ibuprofen?"), "Gout"));
}

#[test]
fn a_complaint_that_is_a_verb_is_denied_by_do_not() {
    for (question, name) in [
        ("I do not get breathless when I climb stairs, but my ankles swell", "Breathlessness on exertion"),
        ("I don't wake at night coughing. I feel tired", "Nocturnal cough"),
        ("My daughter is tired but doesn't vomit", "Vomiting"),
        ("Ankles puffed up since last month. Not short of breath, sleep flat", "Shortness of breath"),
        ("He is tired but isn't short of breath", "Shortness of breath"),
        ("In the daytime I do not fall asleep suddenly. I am tired", "Sudden sleep attacks"),
    ] {
        let trace = ask(question);
        assert_ne!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
    for (question, name) in [
        ("I don't stop vomiting since this morning", "Vomiting"),
        ("I don't get chest pain unless I run", "Chest pain"),
        ("Why does he not stop vomiting?", "Vomiting"),
        ("Not short of breath unless I walk uphill", "Shortness of breath"),
        ("I don't usually get breathless, today I do", "Shortness of breath"),
        ("Didn't he vomit blood yesterday? What could it be?", "Blood in vomit"),
    ] {
        let trace = ask(question);
        assert_ne!(finding(&trace, name), Some(FindingStatus::Absent), "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn a_name_of_little_needs_its_little() {
    let reduced = "Reduced urine output";
    for question in ["My baby is 4 days old, feeds well and has plenty of wet nappies", "My baby has wet nappies"] {
        assert_eq!(finding(&ask(question), reduced), None, "{question}");
    }
    for question in ["My baby has had fewer wet nappies today", "My baby has had only one wet nappy today"] {
        assert_eq!(finding(&ask(question), reduced), Some(FindingStatus::Present), "{question}");
    }
}

#[test]
fn a_drug_whose_name_holds_a_word_that_asks_is_read() {
    let pill = "Combined oral contraceptive pill";
    for question in
        ["Is the combined pill ok for me? I get migraine with aura", "I take the combined pill and get headaches with zigzag lines"]
    {
        assert!(drug(&ask(question), pill).is_some(), "{question}");
    }
    let trace = ask("Is the combined pill ok for me? I get migraine with aura");
    assert!(trace.answer.text.contains("contraindicated"), "{}", trace.answer.text);
    assert_eq!(drug(&ask("Which of the pills should I take for my headache?"), pill), None);
}

#[test]
fn a_negative_test_that_may_miss_a_disease_does_not_say_that_it_is_there() {
    let trace = ask("21M back from Ghana, fever. Malaria film x3 negative. Diagnosis?");
    assert!(!is_known(&trace, "Malaria"), "{:?}", trace.case.conditions);
}

#[test]
fn why_not_asks_for_the_reason_of_the_answer() {
    let trace = ask("Is ibuprofen ok with chickenpox for my son, 8? If not why not and what can he have instead?");
    assert!(!trace.case.asks.iter().any(|ask| ask.kind == AskKind::Causes), "{:?}", trace.case.asks);
    let trace = ask("Why does my knee hurt?");
    assert!(trace.case.asks.iter().any(|ask| matches!(ask.kind, AskKind::Causes | AskKind::Diagnosis)), "{:?}", trace.case.asks);
}

#[test]
fn which_of_the_tablets_does_it_asks_for_side_effects_and_not_for_a_treatment() {
    for question in [
        "Dry cough 6 weeks on ramipril and amlodipine. Which of my pills could be doing it?",
        "Ankles swollen on amlodipine and metformin. Which of my tablets is causing it?",
    ] {
        let trace = ask(question);
        assert!(!trace.case.asks.iter().any(|ask| ask.kind == AskKind::Treatment), "{question}: {:?}", trace.case.asks);
        assert!(trace.answer.text.contains("First consider a side effect of"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn tablets_that_ran_out_are_stopped() {
    let trace = ask("63F on prednisolone 10 mg for 3 years, ran out on holiday 5 days ago. Vomiting, BP 76/44");
    assert_eq!(drug(&trace, "Prednisolone"), Some(DrugStatus::Stopped), "{:?}", trace.case.drugs);
}

#[test]
fn who_asks_about_stopping_a_drug_is_told_what_may_happen_and_how_it_is_done() {
    for (question, says) in [
        ("I've been on prednisolone 15 mg for a year and want to just bin them tomorrow. Is that dangerous?", "adrenal"),
        ("Can I stop my diazepam? I have taken it every night for two years", "seizures"),
        ("Is it ok to come off bisoprolol suddenly?", "angina"),
    ] {
        let trace = ask(question);
        let line = trace.answer.lines.iter().find(|line| line.text.starts_with("Stopping "));
        let line = line.unwrap_or_else(|| panic!("{question}: {}", trace.answer.text));
        assert!(line.text.contains(says) && !line.citations.is_empty(), "{question}: {line:?}");
    }
    // What it has done, or must not be given with, may be why it must be stopped at once.
    for question in [
        "I take prednisolone. My knee hurts, what is it?",
        "Is it safe to take ibuprofen with prednisolone?",
        "Should I stop taking ramipril, my tongue is swelling?",
        "I'm bleeding and take warfarin, should I stop it?",
        "I am 8 weeks pregnant on methotrexate. Should I stop it?",
        "Should I stop heparin, platelets have fallen from 250 to 80?",
        "Should I stop carbamazepine, my skin is peeling?",
        "Should I stop taking simvastatin while on clarithromycin?",
        "How do I stop a seizure with diazepam?",
        "Should I stop breastfeeding while taking codeine?",
    ] {
        let trace = ask(question);
        let stopping = trace.answer.lines.iter().find(|line| line.text.starts_with("Stopping ") && line.part == AnswerPart::Safety);
        assert!(stopping.is_none(), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_a_visitor_takes_and_the_internet_says_is_not_the_patients() {
    let trace = ask(
        "My 3 year old has chickenpox and a temperature of 39.2 but she is playing and drinking. Also can Grandad visit, he's on chemo.",
    );
    assert_eq!(drug(&trace, "Chemotherapy"), None, "{:?}", trace.case.drugs);
    let trace = ask("I have had a headache for two days. Google says brain tumour. What can I take?");
    assert!(!has_condition(&trace, "Brain tumour"), "{:?}", trace.case.conditions);
    let trace = ask("ANA positive 1:80. Google says lupus. I am only tired, no rash. What now?");
    assert!(!has_condition(&trace, "Systemic lupus erythematosus"), "{:?}", trace.case.conditions);
}
