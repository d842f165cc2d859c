//! Runs carried on with what the doctor decided: which stages run again, what is kept, and what the answer says.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use catena::graph::{ChainKind, ChainTable, starter_graph};
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::{Finish, GeneratorHandle};
use catena::pipeline::{
    AnchorOrigin, Ask, AskOptions, CancelToken, ChainKey, Event, EventKind, Fate, Outcome, Stage, StageState, Trace, TraceDocument, Triage,
    read_recording, write_event,
};
use support::models::{Script, generation};

const REFLUX: &str = "I feel stomach reflux after eating. What medicine should I take?";

fn open(models: impl Into<EngineModels>) -> Arc<Engine> {
    Arc::new(Engine::open(starter_graph().expect("sound"), models, &EngineOptions::default(), Vec::new()).expect("opens"))
}

fn built_in() -> Arc<Engine> {
    open(Engine::start_encoder().expect("a thread"))
}

/// An engine that answered the question of most tests.
static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(built_in);

/// A run with all of its events so far.
#[derive(Clone)]
struct Run {
    trace: Trace,
    events: Vec<Event>,
    /// Where the events of the latest revision begin.
    latest: usize,
}

fn ask(engine: &Engine, question: &str) -> Run {
    let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
    let options = AskOptions::default();
    engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
    run
}

impl Run {
    fn take(&mut self, event: Event) -> bool {
        self.trace.apply(&event);
        self.events.push(event);
        true
    }

    fn revise(&self, engine: &Engine, triage: &Triage, from: Stage) -> Self {
        let (mut run, before) = (self.clone(), self.trace.clone());
        run.latest = run.events.len();
        let outcome = engine.carry_on(&before, &Arc::new(triage.clone()), from, &CancelToken::new(), &mut |event| run.take(event));
        assert_eq!(run.trace.outcome, Some(outcome));
        assert_eq!(*run.trace.triage, *triage);
        run
    }

    /// With the first stage that the change asks for.
    fn change(&self, engine: &Engine, triage: &Triage) -> Self {
        let from = Triage::first_stage_changed(&self.trace.triage, triage).expect("a change");
        self.revise(engine, triage, from)
    }

    /// Stages that began in the latest revision.
    fn began(&self) -> Vec<Stage> {
        let stage = |event: &Event| if let EventKind::StageStarted { stage } = event.what { Some(stage) } else { None };
        self.events[self.latest..].iter().filter_map(stage).collect()
    }

    fn kept(&self) -> Vec<ChainKey> {
        self.trace.kept().map(|(_, _, chain)| ChainKey::of(&self.trace.table, chain)).collect()
    }

    fn keys(&self) -> Vec<ChainKey> {
        self.trace.table.chains.iter().map(|chain| ChainKey::of(&self.trace.table, chain)).collect()
    }

    /// A chain that was found and is not kept, the best by its score.
    fn not_kept(&self) -> ChainKey {
        let scored = self.trace.pruning.runners_up.first().expect("runners-up");
        ChainKey::of(&self.trace.table, &self.trace.table.chains[scored.chain as usize])
    }

    fn warned(&self, of: &str) -> bool {
        self.trace.warnings.iter().any(|warning| warning.contains(of))
    }

    fn assert_sound(&self) {
        let (trace, answer) = (&self.trace, &self.trace.answer);
        let evidence = trace.evidence.as_ref().expect("an answer was read");
        assert!(answer.citations.iter().all(|id| (1..=evidence.pruning.kept.len() as u32).contains(id)), "{:?}", answer.citations);
        assert!(trace.pruning.kept.windows(2).all(|pair| pair[0].score >= pair[1].score), "best first");
        let distinct: BTreeSet<u32> = trace.pruning.kept.iter().chain(&trace.pruning.runners_up).map(|scored| scored.chain).collect();
        assert_eq!(distinct.len(), trace.pruning.kept.len() + trace.pruning.runners_up.len());
        assert!(self.events.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms), "time runs forward");
        assert!(matches!(self.events.last().unwrap().what, EventKind::RunFinished { .. }));
        assert!(self.events.iter().all(|event| *event.run == *trace.id));
        for stage in [Stage::Link, Stage::Search, Stage::Prune, Stage::Read] {
            assert!(matches!(trace.stage(stage), StageState::Done { .. }), "{stage:?}");
        }
        // What is recorded folds into the same trace, and what another engine makes of the trace alone is the same.
        let mut recording = Vec::new();
        self.events.iter().for_each(|event| write_event(&mut recording, event).expect("writes"));
        let read = Trace::fold(&read_recording(&recording[..]).expect("a recording"));
        assert_eq!(read.pruning, trace.pruning);
        assert_eq!(
            (&read.answer, &read.anchors, &read.settings, &read.warnings),
            (answer, &trace.anchors, &trace.settings, &trace.warnings)
        );
        assert_eq!((read.revisions, read.is_stale(), &read.triage), (trace.revisions, trace.is_stale(), &trace.triage));
        assert_eq!(json(&read), json(trace));
    }
}

