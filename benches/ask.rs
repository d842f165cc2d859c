//! From nothing to an engine, and from a question to its answer.
//!
//! `cargo bench --bench ask`

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

mod support;

use std::sync::LazyLock;

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AskOptions, Outcome, Trace};
use divan::Bencher;
use support::{REFLUX, open, starter, synthetic, synthetic_name};

static STARTER: LazyLock<Engine> = LazyLock::new(|| open(starter()));
static SYNTHETIC: LazyLock<Engine> = LazyLock::new(|| open(synthetic()));

fn main() {
    divan::main();
}

/// Asks and folds the events, as every consumer does.
fn ask(engine: &Engine, question: &str) -> Trace {
    let mut trace = Trace::default();
    let outcome = engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert_eq!(outcome, Outcome::Answered);
    trace
}

/// Graph read, encoder loaded, every name embedded.
#[divan::bench(sample_count = 30)]
fn open_starter() -> Engine {
    open(starter())
}

/// The question of the main job, and one each of other shapes.
#[divan::bench(sample_count = 50, args = [
    REFLUX,
    "What tests confirm coeliac disease?",
    "胃痛反酸，应该吃什么药？",
    "My knee hurts.",
])]
fn ask_starter(bencher: Bencher<'_, '_>, question: &str) {
    LazyLock::force(&STARTER);
    bencher.bench(|| ask(&STARTER, question));
}

/// A hundred thousand entities, three of which the question names.
#[divan::bench(sample_count = 20)]
fn ask_synthetic(bencher: Bencher<'_, '_>) {
    LazyLock::force(&SYNTHETIC);
    let question = format!("I have {} and {}. Does {} help?", synthetic_name(12), synthetic_name(34), synthetic_name(61));
    bencher.bench(|| ask(&SYNTHETIC, &question));
}
