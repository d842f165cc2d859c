//! Two runs side by side.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::run::{Event, EventKind, Trace, Triage};
use catena::session::{AnchorChange, ChainChange, compare};
use proptest::prelude::*;

use super::choosing;
use crate::support::sample;

/// A run of which some things are otherwise.
fn variant(kept: Vec<u32>, dropped: usize, k: usize, question: bool, reject: bool) -> Trace {
    let mut kept = kept;
    let mut seen = BTreeSet::new();
    kept.retain(|chain| seen.insert(*chain));
    let mut events = choosing(sample::answered_with("run", 40), &kept, &[]);
    if let EventKind::RunStarted { question: asked, settings, .. } = &mut events[0].what {
        settings.k = k;
        if question {
            asked.push_str(" And why?");
        }
    }
    let mut anchors = 0;
    events.retain(|event| {
        anchors += usize::from(matches!(event.what, EventKind::AnchorLinked { .. }));
        !matches!(event.what, EventKind::AnchorLinked { .. }) || anchors > dropped
    });
    if let Some(Event { what: EventKind::AnswerFinished { answer }, .. }) =
        events.iter_mut().find(|event| matches!(event.what, EventKind::AnswerFinished { .. }))
    {
        answer.entities.truncate(k);
    }
    let mut trace = Trace::fold(&events);
    if reject {
        trace.triage = Arc::new(Triage { rejected_through: ["Heartburn".to_owned()].into(), ..Triage::default() });
    }
    trace
}

fn variants() -> impl Strategy<Value = Trace> {
    (proptest::collection::vec(0u32..40, 0..8), 0usize..5, 1usize..4, any::<bool>(), any::<bool>())
        .prop_map(|(kept, dropped, k, question, reject)| variant(kept, dropped, k, question, reject))
}

#[test]
fn a_comparison_says_what_was_gained_and_lost() {
    let (before, after) = (variant(vec![0, 1, 2], 0, 3, false, false), variant(vec![2, 3], 2, 2, false, true));
    let comparison = compare(&before, &after);
    let texts = |changes: &[ChainChange]| changes.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
    let text = |number: usize| before.table.text(&before.table.chains[number]);
    assert_eq!(texts(&comparison.chains_gained), [text(3)]);
    assert_eq!(texts(&comparison.chains_lost), [text(0), text(1)]);
    assert_eq!(comparison.chains_kept.iter().map(|c| (c.before, c.after)).collect::<Vec<_>>(), [(Some(3), Some(1))]);
    assert_eq!(comparison.anchors_lost.len(), 2);
    assert!(comparison.anchors_gained.is_empty());
    assert_eq!(
        comparison.settings.iter().map(|d| (d.what.as_str(), d.before.as_str(), d.after.as_str())).collect::<Vec<_>>(),
        [("k", "3", "2")]
    );
    assert_eq!(comparison.triage.len(), 1);
    assert_eq!(comparison.entities_lost, ["Aluminium hydroxide"]);
    assert!(!comparison.is_same());
}

#[test]
fn chains_that_only_one_run_found_are_counted_and_shown() {
    let (few, many) = (Trace::fold(&sample::answered_with("a", 12)), Trace::fold(&sample::answered_with("b", 125)));
    let comparison = compare(&few, &many);
    assert_eq!(comparison.found, (12, 125));
    assert_eq!(comparison.found_lost, (0, Vec::new()));
    assert!(comparison.found_gained.0 > 100 && comparison.found_gained.1.len() == 20, "{:?}", comparison.found_gained);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_run_compared_with_itself_shows_nothing_and_swapping_swaps(a in variants(), b in variants()) {
        prop_assert!(compare(&a, &a).is_same());
        let (there, back) = (compare(&a, &b), compare(&b, &a));
        let turned = |changes: &[ChainChange]| {
            changes.iter().map(|c| (c.key.clone(), c.after, c.before)).collect::<Vec<_>>()
        };
        let straight = |changes: &[ChainChange]| {
            changes.iter().map(|c| (c.key.clone(), c.before, c.after)).collect::<Vec<_>>()
        };
        prop_assert_eq!(straight(&there.chains_gained), turned(&back.chains_lost));
        prop_assert_eq!(straight(&there.chains_lost), turned(&back.chains_gained));
        let names = |changes: &[AnchorChange]| changes.iter().map(|c| c.entity.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&there.anchors_gained), names(&back.anchors_lost));
        prop_assert_eq!(names(&there.anchors_lost), names(&back.anchors_gained));
        prop_assert_eq!(names(&there.anchors_kept), names(&back.anchors_kept));
        prop_assert_eq!(&there.entities_gained, &back.entities_lost);
        prop_assert_eq!(&there.found_gained, &back.found_lost);
        prop_assert_eq!(there.found, (back.found.1, back.found.0));
        for (one, other) in there.settings.iter().zip(&back.settings).chain(there.triage.iter().zip(&back.triage)) {
            prop_assert_eq!((&one.what, &one.before, &one.after), (&other.what, &other.after, &other.before));
        }
        prop_assert_eq!(there.settings.len(), back.settings.len());
        prop_assert_eq!(there.is_same(), back.is_same());
    }
}
