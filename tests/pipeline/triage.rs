//! Runs carried on with what the doctor decided: which stages run again, what is kept, and what the answer says.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::engine::{self, ENGINE, built_in, graph_of};
use crate::support::models::{Script, generation};
use crate::support::runs::{REFLUX, Run, ask, json, pinning, rejecting, reopened};
use catena::graph::{ChainKind, ChainTable};
use catena::method::{Engine, EngineModels};
use catena::model::CancelToken;
use catena::model::{Finish, GeneratorHandle};
use catena::run::{AnchorOrigin, Ask, ChainKey, EventKind, Outcome, Stage, Triage};

#[test]
fn a_rejected_chain_is_not_kept_others_move_up_and_the_answer_stands_until_it_is_read_again() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let cited = asked.trace.answer.citations[0];
    let gone = asked.kept()[cited as usize - 1].clone();
    let rejected = asked.change(engine, &rejecting([gone.clone()]));
    assert_eq!(rejected.began(), [Stage::Prune]);
    let (before, after) = (asked.kept(), rejected.kept());
    assert_eq!(after.len(), 10);
    assert!(!after.contains(&gone));
    assert!(after.iter().any(|key| !before.contains(key)), "another moved up");
    assert_eq!(rejected.trace.answer, asked.trace.answer);
    assert!(rejected.trace.is_stale() && !asked.trace.is_stale());
    assert_eq!(rejected.trace.outcome, Some(Outcome::Answered));
    assert!(
        !rejected
            .trace
            .pruning
            .runners_up
            .iter()
            .any(|s| ChainKey::of(&rejected.trace.table, &rejected.trace.table.chains[s.chain as usize]) == gone)
    );
    rejected.assert_sound();

    let read = rejected.revise(engine, &rejecting([gone.clone()]), Stage::Read);
    assert_eq!(read.began(), [Stage::Read]);
    assert!(!read.trace.is_stale() && read.trace.revisions == 2);
    // The same lines may now rest on other chains; none cites the one that is gone.
    let evidence = read.trace.evidence.as_ref().expect("evidence");
    for id in &read.trace.answer.citations {
        let chain = &evidence.table.chains[evidence.pruning.kept[*id as usize - 1].chain as usize];
        assert_ne!(ChainKey::of(&evidence.table, chain), gone);
    }
    read.assert_sound();

    // Decided and read in one go: what depends on the decision runs first.
    let at_once = asked.revise(engine, &rejecting([gone]), Stage::Read);
    assert_eq!(at_once.began(), [Stage::Prune, Stage::Read]);
    assert_eq!((at_once.kept(), &at_once.trace.answer), (read.kept(), &read.trace.answer));
    at_once.assert_sound();
}

#[test]
fn undoing_gives_exactly_what_was_kept_before() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let kept = asked.kept();
    let anchor = asked.trace.anchors.last().expect("anchors").entity.clone();
    let triages = [
        rejecting(kept[..3].to_vec()),
        pinning([asked.not_kept()]),
        Triage { rejected_kinds: [ChainKind::Path].into(), ..Triage::default() },
        Triage { rejected_through: [kept[0].entities[0].clone()].into(), ..Triage::default() },
        Triage { top_k: Some(3), ..Triage::default() },
        Triage { k: Some(1), ..Triage::default() },
        Triage { delta: Some(0.3), ..Triage::default() },
        Triage { rejected_anchors: [anchor].into(), ..Triage::default() },
        Triage { added_anchors: vec!["Migraine".into()], ..Triage::default() },
        Triage { k: Some(1), ..pinning([asked.not_kept()]) },
    ];
    for triage in triages {
        let changed = asked.change(engine, &triage);
        assert_ne!(changed.trace.pruning, asked.trace.pruning, "{triage:?}");
        changed.assert_sound();
        // Step by step, and from a recording.
        for before in [changed.clone(), reopened(&changed)] {
            let undone = before.change(engine, &Triage::default());
            assert_eq!(undone.trace.pruning, asked.trace.pruning, "{triage:?}");
            assert_eq!(undone.trace.anchors, asked.trace.anchors, "{triage:?}");
            assert_eq!(undone.trace.table, asked.trace.table, "{triage:?}");
            assert_eq!(undone.trace.settings, asked.trace.settings);
            assert!(!undone.trace.is_stale());
            undone.assert_sound();
        }
    }
}

