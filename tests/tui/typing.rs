//! The editor, the first screen, and what keys do where.

use catena::tui::{Effect, TuiOptions};
use crossterm::event::Event as Input;

use crate::harness::{Bench, options};
use crate::support::sample;

fn asked(bench: &mut Bench) -> Option<String> {
    let mut asked = None;
    while let Some(command) = bench.app.next_effect() {
        if let Effect::Ask { question, .. } = command {
            asked = Some(question);
        }
    }
    asked
}

#[test]
fn one_key_asks_an_example() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]);
    assert_eq!(asked(&mut bench).as_deref(), Some(sample::QUESTION));
}

#[test]
fn a_question_that_begins_with_an_age_is_not_an_example() {
    let mut bench = Bench::new(160, 48);
    bench.wait(5000).press(&["5"]);
    assert_eq!(asked(&mut bench), None, "a digit is the beginning of a text");
    bench.wait(5000).type_text(" year old with fever").press(&["enter"]);
    assert_eq!(asked(&mut bench).as_deref(), Some("5 year old with fever"));
}

#[test]
fn the_number_of_an_example_and_enter_ask_it() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["1", "enter"]);
    assert_eq!(asked(&mut bench).as_deref(), Some(sample::QUESTION));
    let mut bench = Bench::new(160, 48);
    bench.press(&["9", "enter"]);
    assert_eq!(asked(&mut bench), None);
    assert!(bench.screen().contains("There is no example 9"), "{}", bench.screen());
}

#[test]
fn questions_of_several_lines_and_pasted_ones_are_asked_whole() {
    let mut bench = Bench::new(100, 30);
    bench.type_text("fever").press(&["alt+enter"]).type_text("and cough").press(&["ctrl+j"]);
    bench.app.on_input(Input::Paste("头痛\r\n37.8 °C\u{1b}[31m".into()));
    bench.press(&["enter"]);
    assert_eq!(asked(&mut bench).as_deref(), Some("fever\nand cough\n头痛\n37.8 °C[31m"));
}

#[test]
fn the_cursor_is_where_the_next_character_goes() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("胃痛x");
    let at = bench.terminal.backend().cursor_position();
    assert!(bench.terminal.backend().cursor_visible());
    let buffer = bench.terminal.backend().buffer();
    assert_eq!(buffer[(at.x - 1, at.y)].symbol(), "x");
    assert_eq!(buffer[(at.x - 3, at.y)].symbol(), "痛", "Chinese characters take two cells");
}

#[test]
fn earlier_questions_come_back() {
    let mut bench = Bench::new(100, 30);
    for question in ["first", "second"] {
        bench.press(&["ctrl+l"]).type_text(question).press(&["enter", "i"]);
    }
    bench.press(&["ctrl+l"]).type_text("draft").press(&["up", "up"]);
    assert!(bench.screen().contains("first"));
    bench.press(&["down", "down"]);
    assert!(bench.row_with("draft").contains("draft"));
}

#[test]
fn nothing_is_asked_when_nothing_is_typed() {
    let mut bench = Bench::new(100, 30);
    bench.type_text("  ").press(&["enter"]);
    assert_eq!(asked(&mut bench), None);
    assert!(bench.screen().contains("type a question first"));
}

#[test]
fn a_conflict_in_the_users_keymap_is_shown_and_the_built_in_keys_stay() {
    let keymap =
        "[[bind]]\naction = \"quit\"\nin = \"panes\"\nkeys = [\"j\"]\n[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"j\"]\n";
    let mut bench = Bench::with(160, 48, &TuiOptions { keymap: Some(keymap.into()), ..options() });
    let row = bench.row_with("Your keymap is not used");
    assert!(row.contains("the key j has two meanings") && row.contains("line 5"), "{row}");
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["j"]);
    assert!(!bench.app.wants_to_quit());
}

#[test]
fn a_users_keymap_changes_keys_and_help() {
    let keymap = "[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"f9\"]\n";
    let mut bench = Bench::with(160, 48, &TuiOptions { keymap: Some(keymap.into()), ..options() });
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["f9"]);
    assert!(!bench.screen().contains("2 Hypothesis"));
    bench.press(&["?", "pagedown"]);
    assert!(bench.row_with("the pane fills").contains("F9  "));
}

