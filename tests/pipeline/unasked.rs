//! What the patient seems to have, where the question asks about something else; conditions that are named only as what a test looks for; drugs
//! as causes; and where to go in an emergency. On the starter graph.

use catena::run::{AnswerPart, ConditionStatus, Trace, UrgencyLevel};

use crate::starter::{ask, entities};

fn conditions(trace: &Trace) -> Vec<&str> {
    entities(trace, AnswerPart::Conditions)
}

fn status<'a>(trace: &'a Trace, condition: &str) -> Option<&'a ConditionStatus> {
    trace.case.conditions.iter().find(|of| of.entity.as_deref() == Some(condition)).map(|of| &of.status)
}

#[test]
fn what_the_patient_seems_to_have_is_said_beside_what_is_asked() {
    for (question, seems) in [
        (
            "A stripe of painful blisters on one side of my chest, burning for two days. Can I put hydrocortisone cream on it?",
            "Herpes zoster",
        ),
        ("took 30 paracetamol tablets last night and feel sick, can I take ibuprofen for my headache?", "Paracetamol overdose"),
    ] {
        let trace = ask(question);
        assert_eq!(conditions(&trace).first().copied(), Some(seems), "{question}: {}", trace.answer.text);
    }
    // What is treated already, or is over, and one common complaint: the question is about the drug alone.
    for question in [
        "Stable angina on nicorandil and bisoprolol, chest pain on hills only. Is sildenafil safe?",
        "I take ramipril and have a headache, can I take ibuprofen?",
        "Is it safe to take clarithromycin with simvastatin?",
        // Beneath an alarm, no harmless name.
        "Low back pain and I can't feel when I wipe, numb between my legs. Can I take codeine?",
        "Migraine history, sudden worst headache and vomiting. Can I take ibuprofen?",
        "Constipated, weight loss and bleeding from my bottom. Can I take senna?",
    ] {
        let trace = ask(question);
        let harmless = ["Low back pain", "Migraine", "Constipation", "Stable angina"];
        assert!(!conditions(&trace).iter().any(|named| harmless.contains(named)), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_guess_is_not_what_the_patient_has() {
    let trace =
        ask("Room spins for seconds whenever she turns over in bed, vomiting with it. Her sister says it's a stroke. Test and treatment?");
    assert_eq!(conditions(&trace).first().copied(), Some("Benign paroxysmal positional vertigo"), "{}", trace.answer.text);
}

#[test]
fn a_negative_test_rules_out_the_infection_that_it_is_named_by_and_nothing_else() {
    for (question, condition) in [
        ("hepatitis B and C serology negative, jaundice", "Hepatitis B"),
        ("jaundice, hepatitis A, B and C all negative", "Hepatitis A"),
        ("HIV, hepatitis B, hepatitis C serologies all negative, jaundice", "HIV infection"),
        ("乏力，ALT 680 U/L，乙肝、丙肝、戊肝标志物阴性", "Hepatitis B"),
        ("皮疹一周，梅毒血清学阴性", "Syphilis"),
    ] {
        let trace = ask(question);
        assert_eq!(status(&trace, condition), Some(&ConditionStatus::Excluded), "{question}: {:?}", trace.case.conditions);
    }
    // What stands before it in a list is the patient's, and other tests rule out nothing.
    for (question, condition) in [
        ("Heart failure, hepatitis B serology negative. Is diltiazem safe?", "Heart failure"),
        ("哮喘，新冠核酸阴性，能用普萘洛尔吗？", "Asthma"),
        ("Peptic ulcer disease, HIV and hepatitis B serology negative. Is naproxen safe?", "Peptic ulcer disease"),
        ("pneumonia, cultures negative, still febrile", "Pneumonia"),
        ("cellulitis and swabs negative, redness spreads", "Cellulitis"),
        ("hepatitis B test positive, jaundice", "Hepatitis B"),
        ("known hepatitis B, PCR negative on entecavir", "Hepatitis B"),
        ("Septic arthritis culture negative, hot swollen knee. Treatment?", "Septic arthritis"),
        ("Myasthenia gravis antibodies negative. Is gentamicin safe?", "Myasthenia gravis"),
    ] {
        let trace = ask(question);
        assert_eq!(status(&trace, condition), Some(&ConditionStatus::Known), "{question}: {:?}", trace.case.conditions);
    }
    let trace = ask("She is pregnant, hepatitis B screen negative. Can she have doxycycline?");
    assert!(trace.answer.text.contains("Pregnancy"), "{}", trace.answer.text);
}

#[test]
fn a_chinese_name_ends_with_its_clause() {
    let finding = |question: &str, name: &str| {
        let trace = ask(question);
        trace.case.findings.iter().any(|finding| finding.entity.as_deref() == Some(name))
    };
    assert!(!finding("他一直吐，血压90/60", "Blood in vomit"));
    assert!(finding("他一直吐血，血压90/60", "Blood in vomit"));
    assert!(!finding("我妈头晕，倒是没摔", "Fainting"));
    assert!(finding("我妈突然晕倒了", "Fainting"));
    // A list of single characters, and what fills its clause, belong together.
    assert!(finding("左膝红、肿、热、痛，无外伤，发热39度", "Skin redness and warmth"));
    assert!(finding("嘴，歪了，口水流出来", "Facial weakness"));
    assert!(finding("大便，发黑，胃痛", "Black stools"));
}

#[test]
fn what_a_drug_makes_leads_before_what_comes_without_one() {
    let trace = ask("60F on methotrexate for 6 months, dry cough, breathless on exertion, fine late inspiratory crackles. What is it?");
    assert_eq!(conditions(&trace).first().copied(), Some("Drug-induced interstitial lung disease"), "{}", trace.answer.text);
    let trace = ask("60F, dry cough, breathless on exertion, fine late inspiratory crackles, clubbing. What is it?");
    assert_ne!(conditions(&trace).first().copied(), Some("Drug-induced interstitial lung disease"), "{}", trace.answer.text);
}

#[test]
fn an_abnormal_result_comes_before_the_worry_about_it() {
    let trace = ask("25M very anxious because his bilirubin is 38, all other liver tests normal, blood count normal. What is it?");
    assert_ne!(conditions(&trace).first().copied(), Some("Generalised anxiety disorder"), "{}", trace.answer.text);
    let trace = ask("Low mood and suicidal thoughts, no interest in anything, Na 133. Diagnosis?");
    assert_eq!(conditions(&trace).first().copied(), Some("Depression"), "{}", trace.answer.text);
    let trace = ask("25M worries about everything, cannot sleep, on edge for a year, TSH normal. What is it?");
    assert_eq!(conditions(&trace).first().copied(), Some("Generalised anxiety disorder"), "{}", trace.answer.text);
}

#[test]
fn who_is_no_clinician_hears_where_to_go() {
    let text = |question: &str| {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}");
        trace.urgency.text.unwrap_or_default()
    };
    assert!(text("My 3 week old baby is hot, 38.6, and won't wake for feeds").contains("ambulance"));
    assert!(text("我女儿出生三周，发烧38.6，叫不醒吃奶").contains("急诊"));
    assert!(!text("3-week-old neonate, T 38.6, lethargic, poor feeding").contains("ambulance"));
}

#[test]
fn an_animal_beside_people_is_no_patient() {
    let trace = ask("My 5 year old scratches her bottom all night and there are tiny white worms. Should we all be treated, even the dog?");
    assert!(trace.case.refusal.is_none(), "{}", trace.answer.text);
    let trace = ask("My dog scratches his bottom and there are tiny white worms. Should he be treated?");
    assert!(trace.case.refusal.is_some(), "{}", trace.answer.text);
}
