//! Runs with their events, and what revisions make of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AskOptions, ChainKey, Event, EventKind, Stage, StageState, Trace, TraceDocument, Triage, read_recording, write_event};

pub const REFLUX: &str = "I feel stomach reflux after eating. What medicine should I take?";

/// A run with all of its events so far.
#[derive(Clone)]
pub struct Run {
    pub trace: Trace,
    pub events: Vec<Event>,
    /// Where the events of the latest revision begin.
    pub latest: usize,
}

pub fn ask(engine: &Engine, question: &str) -> Run {
    let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
    let options = AskOptions::default();
    engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
    run
}

impl Run {
    pub fn take(&mut self, event: Event) -> bool {
        self.trace.apply(&event);
        self.events.push(event);
        true
    }

    pub fn revise(&self, engine: &Engine, triage: &Triage, from: Stage) -> Self {
        let (mut run, before) = (self.clone(), self.trace.clone());
        run.latest = run.events.len();
        let outcome = engine.carry_on(&before, &Arc::new(triage.clone()), from, &CancelToken::new(), &mut |event| run.take(event));
        assert_eq!(run.trace.outcome, Some(outcome));
        assert_eq!(*run.trace.triage, *triage);
        run
    }

    /// With the first stage that the change asks for.
    pub fn change(&self, engine: &Engine, triage: &Triage) -> Self {
        let from = Triage::first_stage_changed(&self.trace.triage, triage).expect("a change");
        self.revise(engine, triage, from)
    }

    /// Stages that began in the latest revision.
    pub fn began(&self) -> Vec<Stage> {
        let stage = |event: &Event| if let EventKind::StageStarted { stage } = event.what { Some(stage) } else { None };
        self.events[self.latest..].iter().filter_map(stage).collect()
    }

    pub fn kept(&self) -> Vec<ChainKey> {
        self.trace.kept().map(|(_, _, chain)| ChainKey::of(&self.trace.table, chain)).collect()
    }

    pub fn keys(&self) -> Vec<ChainKey> {
        self.trace.table.chains.iter().map(|chain| ChainKey::of(&self.trace.table, chain)).collect()
    }

    /// A chain that was found and is not kept, the best by its score.
    pub fn not_kept(&self) -> ChainKey {
        let scored = self.trace.pruning.runners_up.first().expect("runners-up");
        ChainKey::of(&self.trace.table, &self.trace.table.chains[scored.chain as usize])
    }

    pub fn warned(&self, of: &str) -> bool {
        self.trace.warnings.iter().any(|warning| warning.contains(of))
    }

    pub fn assert_sound(&self) {
        let (trace, answer) = (&self.trace, &self.trace.answer);
        let evidence = trace.evidence.as_ref().expect("an answer was read");
        assert!(answer.citations.iter().all(|id| (1..=evidence.pruning.kept.len() as u32).contains(id)), "{:?}", answer.citations);
        assert!(trace.pruning.kept.windows(2).all(|pair| pair[0].score >= pair[1].score), "best first");
        let distinct: BTreeSet<u32> = trace.pruning.kept.iter().chain(&trace.pruning.runners_up).map(|scored| scored.chain).collect();
        assert_eq!(distinct.len(), trace.pruning.kept.len() + trace.pruning.runners_up.len());
        assert!(self.events.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms), "time runs forward");
        assert!(matches!(self.events.last().expect("events").what, EventKind::RunFinished { .. }));
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

pub fn json(trace: &Trace) -> String {
    serde_json::to_string(&TraceDocument::of(trace, 10_000)).expect("JSON")
}

/// The trace as it is read from disk: nothing is shared with what an engine remembers.
pub fn reopened(run: &Run) -> Run {
    let mut recording = Vec::new();
    run.events.iter().for_each(|event| write_event(&mut recording, event).expect("writes"));
    let events = read_recording(&recording[..]).expect("a recording");
    Run { trace: Trace::fold(&events), latest: events.len(), events }
}

pub fn rejecting(keys: impl IntoIterator<Item = ChainKey>) -> Triage {
    Triage { rejected: keys.into_iter().collect(), ..Triage::default() }
}

pub fn pinning(keys: impl IntoIterator<Item = ChainKey>) -> Triage {
    Triage { pinned: keys.into_iter().collect(), ..Triage::default() }
}
