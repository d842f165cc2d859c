//! Chain search against a naive enumerator, chain by chain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use catena::graph::{
    Chain, ChainBudget, ChainKind, ChainSearch, EntityId, EvolvingGraph, Graph, GraphBuilder, GraphView, Kind, LearnedTable, LearnedTriple,
    NamedEntity, NamedTriple, RelationId, RoleRules, chain_cost,
};
use proptest::prelude::*;

/// A triple as plain numbers; an entity's name is its number's, but see [`name`].
type Plain = (u32, u8, u32);

/// A chain by names. The order of the fields is the documented order of chains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    length: usize,
    /// In units of 1/16384.
    cost: u32,
    entities: Vec<String>,
    relations: Vec<String>,
    kind: ChainKind,
    /// Which relations run backward: forward comes first.
    backward: Vec<bool>,
    learned: bool,
}

/// Names in another order than numbers.
fn name(entity: u32) -> String {
    format!("e{:02}", entity * 7 % 31)
}

fn graph_of(entities: impl IntoIterator<Item = u32>, triples: &BTreeSet<Plain>) -> Graph {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("random");
    let ids: BTreeMap<u32, u32> = entities.into_iter().map(|entity| (entity, builder.entity(&name(entity)))).collect();
    for (head, relation, tail) in triples {
        let relation = builder.relation(rules.guess(&format!("r{relation}"))).expect("room");
        builder.triple(ids[head], relation, ids[tail]);
    }
    builder.finish()
}

/// Every chain by walking every sequence of triples from every anchor: no sharing, no meeting in the middle, and nothing of the
/// graph's own rows. In the documented order.
fn naive(triples: &BTreeSet<Plain>, learned: &BTreeSet<Plain>, anchors: &[u32], k: usize) -> Vec<Row> {
    struct Naive<'a> {
        triples: &'a BTreeSet<Plain>,
        learned: &'a BTreeSet<Plain>,
        anchors: &'a [u32],
        k: usize,
        nodes: Vec<u32>,
        /// Triple, and whether it was walked forward.
        hops: Vec<(Plain, bool)>,
        rows: Vec<Row>,
    }
    impl Naive<'_> {
        fn cost(&self, entity: u32) -> u32 {
            let degree = self.triples.iter().map(|(h, _, t)| u32::from(*h == entity) + u32::from(*t == entity)).sum::<u32>();
            ((1.0 + f64::from(degree)).ln() * 16384.0).round() as u32
        }
        fn step(&mut self, first: usize) {
            let last = *self.nodes.last().unwrap();
            if !self.hops.is_empty()
                && let Some(end) = self.anchors.iter().position(|a| *a == last)
            {
                let directions: Vec<bool> = self.hops.iter().map(|hop| hop.1).collect();
                let kind = match (directions.windows(2).filter(|w| w[0] != w[1]).count(), directions[0]) {
                    (0, true) => Some(ChainKind::Path),
                    (1, true) if first < end => Some(ChainKind::CoAncestor),
                    (1, false) if first < end => Some(ChainKind::CoOccurrence),
                    // A path against its arrows and the other reading of a turned chain are seen from the other end.
                    _ => None,
                };
                if let Some(kind) = kind {
                    self.rows.push(Row {
                        length: self.hops.len(),
                        cost: self.nodes[1..self.nodes.len() - 1].iter().map(|node| self.cost(*node)).sum(),
                        entities: self.nodes.iter().map(|node| name(*node)).collect(),
                        relations: self.hops.iter().map(|hop| format!("r{}", hop.0.1)).collect(),
                        kind,
                        backward: directions.iter().map(|forward| !forward).collect(),
                        learned: self.hops.iter().any(|hop| self.learned.contains(&hop.0)),
                    });
                }
            }
            if self.hops.len() == self.k {
                return;
            }
            for triple in self.triples {
                for (forward, from, to) in [(true, triple.0, triple.2), (false, triple.2, triple.0)] {
                    if from == last && !self.nodes.contains(&to) {
                        self.nodes.push(to);
                        self.hops.push((*triple, forward));
                        self.step(first);
                        self.nodes.pop();
                        self.hops.pop();
                    }
                }
            }
        }
    }
    let mut naive = Naive { triples, learned, anchors, k, nodes: Vec::new(), hops: Vec::new(), rows: Vec::new() };
    for (first, anchor) in anchors.iter().enumerate() {
        naive.nodes.push(*anchor);
        naive.step(first);
        naive.nodes.pop();
    }
    naive.rows.sort();
    assert!(naive.rows.windows(2).all(|w| w[0] < w[1]), "the enumerator finds each chain once");
    naive.rows
}

