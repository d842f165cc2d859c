//! The library as it is measured: the one place that knows how a graph is imported, stored, opened and searched.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use catena::graph::import::read_tsv;
use catena::graph::{ChainBudget, ChainSearch, EntityId, FoundChains, Graph, RoleRules};
use catena::model::{Encoder, Matrix, StaticEncoder};
use serde_json::{Value, json};

/// How the graph is stored, for the report.
pub(crate) const STORAGE: &str = "none yet: opening reads the text anew";

/// Imports a file of triples and writes what later runs open to `stored`; says what was taken.
pub(crate) fn import(tsv: &Path, stored: &Path) -> Value {
    let started = Instant::now();
    let graph = read(tsv);
    let built = started.elapsed();
    std::fs::copy(tsv, stored).expect("a copy of the file");
    json!({
        "entities": graph.entity_count(),
        "triples": graph.triple_count(),
        "read_s": built.as_secs_f64(),
        "total_s": started.elapsed().as_secs_f64(),
    })
}

/// Opens what [`import`] wrote.
pub(crate) fn open(stored: &Path) -> Graph {
    read(stored)
}

fn read(tsv: &Path) -> Graph {
    let file = File::open(tsv).expect("the file of triples");
    let rules = RoleRules::built_in().expect("the built-in rules");
    let (graph, report) = read_tsv(file, &tsv.display().to_string(), "full size", &rules).expect("a graph");
    assert_eq!(report.rejected_count(), 0, "every line is taken: {:?}", report.summary());
    graph
}

/// Every chain of at most `k` relations between the anchors, kept, counted and put in order.
pub(crate) fn search(graph: &Graph, k: usize, anchors: &[EntityId], budget: ChainBudget) -> FoundChains {
    let mut search = ChainSearch::new(graph, k, budget);
    search.add(anchors, &|| false);
    search.finish()
}

/// Vectors of names, row by row, of length 1.
pub(crate) fn encode(names: &[String]) -> Matrix {
    let mut encoder = StaticEncoder::built_in().expect("the built-in encoder");
    encoder.encode(names).expect("vectors").normalised()
}

/// Nearest names through the library's index, built beside `stored`; `None` while the library has none.
pub(crate) fn link(_graph: &Graph, _stored: &Path, _questions: &[Vec<String>]) -> Option<Value> {
    None
}
