//! Runs with a language model: its text as it comes, what it does, what is its own.

use catena::run::Event;

use crate::harness::Bench;
use crate::support::sample;

fn shown(events: &[Event]) -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(events);
    bench
}

#[test]
fn the_answer_is_shown_as_it_is_written() {
    let bench = shown(&sample::writing("a"));
    assert!(bench.row_with("gastro-oesophageal").contains('-'), "{}", bench.screen());
    assert!(bench.screen().contains("Omeprazole treats"), "{}", bench.screen());
    assert!(bench.screen().contains("31 tokens/s"), "{}", bench.screen());
    assert!(bench.screen().contains("qwen3-8b"), "{}", bench.screen());
}

#[test]
fn the_checked_text_takes_its_place_with_what_is_the_models_own() {
    let mut bench = shown(&sample::written("a"));
    let screen = bench.screen();
    assert!(screen.contains("Treatments") && screen.contains("[1]") && screen.contains("(the model's own)"), "{screen}");
    assert!(screen.contains("✚ Calcium carbonate is cheap"), "{screen}");
    assert_eq!(screen.matches("is cheap").count(), 1, "{screen}");
    assert!(!screen.contains("tokens/s"), "{screen}");
    // Its lines can be walked, and lead to what they cite.
    bench.press(&["6", "j"]);
    assert!(bench.screen().contains("is cheap"));
}
