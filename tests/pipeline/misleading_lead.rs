//! Where the condition that leads, or the line above all, would mislead: an emergency for its lesser kin, a regimen that is read as no drug, an
//! antidote that waits, a drug that the kidneys rule out, something caustic in the eye, a baby's age for its mother's.

use catena::run::{AnswerPart, Trace, UrgencyLevel};

use crate::starter::{ask, entities, lines};

fn leader(trace: &Trace) -> &str {
    entities(trace, AnswerPart::Conditions).first().copied().unwrap_or_default()
}

fn is_emergency(trace: &Trace) -> bool {
    trace.urgency.level == Some(UrgencyLevel::Emergency)
}

#[test]
fn a_swollen_calf_alone_is_a_clot_in_the_leg() {
    for question in [
        "My left calf is painful and swollen ten days after my hip replacement. What is it?",
        "Calf tender and swollen since a long flight, what could this be?",
        "33 weeks pregnant, right calf swollen and tender. Diagnosis?",
        "The back of my leg hurts and the calf is swollen",
        "72F immobile in a nursing home: one calf swollen and tender",
        "小腿又肿又痛，坐长途飞机回来，是什么病？",
    ] {
        let trace = ask(question);
        assert_eq!(leader(&trace), "Deep vein thrombosis", "{question}: {}", trace.answer.text);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{question}: {}", trace.answer.text);
    }
    for question in [
        "Calf swollen and painful after my hip replacement and now it hurts to breathe in. What is it?",
        "Swollen calf since a flight, suddenly breathless. What could this be?",
        "Painful swollen calf and I coughed up blood this morning",
    ] {
        let trace = ask(question);
        assert!(is_emergency(&trace) && leader(&trace).ends_with("ulmonary embolism"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_kidney_infection_leads_unless_something_tells_that_the_kidney_is_blocked() {
    for question in [
        "Shivers, temperature 39.1 and pain in my left loin, 22 weeks pregnant",
        "26 weeks pregnant: fever, chills and flank pain. What is it?",
    ] {
        assert_eq!(leader(&ask(question)), "Pyelonephritis", "{question}");
    }
    let blocked = ask("Known kidney stones, now fever, chills and flank pain. What is it?");
    assert!(is_emergency(&blocked) && leader(&blocked) == "Obstructed infected kidney", "{}", blocked.answer.text);
}

#[test]
fn fewer_movements_of_the_unborn_are_an_emergency_and_no_stillbirth() {
    for question in [
        "35 weeks pregnant and my baby moves less than usual",
        "I am 33 weeks pregnant and feel fewer movements from the baby",
        "34 weeks, baby is moving less than last week",
        "38 weeks pregnant, baby not kicking as much since this morning. What should I do?",
        "孕35周，胎动比平时少",
    ] {
        let trace = ask(question);
        assert!(is_emergency(&trace), "{question}: {}", trace.answer.text);
        assert_ne!(leader(&trace), "Stillbirth", "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_regimen_is_read_as_its_drugs() {
    for (question, drug, effect) in [
        ("On RHZE for lung TB, colours look washed out and sight is blurred. Cause?", "Ethambutol", "optic neuritis"),
        ("Stent last month, on DAPT, what makes me bruise easily?", "P2Y12 inhibitor", ""),
        ("Second cycle of ABVD, dry cough and breathless on stairs. Which drug?", "Bleomycin", ""),
        ("Since FOLFOX my fingers tingle. Which drug?", "Oxaliplatin", ""),
    ] {
        let trace = ask(question);
        assert!(trace.case.drugs.iter().any(|known| known.entity.as_deref() == Some(drug)), "{question}: {}", trace.answer.text);
        assert!(trace.answer.text.to_lowercase().contains(effect), "{question}: {}", trace.answer.text);
    }
    let trace = ask("Taking HRZE for tuberculosis; now blurred vision and loss of colour vision");
    assert!(trace.answer.text.contains("Ethambutol") && trace.answer.text.contains("Optic neuritis"), "{}", trace.answer.text);
    assert!(!trace.answer.text.contains("do not stop it suddenly"), "{}", trace.answer.text);
}

#[test]
fn an_antidote_is_answered_as_one_and_does_not_wait() {
    for question in [
        "18 g paracetamol taken 10 hours ago. Do I start acetylcysteine now?",
        "swallowed 32 tablets of 500 mg paracetamol nine hours ago, give NAC before the level?",
        "对乙酰氨基酚20克，10小时前吞服，现在用乙酰半胱氨酸吗？",
    ] {
        let trace = ask(question);
        assert!(is_emergency(&trace), "{question}: {}", trace.answer.text);
        assert!(entities(&trace, AnswerPart::Treatments).contains(&"Acetylcysteine"), "{question}: {}", trace.answer.text);
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(!safety.contains("No interaction") && !safety.contains("未收录"), "{question}: {safety}");
    }
    for question in ["Opioid overdose, barely breathing: give naloxone now?", "Methanol poisoning an hour ago, start fomepizole?"] {
        assert!(is_emergency(&ask(question)), "{question}");
    }
    for question in ["How is methanol poisoning treated?", "took 1 g of paracetamol an hour ago, is ibuprofen all right too?"] {
        assert!(!is_emergency(&ask(question)), "{question}");
    }
}

#[test]
fn what_the_kidneys_rule_out_is_said_in_whatever_words_they_are_told() {
    for kidneys in ["kidney function down to 22", "creatinine 420 umol/l", "stage 4 CKD", "GFR of 23 ml/min", "renal function 19 ml/min"] {
        let trace = ask(&format!("67M with type 2 diabetes takes metformin, {kidneys}. Can he stay on it?"));
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(safety.contains("Metformin") && safety.contains("absolute"), "{kidneys}: {}", trace.answer.text);
    }
}

#[test]
fn something_caustic_in_the_eye_is_an_emergency_and_is_rinsed() {
    for question in [
        "Toilet bleach splashed up into my eye, what do I do?",
        "Wet mortar flicked in both eyes at work",
        "hair dye ran into her eye and it stings",
        "Car battery acid hit my left eye, can it wait till tomorrow?",
        "My little boy burst a laundry capsule into his eye",
        "石灰溅到眼睛里了怎么办",
    ] {
        let trace = ask(question);
        assert!(
            is_emergency(&trace) && trace.urgency.condition.as_deref() == Some("Chemical eye injury"),
            "{question}: {}",
            trace.answer.text
        );
    }
    for question in
        ["Is chlorine bad for hair?", "itchy eyes when I use bleach at work", "hyaluronic acid in eye drops, safe in pregnancy?"]
    {
        assert_ne!(ask(question).urgency.condition.as_deref(), Some("Chemical eye injury"), "{question}");
    }
}

#[test]
fn a_mother_who_asks_for_herself_is_not_as_old_as_her_baby() {
    let trace = ask("I am breastfeeding my 7-week-old. Can I take aspirin for a headache?");
    let safety = lines(&trace, AnswerPart::Safety);
    assert!(safety.contains("Breastfeeding") && !safety.contains("Child under"), "{}", trace.answer.text);
    let trace = ask("My 7-week-old is breastfed. Can I give him aspirin?");
    assert!(lines(&trace, AnswerPart::Safety).contains("Child under"), "{}", trace.answer.text);
    for question in [
        "I am breastfeeding my 4 week old, temperature 38.5 and not feeding, should I take him to hospital?",
        "breastfeeding mum, 3 week old baby fever 39, should I have him seen?",
        "My 3 week old has a fever. I'm breastfeeding. Can I have advice?",
        "My 3 week old has a fever of 38.6. I am breastfeeding, can I take paracetamol?",
        "哺乳期宝宝3周大，吃奶少，体温38.9",
    ] {
        assert!(is_emergency(&ask(question)), "{question}: {}", ask(question).answer.text);
    }
}
