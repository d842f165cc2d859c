//! The safety pass over the whole starter graph: every interaction and contraindication is stated for its ends and for the members of its
//! classes, and nothing for pairs of which nothing is stored.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use super::tests::{condition, drug};
use super::*;
use crate::graph::{GraphView, Player, Role, Triple, classes_of, members_of, qualifier_keys as keys, starter_graph};
use crate::pipeline::answer::wording::Wording;
use crate::run::case::{AskKind, CaseAsk, ConditionStatus, DrugStatus};

static GRAPH: LazyLock<EvolvingGraph> = LazyLock::new(|| EvolvingGraph::new(Arc::new(starter_graph().expect("sound"))));

/// Every interaction and contraindication, with drug and other end.
fn stored() -> Vec<(Triple, Role, EntityId, EntityId)> {
    let graph = &*GRAPH;
    let of = |triple: Triple| {
        let relation = graph.relation(triple.relation);
        let (drug, other) = if relation.player == Player::Tail { (triple.head, triple.tail) } else { (triple.tail, triple.head) };
        matches!(relation.role, Role::Interaction | Role::Contraindication).then_some((triple, relation.role, drug, other))
    };
    graph.base().triples().filter_map(of).collect()
}

/// A case that holds two entities, as a reader of questions would put them.
fn case_of(role: Role, a: EntityId, b: EntityId) -> Case {
    let name = |entity| GRAPH.entity_name(entity);
    let mut case = Case { drugs: vec![drug(name(a), DrugStatus::Proposed)], ..Case::default() };
    match role {
        Role::Interaction => case.drugs.push(drug(name(b), DrugStatus::Taken)),
        _ => case.conditions.push(condition(name(b), ConditionStatus::Known)),
    }
    case
}

fn states(report: &SafetyReport, a: EntityId, b: EntityId) -> bool {
    let proved = |s: &SafetyStatement| s.chains().all(|chain| chain.len() <= crate::graph::MAX_HOPS);
    report.statements.iter().any(|s| s.is_about(a, b) && proved(s))
}

