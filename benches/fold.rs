//! The fold under damaged recordings, many times over: folding, drawing, and random triage sessions. Fails at the first panic and names its seed.
//!
//! `cargo bench --profile dev --bench fold -- folds 10000000 draws 100000 sessions 10000 [seed N]`; the development profile checks arithmetic
//! overflow. Without numbers it does little of each.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "it reports to whoever started it")]

/// What the tests of the fold use.
#[path = "../tests/support"]
#[allow(dead_code, unreachable_pub, reason = "the tests use the rest")]
mod support {
    pub(crate) mod corpus;
    pub(crate) mod damage;
    pub(crate) mod doctor;
    pub(crate) mod drawn;
    pub(crate) mod engine;
    pub(crate) mod sample;
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use catena::report::{Format, report};
use catena::run::{Trace, TraceDocument};
use catena::session::compare;
use support::corpus;
use support::damage::{Corpus, Random, assert_sound, owned};
use support::doctor::{engine, triage_at_random};
use support::drawn::{Terminals, show};

/// Of so many folds one is also written as JSON, and of ten times as many one as every report.
const WRITTEN: u64 = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|number| number.parse().ok()).unwrap_or(usual)
    };
    let first = number("seed", 0);
    let corpus = Corpus::of(corpus::recordings());

    let mut faulty = 0u64;
    let mut before = Trace::default();
    repeat("folds", first, number("folds", 20_000), |seed| {
        let mut random = Random::new(seed);
        let mut trace = Trace::default();
        for event in corpus.damaged(&mut random) {
            trace.apply(&event);
        }
        assert_sound(&trace);
        faulty += u64::from(!trace.faults().is_empty());
        if seed % WRITTEN == 0 {
            serde_json::to_string(&TraceDocument::of(&trace, 100)).expect("JSON");
        }
        if seed % (WRITTEN * 10) == 0 {
            for format in [Format::Markdown, Format::Html, Format::Dot, Format::Json] {
                report(&trace, format, None).expect("a report");
            }
            let _ = compare(&before, &trace);
            before = trace;
        }
    });
    println!("  {faulty} of them had faults that the fold names");

    let mut terminals = Terminals::open();
    let mut frames = 0;
    repeat("draws", first, number("draws", 200), |seed| {
        let mut random = Random::new(seed ^ 0x5eed);
        let (one, other) = (owned(&corpus.damaged(&mut random)), owned(&corpus.damaged(&mut random)));
        frames += show(one, other, &mut terminals, &mut random);
    });
    println!("  {frames} frames");

    let engine = engine();
    let mut prefixes = 0;
    repeat("sessions", first, number("sessions", 50), |seed| prefixes += triage_at_random(&engine, &mut Random::new(seed)));
    println!("  {prefixes} prefixes compared with the live state");
}

/// Does something for each seed, and says how often and how long.
fn repeat(what: &str, first: u64, count: u64, mut once: impl FnMut(u64)) {
    let began = Instant::now();
    for seed in first..first.saturating_add(count) {
        if catch_unwind(AssertUnwindSafe(|| once(seed))).is_err() {
            println!("{what}: seed {seed} failed");
            std::process::exit(1);
        }
        if (seed - first) % 1_000_000 == 999_999 {
            println!("  {what}: {} after {:.0} s", seed - first + 1, began.elapsed().as_secs_f64());
        }
    }
    println!("{what}: {count} executions in {:.0} s, no panic", began.elapsed().as_secs_f64());
}