#[test]
fn what_is_remembered_changes_nothing() {
    let asked = ask(&ENGINE, REFLUX);
    let kept = asked.kept();
    let anchor = asked.trace.anchors[0].entity.clone();
    let triages = [
        rejecting(kept[..4].to_vec()),
        Triage { rejected_kinds: [ChainKind::Path, ChainKind::CoAncestor].into(), ..pinning([asked.not_kept()]) },
        Triage { k: Some(2), top_k: Some(5), ..Triage::default() },
        Triage { rejected_anchors: [anchor].into(), added_anchors: vec!["Nausea".into()], ..Triage::default() },
        Triage { delta: Some(0.85), ..Triage::default() },
    ];
    let fresh = built_in();
    for triage in triages {
        for from in [Triage::first_stage_changed(&Triage::default(), &triage).expect("a change"), Stage::Read] {
            let near = asked.revise(&ENGINE, &triage, from);
            let far = reopened(&asked).revise(&fresh, &triage, from);
            assert_eq!(near.began(), far.began());
            let parts = |run: &Run| {
                let trace = &run.trace;
                (
                    trace.pruning.clone(),
                    trace.table.clone(),
                    trace.anchors.clone(),
                    trace.mentions.clone(),
                    trace.answer.clone(),
                    trace.warnings.clone(),
                )
            };
            assert_eq!(parts(&near), parts(&far), "{triage:?}");
        }
    }
}

#[test]
fn a_pinned_chain_is_kept_whatever_else_changes() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let longest = asked.keys().into_iter().rev().find(|key| key.relations.len() == 3 && !asked.kept().contains(key)).expect("a long chain");
    let pinned = asked.change(engine, &pinning([longest.clone()]));
    assert_eq!(pinned.began(), [Stage::Prune]);
    assert_eq!(pinned.kept().len(), 10);
    assert!(pinned.kept().contains(&longest));
    pinned.assert_sound();
    let others: Vec<ChainKey> = pinned.kept().into_iter().filter(|key| *key != longest).collect();
    let ends = [longest.entities[0].clone(), longest.entities[3].clone()];
    let changes = [
        Triage { rejected: others.into_iter().collect(), ..pinning([longest.clone()]) },
        Triage { rejected: [longest.clone()].into(), ..pinning([longest.clone()]) },
        Triage { rejected_through: longest.entities.iter().cloned().collect(), ..pinning([longest.clone()]) },
        Triage { top_k: Some(1), ..pinning([longest.clone()]) },
        Triage { k: Some(1), ..pinning([longest.clone()]) },
        Triage { delta: Some(1.0), ..pinning([longest.clone()]) },
        Triage { rejected_anchors: ends.into(), ..pinning([longest.clone()]) },
        Triage { added_anchors: vec!["Migraine".into(), "Nausea".into()], ..pinning([longest.clone()]) },
    ];
    for triage in changes {
        let changed = pinned.change(engine, &triage);
        assert!(changed.kept().contains(&longest), "{triage:?}");
        assert_eq!(changed.keys().iter().filter(|key| **key == longest).count(), 1, "{triage:?}");
        assert_eq!(changed.trace.chains_found, changed.trace.table.chains.len() as u64);
        changed.assert_sound();
        // Once it is not pinned any more, it is judged as if it had never been.
        let (mut unpinned, mut never) = (triage.clone(), triage.clone());
        (unpinned.pinned, never.pinned) = Default::default();
        let unpinned = changed.change(engine, &unpinned);
        let never = if never == Triage::default() { asked.clone() } else { asked.change(engine, &never) };
        assert_eq!(unpinned.kept(), never.kept(), "{triage:?}");
    }

    // More than there are places: all of them, and it is said.
    let many: Vec<ChainKey> = asked.keys().into_iter().take(15).collect();
    let pinned = asked.change(engine, &pinning(many.clone()));
    assert_eq!(pinned.kept().into_iter().collect::<BTreeSet<_>>(), many.iter().cloned().collect());
    assert!(pinned.warned("15 chains are pinned"));
    pinned.assert_sound();
    let fewer = pinned.change(engine, &pinning(many[..5].to_vec()));
    assert!(!fewer.warned("are pinned"), "what is no longer so is no longer said: {:?}", fewer.trace.warnings);
    // What the graph does not state cannot be kept.
    let invented = ChainKey { entities: vec!["Migraine".into(), "Zorb".into()], relations: vec![("treats".into(), true)] };
    let pinned = asked.change(engine, &pinning([invented]));
    assert!(pinned.warned("does not state"));
    assert_eq!(pinned.kept(), asked.kept());
}

