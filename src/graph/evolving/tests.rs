//! The evolving graph against plain sets of triples.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use crate::graph::evolving::*;
use crate::graph::facts::Facts;
use crate::graph::named::{LearnedTriple, NamedRelation};
use crate::graph::qualifiers::Qualifiers;
use crate::graph::role::RoleRules;
use crate::graph::{Graph, GraphBuilder, Player};

const RELATIONS: [&str; 4] = ["has_symptom", "treats", "possible_cause_of_symptom", "related_to"];
/// Not in the order of their numbers, one in two scripts, one with an alias in brackets, one written in two ways.
const NAMES: [&str; 9] = ["Reflux", "Cough", "胃痛", "Ache (soreness)", "Zinc", "Angina", "Swimmer's ear", "Croup", "Bronchitis"];

type Plain = (usize, usize, usize);

fn base_of(triples: &BTreeSet<Plain>, entities: usize) -> Arc<Graph> {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("t");
    let relations = RELATIONS.map(|name| builder.relation(rules.guess(name)).expect("room"));
    let ids: Vec<u32> = NAMES[..entities].iter().map(|name| builder.entity_of_kind(name, &Kind::Disease)).collect();
    for (head, relation, tail) in triples {
        builder.triple(ids[*head], relations[*relation], ids[*tail]);
    }
    Arc::new(builder.finish())
}

fn by_name((head, relation, tail): Plain) -> NamedTriple {
    let rules = RoleRules::built_in().expect("rules");
    let entity = |at: usize| NamedEntity::new(NAMES[at], &Kind::Disease);
    NamedTriple::new(entity(head), NamedRelation::from(&rules.guess(RELATIONS[relation])), entity(tail))
}

fn learn(graph: &mut EvolvingGraph, triples: &[Plain], record: u64) -> ChangeCounts {
    let learned: Vec<LearnedTriple> = triples.iter().map(|t| LearnedTriple { triple: by_name(*t), record }).collect();
    graph.learn(&LearnedTable::of(&learned))
}

