//! What goes wrong after operations, with lines, tubes, drains and devices stands above what the signs alone point at.

use crate::starter::{ask, level};
use catena::run::UrgencyLevel;

fn begins(question: &str) -> String {
    let trace = ask(question);
    trace.answer.text.lines().take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_sign_after_a_procedure_is_told_as_what_it_is_there() {
    for (question, said) in [
        ("4 hours after total thyroidectomy, neck tight, dressing bulging. Calcium?", "bleeding into the neck"),
        ("Day 5 after anterior resection, HR 118, fever 38.3, abdomen distended and tender", "leak of the join"),
        ("Pulled out central line with patient sitting up, sudden breathless, confused, sats 82", "air embolism"),
        ("Fistula no thrill this morning", "fistula without thrill"),
        ("PEG put in 5 days ago has been pulled out", "PEG out within four weeks"),
        ("甲状腺全切术后3小时，颈部肿胀，呼吸费力", "颈部血肿"),
    ] {
        assert!(begins(question).contains(said), "{question}: {}", begins(question));
        assert_eq!(level(question), Some(UrgencyLevel::Emergency), "{question}");
    }
}

#[test]
fn a_procedure_of_long_ago_to_come_or_without_a_sign_is_not_told() {
    for (question, said) in [
        ("Cholecystectomy 8 years ago, now cough and fever for 3 days", "gallbladder surgery"),
        ("Colonoscopy normal last year, crampy belly pain and loose stools for months", "perforation after colonoscopy"),
        ("Total thyroidectomy planned for neck swelling, on warfarin, how to bridge?", "bleeding into the neck"),
        ("Spinal decompression surgery this afternoon, can't feel my bottom, on rivaroxaban", "epidural"),
        ("Post nasal drip, throat red and painful", "cannula"),
        ("Splint for carpal tunnel, fingers tingling at night", "compartment"),
        ("Thalassaemia major, transfusion dependent, fever 38.5 today", "transfusion"),
        ("Heart valve replacement 10 years ago, fever for two weeks", "Neonatal sepsis"),
        ("Heart valve replacement 10 years ago, fever for two weeks", "Malaria"),
        ("Stoma bag leaks at night", "stoma"),
    ] {
        assert!(!begins(question).contains(said), "{question}: {}", begins(question));
    }
}

#[test]
fn what_is_expected_after_a_procedure_is_calm() {
    let question = "Day 1 after laparoscopic cholecystectomy shoulder tip pain, otherwise well, obs normal";
    assert_eq!(level(question), Some(UrgencyLevel::Routine), "{}", begins(question));
    assert_eq!(level("Day 4 post lap chole, jaundice, bile in the drain, RUQ pain"), Some(UrgencyLevel::Emergency));
}
