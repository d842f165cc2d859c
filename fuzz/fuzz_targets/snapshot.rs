//! Snapshots: as they are, which checksums nearly always refuse, and then with their checksums made to fit.
#![no_main]

use catena::graph::Graph;
use catena_fuzz::{init, repaired, shown_safely, walk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: init(), |input: &[u8]| {
    open(input);
    if let Some(repaired) = repaired(input) {
        open(&repaired);
    }
});

fn open(bytes: &[u8]) {
    match Graph::from_bytes(bytes, "fuzzed") {
        Ok(graph) => walk(&graph),
        Err(error) => shown_safely(&error.to_string()),
    }
}
