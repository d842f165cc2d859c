//! From the wish to stop to the end of the run: what Esc costs at the worst of times.
//!
//! `cargo bench --bench stop`

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

mod support;

use std::sync::{Arc, LazyLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AskOptions, Outcome, Settings};
use divan::Bencher;
use support::{dense, open};

static DENSE: LazyLock<Arc<Engine>> = LazyLock::new(|| Arc::new(open(dense())));

fn main() {
    divan::main();
}

/// Starts a run and lets it come as far as `after`.
fn under_way(after: Duration) -> (CancelToken, JoinHandle<Outcome>) {
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let engine = Arc::clone(&DENSE);
    let run = thread::spawn(move || {
        let settings = Settings { k: 5, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
        let options = AskOptions { settings: Some(settings), ..AskOptions::default() };
        engine.run("zorb1, zorb2, zorb3, zorb5 and zorb8", options, &token, &mut |_| true)
    });
    thread::sleep(after);
    (cancel, run)
}

/// After so many milliseconds of a run that would take much longer.
#[divan::bench(sample_count = 20, sample_size = 1, args = [5, 50, 300, 1000, 2500])]
fn stop_after_ms(bencher: Bencher<'_, '_>, after: u64) {
    LazyLock::force(&DENSE);
    bencher.with_inputs(|| under_way(Duration::from_millis(after))).bench_values(|(cancel, run)| {
        cancel.cancel();
        let outcome = run.join().expect("the run ends");
        assert_eq!(outcome, Outcome::Cancelled);
    });
}
