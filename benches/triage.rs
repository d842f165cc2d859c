//! What a doctor waits for who triages: a chain rejected, chains searched anew, a chain explained, an entity typed.
//!
//! `cargo bench --bench triage`; `CATENA_BENCH_SIZE=full` types into 1,288,721 entities.

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

mod support;

use std::sync::{Arc, LazyLock};

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, ChainKey, Outcome, Stage, Trace, Triage};
use divan::Bencher;
use support::{REFLUX, open, starter, synthetic, synthetic_of};

static STARTER: LazyLock<Arc<Engine>> = LazyLock::new(|| Arc::new(open(starter())));
static LARGE: LazyLock<Arc<Engine>> = LazyLock::new(|| {
    let full = std::env::var("CATENA_BENCH_SIZE").is_ok_and(|size| size == "full");
    Arc::new(open(if full { synthetic_of((1_288_721, 3_569_427)) } else { synthetic() }))
});
static ASKED: LazyLock<Trace> = LazyLock::new(|| {
    let mut trace = Trace::default();
    let outcome = STARTER.run(REFLUX, AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert_eq!(outcome, Outcome::Answered);
    trace
});

fn main() {
    divan::main();
}

fn revise(bencher: Bencher<'_, '_>, triage: Triage, from: Stage) {
    let (trace, triage) = (&*ASKED, Arc::new(triage));
    bencher.bench(|| STARTER.carry_on(trace, &triage, from, &CancelToken::new(), &mut |_| true));
}

#[divan::bench(sample_count = 100)]
fn reject_a_chain(bencher: Bencher<'_, '_>) {
    let best = ASKED.kept().next().expect("a kept chain").2;
    revise(bencher, Triage { rejected: [ChainKey::of(&ASKED.table, best)].into(), ..Triage::default() }, Stage::Prune);
}

#[divan::bench(sample_count = 50)]
fn reject_an_anchor(bencher: Bencher<'_, '_>) {
    revise(bencher, Triage { rejected_anchors: [ASKED.anchors[0].entity.clone()].into(), ..Triage::default() }, Stage::Search);
}

#[divan::bench(sample_count = 50)]
fn change_delta(bencher: Bencher<'_, '_>) {
    revise(bencher, Triage { delta: Some(0.8), ..Triage::default() }, Stage::Link);
}

#[divan::bench(sample_count = 50)]
fn explain_a_chain(bencher: Bencher<'_, '_>) {
    let scored = &ASKED.pruning.runners_up[0];
    bencher.bench(|| STARTER.explain(&ASKED, scored.chain));
}

#[divan::bench(sample_count = 100, args = ["a", "reflux", "refulx", "stomach p", "gsrd"])]
fn type_into_the_starter_graph(bencher: Bencher<'_, '_>, typed: &str) {
    LazyLock::force(&STARTER);
    bencher.bench(|| STARTER.complete(typed, 20));
}

#[divan::bench(sample_count = 50, args = ["a", "zor", "zorblike", "qqzz", "dis"])]
fn type_into_a_large_graph(bencher: Bencher<'_, '_>, typed: &str) {
    LazyLock::force(&LARGE);
    bencher.bench(|| LARGE.complete(typed, 20));
}
