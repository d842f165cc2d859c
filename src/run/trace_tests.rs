//! Tests of the trace: events that do not fit, anchors that are linked again, recordings that are not sound.

use super::*;
use crate::run::event::AnchorOrigin;

fn event(run: &str, what: EventKind) -> Event {
    Event { run: run.into(), at_ms: 1.0, what }
}

fn started(run: &str) -> Event {
    let model = || crate::run::ModelInfo { kind: "graph".into(), name: "x".into(), device: "cpu".into() };
    event(
        run,
        EventKind::RunStarted {
            question: "q".into(),
            method: "hykge".into(),
            kg: KgInfo::default(),
            settings: Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 },
            models: Models { generator: model(), encoder: model(), reranker: model() },
        },
    )
}

#[test]
fn events_of_other_runs_and_after_the_end_are_dropped() {
    let mut trace = Trace::default();
    trace.apply(&started("a"));
    trace.apply(&event("b", EventKind::HypothesisToken { text: "late".into() }));
    trace.apply(&event("a", EventKind::HypothesisToken { text: "mine".into() }));
    trace.apply(&event("a", EventKind::RunFinished { outcome: Outcome::Cancelled, total_ms: 3.0 }));
    trace.apply(&event("a", EventKind::HypothesisToken { text: " too late".into() }));
    assert_eq!(trace.hypothesis, "mine");
    assert_eq!(trace.outcome, Some(Outcome::Cancelled));
}

#[test]
fn an_anchor_linked_again_replaces_the_earlier_one() {
    let mut trace = Trace::fold([&started("a")]);
    for origin in [AnchorOrigin::Question, AnchorOrigin::Both] {
        let anchor =
            Anchor { entity: "Fever".into(), kind: "symptom".into(), score: 1.0, origin, mention: "fever".into(), by_model: false };
        trace.apply(&event("a", EventKind::AnchorLinked { anchor }));
    }
    assert_eq!(trace.anchors.len(), 1);
    assert_eq!(trace.anchors[0].origin, AnchorOrigin::Both);
}

#[test]
fn unsound_recordings_are_refused_with_a_warning() {
    let mut trace = Trace::fold([&started("a")]);
    let mut chain = Chain::start(5);
    chain.push(0, true, 6);
    let table = ChainTable { chains: vec![chain], ..ChainTable::default() };
    trace.apply(&event("a", EventKind::ChainsFound { table: Arc::new(table), found: 1, by_kind: BTreeMap::new(), truncated: None }));
    assert!(trace.table.chains.is_empty());
    assert_eq!(trace.warnings.len(), 1);
}

#[test]
fn passages_that_cannot_be_are_left_out_with_their_citations() {
    use crate::run::{MOST_PASSAGES, PassageId};
    let passage = |start: usize, end: usize| QuotedPassage { start, end, text: "t".into(), ..QuotedPassage::default() };
    let of = |passages: Vec<QuotedPassage>| {
        let cited = (0..3).map(PassageId::at).collect();
        let answer = Answer { text: "x".into(), passages: cited, ..Answer::default() };
        let events = [
            started("a"),
            event("a", EventKind::StageStarted { stage: Stage::Read }),
            event("a", EventKind::PassagesFound { passages: Arc::new(passages) }),
            event("a", EventKind::AnswerFinished { answer }),
        ];
        Trace::fold(&events)
    };
    let sound = of(vec![passage(0, 1); 3]);
    assert!(sound.faults().is_empty() && sound.answer.passages.len() == 3);
    let damaged = of(vec![passage(0, 1), passage(2, 2), passage(0, 1)]);
    assert_eq!((damaged.passages.len(), damaged.answer.passages.as_slice()), (1, [PassageId::at(0)].as_slice()), "ids are places");
    assert_eq!(damaged.faults().get(&EventFault::Passage), Some(&1));
    assert_eq!(of(vec![passage(0, 1); 500]).passages.len(), MOST_PASSAGES);
}
