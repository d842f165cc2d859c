//! What is typed in the place of an item is meant as an item of its kind; what cannot be read is not taken, and it is said why.

use catena::run::{Ask, Case, CaseCorrection, CaseResult};
use catena::tui::{Effect, Reply};

use crate::case_run;
use crate::harness::Bench;
use crate::support::engine::ENGINE;

fn answered() -> Bench {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    while bench.app.next_effect().is_some() {}
    bench
}

/// Presses Enter, and has what is typed read by an engine. Returns the words.
fn read(bench: &mut Bench) -> Option<String> {
    bench.press(&["enter"]);
    let text = std::iter::from_fn(|| bench.app.next_effect()).find_map(|effect| match effect {
        Effect::ReadWords(text) => Some(text),
        _ => None,
    })?;
    let told = ENGINE.told(&text).map(Box::new);
    bench.app.on_reply(Reply::WordsRead { text: text.clone(), told });
    bench.draw();
    Some(text)
}

fn decided(bench: &mut Bench) -> Option<Vec<CaseCorrection>> {
    std::iter::from_fn(|| bench.app.next_effect()).find_map(|effect| match effect {
        Effect::Revise { triage, .. } => Some(triage.case.clone()),
        _ => None,
    })
}

#[test]
fn a_bare_number_is_an_age_or_a_value_and_what_cannot_be_read_is_refused() {
    let mut bench = answered();
    bench.press(&["c", "home", "e"]).type_text("xyz");
    assert_eq!(read(&mut bench).as_deref(), Some("xyz"));
    let screen = bench.screen();
    assert!(screen.contains("Catena does not understand “xyz” as an age") && screen.contains("20 weeks pregnant"), "{screen}");
    assert!(!screen.contains("“xyz”   added"), "{screen}");
    bench.press(&["ctrl+l"]).type_text("54");
    assert!(!bench.screen().contains("does not understand"), "{}", bench.screen());
    assert_eq!(read(&mut bench).as_deref(), Some("aged 54"));
    let screen = bench.screen();
    assert!(screen.contains("“aged 54”   added"), "{screen}");
    // Only what it replaces is marked.
    assert!(bench.row_with("✓  woman").contains("your corrections below") && screen.matches("corrections below").count() == 1, "{screen}");
    // Amiodarone and digoxin stand between.
    bench.press(&["up", "up", "up", "e", "ctrl+l"]).type_text("abc");
    assert_eq!(read(&mut bench).as_deref(), Some("abc"));
    assert!(bench.screen().contains("For example, type: pulse 42."), "{}", bench.screen());
    bench.press(&["ctrl+l"]).type_text("72");
    assert_eq!(read(&mut bench).as_deref(), Some("pulse 72"));
    bench.press(&["enter"]);
    let words = |text: &str| CaseCorrection::Words { text: text.into() };
    assert_eq!(decided(&mut bench), Some(vec![words("aged 54"), words("pulse 72")]));
}

#[test]
fn words_are_taken_where_nobody_can_read_them_and_late_replies_are_not() {
    let mut bench = answered();
    bench.press(&["c", "home", "e"]).type_text("54").press(&["enter"]);
    bench.app.on_reply(Reply::WordsRead { text: "aged 5".into(), told: Some(Box::default()) });
    bench.draw();
    assert!(!bench.screen().contains("does not understand"), "it was about other words:\n{}", bench.screen());
    bench.app.on_reply(Reply::WordsRead { text: "aged 54".into(), told: None });
    bench.draw();
    assert!(bench.screen().contains("“aged 54”   added"), "{}", bench.screen());
    // A name of a test with anything but a value is not read as something about the patient.
    let mut bench = answered();
    bench.press(&["c", "down", "down", "e"]).type_text("normal").press(&["enter"]);
    let told = Case { results: vec![CaseResult { test: "pulse".into(), ..CaseResult::default() }], ..Case::default() };
    bench.app.on_reply(Reply::WordsRead { text: "pulse normal".into(), told: Some(Box::new(told)) });
    bench.draw();
    assert!(bench.screen().contains("“pulse normal”   added"), "{}", bench.screen());
}

#[test]
fn the_preview_says_what_is_replaced_and_what_is_only_added() {
    let mut bench = answered();
    bench.press(&["c", "down", "down", "e"]);
    assert!(bench.screen().contains("replaces: pulse 42"), "{}", bench.screen());
    // The name of the pulse is written already.
    bench.type_text("lactate 2.5");
    let screen = bench.screen();
    assert!(screen.contains("adds: lactate; pulse 42 (low) stays") && !screen.contains("replaces: pulse"), "{screen}");
    assert_eq!(read(&mut bench).as_deref(), Some("lactate 2.5"), "without the unit of a pulse");
    let mut bench = answered();
    bench.press(&["c", "down", "down", "e", "ctrl+l"]).type_text("HR 72");
    assert!(bench.screen().contains("replaces: pulse 42"), "another name of the same:\n{}", bench.screen());
    bench.press(&["ctrl+l"]).type_text("72, lactate 2.5");
    assert!(bench.screen().contains("replaces: pulse 42"), "both:\n{}", bench.screen());
    // On the line of the patient, a value is none of the patient's details.
    let mut bench = answered();
    bench.press(&["c", "home", "e"]).type_text("pulse 72");
    assert!(bench.screen().contains("replaces: pulse 42 (low); woman"), "{}", bench.screen());
    bench.press(&["ctrl+l"]).type_text("54");
    assert!(bench.screen().contains("replaces: woman"), "{}", bench.screen());
}

#[test]
fn the_words_that_a_doctor_would_type_are_read() {
    let engine = &*ENGINE;
    for (text, is_age) in [("aged 54", true), ("54岁", true), ("20 weeks pregnant", false), ("male", false)] {
        let told = engine.told(text).expect("an engine reads");
        assert_ne!(told.patient, Case::default().patient, "{text}");
        assert_eq!(told.patient.age_months.is_some(), is_age, "{text}");
    }
    for text in ["pulse 72", "potassium 6.1 mmol/L", "potassium > 6 mmol/L"] {
        assert!(!engine.told(text).expect("an engine reads").results.is_empty(), "{text}");
    }
}
