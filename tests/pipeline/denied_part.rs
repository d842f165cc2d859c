//! What "non" denies, what a pain is only like, and what people say for what must not be missed.

use catena::run::{FindingStatus, UrgencyLevel};

use crate::starter::{ask, condition, finding};

#[test]
fn non_denies_the_word_behind_it_and_no_more() {
    for question in [
        "A 4 week old girl with non-bilious vomiting after feeds",
        "9 days old, two non bilious vomits today",
        "Non-bilious, forceful vomiting, 6 weeks old",
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Bilious vomiting"), None, "{question}: {:?}", trace.case.findings);
        assert!(
            trace.case.findings.iter().any(|finding| finding.text.to_lowercase().contains("vomit")),
            "{question}: {:?}",
            trace.case.findings
        );
    }
    let trace = ask("34F, non-bloody diarrhoea since Tuesday. What is likely?");
    assert_eq!(finding(&trace, "Bloody diarrhoea"), None, "{:?}", trace.case.findings);
    assert_eq!(finding(&trace, "Diarrhoea"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    for question in ["19M, fever and a non-blanching rash", "head injury, pupils non-reactive, vomiting"] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    assert!(condition(&ask("non stop fits for 10 minutes"), "Status epilepticus").is_some(), "what does not stop is there");
}

#[test]
fn a_pain_like_a_shock_is_no_accident() {
    for question in [
        "electric shock pains down my left arm when I bend my neck",
        "Stopped sertraline, electric shock sensations in my head",
        "61F with electric shock like pain in the jaw on chewing",
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, "Electrical injury"), None, "{question}: {:?}", trace.case.conditions);
        assert_ne!(trace.urgency.condition.as_deref(), Some("Electrical injury"), "{question}");
    }
    for question in ["collapsed, in shock like picture, BP 80/40", "he is in shock like he was last year with sepsis, BP 70/40"] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        assert!(condition(&trace, "Shock").is_some(), "{question}: {:?}", trace.case.conditions);
    }
    assert!(condition(&ask("Got an electric shock off the cooker"), "Electrical injury").is_some());
}

#[test]
fn a_child_that_is_not_felt_and_a_plan_to_die_are_emergencies() {
    for question in [
        "37 weeks pregnant, haven't felt her since this morning, is that normal?",
        "im 35 weeks and havent felt him all day, should I wait?",
        "How many of my sertraline would it take to end it?",
        "are 30 propranolol enough to end it",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}
