//! An answer with a case on the screen: what must not be missed stands out, what the question was read as is always seen, and the rest folds.

use catena::tui::{Colours, TuiOptions};
use ratatui::style::{Color, Modifier};

use crate::case_run;
use crate::harness::{Bench, options};
use crate::look::{assert_well_drawn, place_of};
use crate::support::sample;

const SIZES: [(u16, u16); 4] = [(240, 60), (160, 48), (100, 30), (80, 24)];

fn answered(width: u16, height: u16, options: &TuiOptions) -> Bench {
    let mut bench = Bench::with(width, height, options);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    bench
}

/// Changes to the layout of this number, and to the answer in it.
fn in_layout(bench: &mut Bench, number: usize) {
    for _ in 0..number {
        bench.press(&["L"]);
    }
    // The demo begins with the question.
    bench.press(&["6"]);
    let screen = bench.screen();
    let (clinic, demo) = (!screen.contains("answered in"), screen.contains("Question ▸ Hypothesis"));
    assert_eq!((clinic, demo), (number == 1, number == 2), "layout {number}:\n{screen}");
}

#[test]
fn an_emergency_leads_the_answer_in_every_layout_and_without_colours() {
    let looks = [("dark", Colours::Full), ("light", Colours::Full), ("high-contrast", Colours::Full), ("dark", Colours::None)];
    for (width, height) in SIZES {
        for ((theme, colours), layout) in looks.into_iter().flat_map(|look| [(look, 0), (look, 1), (look, 2)]) {
            let mut bench = answered(width, height, &TuiOptions { theme: theme.into(), colours, ..options() });
            if colours == Colours::Full {
                assert_well_drawn(&bench, &format!("emergency, {theme} at {width} x {height}"));
            }
            in_layout(&mut bench, layout);
            let shown = format!("layout {layout}, {theme} at {width} x {height}:\n{}", bench.screen());
            let (x, y) = place_of(&bench, "⚠ Emergency: ").unwrap_or_else(|| panic!("{shown}"));
            let (_, title) = place_of(&bench, "6 Answer from").unwrap_or_else(|| panic!("{shown}"));
            assert_eq!(y, title + 1, "it is the first row of the answer: {shown}");
            let cell = &bench.terminal.backend().buffer()[(x, y)];
            assert!(cell.modifier.contains(Modifier::REVERSED | Modifier::BOLD), "{cell:?}");
            assert_eq!(cell.fg == Color::Reset, colours == Colours::None, "{cell:?}");
            let (_, read) = place_of(&bench, "Read as: woman, 81").unwrap_or_else(|| panic!("{shown}"));
            let (_, safety) = place_of(&bench, "Interactions and contraindications").unwrap_or_else(|| panic!("{shown}"));
            assert!(y < read && read < safety, "{shown}");
            assert_eq!(shown.matches("Read as:").count(), 1, "said once: {shown}");
            assert_eq!(shown.matches("Emergency:").count(), 1, "{shown}");
        }
    }
}

#[test]
fn the_reading_is_seen_before_there_is_an_answer_and_stays() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&case_run::searching("a"));
        assert!(bench.screen().contains("Read as: woman, 81"), "{width} x {height}:\n{}", bench.screen());
        // From any pane, and wherever the answer is scrolled to.
        let mut bench = answered(width, height, &options());
        for keys in [["2"], ["3"], ["4"], ["5"], ["7"], ["8"], ["6"], ["end"], ["z"]] {
            bench.press(&keys);
            assert!(bench.screen().contains("Read as: woman"), "{keys:?} at {width} x {height}:\n{}", bench.screen());
            assert!(bench.screen().contains("⚠ Emergency"), "{keys:?} at {width} x {height}:\n{}", bench.screen());
        }
    }
}

#[test]
fn safety_lines_have_a_sign_and_lines_without_one_are_no_warning() {
    let bench = answered(160, 48, &options());
    assert!(bench.screen().contains("⚠ ◆ Digoxin with"), "{}", bench.screen());
    assert!(bench.screen().contains("– No interaction between"), "{}", bench.screen());
    let (x, y) = place_of(&bench, "⚠ ◆ Digoxin").expect("is there");
    let plain = place_of(&bench, "Best fit").expect("the sentence");
    let buffer = bench.terminal.backend().buffer();
    assert_ne!(buffer[(x, y)].fg, buffer[plain].fg);
}

#[test]
fn what_else_the_evidence_holds_is_one_line_until_it_is_unfolded() {
    // High and narrow: the answer alone, and all of it.
    let mut bench = answered(90, 45, &options());
    let answer = Bench::screen;
    assert!(answer(&bench).contains("▸ Also in the evidence: 3   M shows it"), "{}", bench.screen());
    assert!(!answer(&bench).contains("H2 blocker"));
    bench.press(&["M", "end", "pagedown"]);
    assert!(answer(&bench).contains("▾ Also in the evidence: 3"), "{}", bench.screen());
    assert!(answer(&bench).contains("Gastritis, Helicobacter pylori, H2 blocker"), "{}", bench.screen());
    bench.press(&["M"]);
    assert!(!answer(&bench).contains("H2 blocker"), "{}", bench.screen());
}

#[test]
fn the_end_of_the_answer_is_reached_with_its_last_line() {
    let mut bench = answered(80, 24, &options());
    assert!(!bench.screen().contains("Also in the evidence"), "a screen on which it does not fit\n{}", bench.screen());
    bench.press(&["6"]).press(&["end"]);
    assert!(bench.screen().contains("Also in the evidence: 3"), "{}", bench.screen());
}

#[test]
fn a_question_that_is_not_answered_says_why_and_what_to_do() {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        bench.type_text("is zorbinol safe?").press(&["enter"]).run(&case_run::refused("a"));
        let screen = bench.screen();
        for shown in
            ["Answer not answered", "Read as: asks: safety", "? I do not know “zorbinol”.", "No substitute is offered.", "What to do"]
        {
            assert!(screen.contains(shown), "{shown:?} at {width} x {height}:\n{screen}");
        }
        assert!(!screen.contains("No evidence"), "{screen}");
    }
}

#[test]
fn a_run_without_a_case_looks_as_before() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    for absent in ["Read as", "Emergency", "Also in the evidence", "c correct"] {
        assert!(!bench.screen().contains(absent), "{absent}");
    }
    bench.press(&["c"]);
    assert!(bench.screen().contains("This run has no case to correct"), "{}", bench.screen());
    bench.press(&["F"]);
    assert!(bench.screen().contains("This run has no case to continue"), "{}", bench.screen());
    bench.press(&["M"]);
    assert!(bench.screen().contains("The answer has nothing folded"), "{}", bench.screen());
}