#[test]
fn rules_reject_all_of_a_kind_or_through_an_entity_and_single_chains_are_restored() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    // What is restored may be kept again; whether it is depends on what else is left.
    let mut kept_again = 0;
    for chain in asked.kept().into_iter().take(4) {
        let entity = chain.entities[0].clone();
        let mut triage = Triage { rejected_through: [entity.clone()].into(), ..Triage::default() };
        let rejected = asked.change(engine, &triage);
        assert!(rejected.kept().iter().all(|key| !key.entities.contains(&entity)));
        triage.restored.insert(chain.clone());
        let restored = rejected.change(engine, &triage);
        let through: Vec<ChainKey> = restored.kept().into_iter().filter(|key| key.entities.contains(&entity)).collect();
        assert!(through.iter().all(|key| *key == chain), "{through:?}");
        kept_again += through.len();
        restored.assert_sound();
    }
    assert!(kept_again > 0, "nothing that was restored is kept again");
    for kind in [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence] {
        let rejected = asked.change(engine, &Triage { rejected_kinds: [kind].into(), ..Triage::default() });
        assert!(rejected.trace.kept().all(|(_, _, chain)| chain.kind() != kind) && !rejected.kept().is_empty());
    }
}

#[test]
fn where_everything_is_rejected_the_answer_says_so_and_invents_nothing() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let all = Triage { rejected_kinds: ChainKind::ALL.into(), ..Triage::default() };
    let rejected = asked.change(engine, &all);
    assert!(rejected.kept().is_empty() && rejected.trace.is_stale());
    let read = rejected.revise(engine, &all, Stage::Read);
    assert_eq!(read.trace.outcome, Some(Outcome::NothingFound));
    let answer = &read.trace.answer;
    assert!(
        answer.text.contains("rejected") && !answer.grounded && answer.entities.is_empty() && answer.citations.is_empty(),
        "{}",
        answer.text
    );
    assert!(!read.trace.is_stale());
    read.assert_sound();
    // The same without anchors.
    let none = Triage { rejected_anchors: asked.trace.anchors.iter().map(|anchor| anchor.entity.clone()).collect(), ..Triage::default() };
    let read = asked.revise(engine, &none, Stage::Read);
    let answer = &read.trace.answer;
    assert!(read.kept().is_empty() && answer.text.contains("rejected"), "{:?}: {}", read.kept(), answer.text);
    assert!(!answer.grounded && answer.entities.is_empty() && answer.citations.is_empty(), "{answer:?}");
    assert_eq!(read.trace.outcome, Some(Outcome::NothingFound));
    assert_eq!(read.trace.anchors, asked.trace.anchors, "rejected anchors can still be seen, to be restored");
    let document: serde_json::Value = serde_json::from_str(&json(&read.trace)).expect("JSON");
    assert_eq!(document["anchors"], serde_json::json!([]));
}

