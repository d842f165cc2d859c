//! What the fuzz targets share: how bytes become an import, and what must hold of every graph.

mod checks;
mod repair;

/// Recordings and how they are damaged, as the tests and `benches/fold.rs` do it.
#[path = "../../tests/support/damage.rs"]
pub mod damage;
#[path = "../../tests/support/drawn.rs"]
pub mod drawn;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/support/engine.rs"]
mod engine;
#[path = "../../tests/support/corpus.rs"]
mod recordings;
#[path = "../../tests/support/sample.rs"]
mod sample;

use std::sync::{LazyLock, OnceLock};

use catena::graph::import::{GraphFormat, import_bytes};
use catena::graph::{BuildReport, RoleRules};

pub use checks::{check, shown_safely, walk};
pub use repair::repaired;

static RULES: LazyLock<RoleRules> = LazyLock::new(|| RoleRules::built_in().expect("the built-in rules are sound"));

/// Most reasons that a report may name one by one; the rest are counted together.
const MOST_REASONS: usize = 201;
/// What finishing a graph may leave out besides: aliases alike, and triples within one entity.
const LEFT_OUT_BY_MERGING: usize = 2;

/// Does all work on the one thread that is fuzzed: coverage is then the input's alone, and no time goes on handing over.
pub fn init() {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first to make it");
    LazyLock::force(&RULES);
}

/// The whole recordings that are damaged.
pub fn corpus() -> &'static damage::Corpus {
    static CORPUS: OnceLock<damage::Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| damage::Corpus::of(recordings::recordings()))
}

/// The lines of an input that are events.
pub fn recorded(input: &[u8]) -> Vec<catena::run::Event> {
    input.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Which of some choices a byte means; written so that seeds begin with a digit.
pub fn choice<T: Copy>(byte: u8, of: &[T]) -> T {
    of[usize::from(byte.wrapping_sub(b'0')) % of.len()]
}

/// Imports, and checks the graph and the report where there are any. An error is a fine answer; it must be one that can be shown.
pub fn import_and_check(format: GraphFormat, bytes: &[u8]) {
    match import_bytes(format, bytes, "fuzzed", &RULES) {
        Err(error) => shown_safely(&error.to_string()),
        Ok((builder, mut report)) => {
            let graph = builder.finish_with(&mut report);
            assert!(report.rejected.len() <= BuildReport::SHOWN);
            assert!(report.rejected_by_reason.len() <= MOST_REASONS && report.left_out.len() <= MOST_REASONS + LEFT_OUT_BY_MERGING);
            assert_eq!(report.accepted, graph.triple_count());
            report.rejected_by_reason.keys().chain(report.left_out.keys()).for_each(|reason| shown_safely(reason));
            report.rejected.iter().for_each(|rejection| shown_safely(&rejection.reason));
            check(&graph);
            let again = catena::graph::Graph::from_bytes(graph.bytes(), "fuzzed").expect("what was imported can be opened");
            assert_eq!((again.entity_count(), again.triple_count()), (graph.entity_count(), graph.triple_count()));
        }
    }
}
