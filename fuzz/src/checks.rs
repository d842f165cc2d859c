//! What must hold of a graph, wherever it came from.

use std::hint::black_box;
use std::time::Duration;

use catena::graph::{
    ChainBudget, ChainSearch, EntityId, Facts, GlobalPageRank, Graph, GraphStats, PersonalisedPageRank, RoleRules, global_pagerank, lint,
    neighbourhood, personalised_pagerank,
};

/// How many entities are looked at closely.
const CLOSELY: usize = 200;
/// How many names of one of them.
const NAMES: usize = 20;
/// How many are anchors of a chain search.
const ANCHORS: usize = 4;

/// Checks a graph that an importer made: ends exist, both directions agree, names find their entity, and nothing
/// that is shown can move a terminal's cursor.
pub fn check(graph: &Graph) {
    let count = graph.entity_count();
    let (mut out, mut incoming) = (0, 0);
    for entity in graph.entity_ids() {
        for edge in graph.outgoing(entity) {
            assert!(edge.to.index() < count && edge.relation.index() < graph.relations().len());
            let back = graph.incoming(edge.to).iter().any(|e| e.to == entity && e.relation == edge.relation);
            assert!(back || graph.incoming(edge.to).len() > 1000, "a triple that its tail does not know");
            out += 1;
        }
        for edge in graph.incoming(entity) {
            assert!(edge.to.index() < count && edge.relation.index() < graph.relations().len());
            incoming += 1;
        }
        assert!(graph.name_rows(entity).end <= graph.name_count() && !graph.entity_name(entity).is_empty());
        for text in [graph.entity_name(entity), graph.description(entity), graph.identifier(entity), graph.kind(entity).as_str()] {
            shown_safely(text);
        }
        graph.aliases(entity).for_each(shown_safely);
    }
    assert_eq!((out, incoming), (graph.triple_count(), graph.triple_count()));
    for relation in graph.relations() {
        shown_safely(&relation.name);
        shown_safely(&relation.display);
    }
    for entity in graph.entity_ids().take(CLOSELY) {
        let own = graph.entity_name(entity);
        for name in std::iter::once(own).chain(graph.aliases(entity).take(NAMES)) {
            if !catena::text::fold(name).is_empty() {
                assert!(graph.names().lookup_exact(name).contains(&entity), "{name:?} does not find its entity");
            }
        }
    }
    assert_eq!(graph.merges().count(), graph.merge_count());
}

/// Fails for a text in which something moves the cursor or turns the direction of writing.
pub fn shown_safely(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')), "{text:?}");
}

/// Asks a graph everything that a session may ask it. Answers about a snapshot that someone else wrote may be
/// nonsense; they may not be faults.
pub fn walk(graph: &Graph) {
    let count = graph.entity_count();
    for entity in graph.entity_ids() {
        let text = (graph.entity_name(entity), graph.description(entity), graph.identifier(entity), graph.kind(entity));
        black_box((text, graph.is_condition(entity), graph.rarity(entity), graph.feature_weight(entity), graph.degree(entity)));
        black_box(graph.aliases(entity).count());
        for edge in graph.outgoing(entity).iter().chain(graph.incoming(entity)) {
            assert!(edge.to.index() < count);
            black_box((graph.relation(edge.relation), graph.role(edge.relation)));
        }
        for row in graph.name_rows(entity) {
            assert_eq!(graph.entity_of_name(row), entity);
        }
    }
    for entity in graph.entity_ids().take(CLOSELY) {
        let name = graph.entity_name(entity);
        black_box((graph.find(name), graph.names().lookup(name)));
        let tokens = catena::text::tokenise(name);
        black_box(graph.names().longest_at(&tokens, 0));
    }
    black_box((graph.triples().count(), graph.merges().count(), graph.merge_count(), graph.names().len(), graph.names_fingerprint()));
    black_box((graph.ambiguous_aliases().len(), graph.provenance(), graph.condition_count(), GraphStats::of(graph), lint(graph)));

    let anchors: Vec<EntityId> = graph.entity_ids().take(ANCHORS).collect();
    let mut search = ChainSearch::new(graph, 3, ChainBudget { chains: 10_000, time: Duration::from_secs(2) });
    search.add(&anchors, &|| false);
    for chain in search.finish().chains {
        assert!(chain.nodes().iter().all(|node| (*node as usize) < count));
        black_box(graph.chain_text(&chain));
    }
    black_box(neighbourhood(graph, &anchors, 100));
    let seeds: Vec<(EntityId, f64)> = anchors.iter().map(|e| (*e, 1.0)).collect();
    black_box((personalised_pagerank(graph, &seeds, PersonalisedPageRank::default()), global_pagerank(graph, GlobalPageRank::default())));
    let facts = Facts::of(graph);
    for entity in &anchors {
        black_box((facts.players(*entity), facts.owners(*entity), facts.is_condition(*entity)));
    }
    let again = Graph::from_bytes(graph.bytes(), "again").expect("what was opened once can be opened again");
    if let Ok(rules) = RoleRules::parse("") {
        let other = again.with_roles(&rules);
        black_box((other.condition_count(), other.entity_ids().map(|e| other.rarity(e)).sum::<f64>()));
    }
}
