//! What is said of chains and entities when someone asks, and of an answer whose evidence was changed since.

use std::collections::BTreeSet;

use crate::support::engine::{ENGINE, built_in};
use crate::support::runs::{REFLUX, Run, ask, json, rejecting, reopened};
use catena::graph::starter_graph;
use catena::run::{Ask, ChainKey, EventKind, Fate, ScoredChain, Stage, Trace, Triage};

#[test]
fn a_document_belongs_to_its_answer() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let document = |run: &Run| -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(&json(&run.trace)).expect("JSON");
        let schema: serde_json::Value = serde_json::from_str(include_str!("../../assets/trace.schema.json")).expect("JSON");
        let errors: Vec<String> =
            jsonschema::validator_for(&schema).expect("a schema").iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        document
    };
    let first = document(&asked);
    assert_eq!((&first["revisions"], &first["triage"]["rejected"]), (&0.into(), &serde_json::json!([])));
    let (gone, anchor) = (asked.kept()[0].clone(), asked.trace.anchors[0].entity.clone());
    let changes = [
        rejecting([gone.clone()]),
        Triage { k: Some(1), top_k: Some(2), ..Triage::default() },
        Triage { delta: Some(1.0), rejected_anchors: [anchor].into(), ..Triage::default() },
    ];
    for triage in changes {
        let stale = asked.change(engine, &triage);
        let told = document(&stale);
        for key in ["kept", "chains", "chains_found", "truncated", "settings", "anchors", "mentions", "unlinked", "pruning", "answer"] {
            assert_eq!(told[key], first[key], "{key}");
        }
        let warnings = told["warnings"].as_array().expect("warnings");
        assert!(warnings.iter().any(|warning| warning.as_str().expect("a text").contains("The answer is outdated")));
        assert_eq!(told["revisions"], 1);
        let read = document(&stale.revise(engine, &triage, Stage::Read));
        assert_ne!(read["pruning"], first["pruning"]);
        assert!(!read["warnings"].to_string().contains("The answer is outdated"));
        if !triage.rejected.is_empty() {
            assert_eq!(read["triage"]["rejected"][0]["entities"], serde_json::json!(gone.entities));
        }
    }
}

