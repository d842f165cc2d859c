//! Methods: each on small graphs against what it should do by definition, all of them from question to answer on the starter graph, with language models by
//! script and over HTTP, and from the command line.

mod ablations;
mod all;
mod command;
mod definitions;
mod models;

use crate::support::runs::Run;
use catena::graph::{Graph, GraphBuilder, RoleRules};
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::CancelToken;
use catena::run::MethodName;
use catena::run::{AskOptions, Trace};

fn method(name: &str) -> MethodName {
    name.parse().expect("a method")
}

fn ask_by(engine: &Engine, name: &str, question: &str) -> Run {
    let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
    let options = AskOptions { method: Some(method(name)), ..AskOptions::default() };
    engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
    run
}

/// A graph of lines "head, relation, tail".
fn graph_of(triples: &str) -> Graph {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("test");
    for line in triples.lines() {
        let [head, relation, tail] = line.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
        let (head, tail) = (builder.entity(head), builder.entity(tail));
        let relation = builder.relation(rules.guess(relation)).expect("room");
        builder.triple(head, relation, tail);
    }
    builder.finish()
}

fn open(graph: Graph, models: impl Into<EngineModels>, options: &EngineOptions) -> Engine {
    Engine::open(graph, models, options, Vec::new()).expect("opens")
}

fn built_in(graph: Graph, options: &EngineOptions) -> Engine {
    open(graph, Engine::start_encoder().expect("a thread"), options)
}

/// The texts of the kept chains, best first.
fn kept(trace: &Trace) -> Vec<String> {
    trace.kept().map(|(_, _, chain)| trace.table.text(chain)).collect()
}

fn texts(trace: &Trace) -> Vec<String> {
    trace.table.chains.iter().map(|chain| trace.table.text(chain)).collect()
}
