//! What is looked for is in sight, what says nothing is not, and every layout is well drawn.

use std::sync::Arc;

use catena::run::EventKind;
use catena::tui::TuiOptions;

use crate::case_run;
use crate::harness::{Bench, options};
use crate::look;
use crate::support::sample;

/// The rows of a pane, from its title to the next one below it, without what stands left of it.
fn pane(bench: &Bench, title: &str, next: &str) -> Vec<String> {
    let screen = bench.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let place = |wanted: &str| rows.iter().position(|row| row.contains(wanted)).unwrap_or_else(|| panic!("{wanted}:\n{screen}"));
    let (first, end) = (place(title), place(next));
    let left = rows[first].find(title).map(|at| rows[first][..at].chars().count()).expect("it is in its row");
    rows[first + 1..end].iter().map(|row| row.chars().skip(left.saturating_sub(2)).collect()).collect()
}

#[test]
fn a_match_far_down_a_list_is_scrolled_into_sight() {
    let mut bench = Bench::new(160, 48);
    bench
        .press(&["alt+1"])
        .run(&sample::answered_with("a", 300))
        .press(&["4", "home", "/"])
        .type_text("omeprazole")
        .press(&["enter", "N", "N"]);
    let rows = pane(&bench, "4 Chains", "5 Kept");
    let selected: Vec<&String> = rows.iter().filter(|row| row.contains('▌')).collect();
    assert_eq!(selected.len(), 1, "{}", bench.screen());
    assert!(selected[0].contains("Omeprazole"), "what matches is not what is left out: {}", selected[0]);
    assert!(rows.iter().any(|row| row.contains(" of 300") && !row.contains(" 1 of 300")), "{}", bench.screen());
}

#[test]
fn half_a_page_has_the_keys_that_fingers_know() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["4", "home"]);
    assert!(bench.screen().contains(" 1 of 125"), "{}", bench.screen());
    bench.press(&["ctrl+d"]);
    assert!(!bench.screen().contains(" 1 of 125"), "{}", bench.screen());
    bench.press(&["ctrl+u"]);
    assert!(bench.screen().contains(" 1 of 125"), "{}", bench.screen());
}

#[test]
fn a_score_that_all_kept_chains_have_is_not_shown() {
    let mut events = sample::answered("a");
    for event in &mut events {
        if let EventKind::ChainsPruned { pruning } = &mut event.what {
            Arc::make_mut(pruning).kept.iter_mut().for_each(|scored| scored.score = 0.5);
        }
    }
    let shows = |events: &[catena::run::Event]| {
        let mut bench = Bench::new(160, 48);
        bench.press(&["alt+1"]).run(events);
        pane(&bench, "5 Kept", "7 Why").iter().any(|row| row.contains(" 0."))
    };
    assert!(!shows(&events));
    assert!(shows(&sample::answered("a")), "where they differ, they are");
}

#[test]
fn a_question_that_was_asked_twice_comes_back_once() {
    let mut bench = Bench::new(100, 30);
    for question in ["first", "second", "first"] {
        bench.press(&["ctrl+l"]).type_text(question).press(&["enter", "i"]);
    }
    bench.press(&["ctrl+l", "up"]);
    assert!(bench.screen().contains("first"), "{}", bench.screen());
    bench.press(&["up"]);
    assert!(bench.screen().contains("second"), "{}", bench.screen());
    bench.press(&["up"]);
    assert!(bench.screen().contains("second"), "there is no third: {}", bench.screen());
}

#[test]
fn clinic_and_demo_are_well_drawn_at_every_size_and_in_every_theme() {
    for (width, height) in [(240, 60), (160, 48), (100, 30), (80, 24)] {
        for theme in ["dark", "light", "high-contrast"] {
            let mut bench = Bench::with(width, height, &TuiOptions { theme: theme.into(), ..options() });
            bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["L"]);
            let what = format!("{theme} at {width} x {height}");
            look::assert_well_drawn(&bench, &format!("clinic, {what}"));
            assert!(bench.screen().contains("6 Answer") && bench.screen().contains("7 Why"), "{what}:\n{}", bench.screen());
            bench.press(&["L"]);
            // The stage of the kept chains is the fifth.
            for stage in ["1 Question", "2 Hypothesis", "3 Anchors", "4 Chains", "5 Kept"] {
                look::assert_well_drawn(&bench, &format!("demo, {stage}, {what}"));
                assert!(bench.screen().contains(stage), "{what}:\n{}", bench.screen());
                bench.press(&["space"]);
            }
        }
    }
}

#[test]
fn a_question_that_has_no_room_ends_in_an_ellipsis() {
    let mut bench = Bench::new(60, 24);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["6", "L"]);
    let screen = bench.screen();
    let row = screen.lines().find(|row| row.contains("I feel")).unwrap_or_else(|| panic!("{screen}"));
    assert!(row.contains('…') && !screen.contains("should I take?"), "{screen}");
    let mut roomy = Bench::new(100, 30);
    roomy.press(&["alt+1"]).run(&sample::answered("a")).press(&["6", "L"]);
    let row = roomy.row_with("I feel");
    assert!(row.contains("should I take?") && !row.contains('…'), "{row}");
}

#[test]
fn all_relations_that_can_be_taught_are_shown_at_every_size() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut bench = Bench::new(width, height);
        bench.app.on_reply(crate::lessons::learning());
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "t"]);
        bench.type_text("Gaviscon").press(&["enter"]).type_text("soothes");
        let screen = bench.screen();
        for word in ["treats", "has risk factor", "contraindicated in", "leads to", "other words often work too"] {
            assert!(screen.contains(word), "{word} at {width}x{height}:\n{screen}");
        }
    }
}
