//! Recordings: lines are read as events and folded; then the bytes choose how whole recordings are damaged, and those are folded.
#![no_main]

use catena::run::Trace;
use catena_fuzz::damage::{Random, assert_sound};
use catena_fuzz::{corpus, recorded};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: { corpus(); }, |input: &[u8]| {
    let mut trace = Trace::default();
    for event in recorded(input) {
        trace.apply(&event);
    }
    assert_sound(&trace);
    let damaged = corpus().damaged(&mut Random::of_bytes(input));
    let mut trace = Trace::default();
    for event in &damaged {
        trace.apply(event);
    }
    assert_sound(&trace);
});