/// The chains of a search by names, in its order.
fn rows<V: GraphView>(
    view: &V,
    chains: &[Chain],
    entity: impl Fn(EntityId) -> String,
    relation: impl Fn(RelationId) -> String,
) -> Vec<Row> {
    let row = |chain: &Chain| Row {
        length: chain.len(),
        cost: (chain_cost(view, chain) * 16384.0) as u32,
        entities: chain.nodes().iter().map(|node| entity(EntityId(*node))).collect(),
        relations: chain.relations().iter().map(|r| relation(RelationId(*r))).collect(),
        kind: chain.kind(),
        backward: (0..chain.len()).map(|i| !chain.is_forward(i)).collect(),
        learned: chain.learned(),
    };
    chains.iter().map(row).collect()
}

fn rows_of_graph(graph: &Graph, chains: &[Chain]) -> Vec<Row> {
    rows(graph, chains, |e| graph.entity_name(e).to_owned(), |r| graph.relation(r).name.clone())
}

fn kinds(rows: &[Row]) -> BTreeMap<ChainKind, u64> {
    let mut kinds: BTreeMap<ChainKind, u64> = [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence].map(|k| (k, 0)).into();
    for row in rows {
        *kinds.entry(row.kind).or_default() += 1;
    }
    kinds
}

fn budget(chains: usize) -> ChainBudget {
    ChainBudget { chains, time: Duration::from_secs(600) }
}

