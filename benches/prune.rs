//! What lies between the chains found and the answer: weighing the evidence, the chains' table, pruning.
//!
//! `cargo bench --bench prune`
//!
//! A question that names 23 entities of a synthetic graph with a power law of degrees, so that a quarter of a
//! million chains are found. `CATENA_BENCH_SIZE=full` measures on 1,288,721 entities and 3,569,427 triples.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark speaks on standard output, and one that cannot be set up has nothing to measure"
)]

mod support;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use catena::graph::{ChainBudget, ChainSearch, ChainTable, EntityId, FoundChains, Graph};
use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AskOptions, EventKind, Stage, Trace, TraceDocument};
use divan::Bencher;
use support::{open, synthetic_of};

/// Entities that the question names.
const ANCHORS: usize = 23;
/// Entities and triples of the smaller graph; dense enough for the chains of the full one.
const SMALLER: (u32, u32) = (100_000, 600_000);
/// Chains between them, at least.
const CHAINS: usize = 200_000;
/// HyKGE's fused graph.
const FULL: (u32, u32) = (1_288_721, 3_569_427);

struct Ready {
    engine: Engine,
    question: String,
    found: FoundChains,
}

static READY: LazyLock<Ready> = LazyLock::new(|| {
    let full = std::env::var("CATENA_BENCH_SIZE").is_ok_and(|size| size == "full");
    let engine = open(synthetic_of(if full { FULL } else { SMALLER }));
    let knowledge = engine.knowledge();
    let graph = knowledge.graph.base();
    let (anchors, found) = anchors(graph);
    let names: Vec<&str> = anchors.iter().map(|anchor| graph.entity_name(*anchor)).collect();
    let question = format!("I have {}. Which tests do I need, and what medicine should I take?", names.join(", "));
    Ready { question, found, engine }
});

/// Anchors and their chains: neighbours in the order of degrees, as far up as needed for enough chains.
fn anchors(graph: &Graph) -> (Vec<EntityId>, FoundChains) {
    let mut by_degree: Vec<EntityId> = graph.entity_ids().collect();
    by_degree.sort_by_key(|entity| (Reverse(graph.degree(*entity)), *entity));
    let mut rank = by_degree.len() / 8;
    loop {
        let anchors = by_degree[rank..rank + ANCHORS].to_vec();
        let found = search(graph, &anchors);
        if found.chains.len() >= CHAINS || rank == 0 {
            return (anchors, found);
        }
        rank = rank * 4 / 5;
    }
}

fn main() {
    let Ready { engine, question, found } = &*READY;
    let knowledge = engine.knowledge();
    let graph = knowledge.graph.base();
    let occurring: HashSet<u32> = found.chains.iter().flat_map(|chain| chain.nodes().iter().copied()).collect();
    let largest = graph.entity_ids().map(|entity| graph.degree(entity)).max().unwrap_or(0);
    println!(
        "{} entities, {} triples, largest degree {largest}; between the {ANCHORS} anchors of the question {} chains over {} entities",
        graph.entity_count(),
        graph.triple_count(),
        found.chains.len(),
        occurring.len()
    );
    let trace = asked(engine, question);
    let scored: Vec<String> = trace.pruning.scored.iter().map(|by| format!("{} {}", by.scorer, by.chains)).collect();
    println!(
        "the whole run: {} anchors, {} chains found, {} kept in memory; scored: {}",
        trace.anchors.len(),
        trace.chains_found,
        trace.table.chains.len(),
        scored.join(", ")
    );
    divan::main();
}

fn search(graph: &Graph, anchors: &[EntityId]) -> FoundChains {
    let budget = ChainBudget { time: Duration::from_secs(600), ..ChainBudget::default() };
    let mut search = ChainSearch::new(graph, 3, budget);
    search.add(anchors, &|| false);
    search.finish()
}

fn asked(engine: &Engine, question: &str) -> Trace {
    let mut trace = Trace::default();
    engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

/// A run that has come to a certain event and waits there; it goes on when told, and says when it has come to another.
struct Halted {
    go_on: SyncSender<()>,
    arrived: Receiver<()>,
    cancel: CancelToken,
}

impl Halted {
    /// Starts a run and waits until it has come to `from`.
    fn at(from: fn(&EventKind) -> bool, to: fn(&EventKind) -> bool) -> Self {
        let (go_on, told) = sync_channel(0);
        let (arrive, arrived) = sync_channel(1);
        let cancel = CancelToken::new();
        let token = cancel.clone();
        thread::spawn(move || {
            let Ready { engine, question, .. } = &*READY;
            engine.run(question, AskOptions::default(), &token, &mut |event| {
                if from(&event.what) {
                    arrive.send(()).is_ok() && told.recv().is_ok()
                } else if to(&event.what) {
                    arrive.send(()).is_ok()
                } else {
                    true
                }
            });
        });
        arrived.recv().expect("the run comes to where it is to wait");
        Self { go_on, arrived, cancel }
    }

    /// Lets it run on to its other event.
    fn run(&self) {
        self.go_on.send(()).expect("the run waits");
        self.arrived.recv().expect("the run comes to where it is to end");
    }
}

impl Drop for Halted {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Assessment and wording of the hypothesis.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn assess(bencher: Bencher<'_, '_>) {
    let from = |e: &EventKind| matches!(e, EventKind::StageStarted { stage: Stage::Hypothesis });
    let to = |e: &EventKind| matches!(e, EventKind::StageStarted { stage: Stage::Search });
    bencher.with_inputs(|| Halted::at(from, to)).bench_refs(|run| run.run());
}

/// The whole stage: all chains judged, the best scored by the encoder, the kept chosen.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn prune(bencher: Bencher<'_, '_>) {
    let from = |e: &EventKind| matches!(e, EventKind::StageStarted { stage: Stage::Prune });
    let to = |e: &EventKind| matches!(e, EventKind::ChainsPruned { .. });
    bencher.with_inputs(|| Halted::at(from, to)).bench_refs(|run| run.run());
}

/// The stage after it.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>) {
    let from = |e: &EventKind| matches!(e, EventKind::StageStarted { stage: Stage::Read });
    let to = |e: &EventKind| matches!(e, EventKind::AnswerFinished { .. });
    bencher.with_inputs(|| Halted::at(from, to)).bench_refs(|run| run.run());
}

/// The chains with the names of everything in them.
#[divan::bench(sample_count = 50)]
fn chain_table(bencher: Bencher<'_, '_>) {
    let Ready { engine, found, .. } = &*READY;
    bencher.bench(|| ChainTable::of(&engine.knowledge().graph, &found.chains));
}

/// The trace as JSON with 10,000 of its chains.
#[divan::bench(sample_count = 20)]
fn json_of_10_000_chains(bencher: Bencher<'_, '_>) {
    let Ready { engine, question, .. } = &*READY;
    let trace = asked(engine, question);
    bencher.bench(|| serde_json::to_string(&TraceDocument::of(&trace, 10_000)).expect("a trace can be written"));
}
