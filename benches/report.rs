//! What the screen waits for: the drawing of the evidence, the list of a thousand sessions; and a page.
#![allow(clippy::expect_used, reason = "a benchmark that cannot run fails")]

#[path = "../tests/support/sample.rs"]
#[allow(dead_code, reason = "the screen's tests use the rest of it")]
mod sample;

use catena::graph::starter_graph;
use catena::method::{Engine, EngineOptions};
use catena::model::CancelToken;
use catena::report::{Drawing, Format, report};
use catena::run::{AskOptions, Trace};
use catena::session::Store;

fn main() {
    divan::main();
}

/// A question to the starter graph that keeps so many chains.
fn answered(top_k: usize) -> Trace {
    let encoder = Engine::start_encoder().expect("the built-in encoder");
    let options = EngineOptions { top_k: Some(top_k), ..EngineOptions::default() };
    let engine = Engine::open(starter_graph().expect("the starter graph"), encoder, &options, Vec::new()).expect("an engine");
    let mut trace = Trace::default();
    let question = "fever, cough and chest pain in a smoker with diabetes: what could it be and which tests?";
    engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert_eq!(trace.pruning.kept.len(), top_k);
    trace
}

#[divan::bench(args = [10, 50])]
fn drawing(bencher: divan::Bencher<'_, '_>, top_k: usize) {
    let trace = answered(top_k);
    bencher.bench(|| Drawing::of_kept(&trace));
}

#[divan::bench(args = [10, 50])]
fn page(bencher: divan::Bencher<'_, '_>, top_k: usize) {
    let trace = answered(top_k);
    bencher.bench(|| report(&trace, Format::Html, None).expect("is written"));
}

#[divan::bench]
fn list_of_a_thousand_sessions(bencher: divan::Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path(), 1000).expect("opens");
    let mut recorder = store.recorder();
    for run in 0..1000 {
        for event in sample::answered(&format!("run-{run}")) {
            recorder.take(&event).expect("is written");
        }
    }
    bencher.bench(|| store.list().expect("lists"));
}