#[test]
fn every_chain_of_a_run_can_be_explained() {
    let engine = &*ENGINE;
    let asked = ask(engine, REFLUX);
    let pinned = asked.not_kept();
    let rejected = asked.kept()[2].clone();
    let through = asked
        .keys()
        .iter()
        .flat_map(|key| &key.entities)
        .find(|e| !asked.kept()[..2].iter().any(|k| k.entities.contains(e)))
        .expect("an entity")
        .clone();
    let triage =
        Triage { pinned: [pinned].into(), rejected: [rejected].into(), rejected_through: [through.clone()].into(), ..Triage::default() };
    let run = asked.change(engine, &triage);
    let trace = &run.trace;
    let graph = starter_graph().expect("sound");
    let least = trace.pruning.kept.last().expect("kept").score;
    let (mut kept, mut by, mut outscored, mut alike) = (0, BTreeSet::new(), 0, 0);
    // All that was scored, and some that were not.
    let scored: BTreeSet<u32> = trace.pruning.kept.iter().chain(&trace.pruning.runners_up).map(|scored| scored.chain).collect();
    for (chain, number) in trace
        .table
        .chains
        .iter()
        .zip(0u32..)
        .filter(|(chain, n)| scored.contains(n) || n % 97 == 0 || triage.rejected.contains(&ChainKey::of(&trace.table, chain)))
    {
        let said = engine.explain(trace, number).expect("a chain");
        let scored = said.scored.expect("the encoder can be asked of any chain");
        assert_eq!((said.chain, scored.chain, scored.by_fragment.len()), (number, number, trace.pruning.fragments.len()));
        assert!(scored.by_fragment.iter().any(|score| *score > 0.0) && (0.0..1.0).contains(&scored.score));
        if let Some(known) = trace.pruning.kept.iter().chain(&trace.pruning.runners_up).find(|scored| scored.chain == number) {
            // A chain that joined because a line rests on it was compared with no fragment.
            let told =
                if known.by_fragment.is_empty() { ScoredChain { by_fragment: Vec::new(), ..scored.clone() } } else { scored.clone() };
            assert_eq!(*known, told, "what was scored is told as it was");
        }
        match said.fate {
            Fate::Kept { id, pinned } => {
                assert_eq!(trace.kept_id(number), Some(id));
                assert_eq!(pinned, triage.pinned.contains(&ChainKey::of(&trace.table, chain)));
                kept += 1;
            }
            Fate::Rejected { by: decision } => {
                assert!(triage.verdict(&trace.table, chain).is_rejected());
                by.insert(decision);
            }
            Fate::Outscored { score, least_kept } => {
                assert!(score < least_kept && least_kept >= least);
                outscored += 1;
            }
            Fate::Alike { kept, score } => {
                assert!((1..=trace.pruning.kept.len() as u32).contains(&kept) && score < 1.0);
                alike += 1;
            }
            Fate::PrefilteredOut { read } => assert!(read > 0 && (read as usize) < trace.table.chains.len()),
            Fate::Undecided => panic!("{number} was decided"),
        }
        assert_eq!((said.triples.len(), said.entities.len()), (chain.len(), chain.len() + 1));
        for (card, node) in said.entities.iter().zip(chain.nodes()) {
            let entity = &trace.table.entities[*node as usize];
            assert_eq!((&card.name, &card.kind, &card.description), (&entity.name, &entity.kind, &entity.description));
            assert_eq!(card.triples as usize, graph.degree(graph.find(&card.name).expect("an entity")));
        }
        let text = trace.table.text(chain);
        assert!(
            said.triples
                .iter()
                .all(|t| t.source.contains("starter") && !t.learned && text.contains(t.text.split(" \u{2192} ").next().expect("a head")))
        );
    }
    assert_eq!(kept, trace.pruning.kept.len());
    assert_eq!(by, ["you rejected this chain".to_owned(), format!("you rejected all chains through {through}")].into());
    assert!(outscored + alike > 10, "{outscored} outscored, {alike} alike");
    assert!(engine.explain(trace, trace.table.chains.len() as u32).is_none());

    // Another engine says the same from the trace alone.
    let (fresh, again) = (built_in(), reopened(&run));
    for number in [trace.pruning.kept[0].chain, trace.pruning.runners_up[0].chain, 0, trace.table.chains.len() as u32 - 1] {
        assert_eq!(fresh.explain(&again.trace, number), engine.explain(trace, number));
    }
    // Before the choice there is none.
    let mut early = Trace::default();
    let until = run.events.iter().position(|event| matches!(event.what, EventKind::ChainsFound { .. })).expect("chains");
    run.events[..=until].iter().for_each(|event| early.apply(event));
    assert_eq!(engine.explain(&early, 0).expect("a chain").fate, Fate::Undecided);
}

#[test]
fn what_a_file_is_called_is_told_and_where_it_lay_is_not() {
    let asked = ask(&ENGINE, REFLUX);
    let said = ENGINE.explain(&asked.trace, 0).expect("a chain");
    assert!(said.triples.iter().all(|triple| !triple.source.contains(['/', '\\'])), "{said:?}");
}

#[test]
fn entities_are_found_as_one_types() {
    let found = ENGINE.complete("reflux", 8);
    assert!(!found.is_empty() && found.len() <= 8);
    assert!(found.iter().all(|card| card.triples > 0 && !card.kind.is_empty()), "{found:?}");
    let alias = ENGINE.complete("gerd", 3);
    assert_eq!(alias[0].name, "Gastro-oesophageal reflux disease");
    assert_eq!(alias[0].matched.as_deref().map(str::to_lowercase).as_deref(), Some("gerd"));
    assert_eq!(ENGINE.complete("Migraine", 5)[0].matched, None);
    assert!(ENGINE.complete("mirgaine", 5).iter().any(|card| card.name == "Migraine"), "a slip of the finger");
    assert!(ENGINE.complete("", 5).is_empty() && ENGINE.complete("migraine", 0).is_empty());
}
