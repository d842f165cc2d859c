//! The built-in encoder: how fast it loads, embeds a graph's names, and embeds one query.
//!
//! `cargo bench --bench encoder`

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

mod support;

use catena::model::infer::StaticEncoder;
use catena::model::{Encoder, Matrix};
use divan::Bencher;
use divan::counter::ItemsCount;
use support::starter;

fn main() {
    divan::main();
}

fn encoder() -> StaticEncoder {
    StaticEncoder::built_in().expect("the built-in encoder loads")
}

/// From the embedded bytes to a model.
#[divan::bench(sample_count = 30)]
fn load() -> StaticEncoder {
    encoder()
}

/// Every name and alias of the starter graph, in portions.
#[divan::bench(sample_count = 20)]
fn names(bencher: Bencher<'_, '_>) {
    let graph = starter();
    let names: Vec<String> = graph
        .entity_ids()
        .flat_map(|entity| std::iter::once(graph.entity_name(entity)).chain(graph.aliases(entity)).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut encoder = encoder();
    bencher
        .counter(ItemsCount::new(names.len()))
        .bench_local(|| names.chunks(512).map(|portion| encoder.encode(portion).expect("encodes").rows()).sum::<usize>());
}

/// One text: a word of the vocabulary, a phrase, a word outside the vocabulary, Chinese.
#[divan::bench(args = ["heartburn", "pain in the upper belly after meals", "hyperzorbemia", "饭后胃部反酸"])]
fn query(bencher: Bencher<'_, '_>, text: &str) {
    let mut encoder = encoder();
    let texts = [text.to_owned()];
    bencher.bench_local(|| -> Matrix { encoder.encode(&texts).expect("encodes") });
}
