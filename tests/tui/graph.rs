//! The graph on the screen: what is zoomed to.

use crate::harness::Bench;
use crate::support::sample;

/// The graph with a chain selected, one of whose entities has a number for want of room.
fn drawn() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["8", "]", "]"]);
    bench
}

#[test]
fn the_selected_chain_is_zoomed_to_until_all_is_wanted_again() {
    let mut bench = drawn();
    let before = bench.screen();
    let (legend, name) = ("1 Gastro-oesophageal reflux disease · 2", "● Gastro-oesophageal reflux disea");
    assert!(before.contains(legend), "{before}");
    bench.press(&["."]);
    let near = bench.screen();
    assert!(!near.contains(legend), "there is room for its names now:\n{near}");
    assert!(near.matches(name).count() > before.matches(name).count(), "{near}");
    bench.press(&["0"]);
    assert_eq!(bench.screen(), before);
}

#[test]
fn a_chain_that_is_not_drawn_is_not_zoomed_to() {
    let mut bench = drawn();
    bench.press(&["4", "G", "8", "."]);
    assert!(bench.screen().contains("The graph draws the kept chains only"), "{}", bench.screen());
}
