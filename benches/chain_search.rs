//! Chain search beside a plain depth-first search that finds the same chains; over a graph with learned triples laid over
//! it beside the plain graph; and between the largest hubs there are. (At full size: `full_size`.)
//!
//! `cargo bench --bench chain_search`

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark speaks on standard output, and one that cannot be set up has nothing to measure"
)]

mod support;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use catena::graph::{ChainBudget, ChainSearch, EntityId, EvolvingGraph, Graph, GraphView, LearnedTable, NamedEntity};
use divan::Bencher;
use support::{Random, anchors, starter, synthetic, synthetic_of, synthetic_parted};

/// How many anchors are searched between.
const ANCHORS: usize = 20;
/// Entities and triples of the graph of which a million triples were learned.
const LARGE_SIZE: (u32, u32) = (400_000, 1_500_000);

static STARTER: LazyLock<(Graph, Vec<EntityId>)> = LazyLock::new(|| with_anchors(starter()));
static SYNTHETIC: LazyLock<(Graph, Vec<EntityId>)> = LazyLock::new(|| with_anchors(synthetic()));
static NOTHING_LEARNED: LazyLock<EvolvingGraph> = LazyLock::new(|| EvolvingGraph::new(Arc::new(synthetic())));
static LEARNED: LazyLock<EvolvingGraph> = LazyLock::new(|| learned(10_000));
/// A graph of a million and a half triples, and the same graph of which a million was learned.
static LARGE: LazyLock<(Graph, Vec<EntityId>)> = LazyLock::new(|| with_anchors(synthetic_of(LARGE_SIZE)));
static MILLION_LEARNED: LazyLock<(EvolvingGraph, Vec<EntityId>)> = LazyLock::new(|| {
    let (base, learned) = synthetic_parted(LARGE_SIZE, 1_000_000);
    let mut graph = EvolvingGraph::new(Arc::new(base));
    graph.learn(&learned);
    let anchors = LARGE.1.iter().map(|anchor| graph.find(LARGE.0.entity_name(*anchor)).expect("the same entities")).collect();
    (graph, anchors)
});
/// The twenty entities with the most triples.
static HUBS: LazyLock<Vec<EntityId>> = LazyLock::new(|| {
    let mut entities: Vec<EntityId> = SYNTHETIC.0.entity_ids().collect();
    entities.sort_by_key(|entity| (std::cmp::Reverse(SYNTHETIC.0.degree(*entity)), *entity));
    entities.truncate(ANCHORS);
    entities
});

/// The synthetic graph with random triples between its entities laid over it.
fn learned(triples: usize) -> EvolvingGraph {
    let mut random = Random(23);
    let mut graph = EvolvingGraph::new(Arc::new(synthetic()));
    let named = |at: u32| NamedEntity::new(graph.entity_name(EntityId(at)), graph.kind(EntityId(at)));
    let table = LearnedTable {
        entities: (0..graph.entity_count() as u32).map(named).collect(),
        relations: graph.relations().iter().map(Into::into).collect(),
        triples: (0..triples as u64)
            .map(|record| {
                let entities = graph.entity_count() as u32;
                (random.below(entities), random.below(graph.relations().len() as u32) as u16, random.below(entities), record)
            })
            .collect(),
        ..LearnedTable::default()
    };
    graph.learn(&table);
    graph
}

fn with_anchors(graph: Graph) -> (Graph, Vec<EntityId>) {
    let anchors = anchors(&graph, ANCHORS);
    (graph, anchors)
}

fn main() {
    // The peer is a peer only if it finds the same; told once, outside of the clock.
    for (name, (graph, anchors)) in [("starter", &*STARTER), ("synthetic", &*SYNTHETIC)] {
        let degrees = |entities: &mut dyn Iterator<Item = EntityId>| entities.map(|entity| graph.degree(entity)).max().unwrap_or(0);
        let (largest, of_anchors) = (degrees(&mut graph.entity_ids()), degrees(&mut anchors.iter().copied()));
        println!("{name}: largest degree {largest}, of an anchor {of_anchors}");
        for k in 1..=3 {
            let found = search(graph, anchors, k);
            assert_eq!(found, depth_first(graph, anchors, k), "{name}, k = {k}");
            println!("{name}, k = {k}: {found} chains between {ANCHORS} anchors");
        }
    }
    for k in 2..=3 {
        let found = search(&LARGE.0, &LARGE.1, k);
        assert_eq!(found, search(&MILLION_LEARNED.0, &MILLION_LEARNED.1, k), "a million learned, k = {k}");
        println!("a million of {} triples learned, k = {k}: {found} chains", LARGE.0.triple_count());
    }
    divan::main();
}