#[test]
fn anchors_can_be_rejected_and_added() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let gone = asked.trace.anchors[0].entity.clone();
    let rejected = asked.change(engine, &Triage { rejected_anchors: [gone.clone()].into(), ..Triage::default() });
    assert_eq!(rejected.began(), [Stage::Search, Stage::Prune]);
    let at_end = |table: &ChainTable, name: &str| {
        table
            .chains
            .iter()
            .filter(|chain| [chain.nodes()[0], chain.nodes()[chain.len()]].iter().any(|n| table.entities[*n as usize].name == name))
            .count()
    };
    assert!(at_end(&asked.trace.table, &gone) > 0 && at_end(&rejected.trace.table, &gone) == 0);
    rejected.assert_sound();

    let added = asked.change(engine, &Triage { added_anchors: vec!["Migraine".into()], ..Triage::default() });
    assert_eq!(added.began(), [Stage::Search, Stage::Prune]);
    assert!(at_end(&asked.trace.table, "Migraine") == 0 && at_end(&added.trace.table, "Migraine") > 0);
    let anchor = added.trace.anchors.iter().find(|anchor| anchor.entity == "Migraine").expect("an anchor");
    assert_eq!((anchor.score, anchor.origin, anchor.mention.as_str()), (1.0, AnchorOrigin::Question, "Migraine"));
    assert_eq!(added.trace.anchors.len(), asked.trace.anchors.len() + 1);
    added.assert_sound();

    // One that the hypothesis brought, added: it counts as the question's too; undone, it is what it was.
    let proposed = asked.trace.anchors.iter().find(|anchor| anchor.origin == AnchorOrigin::Hypothesis).expect("a proposal").clone();
    let added = asked.change(engine, &Triage { added_anchors: vec![proposed.entity.clone()], ..Triage::default() });
    let known = added.trace.anchors.iter().find(|anchor| anchor.entity == proposed.entity).expect("an anchor");
    assert_eq!(known.origin, AnchorOrigin::Both);
    let undone = reopened(&added).change(engine, &Triage::default());
    assert_eq!(undone.trace.anchors, asked.trace.anchors);

    let unknown = asked.change(engine, &Triage { added_anchors: vec!["Zorb\u{1b}[2J".into()], ..Triage::default() });
    assert!(unknown.warned("no entity named") && unknown.kept() == asked.kept());
    assert!(unknown.trace.warnings.iter().all(|warning| !warning.contains('\u{1b}')));
    let both = Triage { added_anchors: vec!["Migraine".into()], rejected_anchors: ["Migraine".to_owned()].into(), ..Triage::default() };
    assert_eq!(asked.change(engine, &both).kept(), asked.kept(), "what is rejected stays rejected");
    let many = Triage { added_anchors: asked.trace.table.entities.iter().map(|e| e.name.clone()).take(30).collect(), ..Triage::default() };
    assert!(asked.change(engine, &many).warned("At most 16 anchors"));
}

#[test]
fn settings_change_what_depends_on_them() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let shorter = asked.change(engine, &Triage { k: Some(2), ..Triage::default() });
    assert_eq!(shorter.began(), [Stage::Search, Stage::Prune]);
    assert!(shorter.trace.table.chains.iter().all(|chain| chain.len() <= 2) && shorter.kept().len() == 10);
    assert_eq!(shorter.trace.settings.as_ref().expect("settings").k, 2);
    shorter.assert_sound();
    let fewer = shorter.change(engine, &Triage { k: Some(2), top_k: Some(4), ..Triage::default() });
    assert_eq!(fewer.began(), [Stage::Prune]);
    assert_eq!((fewer.kept().len(), &fewer.kept()[0]), (4, &shorter.kept()[0]));
    fewer.assert_sound();
    // The best are kept, but for those that gave their places to what the answer rests on.
    let read = fewer.revise(engine, &fewer.trace.triage, Stage::Read);
    for (id, key) in (1u32..).zip(read.kept()) {
        assert!(shorter.kept()[..4].contains(&key) || read.trace.answer.citations.contains(&id), "{id}: {key:?}");
    }
    let stricter = asked.change(engine, &Triage { delta: Some(1.0), ..Triage::default() });
    assert_eq!(stricter.began(), [Stage::Link, Stage::Search, Stage::Prune]);
    assert_eq!(stricter.trace.settings.as_ref().expect("settings").delta, 1.0);
    assert_eq!(stricter.trace.hypothesis, asked.trace.hypothesis, "the hypothesis stands");
    let looser = asked.change(engine, &Triage { delta: Some(0.3), ..Triage::default() });
    let scores = |run: &Run| run.trace.anchors.iter().map(|anchor| anchor.score).fold(1.0, f64::min);
    assert!(scores(&stricter) > 0.96, "only names are linked");
    assert!(looser.trace.anchors.len() >= stricter.trace.anchors.len());
    for run in [&stricter, &looser] {
        run.assert_sound();
        for mention in &run.trace.mentions {
            let text = if mention.origin == catena::run::MentionOrigin::Question { &run.trace.question } else { &run.trace.hypothesis };
            assert_eq!(text.get(mention.start..mention.end), Some(mention.text.as_str()));
        }
        let distinct: BTreeSet<_> = run.trace.mentions.iter().map(|m| (m.start, m.end, m.origin)).collect();
        assert_eq!(distinct.len(), run.trace.mentions.len(), "each mention once");
    }
}

