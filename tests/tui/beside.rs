//! Two runs of one question beside each other, question after question.

use std::sync::Arc;

use catena::run::{Event, EventKind};
use catena::tui::{Effect, Expected, RunPair, TuiOptions};
use proptest::prelude::*;
use ratatui::layout::Rect;

use crate::driven::Driven;
use crate::harness::{Bench, options};
use crate::support::sample;

/// The other method's run: fewer chains kept, another hypothesis, other things stated.
fn otherwise(run: &str) -> Vec<Event> {
    let mut events = sample::answered(run);
    for event in &mut events {
        match &mut event.what {
            EventKind::RunStarted { method, .. } => *method = "wts".into(),
            EventKind::HypothesisToken { text } => *text = text.replace("penicillin", "amoxicillin"),
            EventKind::AnchorLinked { anchor } if anchor.entity == "Amoxicillin" => anchor.entity = "Proton pump inhibitor".into(),
            EventKind::ChainsPruned { pruning } => {
                let mut own = pruning.as_ref().clone();
                own.kept.truncate(4);
                own.kept.append(&mut own.runners_up);
                *pruning = Arc::new(own);
            }
            EventKind::AnswerFinished { answer } => {
                answer.lines.retain(|line| line.entity != "Calcium carbonate");
                answer.entities = ["Omeprazole", "Proton pump inhibitor", "Gastroscopy"].map(Into::into).into();
                answer.citations = vec![1, 2, 3];
            }
            _ => {}
        }
    }
    events
}

fn expected() -> Vec<Expected> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    vec![
        Expected {
            part: "drugs".into(),
            entities: vec![
                names(&["omeprazole", "Losec"]),
                names(&["PPI", "proton pump inhibitor", "PPIs", "acid blocker", "H+/K+ ATPase inhibitor"]),
                names(&["calcium carbonate"]),
                names(&["sucralfate"]),
            ],
        },
        Expected { part: "tests".into(), entities: vec![names(&["oesophagogastroduodenoscopy", "gastroscopy"])] },
    ]
}

fn pair(number: usize, first: Vec<Event>, second: Vec<Event>) -> RunPair {
    RunPair {
        title: format!("{number} · drugs and tests found"),
        expected: expected(),
        names: ["hykge".into(), "wts".into()],
        shares: ["0.40".into(), "0.60".into()],
        first,
        second,
    }
}

fn pairs() -> Vec<RunPair> {
    vec![
        pair(4711, sample::answered("a"), otherwise("b")),
        pair(4712, sample::nothing("c"), sample::failed("d")),
        pair(4713, Vec::new(), sample::searching("e")),
    ]
}

fn with_pairs(pairs: Vec<RunPair>, pair: usize) -> TuiOptions {
    TuiOptions { pairs: pairs.into(), pair, ..options() }
}

fn bench(width: u16, height: u16) -> Bench {
    Bench::without_engine(width, height, &with_pairs(pairs(), 0))
}

#[test]
fn two_runs_at_all_sizes() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut bench = bench(width, height);
        let first = bench.screen();
        assert!(first.contains("4711 · drugs and tests found") && first.contains("1 hykge · 0.40"), "{first}");
        assert!(first.contains("2 of 5 expected") && first.contains("○ Omeprazole [1]"), "{first}");
        // Side by side where there is room, else one below the other.
        let of_both = |screen: &str| screen.lines().any(|line| line.contains("1 hykge · 0.40") && line.contains("2 wts · 0.60"));
        assert_eq!(of_both(&first), width >= 100, "{first}");
        let bottom = first.lines().last().expect("a last row");
        assert!(bottom.contains("● question") && bottom.contains("q quit"), "{bottom}");
        if (width, height) == (160, 48) {
            insta::assert_snapshot!("beside_160x48", first);
        }
        bench.press(&["pagedown"]);
        let scrolled = bench.screen();
        assert_ne!(scrolled, first);
        assert_eq!(scrolled.lines().next(), first.lines().next(), "the first row stays");
        bench.press(&["n"]);
        let without = bench.screen();
        assert!(without.contains("4712"), "{without}");
        assert_eq!(without.contains("did not reply within"), width >= 100, "{without}");
        bench.press(&["N", "2"]);
        let opened = bench.screen();
        assert!(opened.lines().next().expect("a first row").contains("2 wts"), "{opened}");
        assert!(opened.contains("● Gastro-oesophageal"), "{opened}");
    }
}

