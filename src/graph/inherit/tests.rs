//! Inherited statements: each rule on its own, and all together against brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::graph::{Graph, GraphBuilder, Kind, RoleRules, starter_graph};

/// A graph of `head relation tail key=value …` lines.
fn graph_of(lines: &[&str]) -> Graph {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("t");
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [head, relation, tail, qualifiers @ ..] = &words[..] else { panic!("{line}") };
        let (head, tail) = (builder.entity_of_kind(head, &Kind::Drug), builder.entity_of_kind(tail, &Kind::Drug));
        let relation = builder.relation(rules.guess(relation)).expect("room");
        builder.triple(head, relation, tail);
        builder.qualify(head, relation, tail, Qualifiers::of_columns(qualifiers.iter().copied()).expect("acceptable"));
    }
    builder.finish()
}

/// The stored triples that hold between two entities, most specific first.
fn between(graph: &Graph, a: &str, b: &str) -> Vec<String> {
    let find = |name| graph.find(name).expect("in the graph");
    statements_between(graph, find(a), find(b), |_| true).iter().map(|s| text(graph, s)).collect()
}

fn text(graph: &Graph, s: &Inherited) -> String {
    format!("{} {} {}", graph.entity_name(s.head), graph.relation(s.relation).name, graph.entity_name(s.tail))
}

const NSAIDS: [&str; 7] = [
    "Ibuprofen is_a Nsaid",
    "Celecoxib is_a Coxib",
    "Coxib is_a Nsaid",
    "Warfarin is_a Anticoagulant",
    "Nsaid interacts_with Anticoagulant severity=major",
    "Nsaid treats Pain",
    "Anticoagulant contraindicated_in Bleeding",
];

#[test]
fn members_inherit_what_makes_a_class_dangerous_and_not_what_it_is_for() {
    let graph = graph_of(&NSAIDS);
    let find = |name| graph.find(name).expect("in the graph");
    for (a, b) in [("Ibuprofen", "Warfarin"), ("Warfarin", "Celecoxib"), ("Nsaid", "Warfarin"), ("Nsaid", "Anticoagulant")] {
        assert_eq!(between(&graph, a, b), ["Nsaid interacts_with Anticoagulant"], "{a} {b}");
        assert_eq!(statements_between(&graph, find(a), find(b), |role| role == Role::Contraindication), []);
    }
    let found = statements_between(&graph, find("Warfarin"), find("Celecoxib"), |_| true);
    let path = |via: &[Triple]| via.iter().map(|t| (graph.entity_name(t.head), graph.entity_name(t.tail))).collect::<Vec<_>>();
    assert_eq!(path(&found[0].via_head), [("Celecoxib", "Coxib"), ("Coxib", "Nsaid")]);
    assert_eq!(path(&found[0].via_tail), [("Warfarin", "Anticoagulant")]);
    assert_eq!((found[0].distance(), found[0].first_is_head, found[0].qualifiers.get("severity")), (3, false, Some("major")));
    // Treatment facts are those of the class alone, and classes do not inherit from members.
    assert!(between(&graph, "Ibuprofen", "Pain").is_empty());
    assert_eq!(between(&graph, "Nsaid", "Pain"), ["Nsaid treats Pain"]);
    assert!(between(&graph, "Ibuprofen", "Ibuprofen").is_empty());
    let mut of: Vec<String> = statements_of(&graph, find("Warfarin"), Role::Interaction).iter().map(|s| text(&graph, s)).collect();
    of.extend(statements_of(&graph, find("Bleeding"), Role::Contraindication).iter().map(|s| text(&graph, s)));
    assert_eq!(of, ["Nsaid interacts_with Anticoagulant", "Anticoagulant contraindicated_in Bleeding"]);
    let names = |of: Vec<EntityId>| of.into_iter().map(|e| graph.entity_name(e).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(classes_of(&graph, find("Celecoxib"))), ["Coxib", "Nsaid"]);
    assert_eq!(names(members_of(&graph, find("Nsaid"), 9)), ["Coxib", "Ibuprofen", "Celecoxib"]);
    assert_eq!(names(members_of(&graph, find("Nsaid"), 1)), ["Coxib"]);
}

