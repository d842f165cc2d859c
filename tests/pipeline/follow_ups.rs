//! What a question means that follows another: the drugs that the answer before it offers.

use catena::model::CancelToken;
use catena::run::{AnswerPart, AskOptions, DrugStatus, Trace};

use crate::starter::{ask, drug, lines};
use crate::support::engine::ENGINE;

/// The answer to a question that follows another.
fn follow(before: &Trace, question: &str) -> Trace {
    let options = AskOptions { follows: Some(before.case_to_follow()), ..AskOptions::default() };
    let mut trace = Trace::default();
    ENGINE.run(question, options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

#[test]
fn a_follow_up_checks_the_drugs_that_were_offered() {
    let before = ask("Treatment of stable angina?");
    for question in
        ["Which of these is safe in asthma?", "He has asthma: can he have any of them?", "Is any of those contraindicated with asthma?"]
    {
        let trace = follow(&before, question);
        assert_eq!(drug(&trace, "Beta blocker"), Some(DrugStatus::Proposed), "{question}: {:?}", trace.case.drugs);
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(safety.contains("Beta blocker in Asthma: contraindicated"), "{question}: {}", trace.answer.text);
        assert!(trace.answer.text.contains("considers"), "the reading says so: {}", trace.answer.text);
    }
    let chinese = ask("偏头痛怎么治疗？");
    for question in ["哪种对孕妇安全？", "这些药孕妇能用吗？"] {
        let trace = follow(&chinese, question);
        assert_eq!(drug(&trace, "Ibuprofen"), Some(DrugStatus::Proposed), "{question}: {:?}", trace.case);
        assert!(trace.answer.text.contains("拟用：布洛芬"), "{}", trace.answer.text);
    }
}

#[test]
fn what_means_none_of_them_takes_none_over() {
    let before = ask("Treatment of stable angina?");
    for question in ["And which tests?", "Is sildenafil safe for him?", "Are these symptoms dangerous?", "He also has asthma."] {
        let trace = follow(&before, question);
        assert_eq!(drug(&trace, "Statin"), None, "{question}: {:?}", trace.case.drugs);
    }
    let of_both = follow(&before, "Can he have these with sildenafil?");
    assert!(drug(&of_both, "Sildenafil").is_some() && drug(&of_both, "Glyceryl trinitrate").is_some(), "{:?}", of_both.case.drugs);
}

#[test]
fn another_drug_is_wanted_for_what_the_one_treats_and_not_for_what_leads() {
    let before = ask(
        "72-year-old man on warfarin and amiodarone for AF, started clarithromycin 4 days ago for a chest infection. INR 7.8, no bleeding. What should I do?",
    );
    assert!(lines(&before, AnswerPart::Treatments).contains("Phytomenadione"), "{}", before.answer.text);
    for (question, first) in [
        ("He is also allergic to penicillin. Which antibiotic instead?", "Doxycycline"),
        ("Which antibiotic can replace clarithromycin?", "Amoxicillin"),
        ("What could I give instead of clarithromycin?", "Amoxicillin"),
        ("What is an alternative to the clarithromycin?", "Amoxicillin"),
    ] {
        let trace = follow(&before, question);
        let offered = lines(&trace, AnswerPart::Treatments);
        assert!(offered.starts_with(first), "{question}: {}", trace.answer.text);
        assert!(!offered.contains("Phytomenadione"), "{question}: {}", trace.answer.text);
        assert!(trace.answer.text.contains("Clarithromycin with Warfarin: major interaction"), "{question}: {}", trace.answer.text);
    }
    // What is to be replaced is not offered, and one that also treats something else is not asked about that.
    let reaction =
        ask("Man, 24, cellulitis of the forearm, started flucloxacillin and within ten minutes had wheeze and urticaria. What now?");
    let trace = follow(&reaction, "Which antibiotic instead?");
    let offered = lines(&trace, AnswerPart::Treatments);
    assert!(!offered.contains("Flucloxacillin") && offered.contains("Clarithromycin"), "{}", trace.answer.text);
    let trace = ask("29-year-old with asthma and migraine, vomiting five times a day. Which antiemetic first?");
    assert_eq!(trace.case.asks.iter().flat_map(|ask| ask.of.iter()).collect::<Vec<_>>(), ["Vomiting"]);
    assert!(reaction.answer.text.contains("Adrenaline into the thigh at once"), "{}", reaction.answer.text);
    // Words that tell a story replace nothing.
    let told = ask("AF, takes nothing other than warfarin. INR 7.8, no bleeding. What should I do?");
    assert!(lines(&told, AnswerPart::Treatments).contains("Phytomenadione"), "{}", told.answer.text);
    // What else is asked is still about the case.
    assert!(lines(&follow(&before, "And how do I reverse it?"), AnswerPart::Treatments).contains("Phytomenadione"));
}

#[test]
fn antidotes_of_other_drugs_are_left_out_and_those_of_what_was_taken_are_not() {
    let treatments = |question: &str| lines(&ask(question), AnswerPart::Treatments);
    let warfarin = treatments("78M on warfarin, INR 8.4, bruises everywhere. How do I reverse it?");
    assert!(warfarin.contains("Phytomenadione"), "{warfarin}");
    for other in ["Andexanet", "Idarucizumab", "Activated charcoal"] {
        assert!(!warfarin.contains(other), "{warfarin}");
    }
    // Stopped yesterday, it is still what did it.
    let stopped = treatments("Woman of 70 on amiodarone, warfarin stopped yesterday, INR 8.4, bruises everywhere. How do I reverse it?");
    assert!(stopped.contains("Phytomenadione"), "{stopped}");
    // What is said of several alternatives is kept.
    let slow = treatments("80 year old on digoxin and verapamil, complete heart block, pulse 32. How is it treated?");
    assert!(slow.contains("Stopping the causative drug") || slow.contains("Atropine"), "{slow}");
}

#[test]
fn a_kind_of_drug_is_asked_for_what_it_treats_of_all_that_is_told() {
    for (question, condition, drug) in [
        ("68M, gout, type 2 diabetes and cellulitis of the leg. Which antibiotic?", "Cellulitis", "Flucloxacillin"),
        (
            "Woman of 30 with asthma and a urinary tract infection, which antibiotic is first choice?",
            "Urinary tract infection",
            "Nitrofurantoin",
        ),
    ] {
        let trace = ask(question);
        assert_eq!(trace.case.asks.iter().flat_map(|ask| ask.of.iter()).collect::<Vec<_>>(), [condition], "{question}");
        assert!(lines(&trace, AnswerPart::Treatments).starts_with(drug), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_follow_up_keeps_the_condition_of_the_alarm() {
    for (question, next) in [
        ("Fever 39 and headache, returned from Kenya two weeks ago, flu going round at work", "can I give ibuprofen meanwhile?"),
        ("Fever 39 and headache, returned from Kenya two weeks ago", "can I give ibuprofen meanwhile?"),
        ("72 year old man with sudden tearing chest pain going through to the back, BP 190/110", "which drug for the pressure?"),
    ] {
        let before = ask(question);
        let feared = before.urgency.condition.as_deref();
        assert!(feared.is_some(), "{}", before.answer.text);
        let trace = follow(&before, next);
        assert_eq!(trace.urgency.condition.as_deref(), feared, "{next}: {}", trace.answer.text);
        assert_eq!(trace.urgency.level, before.urgency.level, "{next}");
    }
}

#[test]
fn an_alarm_does_not_follow_another_patient_or_change_what_leads() {
    let before = ask("Fever, neck stiffness and purple rash in a student, woman, 20");
    let other = follow(&before, "Different patient: man, 40, with an itchy eczema patch on the elbow. Which cream?");
    assert!(other.case.warned_before.is_none(), "{}", other.answer.text);
    let before = ask("Worst headache of her life, sudden, vomiting");
    let next = follow(&before, "CT head normal at 10 hours. What next?");
    assert_eq!(next.urgency.level, before.urgency.level);
    let leads = lines(&next, AnswerPart::Summary);
    assert!(leads.contains("Subarachnoid haemorrhage"), "{}", next.answer.text);
}