/// What the graph states, by name: (head, relation, tail, learned).
fn stated(graph: &EvolvingGraph) -> BTreeSet<(String, String, String, bool)> {
    let mut stated = BTreeSet::new();
    for (entity, way) in graph.entity_ids().flat_map(|entity| Direction::BOTH.map(|way| (entity, way))) {
        for (part, learned) in graph.edges(entity, way).parts() {
            assert!(part.is_sorted(), "rows are in order");
            for edge in part {
                let (head, tail) = if way.is_forward() { (entity, edge.to) } else { (edge.to, entity) };
                let name = |entity| graph.entity_name(entity).to_owned();
                stated.insert((name(head), graph.relation(edge.relation).name.clone(), name(tail), learned));
            }
        }
    }
    stated
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn learning_and_unlearning_give_the_set_of_what_is_learned(
        old in 1usize..7,
        base in prop::collection::btree_set((0usize..7, 0usize..3, 0usize..7), 0..8),
        steps in prop::collection::vec((any::<bool>(), prop::collection::vec((0usize..9, 0usize..4, 0usize..9), 1..6)), 0..12),
    ) {
        let base: BTreeSet<Plain> = base.into_iter().filter(|(head, _, tail)| *head < old && *tail < old).collect();
        let graph = base_of(&base, old);
        let mut evolving = EvolvingGraph::new(Arc::clone(&graph));
        let mut learned: Vec<Plain> = Vec::new();
        for (number, (add, triples)) in steps.iter().enumerate() {
            let before = (evolving.clone(), stated(&evolving));
            if *add {
                let changed = learn(&mut evolving, triples, number as u64);
                prop_assert_eq!(changed.learned + changed.known, triples.len());
                learned.extend(triples);
            } else {
                let gone: BTreeSet<Plain> = triples.iter().copied().collect();
                evolving.unlearn(&gone.iter().map(|triple| by_name(*triple)).collect::<Vec<_>>());
                for triple in gone {
                    // A triple that was learned twice must be removed twice.
                    if let Some(at) = learned.iter().position(|known| *known == triple) {
                        learned.remove(at);
                    }
                }
            }
            prop_assert_eq!(stated(&before.0), before.1, "a copy stays what it was");
        }
        let live: BTreeSet<Plain> = learned.iter().copied().filter(|triple| !base.contains(triple)).collect();
        let name = |at: usize| NAMES[at].to_owned();
        let row = |learned: bool| move |t: &Plain| (name(t.0), RELATIONS[t.1].to_owned(), name(t.2), learned);
        let expected: BTreeSet<_> = base.iter().map(row(false)).chain(live.iter().map(row(true))).collect();
        prop_assert_eq!(stated(&evolving), expected);
        prop_assert_eq!(evolving.learned_count(), live.len());
        prop_assert_eq!(evolving.learned().count(), live.len());
        prop_assert!(evolving.learned().all(|triple| evolving.record_of(triple).is_some() && evolving.states(triple)));

        // Ranks are the positions of the names.
        let by_rank: Vec<&str> =
            (0..evolving.entity_count() as u32).map(|rank| evolving.entity_name(evolving.entity_at_rank(rank))).collect();
        prop_assert!(by_rank.is_sorted(), "{:?}", by_rank);
        prop_assert!(evolving.entity_ids().all(|entity| evolving.entity_at_rank(evolving.entity_rank(entity)) == entity));

        // A name is found as long as a triple mentions its entity.
        for (at, name) in NAMES.iter().enumerate() {
            let spoken_of = at < old || live.iter().any(|(head, _, tail)| *head == at || *tail == at);
            prop_assert_eq!(evolving.find(name).map(|entity| evolving.entity_name(entity)), spoken_of.then_some(*name));
            let tokens = crate::text::tokenise(&format!("a {name} today"));
            let hit = evolving.names().longest_at(&tokens, 1);
            prop_assert_eq!(hit.is_some_and(|hit| hit.last == tokens.len() - 1), spoken_of, "{}", name);
            prop_assert_eq!(evolving.names().complete(&name[..3], 5).iter().any(|found| found.name == *name), spoken_of, "{}", name);
        }

        // Conditions and weights follow from the facts.
        let facts = Facts::of(&evolving);
        let conditions = evolving.entity_ids().filter(|e| evolving.is_in_use(*e)).filter(|e| facts.is_condition(*e)).count();
        prop_assert_eq!(evolving.condition_count(), conditions);
        for entity in evolving.entity_ids().filter(|entity| evolving.has_learned(*entity)) {
            prop_assert_eq!(evolving.is_condition(entity), facts.is_condition(entity));
            let name = |entity| evolving.entity_name(entity).to_owned();
            let bearers: BTreeSet<(bool, String)> = stated(&evolving)
                .into_iter()
                .filter_map(|(head, relation, tail, _)| {
                    let relation = RoleRules::built_in().expect("rules").guess(&relation);
                    let (owner, player) = if relation.player == Player::Tail { (head, tail) } else { (tail, head) };
                    (relation.role.is_feature() && player == name(entity)).then_some((relation.role == Role::Symptom, owner))
                })
                .collect();
            let expected = (1.0 + conditions.max(1) as f64 / (1.0 + bearers.len() as f64)).ln();
            prop_assert!((evolving.rarity(entity, facts) - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn an_entity_is_found_by_any_of_its_names_whatever_its_kind() {
    let mut builder = GraphBuilder::new("t");
    let reflux = builder.entity_of_kind("Gastro-oesophageal reflux disease", &Kind::Disease);
    builder.add_alias(reflux, "GORD", crate::graph::Synonymy::Exact);
    builder.entity_of_kind("Cough", &Kind::Symptom);
    builder.entity_of_kind("Cough", &Kind::Disease);
    let mut graph = EvolvingGraph::new(Arc::new(builder.finish()));
    let meant = |graph: &EvolvingGraph, name: &str, kind: &Kind| graph.resolve(&NamedEntity::new(name, kind));
    assert_eq!(meant(&graph, "gord", &Kind::Symptom), graph.find("GORD"));
    let kinds = [Kind::Symptom, Kind::Disease].map(|kind| meant(&graph, "cough", &kind).map(|id| graph.kind(id).clone()));
    assert_eq!(kinds, [Some(Kind::Symptom), Some(Kind::Disease)]);
    assert_eq!(meant(&graph, "Antacid", &Kind::Drug), None);

    let rules = RoleRules::built_in().expect("rules");
    let triple = |drug: &str| {
        NamedTriple::new(
            NamedEntity::new(drug, &Kind::Drug),
            NamedRelation::from(&rules.guess("treats")),
            NamedEntity::new("GORD", &Kind::Disease),
        )
    };
    let learned = ["Antacid", "antacids", "ANTACID"].map(|drug| LearnedTriple { triple: triple(drug), record: 3 });
    assert_eq!(graph.learn(&LearnedTable::of(&learned)), ChangeCounts { learned: 2, known: 1, ..ChangeCounts::default() });
    let names: Vec<&str> = graph.new_entities().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["Antacid", "antacids"], "an inflected name is another name");
    let facts = Facts::of(&graph);
    assert_eq!(facts.players_of_role(graph.find("GORD").expect("there"), Role::Treatment).count(), 2);
}

#[test]
fn a_learned_triple_has_its_qualifiers_for_as_long_as_it_is_learned() {
    let base = base_of(&BTreeSet::from([(0, 1, 1)]), 3);
    let mut graph = EvolvingGraph::new(base);
    let qualified =
        |triple: Plain, value: &str| NamedTriple { qualifiers: Qualifiers::default().with("severity", value), ..by_name(triple) };
    let (new, known) = (qualified((1, 1, 2), "major"), qualified((0, 1, 1), "minor"));
    let learned = [&new, &known, &qualified((1, 1, 2), "moderate")].map(|triple| LearnedTriple { triple: triple.clone(), record: 4 });
    let table = LearnedTable::of(&learned);
    assert_eq!(table.iter().collect::<Vec<_>>(), learned);
    assert_eq!(graph.learn(&table), ChangeCounts { learned: 1, known: 2, ..ChangeCounts::default() });
    let stated = |graph: &EvolvingGraph, triple: &NamedTriple| {
        let relation = graph.relations().iter().position(|known| known.name == triple.relation.name).expect("known") as u16;
        let ends = [&triple.head, &triple.tail].map(|end| graph.resolve(end).expect("known"));
        let found = Triple { head: ends[0], relation: RelationId(relation), tail: ends[1] };
        (graph.qualifiers(found.head, found.relation, found.tail), graph.named(found).qualifiers)
    };
    assert_eq!(stated(&graph, &new), (new.qualifiers.clone(), new.qualifiers.clone()), "the first that was learned");
    assert_eq!(stated(&graph, &known), Default::default(), "the base graph's triple stays as it is");
    let before = graph.clone();
    graph.unlearn([&new]);
    assert_eq!(stated(&graph, &new).0, new.qualifiers, "it was learned twice");
    graph.unlearn([&new]);
    assert_eq!((stated(&graph, &new), stated(&before, &new).0), (Default::default(), new.qualifiers.clone()));
}