fn json(trace: &Trace) -> String {
    serde_json::to_string(&TraceDocument::of(trace, 10_000)).expect("JSON")
}

/// The trace as it is read from disk: nothing is shared with what an engine remembers.
fn reopened(run: &Run) -> Run {
    let mut recording = Vec::new();
    run.events.iter().for_each(|event| write_event(&mut recording, event).expect("writes"));
    let events = read_recording(&recording[..]).expect("a recording");
    Run { trace: Trace::fold(&events), latest: events.len(), events }
}

fn rejecting(keys: impl IntoIterator<Item = ChainKey>) -> Triage {
    Triage { rejected: keys.into_iter().collect(), ..Triage::default() }
}

fn pinning(keys: impl IntoIterator<Item = ChainKey>) -> Triage {
    Triage { pinned: keys.into_iter().collect(), ..Triage::default() }
}

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
    assert_ne!(read.trace.answer.text, asked.trace.answer.text);
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
        Triage { delta: Some(0.99), ..Triage::default() },
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
    assert!(pinned.warned("does not state") && pinned.kept() == asked.kept());
}

#[test]
fn rules_reject_all_of_a_kind_or_through_an_entity_and_single_chains_are_restored() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let best = asked.kept()[0].clone();
    let entity = best.entities[0].clone();
    let mut triage = Triage { rejected_through: [entity.clone()].into(), ..Triage::default() };
    let rejected = asked.change(engine, &triage);
    assert!(rejected.kept().iter().all(|key| !key.entities.contains(&entity)));
    triage.restored.insert(best.clone());
    let restored = rejected.change(engine, &triage);
    let through: Vec<ChainKey> = restored.kept().into_iter().filter(|key| key.entities.contains(&entity)).collect();
    assert_eq!(through, [best]);
    restored.assert_sound();
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
    assert!(read.trace.table.chains.is_empty() && read.trace.answer.text.contains("rejected"), "{}", read.trace.answer.text);
    assert_eq!(read.trace.anchors, asked.trace.anchors, "rejected anchors can still be seen, to be restored");
    let document: serde_json::Value = serde_json::from_str(&json(&read.trace)).expect("JSON");
    assert_eq!(document["anchors"], serde_json::json!([]));
}

#[test]
fn anchors_can_be_rejected_and_added() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let gone = asked.kept()[0].entities[0].clone();
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
    assert!(unknown.warned("no entity of this name") && unknown.kept() == asked.kept());
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
    assert_eq!(fewer.kept(), shorter.kept()[..4]);
    fewer.assert_sound();
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
            let text =
                if mention.origin == catena::pipeline::MentionOrigin::Question { &run.trace.question } else { &run.trace.hypothesis };
            assert_eq!(text.get(mention.start..mention.end), Some(mention.text.as_str()));
        }
        let distinct: BTreeSet<_> = run.trace.mentions.iter().map(|m| (m.start, m.end, m.origin)).collect();
        assert_eq!(distinct.len(), run.trace.mentions.len(), "each mention once");
    }
}

