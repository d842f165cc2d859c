//! The one place where tests open an engine, and the small graphs that they open it on.

use std::sync::{Arc, LazyLock};

use catena::graph::{Graph, GraphBuilder, RoleRules, starter_graph};
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::EncoderHandle;

/// An engine on the starter graph with the built-in models, shared by the tests of a suite.
pub static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(built_in);

/// The built-in encoder on a thread of its own.
pub fn encoder() -> EncoderHandle {
    Engine::start_encoder().expect("the built-in encoder starts")
}

/// An engine with these models and options.
pub fn open_with(graph: Graph, models: impl Into<EngineModels>, options: &EngineOptions) -> Engine {
    Engine::open(graph, models, options, Vec::new()).expect("the engine opens")
}

/// An engine with these models.
pub fn open(graph: Graph, models: impl Into<EngineModels>) -> Engine {
    open_with(graph, models, &EngineOptions::default())
}

/// An engine with the built-in models.
pub fn open_graph(graph: Graph) -> Engine {
    open(graph, encoder())
}

/// The graph that the program carries with it.
pub fn starter() -> Graph {
    starter_graph().expect("the starter graph is sound")
}

/// An engine of its own on the starter graph, with the built-in models.
pub fn built_in() -> Arc<Engine> {
    Arc::new(open_graph(starter()))
}

/// Adds lines of "head, relation, tail", separated by tabs; roles are guessed from the relations' names.
pub fn add_triples(builder: &mut GraphBuilder, triples: &str) {
    let rules = RoleRules::built_in().expect("the built-in rules are sound");
    for line in triples.lines() {
        let [head, relation, tail] = line.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
        let (head, tail) = (builder.entity(head), builder.entity(tail));
        let relation = builder.relation(rules.guess(relation)).expect("room for a relation");
        builder.triple(head, relation, tail);
    }
}

/// A graph of lines of "head, relation, tail", separated by tabs.
pub fn graph_of(triples: &str) -> Graph {
    let mut builder = GraphBuilder::new("test");
    add_triples(&mut builder, triples);
    builder.finish()
}
