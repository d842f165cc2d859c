//! Whole recordings to be damaged: by every method on the starter graph, with revisions, and by script with a language model.

use std::sync::Arc;

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AskOptions, ChainKey, Event, MethodName, Settings, Stage, Trace, Triage};

use super::engine::built_in;
use super::sample;

/// Chains of the runs by script.
const CHAINS: usize = 24;

/// Small recordings: folding one takes microseconds.
pub fn recordings() -> Vec<Vec<Event>> {
    let engine = built_in();
    let mut all: Vec<Vec<Event>> = MethodName::NAMES.iter().map(|name| triaged(&engine, name)).collect();
    all.extend([sample::answered_with("run", CHAINS), sample::written("run"), sample::nothing("run"), sample::searching("run")]);
    all
}

/// A run with an anchor added, that undone, a chain rejected, and the answer written again.
fn triaged(engine: &Engine, method: &str) -> Vec<Event> {
    let settings = Settings { k: 2, top_k: 4, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
    let options = AskOptions { id: Some("run".into()), settings: Some(settings), method: method.parse().ok(), ..AskOptions::default() };
    let (mut events, mut trace) = (Vec::new(), Trace::default());
    engine.run("Does omeprazole help with heartburn?", options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        events.push(event);
        true
    });
    let mut steps =
        vec![(Triage { added_anchors: vec!["Gastritis".into()], ..Triage::default() }, Stage::Search), (Triage::default(), Stage::Search)];
    if let Some((_, _, chain)) = trace.kept().next() {
        let rejected = [ChainKey::of(&trace.table, chain)].into();
        steps.push((Triage { rejected, ..Triage::default() }, Stage::Read));
    }
    for (triage, from) in steps {
        let before = trace.clone();
        engine.carry_on(&before, &Arc::new(triage), from, &CancelToken::new(), &mut |event| {
            trace.apply(&event);
            events.push(event);
            true
        });
    }
    events
}