#[test]
fn every_stored_statement_is_made_of_its_ends_and_proved_by_stored_triples() {
    let graph = &*GRAPH;
    let all = stored();
    assert!(all.len() > 1_000);
    let mut silent = Vec::new();
    for (triple, role, drug, other) in all {
        let report = safety(graph, &case_of(role, drug, other));
        if !states(&report, drug, other) {
            silent.push(graph.named(triple).text());
            continue;
        }
        for chain in report.chains() {
            for hop in chain.hops() {
                let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
                let step = Triple { head: EntityId(head), relation: crate::graph::RelationId(hop.relation), tail: EntityId(tail) };
                assert!(graph.states(step), "{}", graph.chain_text(&chain));
            }
        }
        assert!(report.verdict(graph, drug).is_some(), "{}", graph.named(triple).text());
        for wording in ["x", "药"].map(Wording::for_text) {
            let lines = report.lines(graph, wording);
            let names = [drug, other].map(|entity| wording.name(graph, entity));
            assert!(lines.iter().any(|line| line.states && names.iter().all(|name| line.text.contains(name))), "{lines:?}");
            assert!(lines.iter().all(|line| !line.text.contains(['{', '}'])), "{lines:?}");
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn every_statement_of_a_class_is_made_of_its_members() {
    let graph = &*GRAPH;
    let mut checked = 0;
    for (triple, role, drug, other) in stored() {
        let excepted: Vec<String> =
            graph.qualifiers(triple.head, triple.relation, triple.tail).list(keys::EXCEPT).map(str::to_owned).collect();
        let is_excepted = |entity: EntityId| {
            std::iter::once(entity)
                .chain(classes_of(graph, entity))
                .any(|class| excepted.iter().any(|name| name == graph.entity_name(class)))
        };
        let pairs = members_of(graph, drug, 40)
            .into_iter()
            .map(|member| (member, other))
            .chain(members_of(graph, other, 40).into_iter().map(|member| (drug, member)));
        for (a, b) in pairs {
            // A drug and its own class: what the class interacts with is not itself.
            let related = a == b || classes_of(graph, a).contains(&b) || classes_of(graph, b).contains(&a);
            if related || is_excepted(a) || is_excepted(b) {
                continue;
            }
            assert!(states(&safety(graph, &case_of(role, a, b)), a, b), "{} / {}", graph.entity_name(a), graph.entity_name(b));
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn of_unrelated_pairs_nothing_is_stated_and_none_is_called_safe() {
    let graph = &*GRAPH;
    let stored: BTreeSet<(EntityId, EntityId)> = stored().into_iter().flat_map(|(_, _, a, b)| [(a, b), (b, a)]).collect();
    let drugs: Vec<EntityId> =
        stored.iter().map(|(a, _)| *a).filter(|drug| super::items::is_given(graph, *drug)).collect::<BTreeSet<_>>().into_iter().collect();
    // With the classes and members of both, and the members' other classes, by definition.
    let kin = |entity| -> BTreeSet<EntityId> {
        let own = std::iter::once(entity).chain(members_of(graph, entity, 500));
        own.flat_map(|entity| std::iter::once(entity).chain(classes_of(graph, entity))).collect()
    };
    let mut checked = 0;
    for number in 0..2_000usize {
        let pick = |factor: usize| drugs[(number * factor + number / 7) % drugs.len()];
        let (a, b) = (pick(7919), pick(104_729));
        let (of_a, of_b) = (kin(a), kin(b));
        if of_a.contains(&b) || of_a.iter().any(|a| of_b.iter().any(|b| stored.contains(&(*a, *b)))) {
            continue;
        }
        let name = |entity| graph.entity_name(entity);
        let asks = vec![CaseAsk { kind: AskKind::Safety, of: vec![name(a).into(), name(b).into()] }];
        let case = Case { asks, ..case_of(Role::Interaction, a, b) };
        let report = safety(graph, &case);
        assert!(report.statements.is_empty(), "{} / {}: {:?}", name(a), name(b), report.statements);
        assert_eq!(report.none_stored.len() + report.usable.len(), 1);
        // What is stated to be usual says so.
        if !report.usable.is_empty() {
            continue;
        }
        for wording in ["x", "药"].map(Wording::for_text) {
            let line = &report.lines(graph, wording)[0];
            assert!(!line.states && (line.text.contains("does not make") || line.text.contains("并不表示")), "{}", line.text);
        }
        checked += 1;
    }
    assert!(checked >= 500, "{checked}");
}

#[test]
fn the_order_of_a_case_changes_nothing() {
    let graph = &*GRAPH;
    let names = ["Warfarin", "Amiodarone", "Digoxin", "Ibuprofen", "Simvastatin", "Clarithromycin", "Lithium"];
    let known: Vec<&str> = names.into_iter().filter(|name| graph.find(name).is_some()).collect();
    let mut case = Case {
        drugs: known.iter().map(|name| drug(name, DrugStatus::Taken)).collect(),
        conditions: ["Heart failure", "Asthma", "Chronic kidney disease"].map(|name| condition(name, ConditionStatus::Known)).into(),
        asks: vec![CaseAsk { kind: AskKind::Safety, of: Vec::new() }],
        ..Case::default()
    };
    let first = safety(graph, &case);
    assert!(first.statements.len() > 5);
    for _ in 0..known.len() {
        case.drugs.rotate_left(1);
        case.conditions.rotate_left(1);
        case.drugs.swap(0, 1);
        let again = safety(graph, &case);
        assert_eq!((&again.statements, &again.none_stored), (&first.statements, &first.none_stored));
    }
    let ranks: Vec<SafetyRank> = first.statements.iter().map(SafetyStatement::rank).collect();
    assert!(ranks.is_sorted());
}

#[test]
fn every_list_holds_every_stored_statement() {
    let graph = &*GRAPH;
    let mut lists: std::collections::BTreeMap<(AskKind, EntityId), Vec<EntityId>> = std::collections::BTreeMap::new();
    let mut list = |kind: AskKind, of: EntityId| {
        let read = || {
            let case = Case { asks: vec![CaseAsk { kind, of: vec![graph.entity_name(of).into()] }], ..Case::default() };
            safety(graph, &case).lists.iter().flat_map(|list| &list.entries).map(|entry| entry.other).collect()
        };
        lists.entry((kind, of)).or_insert_with(read).clone()
    };
    let mut missing = Vec::new();
    for (triple, role, drug, other) in stored() {
        let kind = if role == Role::Interaction { AskKind::Interactions } else { AskKind::Contraindications };
        for (of, entry) in [(drug, other), (other, drug)] {
            if !list(kind, of).contains(&entry) {
                missing.push(format!("{kind:?} of {}: {}", graph.entity_name(of), graph.named(triple).text()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
