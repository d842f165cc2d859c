//! The library as it is measured: the one place that knows how a graph is imported, stored, opened and searched.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use catena::graph::import::read_tsv;
use catena::graph::{ChainBudget, ChainSearch, EntityId, FoundChains, Graph, RoleRules};
use catena::method::Engine;
use catena::model::infer::StaticEncoder;
use catena::model::{Encoder, Matrix, NameVectors, OpenedVectors, VectorIndex, VectorKey};
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

/// Nearest names through the library's index, built beside `stored`.
///
/// Of the mentions of each question it tells `what` searched, over how many `vectors`, `built_s`, `open_ms`, `median_ms` and
/// `worst_ms` of a question's mentions (embedded before the clock starts) and recall against the encoder's own vectors of
/// every name: a miss is a name whose cosine is not the greatest (but for rounding, 1e-5). `recall_at_1` is that of all `mentions`,
/// `recall_at_1_above_delta` that of those `mentions_above_delta` of which a name is nearer than `delta`, which alone can be linked.
pub(crate) fn link(graph: &Graph, stored: &Path, questions: &[Vec<String>]) -> Option<Value> {
    let encoder = Engine::start_encoder().expect("a thread");
    let key = VectorKey::of(graph.names_fingerprint().into(), &encoder).expect("the encoder loads");
    let stem = stored.with_extension("names");
    let started = Instant::now();
    drop(NameVectors::build(&stem, &key, graph, &encoder, &mut |_| true).expect("vectors and index"));
    let built_s = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let OpenedVectors::Ready(vectors) = NameVectors::open(&stem, &key).expect("they open") else { panic!("they were just built") };
    let open_ms = started.elapsed().as_secs_f64() * 1000.0;

    let queries: Vec<Matrix> = questions.iter().map(|mentions| encoder.encode(mentions.clone()).expect("vectors").normalised()).collect();
    let mut times = Vec::new();
    let mut found: Vec<u32> = Vec::new();
    for round in 0..ROUNDS {
        for queries in &queries {
            let started = Instant::now();
            let nearest = vectors.nearest(queries, 1, -1.0).expect("they are of one encoder");
            times.push(started.elapsed().as_secs_f64() * 1000.0);
            if round == 0 {
                found.extend(nearest.iter().map(|near| near.first().map_or(u32::MAX, |(row, _)| *row)));
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let delta = encoder.delta().expect("loaded");
    let pairs = of_best_and_found(graph, &queries, &found);
    let above: Vec<(f32, f32)> = pairs.iter().copied().filter(|(best, _)| f64::from(*best) > delta).collect();
    Some(json!({
        "what": format!("Catena ({:?})", vectors.searched_by()),
        "vectors": vectors.len(),
        "built_s": built_s,
        "open_ms": open_ms,
        "median_ms": times[times.len() / 2],
        "worst_ms": times[times.len() - 1],
        "mentions": pairs.len(),
        "recall_at_1": recall(&pairs),
        "delta": delta,
        "mentions_above_delta": above.len(),
        "recall_at_1_above_delta": recall(&above),
    }))
}

/// How often every question's mentions are searched for.
const ROUNDS: usize = 5;
/// Names that are compared exactly at a time.
const AT_A_TIME: usize = 1 << 16;

/// The share of the rows found that no other row's exact cosine exceeds.
fn recall(pairs: &[(f32, f32)]) -> f64 {
    pairs.iter().filter(|(best, found)| *best - *found <= 1e-5).count() as f64 / pairs.len() as f64
}

/// For each query the greatest exact cosine of any row, and that of the row found.
fn of_best_and_found(graph: &Graph, queries: &[Matrix], found: &[u32]) -> Vec<(f32, f32)> {
    let dim = queries[0].dim();
    let all = Matrix::new(dim, queries.iter().flat_map(|m| m.data().iter().copied()).collect());
    let mut best = vec![f32::MIN; all.rows()];
    let mut of_found = vec![f32::MIN; all.rows()];
    let rows: Vec<usize> = (0..graph.name_count()).collect();
    for rows in rows.chunks(AT_A_TIME) {
        let names: Vec<String> = rows.iter().map(|row| graph.name_at(*row).to_owned()).collect();
        let products = VectorIndex::new(&encode(&names)).and_then(|index| index.products(&all)).expect("one dimension");
        for query in 0..all.rows() {
            for (row, product) in rows.iter().zip(products.row(query)) {
                best[query] = best[query].max(*product);
                if found[query] as usize == *row {
                    of_found[query] = *product;
                }
            }
        }
    }
    best.into_iter().zip(of_found).collect()
}
