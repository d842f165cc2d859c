//! The evidence as a graph with a place for everything.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::graph::Chain;
use catena::report::Drawing;
use catena::run::{EventKind, Mark, Pruning, ScoredChain, Trace};

use crate::support::sample;

fn answered() -> Trace {
    Trace::fold(&sample::answered("a"))
}

/// The run with other kept chains.
fn keeping(chains: impl Iterator<Item = u32>) -> Trace {
    let kept = chains.map(|chain| ScoredChain { chain, score: 0.5, by_fragment: Vec::new() }).collect();
    let mut events = sample::answered_with("a", 400);
    for event in &mut events {
        if let EventKind::ChainsPruned { pruning } = &mut event.what {
            *pruning = Arc::new(Pruning { kept, ..Pruning::default() });
            break;
        }
    }
    Trace::fold(&events)
}

#[test]
fn nodes_and_edges_are_those_of_the_kept_chains() {
    let trace = answered();
    let drawing = Drawing::of_kept(&trace);
    let in_chains: BTreeSet<&str> =
        trace.kept().flat_map(|(_, _, chain)| chain.nodes()).map(|node| trace.table.entities[*node as usize].name.as_str()).collect();
    let anchors: BTreeSet<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
    let drawn: Vec<&str> = drawing.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(drawn.iter().copied().collect::<BTreeSet<_>>(), &in_chains | &anchors);
    assert_eq!(drawn.len(), (&in_chains | &anchors).len(), "each once");
    for node in &drawing.nodes {
        assert_eq!(node.is_anchor, anchors.contains(node.name.as_str()), "{node:?}");
        assert_eq!(
            node.entity.map(|entity| trace.table.entities[entity as usize].name.as_str()),
            in_chains.get(node.name.as_str()).copied()
        );
    }
    // Every triple of every kept chain is an edge, from head to tail, and says that it is that chain's.
    let mut triples = BTreeSet::new();
    for (_, number, chain) in trace.kept() {
        for hop in chain.hops() {
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            let label = &trace.table.relations[usize::from(hop.relation)].display;
            let ends = (Some(head), Some(tail));
            let edge =
                drawing.edges.iter().find(|e| (drawing.nodes[e.from].entity, drawing.nodes[e.to].entity) == ends && e.label == *label);
            assert!(edge.expect("an edge").chains.contains(&number));
            triples.insert((head, hop.relation, tail));
        }
    }
    assert_eq!(drawing.edges.len(), triples.len());
}

#[test]
fn marks_are_those_of_the_other_views() {
    let drawing = Drawing::of_kept(&answered());
    let mark = |name: &str| drawing.nodes.iter().find(|node| node.name == name).expect("drawn").mark;
    assert_eq!(mark("Gastro-oesophageal reflux disease"), Mark::Question);
    assert_eq!(mark("Omeprazole"), Mark::Hypothesis);
    assert_eq!(mark("Gastroscopy"), Mark::Graph);
    assert_eq!(mark("Amoxicillin"), Mark::Contested);
}

#[test]
fn what_only_learned_chains_bring_is_learned() {
    let mut trace = answered();
    let table = Arc::make_mut(&mut trace.table);
    // The form in which recordings mark it.
    let learned = |chain: &Chain| {
        let mut wire = serde_json::to_value(chain).expect("JSON");
        wire["l"] = true.into();
        serde_json::from_value(wire).expect("a chain")
    };
    for number in [5, 9] {
        table.chains[number] = learned(&table.chains[number]);
    }
    // The triples of these two.
    table.learned = vec![(0, 2, 7), (8, 2, 7), (8, 3, 9), (10, 0, 9)];
    let drawing = Drawing::of_kept(&trace);
    let gastroscopy = drawing.nodes.iter().find(|node| node.name == "Gastroscopy").expect("drawn");
    assert_eq!(gastroscopy.mark, Mark::Learned, "chain 5 alone leads there");
    assert!(drawing.edges.iter().filter(|edge| edge.learned).all(|edge| edge.chains.iter().all(|chain| [5, 9].contains(chain))));
    assert_eq!(drawing.edges.iter().filter(|edge| edge.learned).count(), 4);
}

#[test]
fn the_same_evidence_gives_the_same_drawing_and_nothing_overlaps() {
    for trace in [answered(), keeping(0..50), keeping((12..400).step_by(3))] {
        let drawing = Drawing::of_kept(&trace);
        assert_eq!(drawing, Drawing::of_kept(&trace));
        for (at, a) in drawing.nodes.iter().enumerate() {
            assert!((0.0..=1.0).contains(&a.x) && (0.0..=1.0).contains(&a.y), "{a:?}");
            let column = a.x * f64::from(drawing.columns) - 0.5;
            assert!((column - column.round()).abs() < 1e-9, "{a:?} stands between columns");
            for b in &drawing.nodes[..at] {
                assert!((a.x - b.x).abs() > 1e-9 || (a.y - b.y).abs() * drawing.rows > 1.0, "{a:?} and {b:?}");
            }
        }
        let ways: BTreeSet<String> =
            drawing.edges.iter().map(|e| format!("{:?}", (e.from.min(e.to), e.from.max(e.to), &e.bends))).collect();
        assert_eq!(ways.len(), drawing.edges.len(), "two triples are drawn on one line");
    }
}

#[test]
fn a_picture_of_too_many_chains_draws_the_best_and_says_how_many_it_leaves_out() {
    let trace = keeping(0..400);
    let drawing = Drawing::of_kept(&trace);
    assert_eq!(drawing.chains_left_out, 350);
    assert!(drawing.edges.iter().flat_map(|edge| &edge.chains).all(|number| *number < 50));
    assert_eq!(Drawing::of_kept(&Trace::default()), Drawing { rows: 1.0, ..Drawing::default() });
}