#[test]
fn a_run_of_another_graph_is_searched_anew() {
    let asked = ask(&ENGINE, REFLUX);
    let mut smaller = catena::graph::GraphBuilder::new("other");
    let rules = catena::graph::RoleRules::built_in().expect("rules");
    let treats = smaller.relation(rules.guess("treats")).expect("room");
    let names = ["Antacid", asked.trace.anchors[0].entity.as_str()].map(|name| smaller.entity(name));
    smaller.triple(names[0], treats, names[1]);
    let engine = Engine::open(smaller.finish(), Engine::start_encoder().unwrap(), &EngineOptions::default(), Vec::new()).unwrap();
    let revised = reopened(&asked).change(&engine, &rejecting([asked.kept()[0].clone()]));
    assert_eq!(revised.began(), [Stage::Search, Stage::Prune]);
    assert!(revised.warned("The graph in use") && revised.warned("no entity of this name"), "{:?}", revised.trace.warnings);
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
        for before in [run.clone(), reopened(&run)] {
            let on = before.change(engine, &top);
            assert_eq!(on.began()[0], stage, "{stage:?}");
            assert_eq!((on.kept(), &on.trace.anchors), (whole.kept()[..4].to_vec(), &whole.trace.anchors), "{stage:?}");
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
                    format!(
                        "The first is {} [1].",
                        line[4..].split(" \u{2192} ").next().expect("a name").split(" \u{2190} ").next().expect("a name")
                    )
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
    let engine = open(EngineModels { generator: Some(generator), ..EngineModels::from(encoder) });
    let asked = ask(&engine, REFLUX);
    assert!(asked.trace.answer.by_model && asked.trace.prompts.len() == 2);
    let first = asked.kept()[0].clone();
    assert!(asked.trace.answer.text.contains(&first.entities[0]));
    // Without a change the same anchors are linked again, sentence by sentence.
    let linked = asked.revise(&engine, &Triage::default(), Stage::Link);
    assert_eq!((&linked.trace.anchors, &linked.trace.mentions), (&asked.trace.anchors, &asked.trace.mentions));
    assert_eq!(linked.trace.pruning, asked.trace.pruning);

    let through = Triage { rejected_through: [first.entities[0].clone()].into(), ..Triage::default() };
    let rejected = asked.change(&engine, &through);
    assert_eq!(calls.load(Ordering::Relaxed), 2, "a change of chains asks no model");
    let read = rejected.revise(&engine, &through, Stage::Read);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert!(read.trace.answer.by_model && !read.trace.answer.text.contains(&first.entities[0]), "{}", read.trace.answer.text);
    assert!(
        read.trace.prompts.last().expect("a prompt").user.lines().all(|line| !line.starts_with('[') || !line.contains(&first.entities[0]))
    );
    read.assert_sound();
    // With nothing left nobody is asked.
    let none = Triage { rejected_kinds: ChainKind::ALL.into(), ..Triage::default() };
    let read = asked.revise(&engine, &none, Stage::Read);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert!(!read.trace.answer.by_model && read.trace.answer.text.contains("rejected"));

    // Stopped in the middle, there is no answer; and it can be read again.
    let cancel = CancelToken::new();
    let mut stopped = rejected.clone();
    let outcome = engine.carry_on(&rejected.trace, &Arc::new(through.clone()), Stage::Read, &cancel, &mut |event| {
        if matches!(event.what, EventKind::AnswerToken { .. }) {
            cancel.cancel();
        }
        stopped.take(event)
    });
    assert_eq!((outcome, stopped.trace.evidence.is_none()), (Outcome::Cancelled, true));
    let read = stopped.revise(&engine, &through, Stage::Read);
    assert!(read.trace.answer.text.starts_with("The first is"));
    read.assert_sound();
}

#[test]
fn a_document_belongs_to_its_answer() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let document = |run: &Run| -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(&json(&run.trace)).expect("JSON");
        let schema: serde_json::Value = serde_json::from_str(include_str!("../assets/trace.schema.json")).expect("JSON");
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
        assert!(warnings.iter().any(|warning| warning.as_str().expect("a text").contains("changed after the answer was read")));
        assert_eq!(told["revisions"], 1);
        let read = document(&stale.revise(engine, &triage, Stage::Read));
        assert_ne!(read["pruning"], first["pruning"]);
        assert!(!read["warnings"].to_string().contains("changed after the answer was read"));
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
            assert_eq!(*known, scored, "what was scored is told as it was");
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
            Fate::SievedOut { read } => assert!(read > 0 && (read as usize) < trace.table.chains.len()),
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