/// How many chains the search finds; it also keeps and orders them.
fn search<V: GraphView>(graph: &V, anchors: &[EntityId], k: usize) -> u64 {
    let budget = ChainBudget { time: Duration::from_secs(600), ..ChainBudget::default() };
    let mut search = ChainSearch::new(graph, k, budget);
    search.add(anchors, &|| false);
    let found = search.finish();
    divan::black_box(&found.chains);
    found.found
}

/// How many chains there are, by walking from every anchor: one stack, one thread, nothing kept or ordered.
fn depth_first(graph: &Graph, anchors: &[EntityId], k: usize) -> u64 {
    let mut number = vec![usize::MAX; graph.entity_count()];
    for (i, anchor) in anchors.iter().enumerate() {
        number[anchor.index()] = i;
    }
    let mut walk = Walk { graph, number: &number, k, nodes: Vec::with_capacity(k + 1), found: 0 };
    for (first, anchor) in anchors.iter().enumerate() {
        walk.nodes.push(*anchor);
        walk.step(first, None, 0);
        walk.nodes.clear();
    }
    walk.found
}

struct Walk<'a> {
    graph: &'a Graph,
    /// Which anchor an entity is, if it is one.
    number: &'a [usize],
    k: usize,
    nodes: Vec<EntityId>,
    found: u64,
}

impl Walk<'_> {
    /// `directions`: those of the first and the latest relation.
    fn step(&mut self, first: usize, directions: Option<(bool, bool)>, turns: usize) {
        let here = self.nodes[self.nodes.len() - 1];
        if let Some((begins_forward, _)) = directions {
            let end = self.number[here.index()];
            // Paths are counted where they run forward, the others at the anchor that comes first.
            self.found += u64::from(end != usize::MAX && if turns == 0 { begins_forward } else { first < end });
        }
        if self.nodes.len() > self.k {
            return;
        }
        let graph = self.graph;
        for (forward, edges) in [(true, graph.outgoing(here)), (false, graph.incoming(here))] {
            let turns = turns + usize::from(directions.is_some_and(|(_, latest)| latest != forward));
            if turns > 1 {
                continue;
            }
            let begins_forward = directions.map_or(forward, |(begins, _)| begins);
            for edge in edges {
                if !self.nodes.contains(&edge.to) {
                    self.nodes.push(edge.to);
                    self.step(first, Some((begins_forward, forward)), turns);
                    self.nodes.pop();
                }
            }
        }
    }
}

#[divan::bench_group(sample_count = 20, max_time = 20)]
mod starter_graph {
    use super::*;

    #[divan::bench(args = [1, 2, 3])]
    fn search(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&STARTER.0, &STARTER.1, k));
    }

    #[divan::bench(args = [1, 2, 3])]
    fn depth_first(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::depth_first(&STARTER.0, &STARTER.1, k));
    }
}

#[divan::bench_group(sample_count = 20, max_time = 20)]
mod synthetic_graph {
    use super::*;

    #[divan::bench(args = [1, 2, 3])]
    fn search(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&SYNTHETIC.0, &SYNTHETIC.1, k));
    }

    #[divan::bench(args = [1, 2, 3])]
    fn depth_first(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::depth_first(&SYNTHETIC.0, &SYNTHETIC.1, k));
    }
}

/// The same anchors on the same graph; what learned triples add to the time is what their chains cost.
#[divan::bench_group(sample_count = 100, max_time = 20)]
mod overlaid {
    use super::*;

    #[divan::bench(args = [2, 3])]
    fn plain(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&SYNTHETIC.0, &SYNTHETIC.1, k));
    }

    #[divan::bench(args = [2, 3])]
    fn nothing_learned(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&*NOTHING_LEARNED, &SYNTHETIC.1, k));
    }

    #[divan::bench(args = [2, 3])]
    fn ten_thousand_learned(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&*LEARNED, &SYNTHETIC.1, k));
    }
}

/// The same graph twice: once all of it is the base, once two thirds of it were learned.
#[divan::bench_group(sample_count = 60, max_time = 30)]
mod a_million {
    use super::*;

    #[divan::bench(args = [2, 3])]
    fn in_the_base(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| super::search(&LARGE.0, &LARGE.1, k));
    }

    #[divan::bench(args = [2, 3])]
    fn learned(bencher: Bencher<'_, '_>, k: usize) {
        let (graph, anchors) = &*MILLION_LEARNED;
        bencher.bench(|| super::search(graph, anchors, k));
    }
}

/// Anchors that are all hubs, with the time and the chains that a question has.
#[divan::bench_group(sample_count = 5, max_time = 20)]
mod hubs {
    use super::*;

    #[divan::bench(args = [2, 3, 5])]
    fn search(bencher: Bencher<'_, '_>, k: usize) {
        bencher.bench(|| {
            let mut search = ChainSearch::new(&SYNTHETIC.0, k, ChainBudget::default());
            search.add(&HUBS, &|| false);
            search.finish()
        });
    }
}
