//! The demo: what a sign of origin means is said in words on the stage that is the first to show it.

use std::sync::Arc;

use catena::run::{Event, EventKind};

use crate::case_run;
use crate::harness::Bench;
use crate::look::place_of;
use crate::support::sample;

const QUESTION: &str = "● from the question";
const HYPOTHESIS: &str = "○ from the hypothesis";
const GRAPH: &str = "◆ added by the graph";
const CORRECTED: &str = "✚ contested: the graph contradicts what the hypothesis says of it";

/// The stages in their order: the title of the pane, and what is said there of signs. At the anchors, the counts say it.
const STAGES: [(&str, &[&str]); 6] = [
    ("1 Question", &[QUESTION]),
    ("2 Hypothesis", &[HYPOTHESIS, CORRECTED]),
    ("3 Anchors", &[QUESTION]),
    ("4 Chains", &[GRAPH]),
    ("5 Kept", &[]),
    ("6 Answer", &[CORRECTED]),
];

#[test]
fn a_sign_is_explained_on_the_stage_that_first_shows_it() {
    for (width, height) in [(240, 60), (160, 48), (100, 30), (80, 24)] {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["L", "L"]);
        for (title, said) in STAGES {
            let shown = format!("{title} at {width} x {height}:\n{}", bench.screen());
            let (_, stage) = place_of(&bench, title).unwrap_or_else(|| panic!("{shown}"));
            for text in [QUESTION, HYPOTHESIS, GRAPH, CORRECTED] {
                let place = place_of(&bench, text);
                assert_eq!(place.is_some(), said.contains(&text), "{text:?} in {shown}");
                let Some((x, y)) = place else { continue };
                assert!(y < stage, "whole, and above the stage: {text:?} in {shown}");
                let buffer = bench.terminal.backend().buffer();
                let has_colour = buffer[(x, y)].fg != buffer[(x + 2, y)].fg;
                assert!(has_colour || title == "3 Anchors", "the sign has the colour of its origin: {text:?} in {shown}");
            }
            bench.press(&["space"]);
        }
    }
}

#[test]
fn in_a_run_without_corrections_none_is_explained() {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            answer.corrected.clear();
        }
    }
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&events).press(&["L", "L", "space"]);
    assert!(place_of(&bench, HYPOTHESIS).is_some(), "{}", bench.screen());
    assert!(place_of(&bench, "✚").is_none() && place_of(&bench, "★").is_none(), "{}", bench.screen());
}

#[test]
fn the_stage_that_says_why_shows_a_chain_that_the_answer_cites() {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            answer.lines.iter_mut().for_each(|line| line.citations.retain(|id| *id != 1));
        }
    }
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&events).press(&["L", "L", "space", "space", "space", "space", "space", "space"]);
    let title = bench.row_with("this chain?");
    assert!(title.contains("Why") && title.contains('[') && !title.contains("[1]"), "{}", bench.screen());
}

#[test]
fn the_question_of_a_follow_up_is_shown_with_the_case_that_it_continues() {
    let mut events = case_run::answered("a");
    for follows in [false, true] {
        if follows {
            let followed = Event { what: EventKind::Followed { case: Arc::new(case_run::case()) }, ..events[1].clone() };
            events.insert(1, followed);
        }
        let mut bench = Bench::new(160, 48);
        bench.press(&["alt+1"]).run(&events).press(&["L", "L"]);
        assert_eq!(bench.screen().contains("continues: "), follows, "{}", bench.screen());
    }
}
