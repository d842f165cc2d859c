//! Reading an answer to its end, and finding words in it and in the lists.

use catena::run::{AnswerPart, EventKind};

use crate::case_run;
use crate::harness::Bench;
use crate::support::sample::{self, line};

/// A run whose answer has 40 numbered lines under two headings, some of them of several rows.
fn long_answer() -> Vec<catena::run::Event> {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            answer.lines = (0..40)
                .map(|number| {
                    let part = if number < 20 { AnswerPart::Safety } else { AnswerPart::Tests };
                    let more = if number % 7 == 0 { " and more of it".repeat(12) } else { String::new() };
                    line(part, "", &format!("Line number <{number}>{more}"), &[1 + number % 3])
                })
                .collect();
        }
    }
    events
}

#[test]
fn turning_the_pages_of_an_answer_shows_every_line() {
    for (width, height) in [(80, 24), (100, 30), (160, 48)] {
        for key in ["pagedown", "ctrl+d"] {
            let mut bench = Bench::new(width, height);
            bench.press(&["alt+1"]).run(&long_answer()).press(&["6", "home"]);
            let mut seen: Vec<bool> = vec![false; 40];
            let mut look = |bench: &Bench| {
                let screen = bench.screen();
                seen.iter_mut().enumerate().for_each(|(number, seen)| *seen |= screen.contains(&format!("<{number}>")));
            };
            look(&bench);
            for _ in 0..30 {
                bench.press(&[key]);
                look(&bench);
            }
            let missed: Vec<usize> = seen.iter().enumerate().filter(|(_, seen)| !**seen).map(|(number, _)| number).collect();
            assert!(missed.is_empty(), "{key} at {width} x {height} never shows {missed:?}:\n{}", bench.screen());
            assert!(bench.screen().contains("<39>"), "it ends at the end");
            bench.press(&["pageup"; 30]);
            assert!(bench.screen().contains("<0>"), "and back at the beginning:\n{}", bench.screen());
        }
    }
}

#[test]
fn words_of_the_lines_above_the_answer_are_found() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    for words in ["potassium now", "Read as"] {
        bench.press(&["6", "/"]).type_text(words).press(&["enter"]);
        assert!(!bench.screen().contains("is not in this pane"), "{words}:\n{}", bench.screen());
    }
    bench.press(&["/"]).type_text("zzz").press(&["enter"]);
    assert!(bench.screen().contains("“zzz” is not in this pane"), "{}", bench.screen());
}

#[test]
fn clearing_a_filter_clears_it_and_leaves_the_question_alone() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["4", "f"]).type_text("omep");
    assert!(bench.screen().contains("filtered from 125") && bench.screen().contains("filtered: omep"), "{}", bench.screen());
    bench.press(&["ctrl+l"]);
    assert!(!bench.screen().contains("filtered from"), "{}", bench.screen());
    assert!(bench.screen().contains("reflux after eating"), "{}", bench.screen());
    bench.type_text("gastr").press(&["enter"]);
    assert!(bench.screen().contains("filtered: gastr"), "what is typed next is the filter:\n{}", bench.screen());
}

#[test]
fn a_filtered_list_shows_in_each_row_why_it_is_there() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&sample::answered_with("a", 300)).press(&["4", "z", "f"]).type_text("omeprazole").press(&["enter"]);
    let screen = bench.screen();
    let rows: Vec<&str> = screen.lines().filter(|row| row.contains('→') || row.contains('←')).collect();
    assert!(!rows.is_empty(), "{screen}");
    assert!(rows.iter().all(|row| row.to_lowercase().contains("omeprazole")), "{screen}");
}

#[test]
fn help_lies_over_a_comparison_and_leads_back_to_it() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "c"]);
    let mut events = sample::answered("b");
    events.extend(sample::revised("b"));
    bench.app.on_reply(catena::tui::Reply::Session { events, torn: 0, compare: true });
    bench.draw();
    assert!(bench.screen().contains("compared with an earlier one"), "{}", bench.screen());
    bench.press(&["?"]);
    assert!(!bench.screen().contains("compared with an earlier one"), "{}", bench.screen());
    bench.press(&["esc"]);
    assert!(bench.screen().contains("compared with an earlier one"), "{}", bench.screen());
    bench.press(&["esc"]);
    assert!(!bench.screen().contains("compared with an earlier one"), "{}", bench.screen());
}

#[test]
fn a_run_is_compared_with_the_latest_of_its_question_and_the_earlier_of_two_stands_first() {
    let (earlier, later) = ("q18bcfe56800-1-0", "q18bcfe5d030-1-0");
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered(earlier)).press(&["space", "c"]);
    let catena::tui::Reply::Sessions { mut lines, unreadable } = sample::sessions() else { panic!("a list of runs") };
    lines.reverse();
    bench.app.on_reply(catena::tui::Reply::Sessions { lines, unreadable });
    bench.draw();
    assert!(bench.screen().contains("▌ I feel stomach reflux"), "{}", bench.screen());
    let mut events = sample::answered(later);
    events.extend(sample::revised(later));
    bench.app.on_reply(catena::tui::Reply::Session { events, torn: 0, compare: true });
    bench.draw();
    let screen = bench.screen();
    for said in [
        "This run compared with a later one",
        "Only this run (2023-11-14",
        "Only the later run (2023-11-14",
        "rejected in the later run only:",
    ] {
        assert!(screen.contains(said), "{said}:\n{screen}");
    }
}

#[test]
fn a_search_goes_on_from_a_match_above_an_answer_without_an_alarm() {
    let mut events = case_run::answered("a");
    for event in &mut events {
        match &mut event.what {
            EventKind::UrgencyJudged { urgency } => *urgency = catena::run::Urgency::default(),
            EventKind::AnswerFinished { answer } => answer.lines.retain(|line| line.part != AnswerPart::Emergency),
            _ => {}
        }
    }
    let mut bench = Bench::new(100, 30);
    // "Digoxin" is in the reading, and in a line below it.
    bench.press(&["alt+1"]).run(&events).press(&["6", "/"]).type_text("digoxin").press(&["enter"]);
    assert!(bench.screen().contains("“digoxin”: 1 of 1"), "{}", bench.screen());
    bench.press(&["n"]);
    let is_selected = |row: &str| row.contains('▌') && row.contains("Digoxin with Amiodarone");
    assert!(bench.screen().lines().any(is_selected), "the search stays at the line, which can be opened:\n{}", bench.screen());
    // What only the reading says is found there.
    bench.press(&["/"]).type_text("woman").press(&["enter"]);
    assert!(bench.screen().contains("“woman”: 1 of 1"), "{}", bench.screen());
}