#[test]
fn what_is_expected_is_told_apart_by_who_states_it_under_any_of_its_names() {
    let mut bench = bench(160, 48);
    // What is expected goes over two rows.
    let drugs = format!("{} {}", bench.row_with("drugs:"), bench.row_with("sucralfate"));
    let order = [
        "stated by both ✓ omeprazole (or Losec)",
        "only by 1 hykge ✓ calcium carbonate",
        "only by 2 wts ✓ PPI (or",
        "by neither ✗ sucralfate",
    ];
    let mut at = 0;
    for words in order {
        let found = drugs.find(words).unwrap_or_else(|| panic!("{words} is not said: {drugs}"));
        assert!(found >= at, "{drugs}");
        at = found;
    }
    assert!(bench.row_with("tests:").contains("only by 2 wts ✓ oesophagogastroduodenoscopy (or gastroscopy)"));
    let stated = bench.row_with(" 2  +");
    assert!(stated.contains("◆ H2 blocker") || stated.contains("○ H2 blocker"), "stated by the first only, not expected: {stated}");
    assert!(bench.row_with("2 of 5 expected").contains("3 of 5 expected"), "each column counts what it states");
    let first = bench.row_with("1 ✓ ");
    assert!(first.matches("Omeprazole [1]").count() == 2, "the same row in both columns, with what it rests on: {first}");
    bench.press(&["end"]);
    let kept = bench.row_with("[10]");
    assert!(kept.contains("+"), "a chain that only one keeps is marked: {kept}");
}

#[test]
fn sections_of_both_runs_begin_side_by_side() {
    let mut bench = bench(160, 48);
    let mut seen = String::new();
    for _ in 0..3 {
        seen.push_str(&bench.screen());
        bench.press(&["pagedown"]);
    }
    for heading in ["States", "Hypothesis", "Anchors", "Kept chains", "Warnings"] {
        let row = seen.lines().find(|line| line.contains(heading)).unwrap_or_else(|| panic!("{heading} was never shown"));
        assert_eq!(row.matches(heading).count(), 2, "{row}");
    }
}

#[test]
fn one_goes_from_question_to_question_and_no_further() {
    let mut bench = bench(160, 48);
    assert!(bench.screen().contains("question 1 of 3") && bench.screen().contains("4711"));
    bench.press(&["N"]);
    assert!(bench.screen().contains("This is the first question."));
    bench.press(&["n"]);
    assert!(bench.screen().contains("question 2 of 3") && bench.screen().contains("4712"));
    assert!(bench.screen().contains("nothing found") && bench.screen().contains("did not reply within"));
    bench.press(&["]"]);
    assert!(bench.screen().contains("This run was not recorded.") && bench.screen().contains("the recording ends before"));
    bench.press(&["n"]);
    assert!(bench.screen().contains("question 3 of 3") && bench.screen().contains("This is the last question."));
    bench.press(&["1"]);
    assert!(bench.screen().contains("The run of hykge was not recorded.") && bench.screen().contains("4713"));
    bench.press(&["h", "["]);
    assert!(bench.screen().contains("question 1 of 3"));
    // A number behind the last one, as from a command line, is the last.
    let bench = Bench::without_engine(100, 30, &with_pairs(pairs(), 99));
    assert!(bench.screen().contains("question 3 of 3"));
}

#[test]
fn a_question_is_found_by_its_words() {
    let mut bench = bench(160, 48);
    bench.press(&["/"]);
    assert!(bench.screen().contains("Which question?"));
    bench.type_text("cup").press(&["enter"]);
    assert!(bench.screen().contains("4712 · drugs"), "{}", bench.screen());
    bench.press(&["1", "space", "q"]).type_text("4711").press(&["enter"]);
    assert!(bench.screen().contains("two runs side by side  question 1 of 3"), "{}", bench.screen());
}

