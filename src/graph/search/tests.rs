//! Tests that tuning does not change the order of chains and that a stopped search returns a prefix of it.
//! (`tests/graph/chain_search.rs` compares the usual tuning with a naive enumerator.)

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use crate::graph::search::*;
use crate::graph::{GraphBuilder, RoleRules};

fn graph_of(entities: u32, triples: &[(u32, u8, u32)]) -> Graph {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("random");
    let ids: Vec<u32> = (0..entities).map(|i| builder.entity(&format!("e{i:03}"))).collect();
    for (head, relation, tail) in triples {
        let relation = builder.relation(rules.guess(&format!("r{relation}"))).expect("room");
        builder.triple(ids[*head as usize], relation, ids[*tail as usize]);
    }
    builder.finish()
}

fn budget(chains: usize) -> ChainBudget {
    ChainBudget { chains, time: Duration::from_secs(600) }
}

/// Phases from the smallest hubs on, every end looked up in the rows of others, wide packing.
fn other_tuning(least_bits: u32) -> Tuning {
    Tuning { hub_bounds: [2, 5], phased_from: [0, 0], look_up_from: 0, least_bits }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tuning_and_stops_leave_the_order_alone(
        triples in prop::collection::vec((0u32..12, 0u8..3, 0u32..12), 10..45),
        hub in prop::collection::vec((0u32..12, 0u8..3), 0..12),
        anchor_count in 2u32..6,
        k in 1usize..=5,
        portion in 1usize..5,
        least_bits in prop::sample::select(vec![1u32, 20, 32]),
        keep in prop::sample::select(vec![usize::MAX, 0, 7, 60]),
        asks in 0usize..40,
    ) {
        let mut triples = triples;
        triples.extend(hub.into_iter().map(|(other, relation)| (11, relation, other)));
        let graph = graph_of(12, &triples);
        let anchors: Vec<_> = (0..anchor_count).map(|i| EntityId(i * 2 + 1)).collect();

        let mut usual = ChainSearch::new(&graph, k, budget(usize::MAX));
        usual.add(&anchors, &|| false);
        let all = usual.finish();

        let mut tuned = ChainSearch::new(&graph, k, budget(keep));
        tuned.tuning = other_tuning(least_bits);
        for portion in anchors.chunks(portion) {
            tuned.add(portion, &|| false);
        }
        let other = tuned.finish();
        prop_assert_eq!(&other.by_kind, &all.by_kind);
        prop_assert_eq!(&other.chains[..], &all.chains[..keep.min(all.chains.len())]);
        prop_assert_eq!(other.truncated.is_some(), keep < all.chains.len());

        // Stopped after that many polls: the result is a prefix, and counts no chain that does not exist.
        let asked = AtomicUsize::new(0);
        let mut stopped = ChainSearch::new(&graph, k, budget(keep));
        stopped.tuning = other_tuning(least_bits);
        stopped.add(&anchors, &|| asked.fetch_add(1, Ordering::Relaxed) >= asks);
        let part = stopped.finish();
        prop_assert_eq!(&part.chains[..], &all.chains[..part.chains.len()]);
        prop_assert!(part.found <= all.found && part.found >= part.chains.len() as u64);
        if part.chains.len() < all.chains.len() {
            let why = part.truncated.as_deref().unwrap_or("nothing");
            prop_assert!(why.contains("stopped") || keep < all.chains.len(), "{why}");
        }
    }
}

/// A star of stars: two anchors that many entities of few triples connect, and one hub.
#[test]
fn of_the_length_in_which_time_ends_the_finished_phases_stay() {
    let mut triples = Vec::new();
    // Anchors 0 and 1; 2..=9 connect them by three relations in pairs; 10 and 11 are hubs that connect them too.
    for i in 0..4 {
        triples.extend([(0, 0, 2 + i), (2 + i, 0, 6 + i), (6 + i, 0, 1)]);
    }
    triples.extend([(0, 0, 10), (10, 0, 11), (11, 0, 1)]);
    triples.extend((12..32).map(|i| (10, 0, i)));
    let graph = graph_of(32, &triples);
    let anchors = [EntityId(0), EntityId(1)];
    let mut lengths = Vec::new();
    for asks in 0..12 {
        let asked = AtomicUsize::new(0);
        let mut search = ChainSearch::new(&graph, 3, budget(100));
        search.tuning = other_tuning(1);
        search.add(&anchors, &|| asked.fetch_add(1, Ordering::Relaxed) >= asks);
        let found = search.finish();
        if found.chains.len() == 4 {
            let why = found.truncated.clone().expect("says why");
            assert!(why.contains("that cost less than"), "{why}");
        }
        lengths.push(found.chains.len());
    }
    assert!(lengths.contains(&4), "the chains without the hub, when stopped before it: {lengths:?}");
    assert_eq!(lengths.last(), Some(&5), "with the hub, when not stopped");
    assert!(lengths.is_sorted());
}

#[test]
fn anchors_that_come_too_late_are_reported() {
    let graph = graph_of(4, &[(0, 0, 1), (1, 0, 2), (2, 0, 3)]);
    let mut search = ChainSearch::new(&graph, 2, budget(100));
    search.add(&[EntityId(0), EntityId(1)], &|| true);
    search.add(&[EntityId(2), EntityId(77)], &|| false);
    assert_eq!(search.anchors(), [EntityId(0), EntityId(1)]);
    let why = search.finish().truncated.expect("says why");
    assert!(why.contains("1 anchors came after that"), "{why}");
}
