//! The fold is total: whatever a recording holds, folding it does not panic, the trace is sound, and reports can be made of it; and random triage
//! sessions replay as they were live. `benches/fold.rs` does the same many more times.

use std::sync::Arc;

use catena::graph::{Chain, ChainTable};
use catena::report::{Format, report};
use catena::run::{
    Anchor, AnchorOrigin, Event, EventFault, EventKind, Mention, MentionOrigin, Pruning, ScoredChain, Stage, Trace, TraceDocument, Triage,
};
use catena::session::compare;

use crate::support::damage::{Corpus, Random, assert_sound};
use crate::support::doctor::{engine, triage_at_random};
use crate::support::{corpus, sample};

#[test]
fn damaged_recordings_fold_into_sound_traces() {
    let corpus = Corpus::of(corpus::recordings());
    let mut before = Trace::default();
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let mut trace = Trace::default();
        let every = random.chance(10);
        for event in corpus.damaged(&mut random) {
            trace.apply(&event);
            if every {
                assert_sound(&trace);
            }
        }
        assert_sound(&trace);
        serde_json::to_string(&TraceDocument::of(&trace, 100)).expect("JSON");
        if seed % 10 == 0 {
            for format in [Format::Markdown, Format::Html, Format::Dot, Format::Json] {
                report(&trace, format, None).expect("a report");
            }
            let _ = compare(&before, &trace);
            before = trace;
        }
    }
}

#[test]
fn honest_recordings_have_no_faults() {
    for events in corpus::recordings() {
        let trace = Trace::fold(&events);
        assert!(trace.faults().is_empty(), "{:?} in a run by {}", trace.faults(), trace.method);
    }
}

#[test]
fn random_triage_sessions_replay_as_they_were_live() {
    let engine = engine();
    let prefixes: usize = (0..200).map(|seed| triage_at_random(&engine, &mut Random::new(seed))).sum();
    assert!(prefixes > 200 * 20, "{prefixes} prefixes are too few to say anything");
}

fn event(what: EventKind) -> Event {
    Event { run: "run".into(), at_ms: 26.0, what }
}

/// The faults of a whole run with these events before its end.
fn faults_of(kinds: impl IntoIterator<Item = EventKind>) -> (Trace, Vec<(EventFault, u64)>) {
    let mut events = sample::answered("run");
    let end = events.len() - 1;
    events.splice(end..end, kinds.into_iter().map(event));
    let trace = Trace::fold(&events);
    assert_sound(&trace);
    let faults = trace.faults().iter().map(|(fault, count)| (*fault, *count)).collect();
    (trace, faults)
}

#[test]
fn each_fault_has_its_name_and_is_counted_in_one_warning() {
    let anchor = |score| Anchor {
        entity: "X".into(),
        kind: String::new(),
        score,
        origin: AnchorOrigin::Question,
        mention: String::new(),
        by_model: false,
    };
    let mention = Mention { text: "x".into(), start: 3, end: 1, origin: MentionOrigin::Question, recogniser: "gazetteer".into() };
    let choice = |kept: &[u32], score| {
        let scored = |chain: &u32| ScoredChain { chain: *chain, score, by_fragment: Vec::new() };
        EventKind::ChainsPruned { pruning: Arc::new(Pruning { kept: kept.iter().map(scored).collect(), ..Pruning::default() }) }
    };
    let mut outside = Chain::start(0);
    outside.push(0, true, 99);
    let table = Arc::new(ChainTable { chains: vec![outside], ..sample::table(3) });
    let found = EventKind::ChainsFound { table, found: u64::MAX, by_kind: Default::default(), truncated: None };
    let twice = EventKind::StageFinished { stage: Stage::Link, elapsed_ms: 1.0 };
    let cases: [(EventKind, &[(EventFault, u64)]); 9] = [
        (EventKind::AnchorLinked { anchor: anchor(f64::NAN) }, &[(EventFault::Score, 1)]),
        (EventKind::AnchorLinked { anchor: anchor(-1e300) }, &[(EventFault::Score, 1)]),
        (EventKind::MentionFound { mention }, &[(EventFault::Mention, 1)]),
        (twice, &[(EventFault::StageOrder, 1)]),
        (choice(&[125], 1.0), &[(EventFault::Choice, 1)]),
        (choice(&[1, 1], 1.0), &[(EventFault::Choice, 1)]),
        (choice(&[1], f64::INFINITY), &[(EventFault::Choice, 1)]),
        (found, &[(EventFault::Count, 1), (EventFault::Table, 1)]),
        (
            EventKind::RunFinished { outcome: catena::run::Outcome::Answered, total_ms: -5.0 },
            &[(EventFault::AfterEnd, 1), (EventFault::Time, 1)],
        ),
    ];
    for (kind, expected) in cases {
        let said = format!("{kind:?}");
        let (trace, mut faults) = faults_of([kind]);
        faults.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(faults, expected, "{said:.80}");
        assert!(trace.warnings.iter().any(|warning| warning.starts_with("Damaged recording: ")), "{:?}", trace.warnings);
    }
    let (trace, faults) = faults_of((0..5000).map(|_| EventKind::AnchorLinked { anchor: anchor(1e9) }));
    assert_eq!(faults, [(EventFault::Score, 5000)]);
    let said: Vec<&String> = trace.warnings.iter().filter(|warning| warning.contains("score")).collect();
    assert_eq!(said, ["Damaged recording: 5000 impossible scores are corrected."]);
}

#[test]
fn events_out_of_place_are_counted() {
    let events = sample::answered("run");
    let mut trace = Trace::default();
    trace.apply(&events[1]);
    assert_eq!(trace.faults().get(&EventFault::BeforeStart), Some(&1));
    trace = Trace::fold(&events);
    assert!(trace.faults().is_empty());
    let whole = trace.clone();
    trace.apply(&Event { run: "other".into(), ..events[1].clone() });
    trace.apply(&events[1]);
    assert_eq!(trace.faults().keys().copied().collect::<Vec<_>>(), [EventFault::OtherRun, EventFault::AfterEnd]);
    assert_eq!((trace.answer, trace.stages), (whole.answer, whole.stages));
}

#[test]
fn another_table_has_no_choice_until_one_is_made() {
    let mut trace = Trace::fold(&sample::answered("run"));
    assert_eq!(trace.kept().count(), 10);
    let triage = Triage { added_anchors: vec!["Gastritis".into()], ..Triage::default() };
    trace.apply(&event(EventKind::Revised { triage: Arc::new(triage), from: Stage::Search }));
    assert_eq!(trace.kept().count(), 10, "what is kept stays until other chains are found");
    let table = Arc::new(sample::table(4));
    trace.apply(&event(EventKind::ChainsFound { table, found: 4, by_kind: Default::default(), truncated: None }));
    assert_eq!((trace.kept().count(), trace.kept_id(0), trace.is_stale()), (0, None, true));
    assert!(trace.faults().is_empty());
    assert_sound(&trace);
}
