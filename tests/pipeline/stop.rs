//! Stopping a run: it ends as stopped, at once as events go, and says nothing more.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::engine::{encoder, open_with};
use catena::graph::{GraphBuilder, RoleRules};
use catena::method::{Engine, EngineOptions};
use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, Event, EventKind, Outcome, Stage, Trace};

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
    open_with(builder.finish(), encoder(), &options)
}

/// The longest that a run may go on after it was told to stop. On an idle machine it takes milliseconds (`benches/stop.rs`); this leaves
/// room for one that builds and tests at the same time, and is still shorter than the search's own budget of five seconds.
const LIMIT: Duration = Duration::from_secs(3);

/// One at a time, and beside no test whose searches must not end by their time: each of these tests searches a graph so dense that it takes every core, and would delay another's stop.
pub(crate) static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// What came of a run that was stopped.
struct Stopped {
    events: Vec<Event>,
    outcome: Outcome,
    /// The number of events until then, with the one at which it was stopped.
    until_then: usize,
    /// From the wish to stop to the end of the run.
    took: Duration,
}

impl Stopped {
    fn assert_sound(&self, name: &str) {
        let trace = Trace::fold(&self.events);
        assert_eq!(self.outcome, Outcome::Cancelled, "{name}");
        assert_eq!(trace.outcome, Some(Outcome::Cancelled), "{name}");
        assert!(trace.answer.text.is_empty(), "{name}: no answer after a stop");
        assert!(self.took < LIMIT, "{name}: the run went on for {:?}", self.took);
        let after: Vec<&EventKind> = self.events[self.until_then..].iter().map(|event| &event.what).collect();
        assert!(matches!(after[..], [EventKind::RunFinished { outcome: Outcome::Cancelled, .. }]), "{name}: {after:?}");
    }
}

/// Runs and stops at the first event for which `when` holds.
fn stopped_when(engine: &Engine, when: impl Fn(&EventKind) -> bool) -> Stopped {
    let cancel = CancelToken::new();
    let (mut events, mut stopped) = (Vec::new(), None);
    let outcome = engine.run("zorb1 and zorb2 and zorb3", AskOptions::default(), &cancel, &mut |event| {
        let stops = stopped.is_none() && when(&event.what);
        events.push(event);
        if stops {
            stopped = Some((events.len(), Instant::now()));
            cancel.cancel();
        }
        true
    });
    let (until_then, at) = stopped.expect("the moment comes");
    Stopped { events, outcome, until_then, took: at.elapsed() }
}

#[test]
fn a_run_stops_in_whichever_stage_it_is() {
    let _alone = ALONE.blocking_lock();
    let engine = engine();
    let moments: [Moment; 5] = [
        ("start", |e| matches!(e, EventKind::RunStarted { .. })),
        ("anchor", |e| matches!(e, EventKind::AnchorLinked { .. })),
        ("search", |e| matches!(e, EventKind::StageStarted { stage: Stage::Search })),
        ("hypothesis", |e| matches!(e, EventKind::HypothesisToken { .. })),
        ("prune", |e| matches!(e, EventKind::StageStarted { stage: Stage::Prune })),
    ];
    for (name, when) in moments {
        stopped_when(&engine, when).assert_sound(name);
    }
}

/// Stopped before its first event, a run still says that it started and how it ended.
#[test]
fn a_run_stopped_before_it_starts_still_has_a_start_and_an_end() {
    let _alone = ALONE.blocking_lock();
    let cancel = CancelToken::new();
    cancel.cancel();
    let mut events = Vec::new();
    let outcome = engine().run("zorb1 and zorb2", AskOptions::default(), &cancel, &mut |event| {
        events.push(event);
        true
    });
    let kinds: Vec<&EventKind> = events.iter().map(|event| &event.what).collect();
    assert!(matches!(kinds[..], [EventKind::RunStarted { .. }, EventKind::RunFinished { .. }]), "{kinds:?}");
    assert_eq!((outcome, Trace::fold(&events).outcome), (Outcome::Cancelled, Some(Outcome::Cancelled)));
}

/// The wish to stop comes from another thread, in the middle of a stage's work: of a search that would take its whole budget.
#[test]
fn a_run_stops_in_the_middle_of_a_stage() {
    let _alone = ALONE.blocking_lock();
    let engine = engine();
    for ms in [1, 20, 100, 400, 1500] {
        let cancel = CancelToken::new();
        let heard = Mutex::new(Vec::new());
        let stopped = std::thread::scope(|scope| {
            let run = scope.spawn(|| {
                let options = AskOptions::default();
                engine.run("zorb1 and zorb2 and zorb3", options, &cancel, &mut |event| {
                    heard.lock().expect("no thread failed").push(event);
                    true
                })
            });
            std::thread::sleep(Duration::from_millis(ms));
            // Nobody hears anything between the count and the stop.
            let (until_then, at) = {
                let heard = heard.lock().expect("no thread failed");
                cancel.cancel();
                (heard.len(), Instant::now())
            };
            let outcome = run.join().expect("the run ends");
            (until_then, at.elapsed(), outcome)
        });
        let (until_then, took, outcome) = stopped;
        let events = heard.into_inner().expect("no thread failed");
        // One event may have been on its way.
        let on_its_way = events.len().saturating_sub(until_then + 1).min(1);
        Stopped { events, outcome, until_then: until_then + on_its_way, took }.assert_sound(&format!("after {ms} ms"));
    }
}

/// As the screen asks: events come over a channel, which closes with the run's end.
#[tokio::test]
async fn a_run_in_the_background_sends_nothing_after_it_was_stopped() {
    let _alone = ALONE.lock().await;
    let engine = Arc::new(engine());
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let handle = engine.ask("zorb1 and zorb2 and zorb3", AskOptions::default(), sender);
    while let Some(event) = receiver.recv().await {
        if matches!(event.what, EventKind::StageStarted { stage: Stage::Search }) {
            break;
        }
    }
    let at = Instant::now();
    handle.cancel.cancel();
    let mut after = Vec::new();
    while let Some(event) = receiver.recv().await {
        after.push(event.what);
    }
    assert!(at.elapsed() < LIMIT, "{:?}", at.elapsed());
    // What was in the channel and what its sender held; then the end.
    assert!(matches!(after.last(), Some(EventKind::RunFinished { outcome: Outcome::Cancelled, .. })), "{after:?}");
    assert!(after.len() <= 3, "{after:?}");
}

#[test]
fn a_run_that_nobody_listens_to_stops_by_itself() {
    let _alone = ALONE.blocking_lock();
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
    let _alone = ALONE.blocking_lock();
    let engine = engine();
    let mut trace = Trace::default();
    let outcome = engine.run("zorb1 and zorb2 and zorb3", AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert_eq!(outcome, Outcome::Answered);
    let why = trace.truncated.as_deref().expect("five relations over 14,400 triples cannot all be kept");
    assert!(why.contains("budget"), "{why}");
    assert!(trace.warnings.iter().any(|warning| warning.contains("smaller k")), "{:?}", trace.warnings);
    assert!(trace.elapsed_ms < Duration::from_secs(120).as_secs_f64() * 1000.0);
}
