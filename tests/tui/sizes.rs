//! Every size, every state, any keys: nothing breaks.

use proptest::prelude::*;
use ratatui::layout::Rect;

use crate::case_run;
use crate::harness::Bench;
use crate::lessons;
use crate::support::sample;

const KEYS: [&str; 74] = [
    "c", "F", "M", "1", "2", "3", "4", "5", "6", "7", "8", ":", "/", "f", ",", "s", "X", "space", "v", "p", "x", "u", "r", "j", "k",
    "home", "end", "n", "N", "z", "?", "m", "t", "e", "tab", "esc", "pagedown", "pageup", "enter", "ctrl+l", "g", "b", "G", "a", "A", "y",
    "d", "ctrl+s", "L", "i", "+", "-", "*", "E", "P", "h", "l", "left", "right", "ctrl+d", "ctrl+u", "ctrl+r", "ctrl+z", "[", "]", "<",
    ">", "w", "R", "U", "V", "Y", "o", ".",
];

/// An answer in the layout that so many changes lead to.
fn in_layout(bench: &mut Bench, changes: usize) {
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    for _ in 0..changes {
        bench.press(&["L"]);
    }
}

/// The review open, or what was learned.
fn taught(bench: &mut Bench, sheet: &str) {
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", sheet]);
    bench.app.on_reply(catena::tui::Reply::Queue(Box::new(lessons::waiting())));
    bench.app.on_reply(lessons::lessons());
    bench.draw();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]
    #[test]
    fn any_size_and_any_keys_are_survived(
        sizes in prop::collection::vec((1u16..220, 1u16..70), 1..4),
        keys in prop::collection::vec(0usize..KEYS.len(), 0..12),
        state in 0usize..11,
    ) {
        let (width, height) = sizes[0];
        let mut bench = Bench::new(width, height);
        match state {
            0 => {}
            1 => { bench.press(&["alt+1"]).run(&sample::searching("a")); }
            2 => { bench.press(&["alt+1"]).run(&sample::answered("a")); }
            4 => { taught(&mut bench, "r"); }
            7 => { bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["c"]); }
            8 => { bench.press(&["alt+1"]).run(&case_run::refused("a")); }
            5 => { taught(&mut bench, "d"); }
            3 => { bench.press(&["alt+1"]).run(&sample::nothing("a")); }
            9 => in_layout(&mut bench, 1),
            10 => in_layout(&mut bench, 2),
            _ => { bench.press(&["alt+1"]).run(&sample::failed("a")); }
        }
        for (at, key) in keys.iter().enumerate() {
            bench.press(&[KEYS[*key]]);
            let (width, height) = sizes[at % sizes.len()];
            bench.terminal.backend_mut().resize(width, height);
            bench.terminal.resize(Rect::new(0, 0, width, height)).expect("a test terminal is resized");
            bench.draw();
        }
    }
}

#[test]
fn the_smallest_screen_is_survived() {
    for (width, height) in [(1, 1), (2, 1), (1, 2), (1, 40), (200, 1), (3, 3), (20, 5)] {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&sample::answered("a"));
        for key in KEYS {
            bench.press(&[key]);
        }
        for changes in [1, 2] {
            let mut bench = Bench::new(width, height);
            in_layout(&mut bench, changes);
            for key in KEYS {
                bench.press(&[key]);
            }
        }
        for sheet in ["r", "d"] {
            let mut bench = Bench::new(width, height);
            taught(&mut bench, sheet);
            for key in KEYS {
                bench.press(&[key]);
            }
        }
    }
}

#[test]
fn where_the_answer_has_little_room_the_key_that_enlarges_it_is_named() {
    let footer = |bench: &Bench| bench.screen().trim_end().lines().last().unwrap_or_default().to_owned();
    let mut bench = Bench::new(100, 30);
    bench.press(&["alt+1"]).run(&crate::case_run::answered("a")).press(&["6"]);
    assert!(footer(&bench).contains("z enlarge"), "{}", bench.screen());
    bench.press(&["z"]);
    assert!(!footer(&bench).contains("z enlarge"), "{}", bench.screen());
    let mut large = Bench::new(160, 48);
    large.press(&["alt+1"]).run(&sample::answered("a")).press(&["6"]);
    assert!(!footer(&large).contains("z enlarge"), "{}", large.screen());
}
