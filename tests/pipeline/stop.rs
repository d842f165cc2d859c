//! Stopping a run: it ends as stopped, at once as events go, and says nothing more.

use std::time::Duration;

use catena::graph::{GraphBuilder, RoleRules};
use catena::method::{Engine, EngineOptions};
use catena::model::CancelToken;
use catena::run::{AskOptions, Event, EventKind, Outcome, Stage, Trace};

/// A moment of a run, told by its event.
type Moment = (&'static str, fn(&EventKind) -> bool);

/// An engine on a graph so dense that chains of five relations could be searched for minutes.
fn engine() -> Engine {
    let mut builder = GraphBuilder::new("dense");
    let rules = RoleRules::built_in().expect("rules");
    let relation = builder.relation(rules.guess("has_symptom")).expect("room");
    let ids: Vec<u32> = (0..120).map(|i| builder.entity(&format!("zorb{i}"))).collect();
    for head in &ids {
        for tail in &ids {
            builder.triple(*head, relation, *tail);
        }
    }
    let options = EngineOptions { k: Some(5), ..EngineOptions::default() };
    Engine::open(builder.finish(), Engine::start_encoder().expect("a thread"), &options, Vec::new()).expect("opens")
}

/// Runs and stops at the first event for which `when` holds.
fn stopped_when(when: impl Fn(&EventKind) -> bool) -> (Trace, Vec<Event>, Outcome) {
    let engine = engine();
    let cancel = CancelToken::new();
    let mut events = Vec::new();
    let outcome = engine.run("zorb1 and zorb2 and zorb3", AskOptions::default(), &cancel, &mut |event| {
        if when(&event.what) {
            cancel.cancel();
        }
        events.push(event);
        true
    });
    (Trace::fold(&events), events, outcome)
}

#[test]
fn a_run_stops_in_whichever_stage_it_is() {
    let moments: [Moment; 5] = [
        ("start", |e| matches!(e, EventKind::RunStarted { .. })),
        ("anchor", |e| matches!(e, EventKind::AnchorLinked { .. })),
        ("search", |e| matches!(e, EventKind::StageStarted { stage: Stage::Search })),
        ("hypothesis", |e| matches!(e, EventKind::HypothesisToken { .. })),
        ("prune", |e| matches!(e, EventKind::StageStarted { stage: Stage::Prune })),
    ];
    for (name, when) in moments {
        let (trace, events, outcome) = stopped_when(when);
        assert_eq!(outcome, Outcome::Cancelled, "{name}");
        assert_eq!(trace.outcome, Some(Outcome::Cancelled), "{name}");
        assert!(trace.answer.text.is_empty(), "{name}: no answer after a stop");
        assert!(matches!(events.last().map(|e| &e.what), Some(EventKind::RunFinished { .. })), "{name}");
    }
}

#[test]
fn a_run_that_nobody_listens_to_stops_by_itself() {
    let engine = engine();
    let mut heard = 0;
    let outcome = engine.run("zorb1 and zorb2", AskOptions::default(), &CancelToken::new(), &mut |_| {
        heard += 1;
        heard < 3
    });
    assert_eq!(outcome, Outcome::Cancelled);
}

#[test]
fn a_search_that_outlasts_its_time_still_answers_and_says_what_is_missing() {
    let engine = engine();
    let mut trace = Trace::default();
    let outcome = engine.run("zorb1 and zorb2 and zorb3", AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert_eq!(outcome, Outcome::Answered);
    let why = trace.truncated.as_deref().expect("five relations over 14,400 triples cannot all be kept");
    assert!(why.contains("budget"), "{why}");
    assert!(trace.warnings.iter().any(|warning| warning.contains("--k")), "{:?}", trace.warnings);
    assert!(trace.elapsed_ms < Duration::from_secs(120).as_secs_f64() * 1000.0);
}
