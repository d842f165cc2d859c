//! The line above the answer that says how urgent the case is can be selected, and says what raised it; and the chains of a line are gone
//! through in its own order.

use catena::run::{Event, EventKind, UrgencyReason, UrgencyReasonKind};
use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::case_run;
use crate::harness::Bench;
use crate::look::place_of;
use crate::support::sample;

/// The run with what raised its alarm.
fn raised(run: &str) -> Vec<Event> {
    let mut events = case_run::answered(run);
    for event in &mut events {
        if let EventKind::UrgencyJudged { urgency } = &mut event.what {
            let reason = |kind, text: &str| UrgencyReason { kind, text: text.into(), entity: Some(text.into()) };
            urgency.condition = Some("Digoxin toxicity".into());
            urgency.because = vec![
                reason(UrgencyReasonKind::RedFlag, "Yellow vision"),
                reason(UrgencyReasonKind::Drug, "Digoxin"),
                UrgencyReason { kind: UrgencyReasonKind::Company, text: "sudden onset".into(), entity: None },
            ];
        }
    }
    events
}

const SIZES: [(u16, u16); 4] = [(240, 60), (160, 48), (100, 30), (80, 24)];
const REASONS: [&str; 3] =
    ["Yellow vision: a red flag of Digoxin toxicity", "Digoxin: in use, and can cause Digoxin toxicity", "sudden onset: with it, the case"];

/// A screen as one text, so that what is wrapped is found.
fn flowing(bench: &Bench) -> String {
    let screen = bench.screen();
    let words = screen.split(|c: char| c.is_whitespace() || "│▌┃\u{a0}".contains(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_alarm_is_selected_and_says_what_raised_it() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&raised("a"));
        assert!(!bench.screen().contains("this alarm?"), "the answer itself is selected first:\n{}", bench.screen());
        bench.press(&["6", "home", "enter", "z"]);
        let shown = flowing(&bench);
        assert!(shown.contains("Why this alarm?"), "{width} x {height}:\n{}", bench.screen());
        for reason in REASONS {
            assert!(shown.contains(reason), "{reason:?} at {width} x {height}:\n{}", bench.screen());
        }
        // No chain is shown, so no key decides on one.
        bench.press(&["x"]);
        assert!(bench.screen().contains("No chain is selected here"), "{}", bench.screen());
        bench.press(&["z", "esc", "j"]);
        assert!(!bench.screen().contains("this alarm?"), "the next line is about chains again:\n{}", bench.screen());
    }
}

#[test]
fn where_chains_have_the_keys_a_chain_is_explained() {
    for (width, height) in SIZES {
        for pane in ["5", "4"] {
            let mut bench = Bench::new(width, height);
            bench.press(&["alt+1"]).run(&raised("a")).press(&["6", "home", pane, "enter"]);
            assert!(flowing(&bench).contains("Why this chain?"), "{pane} at {width} x {height}:\n{}", bench.screen());
        }
    }
}

#[test]
fn a_click_on_the_alarm_selects_it() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&raised("a"));
    let (column, row) = place_of(&bench, "⚠ Emergency").expect("is there");
    bench.app.on_input(Input::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }));
    bench.draw();
    assert!(bench.screen().contains("7 Why this alarm?"), "{}", bench.screen());
}

#[test]
fn a_recording_that_does_not_know_says_so() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["6", "home", "enter"]);
    assert!(flowing(&bench).contains("This recording does not say what raised it"), "{}", bench.screen());
}

#[test]
fn what_is_urgent_is_said_where_the_answer_is_not_seen() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&raised("a")).press(&["7", "z"]);
        assert!(bench.screen().contains("⚠ Emergency: think of digox"), "{width} x {height}:\n{}", bench.screen());
        assert!(bench.screen().contains("Read as: woman"), "{width} x {height}:\n{}", bench.screen());
    }
}

#[test]
fn the_chains_of_a_line_follow_each_other_in_its_order() {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            answer.lines[0].citations = vec![7, 2, 5];
            answer.lines[1].citations = vec![4];
        }
    }
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&events).press(&["6", "home", "enter"]);
    let titled = |bench: &Bench, id: u32| bench.screen().contains(&format!("this chain? [{id}]"));
    assert!(titled(&bench, 7) && flowing(&bench).contains("The line rests on [7][2][5]; ] shows the next"), "{}", bench.screen());
    for id in [2, 5, 4] {
        bench.press(&["]"]);
        assert!(titled(&bench, id), "[{id}] follows:\n{}", bench.screen());
    }
    assert!(!bench.screen().contains("The line rests on"), "a line of one chain: {}", bench.screen());
    for id in [5, 2, 7] {
        bench.press(&["["]);
        assert!(titled(&bench, id), "[{id}] comes before:\n{}", bench.screen());
    }
    // Among the kept chains, the next one is the next in rank.
    bench.press(&["esc", "5", "home", "]"]);
    assert!(titled(&bench, 2), "{}", bench.screen());
}

#[test]
fn the_chains_of_the_alarm_follow_it_and_lead_back_to_it() {
    let mut events = raised("a");
    let named = |events: &[Event], id: usize| {
        let (mut table, mut pruning) = (None, None);
        for event in events {
            match &event.what {
                EventKind::ChainsFound { table: found, .. } => table = Some(found.clone()),
                EventKind::ChainsPruned { pruning: chosen } => pruning = Some(chosen.clone()),
                _ => {}
            }
        }
        let (table, pruning) = table.zip(pruning).expect("chains were found and kept");
        let chain = &table.chains[pruning.kept[id - 1].chain as usize];
        [chain.nodes()[0], chain.nodes()[1]].map(|node| table.entities[node as usize].name.clone())
    };
    // What raised it is the first link of the third kept chain.
    let [fact, condition] = named(&events, 3);
    for event in &mut events {
        if let EventKind::UrgencyJudged { urgency } = &mut event.what {
            urgency.condition = Some(condition.clone());
            urgency.because[0].entity = Some(fact.clone());
            urgency.because.truncate(1);
        }
    }
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&events).press(&["6", "home", "enter"]);
    assert!(bench.screen().contains("7 Why this alarm?"), "{}", bench.screen());
    bench.press(&["]"]);
    assert!(bench.screen().contains("this chain? [") && flowing(&bench).contains(&fact), "{}", bench.screen());
    bench.press(&["["]);
    assert!(bench.screen().contains("7 Why this alarm?"), "{}", bench.screen());
    for back in ["enter", "esc"] {
        bench.press(&["]", back]);
        assert!(bench.screen().contains("7 Why this alarm?"), "{back}:\n{}", bench.screen());
        bench.press(&["enter"]);
    }
    // Behind its last chain come those of the lines.
    bench.press(&["]", "]"]);
    assert!(bench.screen().contains("this chain? ["), "{}", bench.screen());
    bench.press(&["enter"]);
    assert!(!bench.screen().contains("7 Why this alarm?"), "a line's own chain leads back to the line:\n{}", bench.screen());
}

#[test]
fn names_keep_their_marks_while_a_revision_links_them_again() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    let before = bench.row_with("gastro-oesophageal reflux disease.");
    let revised = case_run::corrected("a", &catena::run::Triage::default());
    bench.begin(&revised[0].run);
    let linked = revised.iter().position(|event| matches!(event.what, EventKind::AnchorLinked { .. })).expect("is there");
    for event in &revised[..linked] {
        bench.app.on_event(event);
    }
    bench.draw();
    let answer = |row: &str| row.chars().take(70).collect::<String>();
    assert_eq!(answer(&bench.row_with("gastro-oesophageal reflux disease.")), answer(&before), "{}", bench.screen());
}
