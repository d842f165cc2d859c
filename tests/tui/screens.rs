//! Whole screens, as they look. A change here is to be looked at before it is accepted.

use catena::tui::{Colours, TuiOptions};

use crate::sample;
use crate::support::{Bench, options};

const SIZES: [(u16, u16); 3] = [(160, 48), (100, 30), (80, 24)];

fn at_all_sizes(name: &str, prepare: impl Fn(&mut Bench)) {
    for (width, height) in SIZES {
        let mut bench = Bench::new(width, height);
        prepare(&mut bench);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), bench.screen());
    }
}

#[test]
fn first_screen() {
    at_all_sizes("first", |_| {});
}

#[test]
fn running() {
    at_all_sizes("running", |bench| {
        bench.press(&["1"]).run(&sample::searching("a"));
    });
}

#[test]
fn answered() {
    at_all_sizes("answered", |bench| {
        bench.press(&["1"]).run(&sample::answered("a"));
    });
}

#[test]
fn kept_chains() {
    at_all_sizes("kept", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["5", "j", "j"]);
    });
}

#[test]
fn nothing_found() {
    at_all_sizes("nothing", |bench| {
        bench.type_text("who won the cup?").press(&["enter"]).run(&sample::nothing("a"));
    });
}

#[test]
fn failed() {
    at_all_sizes("failed", |bench| {
        bench.press(&["1"]).run(&sample::failed("a"));
    });
}

#[test]
fn help() {
    at_all_sizes("help", |bench| {
        bench.press(&["?"]);
    });
}

#[test]
fn the_graph_cannot_be_opened() {
    let mut bench = Bench::new(100, 30);
    bench.app.engine_opened(Err("graph.bin is not a Catena snapshot".into()));
    bench.draw();
    insta::assert_snapshot!("no_graph_100x30", bench.screen());
}

#[test]
fn without_colours_signs_say_everything() {
    let mut bench = Bench::with(160, 48, &TuiOptions { colours: Colours::None, ..options() });
    bench.press(&["1"]).run(&sample::answered("a"));
    let buffer = bench.terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == ratatui::style::Color::Reset && cell.bg == ratatui::style::Color::Reset));
    for sign in ["● Gastro-oesophageal", "○ Omeprazole", "◆ Gastroscopy", "✚ Amoxicillin"] {
        assert!(bench.screen().contains(sign), "{sign}");
    }
}

#[test]
fn the_same_entity_has_the_same_colour_in_every_pane() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["1"]).run(&sample::answered("a"));
    let buffer = bench.terminal.backend().buffer();
    let mut colours: std::collections::BTreeMap<&str, std::collections::BTreeSet<String>> = Default::default();
    for y in 1..buffer.area.height - 2 {
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            if ["●", "○", "◆", "✚"].contains(&cell.symbol()) {
                colours.entry(cell.symbol()).or_default().insert(format!("{:?}", cell.fg));
            }
        }
    }
    assert_eq!(colours.len(), 4, "all four signs are on the screen");
    assert!(colours.values().all(|found| found.len() == 1), "{colours:?}");
}
