//! What a doctor doubted who used the screen for the first time, at 100 columns and 30 rows.

use catena::run::{Anchor, AnchorOrigin, AnswerPart, Event, EventKind};
use catena::tui::Reply;

use crate::case_run;
use crate::harness::Bench;
use crate::support::sample::{self, line};

const SIZES: [(u16, u16); 3] = [(160, 48), (100, 30), (80, 24)];

/// A screen as one text, so that what is wrapped is found.
fn flowing(bench: &Bench) -> String {
    let screen = bench.screen();
    let words = screen.split(|c: char| c.is_whitespace() || "│▌┃\u{a0}".contains(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_line_that_no_chain_states_says_so_and_shows_no_other_chain() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        // From the alarm to the first warning, and on to the sentence that nothing is stored.
        bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["6", "home", "j", "j", "enter", "z"]);
        let shown = flowing(&bench);
        assert!(shown.contains("Why this line?") && !shown.contains("this chain?"), "{width} x {height}:\n{}", bench.screen());
        assert!(shown.contains("No chain states this line: it is a sentence of the safety check."), "{}", bench.screen());
        assert!(shown.contains("No interaction between Amiodarone and Omeprazole"), "{}", bench.screen());
        // No chain is shown, so no key decides on one.
        bench.press(&["x"]);
        assert!(bench.screen().contains("No chain is selected here"), "{}", bench.screen());
        // The next chain is that of the next line.
        bench.press(&["]"]);
        assert!(flowing(&bench).contains("this chain? [6]"), "{}", bench.screen());
    }
    // Where chains have the keys, a chain is explained.
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["6", "home", "j", "j", "5", "enter"]);
    assert!(flowing(&bench).contains("Why this chain?"), "{}", bench.screen());
}

#[test]
fn a_new_answer_is_read_from_its_first_line_whatever_chain_is_best() {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            let cites = |number: u32| if number < 30 { vec![] } else { vec![1] };
            answer.lines = (0..40).map(|number| line(AnswerPart::Safety, "", &format!("Line number <{number}>"), &cites(number))).collect();
        }
    }
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&events);
        assert!(bench.row_with("<0>").contains('▌'), "{width} x {height}:\n{}", bench.screen());
    }
}

/// A run whose hypothesis proposed something that the answer leaves out.
fn leaving_out(run: &str) -> Vec<Event> {
    let mut events = sample::answered(run);
    let linked = events.iter().position(|event| matches!(event.what, EventKind::AnchorLinked { .. })).expect("is there");
    let anchor = Anchor {
        entity: "Proton pump inhibitor".into(),
        kind: "drug_class".into(),
        score: 1.0,
        origin: AnchorOrigin::Hypothesis,
        mention: "PPI".into(),
        by_model: false,
    };
    let what = EventKind::AnchorLinked { anchor };
    events.insert(linked, Event { what, ..events[linked].clone() });
    events
}

#[test]
fn a_fresh_run_and_the_same_opened_again_say_the_same_of_what_is_left_out() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&leaving_out("a")).press(&["6", "z", "G"]);
        let said = "The graph also knows Proton pump inhibitor";
        assert!(flowing(&bench).contains(said), "fresh, {width} x {height}:\n{}", bench.screen());
        bench.app.on_reply(Reply::Session { events: leaving_out("a"), torn: 0, compare: false });
        bench.press(&["6", "z", "G"]);
        assert!(flowing(&bench).contains(said), "opened again, {width} x {height}:\n{}", bench.screen());
    }
}

#[test]
fn an_enlarged_pane_shows_the_key_that_shrinks_it() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["6", "z"]);
    assert!(bench.row_with("? help").contains("z smaller"), "{}", bench.screen());
    bench.press(&["z"]);
    assert!(!bench.screen().contains("z smaller"), "{}", bench.screen());
}

#[test]
fn the_tour_is_found_by_its_name_and_leads_back() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["6", ":"]).type_text("tour");
    assert!(bench.row_with("Tour: the screen in ten steps").contains('▌'), "{}", bench.screen());
    bench.press(&["enter"]);
    assert!(bench.screen().contains("Step 1 of 10."), "{}", bench.screen());
    bench.press(&["space"]);
    assert!(bench.screen().contains("Step 2 of 10."), "{}", bench.screen());
    // Nothing of it is decided or recorded.
    bench.effects();
    bench.press(&["u", "+", "esc"]);
    assert!(bench.effects().is_empty(), "{}", bench.screen());
    let screen = bench.screen();
    assert!(screen.contains("The tour is over.") && screen.contains("kept chains") && !screen.contains("of 10."), "{screen}");
}

#[test]
fn a_relation_in_the_graph_never_runs_into_a_name() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["8", "z"]);
        for _ in 0..10 {
            let screen = bench.screen();
            for relation in ["treats", "has symptom", "is found by", "is caused by"] {
                for row in screen.lines().skip(3).filter(|row| row.starts_with('│')) {
                    let Some(at) = row.find(relation) else { continue };
                    let (before, after) = (row[..at].chars().next_back(), row[at + relation.len()..].chars().next());
                    assert_eq!((before, after), (Some(' '), Some(' ')), "{relation} at {width} x {height}:\n{screen}");
                }
            }
            bench.press(&["]"]);
        }
    }
}
