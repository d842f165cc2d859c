//! Tables: the first byte says of which form.
#![no_main]

use catena::graph::import::GraphFormat;
use catena_fuzz::{choice, import_and_check, init};
use libfuzzer_sys::fuzz_target;

const FORMATS: [GraphFormat; 5] = [GraphFormat::Tsv, GraphFormat::Csv, GraphFormat::Hetionet, GraphFormat::PrimeKg, GraphFormat::Neo4j];

fuzz_target!(init: init(), |input: &[u8]| {
    if let Some((first, bytes)) = input.split_first() {
        import_and_check(choice(*first, &FORMATS), bytes);
    }
});