#[test]
fn a_run_of_another_graph_is_searched_anew() {
    let asked = ask(&ENGINE, REFLUX);
    let line = format!("Antacid\ttreats\t{}\n", asked.trace.anchors[0].entity);
    let engine = engine::open_graph(graph_of(&line));
    let revised = reopened(&asked).change(&engine, &rejecting([asked.kept()[0].clone()]));
    assert_eq!(revised.began(), [Stage::Search, Stage::Prune]);
    assert!(revised.warned("The graph in use") && revised.warned("no entity named"), "{:?}", revised.trace.warnings);
    let names: BTreeSet<&str> = revised.trace.table.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert!(names.iter().all(|name| *name == "Antacid" || *name == asked.trace.anchors[0].entity), "{names:?}");
}

#[test]
fn a_revision_that_is_stopped_can_be_carried_on() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let triage = Arc::new(Triage { delta: Some(0.95), ..Triage::default() });
    let whole = asked.change(engine, &triage);
    for stage in [Stage::Link, Stage::Search, Stage::Prune] {
        let mut run = asked.clone();
        let cancel = CancelToken::new();
        let outcome = engine.carry_on(&asked.trace, &triage, Stage::Link, &cancel, &mut |event| {
            if matches!(event.what, EventKind::StageStarted { stage: begun } if begun == stage) {
                cancel.cancel();
            }
            run.take(event)
        });
        assert_eq!(outcome, Outcome::Cancelled, "{stage:?}");
        assert_eq!(run.trace.outcome, Some(Outcome::Cancelled));
        assert_eq!(run.trace.answer, asked.trace.answer, "the answer stands");
        // A change that alone would only concern the choice makes up for what is missing.
        let top = Triage { top_k: Some(4), ..(*triage).clone() };
        let four = whole.change(engine, &top).kept();
        assert_eq!(four.len(), 4);
        for before in [run.clone(), reopened(&run)] {
            let on = before.change(engine, &top);
            assert_eq!(on.began()[0], stage, "{stage:?}");
            assert_eq!((on.kept(), &on.trace.anchors), (four.clone(), &whole.trace.anchors), "{stage:?}");
        }
    }
}

#[tokio::test]
async fn in_the_background_it_says_the_same_and_can_be_stopped() {
    let asked = ask(&ENGINE, REFLUX);
    let triage = Arc::new(rejecting([asked.kept()[0].clone()]));
    let (sender, mut receiver) = tokio::sync::mpsc::channel(64);
    let handle = ENGINE.revise(Arc::new(asked.trace.clone()), Arc::clone(&triage), Stage::Prune, sender).expect("can be carried on");
    assert_eq!(*handle.id, *asked.trace.id);
    let mut run = asked.clone();
    while let Some(event) = receiver.recv().await {
        run.take(event);
    }
    assert_eq!(run.kept(), asked.change(&ENGINE, &triage).kept());
    run.assert_sound();

    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let handle = ENGINE.revise(Arc::new(asked.trace.clone()), triage, Stage::Link, sender).expect("can be carried on");
    handle.cancel.cancel();
    let mut last = None;
    while let Some(event) = receiver.recv().await {
        last = Some(event.what);
    }
    assert!(matches!(last, Some(EventKind::RunFinished { outcome: Outcome::Cancelled, .. })), "{last:?}");
}