/// Distinct anchors, in the order in which they are wanted.
fn distinct(wanted: &[u32], entities: u32) -> Vec<u32> {
    let mut anchors: Vec<u32> = Vec::new();
    for anchor in wanted.iter().map(|anchor| anchor % entities) {
        if !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    anchors
}

/// Self-loops, parallel relations and isolated entities occur by chance; a third of the triples is doubled by its inverse.
fn multigraph(entities: u32, triples: &[Plain]) -> BTreeSet<Plain> {
    let mut all: BTreeSet<Plain> = triples.iter().map(|(h, r, t)| (h % entities, *r, t % entities)).collect();
    let inverses: Vec<Plain> = all.iter().step_by(3).map(|(h, r, t)| (*t, *r, *h)).collect();
    all.extend(inverses);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn the_search_finds_exactly_the_chains_there_are(
        entities in 2u32..10,
        triples in prop::collection::vec((0u32..10, 0u8..3, 0u32..10), 0..22),
        wanted in prop::collection::vec(0u32..10, 1..5),
        k in 1usize..=5,
        portion in 1usize..4,
        keep in 0usize..40,
    ) {
        let triples = multigraph(entities, &triples);
        let graph = graph_of(0..entities, &triples);
        let wanted = distinct(&wanted, entities);
        let expected = naive(&triples, &BTreeSet::new(), &wanted, k);
        let anchors: Vec<EntityId> = wanted.iter().map(|anchor| graph.find(&name(*anchor)).unwrap()).collect();

        // Portioned out as a streaming hypothesis would; some anchors come twice.
        let mut search = ChainSearch::new(&graph, k, budget(usize::MAX));
        for portion in anchors.chunks(portion) {
            search.add(portion, &|| false);
            search.add(&anchors[..1], &|| false);
        }
        prop_assert_eq!(search.found() as usize, expected.len());
        prop_assert_eq!(search.anchors(), &anchors[..]);
        let all = search.finish();
        prop_assert_eq!(&rows_of_graph(&graph, &all.chains), &expected);
        prop_assert_eq!(all.found as usize, expected.len());
        prop_assert_eq!(&all.truncated, &None);
        prop_assert_eq!(&all.by_kind, &kinds(&expected));

        // A count budget keeps the first of them, whichever way the anchors come.
        for portion in [portion, anchors.len()] {
            let mut search = ChainSearch::new(&graph, k, budget(keep));
            for portion in anchors.chunks(portion) {
                search.add(portion, &|| false);
            }
            let few = search.finish();
            prop_assert_eq!(few.found as usize, expected.len());
            prop_assert_eq!(&few.by_kind, &kinds(&expected));
            prop_assert_eq!(&rows_of_graph(&graph, &few.chains)[..], &expected[..keep.min(expected.len())]);
            prop_assert_eq!(few.truncated.is_some(), keep < expected.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Some entities and relations are new, so that their numbers do not follow their names.
    #[test]
    fn an_evolving_graph_is_searched_as_if_it_were_one_graph(
        entities in 3u32..10,
        old in 1u32..10,
        triples in prop::collection::vec(((0u32..10, 0u8..4, 0u32..10), any::<bool>()), 0..22),
        wanted in prop::collection::vec(0u32..10, 1..5),
        k in 1usize..=5,
        portion in 1usize..4,
        keep in 0usize..40,
    ) {
        let old = old.min(entities);
        let all = multigraph(entities, &triples.iter().map(|(triple, _)| *triple).collect::<Vec<_>>());
        // Relation 1 is learned, and so are some triples of old entities.
        let chosen: BTreeSet<Plain> = triples.iter().filter(|(_, learned)| *learned).map(|(t, _)| (t.0 % entities, t.1, t.2 % entities)).collect();
        let is_learned = |triple: &&Plain| triple.0 >= old || triple.2 >= old || triple.1 == 1 || chosen.contains(*triple);
        let learned: BTreeSet<Plain> = all.iter().filter(is_learned).copied().collect();
        let base = Arc::new(graph_of(0..old, &all.difference(&learned).copied().collect()));

        let rules = RoleRules::built_in().expect("rules");
        let named = |entity: u32| NamedEntity::new(name(entity), base.find(&name(entity)).map_or(&Kind::Disease, |known| base.kind(known)));
        let by_name = |triple: &Plain| LearnedTriple {
            triple: NamedTriple::new(named(triple.0), (&rules.guess(&format!("r{}", triple.1))).into(), named(triple.2)),
            record: 7,
        };
        let mut view = EvolvingGraph::new(Arc::clone(&base));
        let changed = view.learn(&LearnedTable::of(&all.iter().map(by_name).collect::<Vec<_>>()));
        prop_assert_eq!((changed.learned, changed.known), (learned.len(), all.len() - learned.len()));
        prop_assert_eq!(view.learned_count(), learned.len());
        let wanted = distinct(&wanted, entities);
        let expected = naive(&all, &learned, &wanted, k);
        // A new entity of which no triple speaks is not there.
        let anchors: Vec<EntityId> = wanted.iter().filter_map(|anchor| view.resolve(&named(*anchor))).collect();
        for chains in [usize::MAX, keep] {
            let mut search = ChainSearch::new(&view, k, budget(chains));
            for portion in anchors.chunks(portion) {
                search.add(portion, &|| false);
            }
            let found = search.finish();
            let named = rows(&view, &found.chains, |e| view.entity_name(e).to_owned(), |r| view.relation(r).name.clone());
            prop_assert_eq!(&named[..], &expected[..chains.min(expected.len())]);
            prop_assert_eq!(found.found as usize, expected.len());
        }
    }
}

/// Every entity has three triples to each.
fn dense() -> Graph {
    let triples: BTreeSet<Plain> = (0..31u32).flat_map(|i| (0..31u32).flat_map(move |j| [(i, 0u8, j), (i, 1, j), (i, 2, j)])).collect();
    graph_of(0..31, &triples)
}

#[test]
fn a_search_that_is_ended_says_so_and_leaves_complete_lengths() {
    let graph = dense();
    let anchors: Vec<_> = (0..6).map(EntityId).collect();
    let complete = |k| {
        let mut search = ChainSearch::new(&graph, k, budget(usize::MAX));
        search.add(&anchors, &|| false);
        search.finish()
    };

    let mut search = ChainSearch::new(&graph, 4, budget(1000));
    search.add(&anchors, &|| true);
    let report = search.finish();
    assert!(report.truncated.expect("says why").contains("stopped"));
    assert!(report.chains.is_empty());

    let mut search = ChainSearch::new(&graph, 4, ChainBudget { chains: 1000, time: Duration::ZERO });
    search.add(&anchors, &|| false);
    let report = search.finish();
    assert!(report.truncated.expect("says why").contains("time budget of 0 ms"));
    assert!(report.chains.is_empty());

    let mut search = ChainSearch::new(&graph, 5, ChainBudget { chains: usize::MAX, time: Duration::from_millis(300) });
    search.add(&anchors, &|| false);
    let report = search.finish();
    let why = report.truncated.expect("a third of a second is not enough for a hundred million chains");
    assert!(why.contains("time budget"), "{why}");
    let two = complete(2);
    assert!(report.chains.len() >= two.chains.len(), "chains of two relations are complete: {why}");
    assert_eq!(report.chains[..two.chains.len()], two.chains[..]);
}

#[test]
fn anchors_that_the_graph_does_not_have_are_passed_over() {
    let graph = graph_of(0..3, &[(0, 0, 1), (1, 0, 2)].into());
    let mut search = ChainSearch::new(&graph, 3, budget(10));
    search.add(&[EntityId(0), EntityId(99), EntityId(2), EntityId(u32::MAX)], &|| false);
    assert_eq!(search.anchors(), [EntityId(0), EntityId(2)]);
    search.finish();
}
