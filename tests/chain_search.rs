//! Chain search against a naive enumerator, chain by chain.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catena::graph::{Chain, ChainBudget, ChainKind, ChainSearch, EntityId, Graph, GraphBuilder, RoleRules, chain_cost};
use proptest::prelude::*;

/// A chain as plain data, read from its canonical end.
type Plain = (ChainKind, Vec<u32>, Vec<u16>, Vec<bool>);

fn plain(chain: &Chain) -> Plain {
    let directions = (0..chain.len()).map(|i| chain.is_forward(i)).collect();
    (chain.kind(), chain.nodes().to_vec(), chain.relations().to_vec(), directions)
}

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

/// Every chain by walking every sequence of triples from every anchor: no sharing, no meeting in the middle.
fn naive(graph: &Graph, anchors: &[EntityId], k: usize) -> BTreeSet<Plain> {
    fn step(
        graph: &Graph,
        anchors: &[EntityId],
        first: usize,
        k: usize,
        nodes: &mut Vec<u32>,
        hops: &mut Vec<(u16, bool)>,
        out: &mut BTreeSet<Plain>,
    ) {
        let last = *nodes.last().expect("a chain has a first entity");
        if !hops.is_empty()
            && let Some(end) = anchors.iter().position(|a| a.0 == last)
        {
            let turns: Vec<bool> = hops.iter().map(|h| h.1).collect();
            let count = turns.windows(2).filter(|w| w[0] != w[1]).count();
            let kind = match (count, turns[0]) {
                (0, true) => Some(ChainKind::Path),
                (1, true) if first < end => Some(ChainKind::CoAncestor),
                (1, false) if first < end => Some(ChainKind::CoOccurrence),
                // A path against its arrows and the other reading of a turned chain are seen from the other end.
                _ => None,
            };
            if let Some(kind) = kind {
                out.insert((kind, nodes.clone(), hops.iter().map(|h| h.0).collect(), turns));
            }
        }
        if hops.len() == k {
            return;
        }
        let here = EntityId(last);
        let edges: Vec<_> = graph.outgoing(here).iter().map(|e| (e, true)).chain(graph.incoming(here).iter().map(|e| (e, false))).collect();
        for (edge, forward) in edges {
            if nodes.contains(&edge.to.0) {
                continue;
            }
            nodes.push(edge.to.0);
            hops.push((edge.relation.0, forward));
            step(graph, anchors, first, k, nodes, hops, out);
            nodes.pop();
            hops.pop();
        }
    }
    let mut out = BTreeSet::new();
    for (first, anchor) in anchors.iter().enumerate() {
        step(graph, anchors, first, k, &mut vec![anchor.0], &mut Vec::new(), &mut out);
    }
    out
}

fn budget(chains: usize) -> ChainBudget {
    ChainBudget { chains, time: Duration::from_secs(600) }
}

fn anchors_of(graph: &Graph, wanted: &[u32]) -> Vec<EntityId> {
    let mut anchors = Vec::new();
    for anchor in wanted {
        let anchor = EntityId(anchor % graph.entity_count() as u32);
        if !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    anchors
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Self-loops, parallel relations, inverse duplicates and isolated entities all occur by chance; a
    /// third of the triples is doubled by its inverse on purpose.
    #[test]
    fn the_search_finds_exactly_the_chains_there_are(
        entities in 2u32..10,
        triples in prop::collection::vec((0u32..10, 0u8..3, 0u32..10), 0..22),
        wanted in prop::collection::vec(0u32..10, 1..5),
        k in 1usize..=5,
        portion in 1usize..4,
        keep in 0usize..40,
    ) {
        let mut triples: Vec<_> = triples.into_iter().map(|(h, r, t)| (h % entities, r, t % entities)).collect();
        let inverses: Vec<_> = triples.iter().step_by(3).map(|(h, r, t)| (*t, *r, *h)).collect();
        triples.extend(inverses);
        let graph = graph_of(entities, &triples);
        let anchors = anchors_of(&graph, &wanted);
        let expected = naive(&graph, &anchors, k);

        // Portioned out as a streaming hypothesis would.
        let mut search = ChainSearch::new(&graph, k, budget(usize::MAX));
        for portion in anchors.chunks(portion) {
            search.add(portion, &|| false);
        }
        let all = search.finish();
        let found: BTreeSet<Plain> = all.chains.iter().map(plain).collect();
        prop_assert_eq!(found.len(), all.chains.len(), "a chain was found twice");
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(all.found as usize, expected.len());
        prop_assert_eq!(&all.truncated, &None);
        let mut by_kind: BTreeMap<ChainKind, u64> = [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence].map(|k| (k, 0)).into();
        for chain in &expected {
            *by_kind.entry(chain.0).or_default() += 1;
        }
        prop_assert_eq!(&all.by_kind, &by_kind);

        // The defined order, and a budget that keeps a prefix of it.
        let keys: Vec<_> = all.chains.iter().map(|c| (c.len(), chain_cost(&graph, c), c.nodes().to_vec())).collect();
        prop_assert!(keys.windows(2).all(|w| w[0] <= w[1]));
        let mut search = ChainSearch::new(&graph, k, budget(keep));
        search.add(&anchors, &|| false);
        let few = search.finish();
        prop_assert_eq!(few.found as usize, expected.len());
        prop_assert_eq!(&few.chains[..], &all.chains[..keep.min(all.chains.len())]);
        prop_assert_eq!(few.truncated.is_some(), keep < all.chains.len());
    }
}

#[test]
fn a_cancelled_search_says_so_and_a_time_budget_is_reported() {
    let triples: Vec<_> = (0..60u32).flat_map(|i| (0..60u32).map(move |j| (i, 0u8, j))).collect();
    let graph = graph_of(60, &triples);
    let anchors: Vec<_> = (0..6).map(EntityId).collect();

    let mut search = ChainSearch::new(&graph, 4, budget(1000));
    search.add(&anchors, &|| true);
    let report = search.finish();
    assert!(report.truncated.expect("says why").contains("stopped"));

    let mut search = ChainSearch::new(&graph, 5, ChainBudget { chains: 1000, time: Duration::from_millis(30) });
    search.add(&anchors, &|| false);
    let report = search.finish();
    let why = report.truncated.expect("thirty milliseconds are not enough for 60^4 walks");
    assert!(why.contains("time budget"), "{why}");
    assert!(report.chains.iter().any(|c| c.len() == 1), "the shortest chains are complete");
}