#[test]
fn a_language_model_reads_again_from_the_triaged_evidence_and_writes_no_other_hypothesis() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let load = move || {
        let calls = Arc::clone(&counted);
        Ok(Script::boxed(move |prompt, _, emit| {
            let text = match calls.fetch_add(1, Ordering::Relaxed) {
                0 => "Reflux disease is likely. An antacid may help. Calcium carbonate is usual.".to_owned(),
                _ => {
                    let user = prompt.user(u32::MAX);
                    let line = user.lines().find(|line| line.starts_with("[1] ")).expect("evidence");
                    // What the first triple says, as a sentence.
                    let mut parts = line[4..].splitn(4, ['\u{2190}', '\u{2192}']).map(str::trim);
                    let mut next = || parts.next().expect("a triple");
                    let (first, relation, second) = (next(), next(), next().split(" (").next().expect("a name"));
                    let (head, tail) = if line[4..].trim_start_matches(first).trim_start().starts_with('\u{2192}') {
                        (first, second)
                    } else {
                        (second, first)
                    };
                    format!("{head} {relation} {tail} [1].")
                }
            };
            for piece in text.split_inclusive(' ') {
                if !emit(piece) {
                    return Ok(generation(Finish::Cancelled));
                }
            }
            Ok(generation(Finish::Stop))
        }))
    };
    let encoder = Engine::start_encoder().unwrap();
    let generator = GeneratorHandle::start("script", load).unwrap();
    let engine = engine::open(engine::starter(), EngineModels { generator: Some(generator), ..EngineModels::from(encoder) });
    let asked = ask(&engine, REFLUX);
    assert!(asked.trace.model_hypothesis.is_some() && asked.trace.prompts.len() == 2);
    let first = asked.kept()[0].clone();
    assert!(asked.trace.answer.text.contains(&first.entities[0]), "{first:?} {}", asked.trace.answer.text);
    // Without a change the same anchors are linked again, sentence by sentence.
    let linked = asked.revise(&engine, &Triage::default(), Stage::Link);
    assert_eq!((&linked.trace.anchors, &linked.trace.mentions), (&asked.trace.anchors, &asked.trace.mentions));
    assert_eq!(linked.trace.pruning, asked.trace.pruning);

    let through = Triage { rejected_through: [first.entities[0].clone()].into(), ..Triage::default() };
    let rejected = asked.change(&engine, &through);
    assert_eq!(calls.load(Ordering::Relaxed), 2, "a change of chains asks no model");
    let read = rejected.revise(&engine, &through, Stage::Read);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert!(read.trace.answer.lines.last().is_some_and(|line| line.part.is_of_model()), "{}", read.trace.answer.text);
    let prompt = &read.trace.prompts.last().expect("a prompt").user;
    // Behind a chain stand descriptions, which may name anything.
    let chains = prompt.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split(" (").next());
    let through_it: Vec<&str> = chains.filter(|chain| chain.contains(&first.entities[0])).collect();
    assert!(through_it.is_empty(), "{}: {through_it:?}", first.entities[0]);
    read.assert_sound();
    // With nothing left nobody is asked.
    let none = Triage { rejected_kinds: ChainKind::ALL.into(), ..Triage::default() };
    let read = asked.revise(&engine, &none, Stage::Read);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert!(!read.trace.answer.by_model && read.trace.answer.text.contains("rejected"));

    // Stopped while the model is asked, it keeps the answer that it has without; and it can be read again.
    let cancel = CancelToken::new();
    let mut stopped = rejected.clone();
    let outcome = engine.carry_on(&rejected.trace, &Arc::new(through.clone()), Stage::Read, &cancel, &mut |event| {
        if matches!(event.what, EventKind::PromptSent { .. }) {
            cancel.cancel();
        }
        stopped.take(event)
    });
    assert_eq!((outcome, stopped.trace.answer.refining, stopped.trace.evidence.is_some()), (Outcome::Cancelled, true, true));
    let read = stopped.revise(&engine, &through, Stage::Read);
    assert!(!read.trace.answer.refining && read.trace.answer.lines.last().is_some_and(|line| line.part.is_of_model()));
    read.assert_sound();
}