#[test]
fn panes_go_round_in_both_directions() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["tab", "tab", "tab", "tab"]);
    assert!(bench.screen().contains("2 Hypothesis from the graph"));
    bench.press(&["backtab", "backtab", "backtab"]);
    assert!(bench.screen().contains("7 Why this chain?"));
}

#[test]
fn clearing_twice_leads_to_the_first_screen_and_tab_back() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["ctrl+l"]);
    assert!(bench.screen().contains("4 Chains 125"));
    bench.press(&["ctrl+l"]);
    assert!(bench.screen().contains("Try one"));
    bench.press(&["tab"]);
    assert!(bench.screen().contains("4 Chains 125"));
}

#[test]
fn the_examples_are_those_that_fit_the_graph_in_use() {
    let example = |field: &'static str, question: &'static str| catena::run::Example { field: field.into(), question: question.into() };
    let fitting = vec![example("Treatment", "What treats Zorbitis?"), example("Tests", "Which tests are needed in Frenitis?")];
    for (width, height) in [(80, 24), (160, 48)] {
        let mut bench = Bench::without_engine(width, height, &options());
        let info = catena::run::EngineInfo { examples: Some(fitting.clone()), ..sample::info() };
        bench.app.engine_opened(Ok(info));
        bench.draw();
        let screen = bench.screen();
        assert!(screen.contains("What treats Zorbitis?") && screen.contains("Which tests are needed in Frenitis?"), "{screen}");
        assert!(!screen.contains("stomach reflux"), "the graph knows none of its words: {screen}");
        bench.press(&["2", "enter"]);
        assert_eq!(asked(&mut bench).as_deref(), Some("Which tests are needed in Frenitis?"));
    }
    let mut bench = Bench::without_engine(160, 48, &options());
    bench.app.engine_opened(Ok(catena::run::EngineInfo { examples: Some(fitting), ..sample::info() }));
    bench.press(&["3", "enter"]);
    assert_eq!(asked(&mut bench), None);
    assert!(bench.screen().contains("they are numbered 1 to 2"), "{}", bench.screen());
}

#[test]
fn the_latest_runs_stand_on_the_first_screen_and_open_by_number_and_click() {
    let with_runs = |width, height| {
        let mut bench = Bench::new(width, height);
        let catena::tui::Reply::Sessions { lines, .. } = sample::sessions() else { panic!("runs") };
        bench.app.on_reply(catena::tui::Reply::LatestRuns(lines));
        bench.draw();
        bench
    };
    let opened = |bench: &mut Bench| {
        let mut opened = None;
        while let Some(effect) = bench.app.next_effect() {
            if let Effect::OpenSession { id, compare: false } = effect {
                opened = Some(id);
            }
        }
        opened
    };
    for (width, height) in [(80, 24), (100, 30), (160, 48), (240, 60)] {
        let mut bench = with_runs(width, height);
        let screen = bench.screen();
        assert!(screen.contains("Earlier runs") && screen.contains("8 2026-11-19 17:40 Chest pain on exertion in a man of 60"), "{screen}");
        bench.press(&["8", "enter"]);
        assert_eq!(opened(&mut bench).as_deref(), Some("q2"), "at {width}x{height}");
        let mut bench = with_runs(width, height);
        crate::habits::click(&mut bench, "who won the cup?");
        assert_eq!(opened(&mut bench).as_deref(), Some("q1"), "at {width}x{height}");
    }
    // The last number is the oldest of the three; what Space h lists brings the list up to date.
    let mut bench = with_runs(160, 48);
    bench.press(&["9", "enter"]);
    assert_eq!(opened(&mut bench).as_deref(), Some("q1"));
    let mut bench = Bench::new(160, 48);
    assert!(!bench.screen().contains("Earlier runs"), "where none is recorded, none is listed: {}", bench.screen());
    bench.press(&["space", "h"]);
    bench.app.on_reply(sample::sessions());
    bench.press(&["esc"]);
    assert!(bench.screen().contains("7 2026-11-20 09:12"), "{}", bench.screen());
}