#[test]
fn a_run_is_opened_in_the_panes_and_left_again() {
    let mut bench = bench(160, 48);
    bench.press(&["enter"]);
    assert!(bench.screen().contains("Catena  1 hykge") && bench.screen().contains("from 8 of 10 kept chains"), "{}", bench.screen());
    bench.press(&["5", "down", "z"]);
    assert!(bench.screen().contains("10 of 125"));
    // The other run in the same pane, with the same chain selected.
    let selected = bench.row_with("▌");
    bench.press(&["o"]);
    assert!(bench.screen().contains("Catena  2 wts") && bench.screen().contains("6 of 125"), "{}", bench.screen());
    let chain = |row: &str| row.split_once('→').expect("a chain").1.to_owned();
    assert_eq!(chain(&bench.row_with("▌")), chain(&selected));
    bench.press(&["z", "/"]).type_text("ulcer").press(&["enter", "7", "8", "backspace"]);
    assert!(bench.screen().contains("two runs side by side"), "{}", bench.screen());
    // Coming back, the run lies as it was left.
    bench.press(&["2"]);
    assert!(bench.row_with("Catena").contains("2 wts"));
    bench.press(&["}"]);
    assert!(bench.screen().contains("Catena  2 wts  question 2 of 3") && bench.screen().contains("failed"), "{}", bench.screen());
    bench.press(&["}"]).press(&["{", "{"]);
    assert!(bench.screen().contains("question 1 of 3"));
    bench.press(&["esc", "esc", "esc"]);
    assert!(bench.screen().contains("two runs side by side"), "Esc goes outwards:\n{}", bench.screen());
    bench.press(&["q"]);
    assert!(bench.app.wants_to_quit());
}

#[test]
fn nothing_can_be_changed_without_an_engine_and_that_is_said() {
    let mut bench = bench(160, 48);
    bench.press(&["1", "p"]);
    assert!(bench.screen().contains("This is a recorded run and no graph is open, so you cannot change it."), "{}", bench.screen());
    for key in ["x", "r", "u", ","] {
        bench.press(&[key]);
    }
    bench.press(&["6", "+"]);
    assert!(bench.screen().contains("Catena learns nothing from it"));
    bench.press(&["e", "enter"]);
    assert!(bench.screen().contains("This is a recording"));
    let asked = |effect: &Effect| matches!(effect, Effect::Ask { .. } | Effect::Revise { .. } | Effect::Record(_) | Effect::Dkg(_));
    while let Some(effect) = bench.app.next_effect() {
        assert!(!asked(&effect), "{effect:?}");
    }
    // What is about one run is refused where two are seen, by whatever way it is chosen.
    bench.press(&["esc", "esc", "ctrl+k"]).type_text("pin the selected").press(&["enter"]);
    assert!(bench.screen().contains("Open one of the two first: 1 or 2."), "{}", bench.screen());
    bench.app.on_input(crossterm::event::Event::Paste("a question".into()));
    bench.press(&["alt+e", "ctrl+l"]);
    assert!(bench.screen().contains("two runs side by side"));
}

#[test]
fn hostile_text_stays_text() {
    let mut hostile = pair(1, sample::answered("a"), otherwise("b"));
    hostile.title = "\u{1b}[31mred\u{202e}".into();
    hostile.names = ["\u{1b}]0;title\u{7}".into(), "b\nc".into()];
    hostile.shares = ["\u{1b}[2J".into(), "9".repeat(400)];
    hostile.expected = vec![Expected { part: "\u{1b}[5m".into(), entities: vec![vec!["\u{1b}[1mbold".into(), "\r\n".into()], Vec::new()] }];
    for (width, height) in [(160, 48), (80, 24)] {
        let bench = Bench::without_engine(width, height, &with_pairs(vec![hostile.clone()], 0));
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!bench.screen().contains(bad), "{:?}", bench.screen());
    }
}

#[test]
fn tab_goes_to_the_run_that_stands_below() {
    let mut bench = bench(80, 24);
    assert!(!bench.screen().contains("── 2 wts · 0.60"));
    bench.press(&["tab"]);
    let top = bench.screen();
    assert!(top.lines().nth(2).expect("the first row of the sheet").contains("── 2 wts · 0.60"), "{top}");
    bench.press(&["tab"]);
    assert!(bench.screen().contains("── 1 hykge · 0.40"));
}

