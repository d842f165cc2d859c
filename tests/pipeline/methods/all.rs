//! What holds of every method, on the starter graph.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::graph::{GraphBuilder, RoleRules};
use catena::model::CancelToken;
use catena::run::MethodName;
use catena::run::{AskOptions, EventKind, Outcome, Stage, StageState, Trace, Triage};
use serde_json::Value;

use super::{ask_by, kept};
use crate::support::engine::{ENGINE, open_graph};
use crate::support::runs::{REFLUX, json, rejecting, reopened};

const QUESTIONS: [&str; 3] = [REFLUX, "我吃完饭后烧心，应该吃什么药？", "fever and cough with chest pain: what could it be?"];

fn names() -> Vec<String> {
    MethodName::all().iter().map(MethodName::to_string).collect()
}

/// Whether a method says nothing without a language model.
fn needs_model(name: &str) -> bool {
    matches!(name, "base" | "cot")
}

#[test]
fn every_method_gives_traces_of_the_published_form_and_the_same_each_time() {
    let schema: Value = serde_json::from_str(include_str!("../../../assets/trace.schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let timeless = |trace: &Trace| {
        let mut value: Value = serde_json::from_str(&json(trace)).expect("JSON");
        let object = value.as_object_mut().expect("an object");
        object.remove("id");
        object.remove("timings_ms");
        value
    };
    for name in names() {
        for (number, question) in QUESTIONS.iter().chain(&["who won the cup?", ""]).enumerate() {
            let run = ask_by(&ENGINE, &name, question);
            let value: Value = serde_json::from_str(&json(&run.trace)).expect("JSON");
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{name}: {errors:#?}");
            assert_eq!(value["method"], name.as_str());
            // One question shows whether a method is the same each time; a second run of all would take most of the time of this suite.
            if number == 0 {
                assert_eq!(timeless(&run.trace), timeless(&ask_by(&ENGINE, &name, question).trace), "{name}: {question}");
            }
        }
    }
}

#[test]
fn every_method_tells_the_same_events_in_the_same_order() {
    for name in names() {
        let run = ask_by(&ENGINE, &name, REFLUX);
        run.assert_sound();
        assert!(Stage::ALL.iter().all(|stage| matches!(run.trace.stage(*stage), StageState::Done { .. })), "{name}");
        let place = |of: &dyn Fn(&EventKind) -> bool| run.events.iter().position(|event| of(&event.what)).expect("such an event");
        let order = [
            place(&|e| matches!(e, EventKind::RunStarted { .. })),
            place(&|e| matches!(e, EventKind::StageStarted { stage: Stage::Search })),
            place(&|e| matches!(e, EventKind::ChainsFound { .. })),
            place(&|e| matches!(e, EventKind::ChainsPruned { .. })),
            place(&|e| matches!(e, EventKind::AnswerFinished { .. })),
            place(&|e| matches!(e, EventKind::RunFinished { .. })),
        ];
        assert!(order.is_sorted(), "{name}: {order:?}");
        let answer = &run.trace.answer;
        if needs_model(&name) {
            assert!(!answer.grounded && answer.entities.is_empty() && answer.text.contains("No language model"), "{}", answer.text);
            assert_eq!(run.trace.outcome, Some(Outcome::NothingFound));
        } else {
            assert!(answer.grounded && !answer.entities.is_empty() && !answer.citations.is_empty(), "{name}: {}", answer.text);
            assert!(run.trace.pruning.kept.len() <= 10, "{name}");
            // What joined because the answer rests on it may have been compared with nothing.
            for (id, scored) in (1u32..).zip(&run.trace.pruning.kept) {
                let joined = scored.by_fragment.is_empty() && answer.citations.contains(&id);
                assert!(joined || scored.by_fragment.len() == run.trace.pruning.fragments.len(), "{name}: [{id}] {scored:?}");
            }
        }
    }
}

#[test]
fn every_method_stops_when_asked_to() {
    for name in names() {
        for stage in [Stage::Recognise, Stage::Search, Stage::Prune] {
            let cancel = CancelToken::new();
            let mut trace = Trace::default();
            let options = AskOptions { method: Some(super::method(&name)), ..AskOptions::default() };
            let outcome = ENGINE.run(REFLUX, options, &cancel, &mut |event| {
                if matches!(event.what, EventKind::StageStarted { stage: begun } if begun == stage) {
                    cancel.cancel();
                }
                trace.apply(&event);
                true
            });
            assert_eq!((outcome, trace.answer.text.as_str()), (Outcome::Cancelled, ""), "{name} in {stage:?}");
        }
    }
}

#[test]
fn every_method_carries_its_runs_on_by_its_own_rules() {
    let _alone = crate::stop::ALONE.blocking_lock();
    for name in names().into_iter().filter(|name| !needs_model(name)) {
        let run = ask_by(&ENGINE, &name, REFLUX);
        let first = run.kept()[0].clone();
        let rejected = run.change(&ENGINE, &rejecting([first.clone()]));
        assert!(!rejected.kept().contains(&first) && rejected.kept().len() == run.kept().len(), "{name}");
        assert_eq!(rejected.trace.method, name);
        assert_eq!(rejected.keys(), run.keys(), "{name}: its own table");
        let from_disk = reopened(&run).change(&ENGINE, &rejecting([first.clone()]));
        assert_eq!(from_disk.kept(), rejected.kept(), "{name}: from the recording alone");
        let undone = rejected.change(&ENGINE, &Triage::default());
        assert_eq!((undone.kept(), &undone.trace.pruning.scored), (run.kept(), &run.trace.pruning.scored), "{name}");
        let again = undone.revise(&ENGINE, &Triage::default(), Stage::Read);
        assert_eq!(again.trace.answer, run.trace.answer, "{name}");
        again.assert_sound();

        let other = run.not_kept();
        let pinned = run.change(&ENGINE, &crate::support::runs::pinning([other.clone()]));
        assert!(pinned.kept().contains(&other), "{name}");
        let added = Triage { added_anchors: vec!["Migraine".into()], ..Triage::default() };
        let added = run.change(&ENGINE, &added).revise(&ENGINE, &added, Stage::Read);
        assert!(added.trace.anchors.iter().any(|anchor| anchor.entity == "Migraine"), "{name}");
        // What has nothing to do with the question is too far from it for these two.
        let by_distance = ["embed", "wts", "wts-esr"].contains(&name.as_str());
        assert!(by_distance || added.keys().iter().any(|key| key.entities.contains(&"Migraine".to_owned())), "{name}: searched anew");
        added.assert_sound();
    }
}

#[test]
fn the_base_has_nothing_to_carry_on() {
    let run = ask_by(&ENGINE, "base", REFLUX);
    let added = Triage { added_anchors: vec!["Migraine".into()], ..Triage::default() };
    let revised = run.revise(&ENGINE, &added, Stage::Read);
    assert!(revised.trace.table.chains.is_empty() && !revised.trace.answer.grounded);
    assert!(revised.warned("uses no graph"), "{:?}", revised.trace.warnings);
}

#[test]
fn a_recording_of_an_unknown_method_is_not_carried_on_in_silence() {
    let mut run = ask_by(&ENGINE, "catena", REFLUX);
    run.trace.method = "oracle".into();
    let triage = rejecting([run.kept()[0].clone()]);
    let mut trace = run.trace.clone();
    ENGINE.carry_on(&run.trace, &Arc::new(triage), Stage::Prune, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert!(trace.warnings.iter().any(|warning| warning.contains("oracle")), "{:?}", trace.warnings);
}

#[test]
fn every_chain_can_be_explained() {
    use catena::run::{Ask, Fate};
    for name in names().into_iter().filter(|name| name != "base") {
        let run = ask_by(&ENGINE, &name, REFLUX);
        let chains = run.trace.table.chains.len() as u32;
        let kept: BTreeSet<u32> = run.trace.pruning.kept.iter().map(|scored| scored.chain).collect();
        for chain in kept.iter().copied().take(2).chain((0..chains).step_by(chains as usize / 5 + 1)) {
            let fate = ENGINE.explain(&run.trace, chain).expect("a chain").fate;
            assert_eq!(matches!(fate, Fate::Kept { .. }), kept.contains(&chain), "{name}: {fate:?}");
            assert!(!matches!(fate, Fate::Undecided), "{name}");
        }
    }
}

#[test]
fn a_hub_is_bounded_and_the_trace_says_so() {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("hub");
    let hub = builder.entity("Zorbitis");
    let symptom = builder.relation(rules.guess("has_symptom")).expect("room");
    let test = builder.relation(rules.guess("need_medical_test")).expect("room");
    for at in 0..25_000 {
        let far = builder.entity(&format!("blorb {at}"));
        builder.triple(hub, if at % 2 == 0 { symptom } else { test }, far);
    }
    for at in 0..50_000 {
        let (a, b) = (builder.entity(&format!("quux {at}")), builder.entity(&format!("quux {}", at + 1)));
        builder.triple(a, symptom, b);
    }
    let engine = open_graph(builder.finish());
    for name in ["rok", "wts", "kgrag", "embed"] {
        let run = ask_by(&engine, name, "What tests does zorbitis need?");
        assert_eq!(run.trace.outcome, Some(Outcome::Answered), "{name}");
        let why = run.trace.truncated.as_deref().unwrap_or_else(|| panic!("{name} looked at everything"));
        assert!(why.contains("20000") || why.contains("75000"), "{name}: {why}");
        assert!(run.trace.table.chains.len() < 21_000, "{name}");
        assert!(run.warned("The search is incomplete"), "{name}");
        assert_eq!(kept(&run.trace).len(), 10, "{name}");
    }
}
