//! A keymap and recordings of version 0.1 (`tests/fixtures/v0.1`) on today's screen.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use catena::run::read_recording;
use catena::tui::TuiOptions;

use crate::harness::{Bench, options};
use crate::support::sample;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v0.1")
}

#[test]
fn a_keymap_is_used() {
    let keymap = std::fs::read_to_string(fixtures().join("state/keymap.toml")).expect("a keymap");
    let mut bench = Bench::with(160, 48, &TuiOptions { keymap: Some(keymap), ..options() });
    assert!(!bench.screen().contains("Your keymap is not used"), "{}", bench.screen());
    bench.press(&["alt+1"]).begin(&sample::answered("a")[0].run);
    bench.app.on_event(&sample::answered("a")[0]);
    bench.draw();
    assert!(!bench.cancel.is_cancelled());
    bench.press(&["f9"]);
    assert!(bench.cancel.is_cancelled(), "F9 stops a run, as the keymap says");
}

#[test]
fn recordings_are_drawn_in_every_pane() {
    for folder in ["recordings", "state/sessions"] {
        for entry in std::fs::read_dir(fixtures().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none() {
                continue;
            }
            let events = read_recording(BufReader::new(File::open(&path).expect("a file"))).expect("is read");
            let mut bench = Bench::new(160, 48);
            bench.press(&["alt+1"]).run(&events);
            for pane in ["2", "3", "4", "5", "6", "7", "8"] {
                bench.press(&[pane]);
            }
            let nothing = path.ends_with("nothing.jsonl") || path.ends_with("base.jsonl");
            assert!(nothing || bench.screen().contains("Answer from "), "{}:\n{}", path.display(), bench.screen());
        }
    }
}
