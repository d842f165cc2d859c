//! The library as it is measured: the one place that knows how a graph is imported, stored, opened and searched.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use catena::graph::import::read_tsv;
use catena::graph::{ChainBudget, ChainSearch, EntityId, FoundChains, Graph, RoleRules};
use catena::model::{Encoder, Matrix, StaticEncoder};
use serde_json::{Value, json};

/// How the graph is stored, for the report.
pub(crate) const STORAGE: &str = "a snapshot, mapped from its file";

/// Imports a file of triples and writes what later runs open to `stored`; says what was taken.
pub(crate) fn import(tsv: &Path, stored: &Path) -> Value {
    let started = Instant::now();
    let file = File::open(tsv).expect("the file of triples");
    let rules = RoleRules::built_in().expect("the built-in rules");
    let (graph, report) = read_tsv(file, &tsv.display().to_string(), "full size", &rules).expect("a graph");
    let built = started.elapsed();
    graph.save(stored).expect("room for the snapshot");
    let saved = started.elapsed();
    assert_eq!(report.rejected_count(), 0, "every line is taken: {:?}", report.summary());
    json!({
        "entities": graph.entity_count(),
        "triples": graph.triple_count(),
        "read_s": built.as_secs_f64(),
        "total_s": saved.as_secs_f64(),
    })
}

/// Opens what [`import`] wrote.
pub(crate) fn open(stored: &Path) -> Graph {
    Graph::open(stored, "full size").expect("the snapshot opens")
}

/// Takes away the note that a stored graph was checked, so that opening it is as with a file from elsewhere: all of it is read.
pub(crate) fn forget_that_it_was_checked(stored: &Path) {
    let mut note = stored.as_os_str().to_owned();
    note.push(".verified");
    std::fs::remove_file(note).expect("the note beside the snapshot");
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

/// Nearest names through the library's index, built beside `stored`; `None` where the library has none.
///
/// Of the mentions of each question it tells `what` searched, over how many `vectors`, `built_s`, `median_ms` of a question's mentions
/// (embedded before the clock starts) and `recall_at_1` against exact search.
pub(crate) fn link(_graph: &Graph, _stored: &Path, _questions: &[Vec<String>]) -> Option<Value> {
    None
}