#[test]
fn a_long_question_leaves_room_for_what_is_expected() {
    let mut long = pair(1, sample::answered("a"), otherwise("b"));
    for events in [&mut long.first, &mut long.second] {
        if let EventKind::RunStarted { question, .. } = &mut events[0].what {
            *question = "A man of 54 years with heartburn. ".repeat(60);
        }
    }
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let bench = Bench::without_engine(width, height, &with_pairs(vec![long.clone()], 0));
        let screen = bench.screen();
        assert!(screen.contains(" …") && screen.contains("tests:") && screen.contains("States"), "{screen}");
    }
}

#[test]
fn keys_can_be_bound_anew_and_stand_on_the_screen() {
    let own = "[[bind]]\naction = \"next_pair\"\nin = \"beside\"\nkeys = [\"f9\"]\n";
    let mut bench = Bench::without_engine(160, 48, &TuiOptions { keymap: Some(own.into()), ..with_pairs(pairs(), 0) });
    assert!(bench.screen().contains("F9 next"));
    bench.press(&["n", "f9"]);
    assert!(bench.screen().contains("question 2 of 3"));
    bench.press(&["?"]);
    assert!(bench.screen().contains("With two runs side by side") && bench.screen().contains("Open the second run in the panes"));
}

#[test]
fn a_click_on_a_runs_name_opens_it_and_the_wheel_scrolls_both() {
    use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut bench = bench(160, 30);
    let mouse = |kind, column, row| Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let before = bench.screen();
    let row = before.lines().position(|line| line.contains("2 wts · 0.60")).expect("its name") as u16;
    bench.app.on_input(mouse(MouseEventKind::ScrollDown, 100, row + 3));
    bench.draw();
    assert_ne!(bench.screen(), before);
    bench.app.on_input(mouse(MouseEventKind::Down(MouseButton::Left), 100, row));
    bench.draw();
    assert!(bench.screen().contains("Catena  2 wts"), "{}", bench.screen());
}

#[tokio::test]
async fn the_loop_shows_pairs_without_opening_an_engine_and_plays_a_run_again() {
    let session = Driven::start(std::future::pending(), with_pairs(pairs(), 0));
    session.shows("two runs side by side  question 1 of 3").await;
    session.press(&["2"]);
    session.shows("Catena  2 wts").await;
    session.press(&["space", "p"]);
    session.shows("playing").await;
    session.press(&["backspace"]);
    session.shows("two runs side by side").await;
    session.press(&["2"]);
    session.until("the whole run lies in the panes", |screen| screen.contains("6 of 125") && !screen.contains("playing")).await;
    session.ends().await;
}

const KEYS: [&str; 40] = [
    "n",
    "N",
    "1",
    "2",
    "o",
    "}",
    "{",
    "9",
    "backspace",
    "/",
    "space",
    "q",
    "c",
    "p",
    "enter",
    "esc",
    "tab",
    "j",
    "k",
    "end",
    "home",
    "pagedown",
    "pageup",
    "z",
    "x",
    "r",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "?",
    "m",
    "t",
    ":",
    "f",
    "h",
    "ctrl+l",
    "alt+e",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]
    #[test]
    fn any_size_and_any_keys_are_survived(
        sizes in prop::collection::vec((1u16..220, 1u16..70), 1..4),
        keys in prop::collection::vec(0usize..KEYS.len(), 0..16),
        at in 0usize..3,
    ) {
        let (width, height) = sizes[0];
        let mut bench = Bench::without_engine(width, height, &with_pairs(pairs(), at));
        for (at, key) in keys.iter().enumerate() {
            bench.press(&[KEYS[*key]]);
            let (width, height) = sizes[at % sizes.len()];
            bench.terminal.backend_mut().resize(width, height);
            bench.terminal.resize(Rect::new(0, 0, width, height)).expect("a test terminal is resized");
            bench.draw();
        }
    }
}
