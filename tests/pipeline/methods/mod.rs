//! Methods: each on small graphs against what it should do by definition, all of them from question to answer on the starter graph, with language models by
//! script and over HTTP, and from the command line.

mod ablations;
mod all;
mod baselines;
mod command;
mod definitions;
mod documents;
mod hykge_by_model;
mod models;
mod other_baselines;
mod passages_told;
mod published;

use crate::support::runs::Run;
use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::MethodName;
use catena::run::{AskOptions, Trace};

fn method(name: &str) -> MethodName {
    name.parse().expect("a method")
}

pub(super) fn ask_by(engine: &Engine, name: &str, question: &str) -> Run {
    let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
    let options = AskOptions { method: Some(method(name)), ..AskOptions::default() };
    engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
    run
}

/// The texts of the kept chains, best first.
fn kept(trace: &Trace) -> Vec<String> {
    trace.kept().map(|(_, _, chain)| trace.table.text(chain)).collect()
}

fn texts(trace: &Trace) -> Vec<String> {
    trace.table.chains.iter().map(|chain| trace.table.text(chain)).collect()
}
