//! The graph on the screen: what is zoomed to.

use crate::harness::Bench;
use crate::support::sample;

/// The graph with a chain selected, whose entities have little room for their names.
fn drawn() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["8", "]", "]"]);
    bench
}

#[test]
fn the_selected_chain_is_zoomed_to_until_all_is_wanted_again() {
    let mut bench = drawn();
    let before = bench.screen();
    // The list of anchors cuts its name, too.
    let (cut, name) = ("● Gastro-oesophageal reflux disea…", "● Gastro-oesophageal reflux disease");
    assert!(before.contains(cut), "{before}");
    bench.press(&["."]);
    let near = bench.screen();
    assert!(!near.contains(cut), "there is room for its name now:\n{near}");
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