#[test]
fn exceptions_and_routes_stop_inheritance_but_never_what_is_stated_of_the_entity_itself() {
    let with = |more: &[&'static str]| graph_of(&[&NSAIDS[..4], more].concat());
    let listed = with(&["Nsaid interacts_with Anticoagulant except=coxib|Other"]);
    assert!(between(&listed, "Celecoxib", "Warfarin").is_empty(), "its class is listed");
    assert_eq!(between(&listed, "Ibuprofen", "Warfarin").len(), 1);
    let own = with(&["Nsaid interacts_with Anticoagulant except=Ibuprofen", "Ibuprofen interacts_with Warfarin except=Ibuprofen"]);
    assert_eq!(between(&own, "Ibuprofen", "Warfarin"), ["Ibuprofen interacts_with Warfarin"]);
    let tail = with(&["Nsaid interacts_with Anticoagulant except=Warfarin"]);
    assert!(between(&tail, "Ibuprofen", "Warfarin").is_empty(), "either end may be excepted");
    let route = graph_of(&["Gel is_a Nsaid route=topical", "Nsaid interacts_with Anticoagulant", "Gel interacts_with Zinc"]);
    assert!(between(&route, "Gel", "Anticoagulant").is_empty());
    assert_eq!(between(&route, "Gel", "Zinc"), ["Gel interacts_with Zinc"]);
}

#[test]
fn a_statement_about_a_member_replaces_the_same_about_its_class() {
    let with = |more: &[&'static str]| graph_of(&[&NSAIDS[..5], more].concat());
    let both = with(&["Warfarin interacts_with Coxib effect=bleeding", "Celecoxib may_cause Warfarin"]);
    assert_eq!(between(&both, "Celecoxib", "Warfarin"), ["Celecoxib may_cause Warfarin", "Warfarin interacts_with Coxib"]);
    assert_eq!(between(&both, "Ibuprofen", "Warfarin"), ["Nsaid interacts_with Anticoagulant"]);
    // A short cut past the class changes nothing: its statement is still the more specific one.
    let short = with(&["Celecoxib is_a Nsaid", "Coxib interacts_with Anticoagulant severity=minor"]);
    assert_eq!(between(&short, "Celecoxib", "Warfarin"), ["Coxib interacts_with Anticoagulant"]);
    // Neither of two that each are more specific at another end replaces the other.
    let crossed = with(&["Nsaid interacts_with Warfarin severity=major", "Ibuprofen interacts_with Anticoagulant severity=minor"]);
    assert_eq!(between(&crossed, "Ibuprofen", "Warfarin").len(), 2);
    // That two interact, with no word on how, as a doctor may teach it, replaces nothing that says how.
    let taught = graph_of(&["Ibuprofen is_a Nsaid", "Nsaid interacts_with Warfarin severity=major", "Ibuprofen interacts_with Warfarin"]);
    assert_eq!(between(&taught, "Ibuprofen", "Warfarin"), ["Nsaid interacts_with Warfarin"]);
    let reversed = graph_of(&["A interacts_with B", "B interacts_with A severity=major action=avoid"]);
    assert_eq!(between(&reversed, "A", "B"), ["B interacts_with A"]);
    let twice = graph_of(&["A interacts_with B", "B interacts_with A severity=major"]);
    assert_eq!(between(&twice, "A", "B"), ["B interacts_with A"], "the same, stated twice");
}

#[test]
fn cycles_and_depth_are_bounded() {
    let mut lines: Vec<String> = (0..12).map(|i| format!("C{i} is_a C{}", i + 1)).collect();
    lines.extend(["C0 is_a C0", "C3 is_a C1", "C8 interacts_with X", "C9 interacts_with Y"].map(str::to_owned));
    let graph = graph_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(between(&graph, "C0", "X"), ["C8 interacts_with X"]);
    assert!(between(&graph, "C0", "Y").is_empty(), "more than eight steps away");
    // In a cycle no class is more specific than another; nothing is lost.
    let cycle = graph_of(&["A is_a B", "B is_a A", "A interacts_with X", "B interacts_with X"]);
    assert_eq!(between(&cycle, "A", "X"), ["A interacts_with X", "B interacts_with X"]);
}

/// By definition: distances by relaxation over all triples, then every triple that fits, then those that no other one replaces.
fn oracle(graph: &Graph, a: EntityId, b: Option<EntityId>) -> BTreeSet<(Triple, bool, usize)> {
    let n = graph.entity_count();
    let far = |from: EntityId, most: usize| {
        let mut steps = vec![usize::MAX; n];
        steps[from.index()] = 0;
        for _ in 0..n.min(most) {
            for t in graph.triples() {
                let broader = graph.role(t.relation) == Role::Broader;
                if broader && graph.qualifiers(t.head, t.relation, t.tail).get("route").is_none() && steps[t.head.index()] != usize::MAX {
                    steps[t.tail.index()] = steps[t.tail.index()].min(steps[t.head.index()] + 1);
                }
            }
        }
        steps
    };
    let below = |x: EntityId, y: EntityId| far(x, n)[y.index()] != usize::MAX;
    let (of_a, of_b) = (far(a, n), b.map(|b| far(b, n)));
    let listed = |t: Triple, class: usize| {
        let name = graph.entity_name(EntityId(class as u32));
        graph.qualifiers(t.head, t.relation, t.tail).list("except").any(|listed| listed == name)
    };
    let excepted = |t: Triple, at: EntityId, steps: &[usize]| {
        steps[at.index()] > 0 && (0..n).any(|class| class != at.index() && steps[class] != usize::MAX && listed(t, class))
    };
    let mut all = Vec::new();
    for t in graph.triples() {
        for (first, second, first_is_head) in [(t.head, t.tail, true), (t.tail, t.head, false)] {
            let d1 = of_a[first.index()];
            let d2 = of_b.as_ref().map_or(0, |of_b| of_b[second.index()]);
            if d1 == usize::MAX || d2 == usize::MAX || excepted(t, first, &of_a) {
                continue;
            }
            if of_b.as_ref().is_some_and(|of_b| excepted(t, second, of_b)) {
                continue;
            }
            if graph.relation(t.relation).inherits || d1 + d2 == 0 {
                all.push((t, first_is_head, d1 + d2, first, second));
            }
        }
    }
    let replaces = |x: &(Triple, bool, usize, EntityId, EntityId), y: &(Triple, bool, usize, EntityId, EntityId)| {
        let role = graph.role(x.0.relation);
        let same = role == graph.role(y.0.relation) && (role == Role::Interaction || x.1 == y.1);
        let covers = |x: &(Triple, bool, usize, EntityId, EntityId), y: &(Triple, bool, usize, EntityId, EntityId)| {
            // Where the second end is open, a class there still stands for its other members.
            below(x.3, y.3) && if b.is_some() { below(x.4, y.4) } else { x.4 == y.4 }
        };
        same && covers(x, y) && !covers(y, x)
    };
    let kept = all.iter().filter(|y| !all.iter().any(|x| replaces(x, y)));
    kept.map(|s| (s.0, s.1, s.2)).collect()
}

/// What was found as the oracle has it. An interaction stated in both directions is one statement; it counts in both.
fn as_set(graph: &Graph, found: &[Inherited]) -> BTreeSet<(Triple, bool, usize)> {
    let mut set = BTreeSet::new();
    for s in found {
        set.insert((s.triple(), s.first_is_head, s.distance()));
        let back = Triple { head: s.tail, relation: s.relation, tail: s.head };
        if graph.role(s.relation) == Role::Interaction && graph.outgoing(back.head).contains(&Edge::new(back.tail, back.relation)) {
            set.insert((back, !s.first_is_head, s.distance()));
        }
    }
    set
}

const RELATIONS: [&str; 4] = ["is_a", "interacts_with", "contraindicated_in", "treats"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_found_is_what_the_definition_says(
        triples in prop::collection::btree_map((0u8..7, 0usize..6, 0u8..7), (any::<u8>(), 0u8..7), 1..22),
        a in 0u8..7, b in 0u8..7,
    ) {
        let lines: Vec<String> = triples.iter().map(|((head, relation, tail), (kind, listed))| {
            // Half of the triples are `is_a`.
            let relation = RELATIONS[relation.saturating_sub(2)];
            let qualifier = match kind % 4 {
                0 if relation == "is_a" => " route=topical".to_owned(),
                // An exception from one direction of an interaction only would leave the other.
                0 if relation == "contraindicated_in" => format!(" except=E{listed}"),
                1 if relation == "contraindicated_in" => format!(" except=E{listed}|E{}", (listed + 1) % 7),
                _ => String::new(),
            };
            format!("E{head} {relation} E{tail}{qualifier}")
        }).collect();
        let graph = graph_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let (Some(a), Some(b)) = (graph.find(&format!("E{a}")), graph.find(&format!("E{b}"))) else { return Ok(()) };
        let roles = [Role::Broader, Role::Interaction, Role::Contraindication, Role::Treatment];
        let found = statements_between(&graph, a, b, |_| true);
        if a != b {
            prop_assert_eq!(as_set(&graph, &found), oracle(&graph, a, Some(b)), "{:?}", lines);
        }
        let all: Vec<Inherited> = roles.iter().flat_map(|role| statements_of(&graph, a, *role)).collect();
        prop_assert_eq!(as_set(&graph, &all), oracle(&graph, a, None), "{:?}", lines);
        prop_assert!(found.is_sorted_by_key(Inherited::distance));
        for s in found.iter().chain(&all) {
            let ends = [(&s.via_head, s.head, s.first_is_head), (&s.via_tail, s.tail, !s.first_is_head)];
            for (via, end, of_first) in ends {
                let mut at = if of_first { a } else if via.is_empty() { end } else { b };
                for step in via {
                    prop_assert_eq!(step.head, at);
                    prop_assert!(graph.outgoing(at).contains(&Edge::new(step.tail, step.relation)));
                    prop_assert!(graph.qualifiers(at, step.relation, step.tail).get("route").is_none());
                    at = step.tail;
                }
                prop_assert_eq!(at, end);
            }
        }
    }
}

#[test]
fn looking_a_pair_up_does_not_read_the_whole_graph() {
    let graph = starter_graph().expect("sound");
    let drugs: Vec<EntityId> = graph.entity_ids().filter(|e| *graph.kind(*e) == Kind::Drug).take(150).collect();
    let started = std::time::Instant::now();
    let (mut pairs, mut stated) = (0u32, 0);
    for (place, a) in drugs.iter().enumerate() {
        for b in drugs.iter().skip(place + 1) {
            stated += statements_between(&graph, *a, *b, |role| role == Role::Interaction).len();
            pairs += 1;
        }
    }
    // Without optimisation and on a busy machine; a scan of all triples would take a hundred times as long.
    assert!(stated > 0 && started.elapsed() / pairs < std::time::Duration::from_millis(1), "{:?}", started.elapsed() / pairs);
}
