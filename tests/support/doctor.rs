//! A doctor who triages at random: the real engine on a small graph, decisions, the way back and forward, answers read again, revisions stopped.

use std::sync::Arc;

use catena::graph::ChainKind;
use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{
    AskOptions, ChainKey, Event, MethodName, Outcome, Settings, Stage, Trace, TraceDocument, Triage, read_recording, write_event,
};

use super::damage::Random;
use super::engine::{graph_of, open_graph};

const TRIPLES: &str = "Reflux disease\thas_symptom\tHeartburn
Reflux disease\thas_symptom\tCough
Reflux disease\tneed_medication\tOmeprazole
Reflux disease\tneed_medical_test\tGastroscopy
Peptic ulcer\thas_symptom\tHeartburn
Peptic ulcer\thas_symptom\tNausea
Peptic ulcer\tneed_medical_test\tGastroscopy
Peptic ulcer\tneed_medication\tOmeprazole
Peptic ulcer\tcaused_by\tHelicobacter pylori
Gastritis\thas_symptom\tNausea
Gastritis\tcaused_by\tHelicobacter pylori
Gastritis\tneed_medication\tAntacid
Helicobacter pylori\tneed_medication\tAmoxicillin
Pneumonia\thas_symptom\tCough
Pneumonia\thas_symptom\tFever
Pneumonia\tneed_medication\tAmoxicillin
Pneumonia\tneed_medical_test\tChest X-ray
Influenza\thas_symptom\tFever
Influenza\thas_symptom\tCough
Influenza\tneed_medication\tParacetamol
Omeprazole\tis_a\tProton pump inhibitor
Gastritis\tleads_to\tPeptic ulcer
Reflux disease\thas_risk_factor\tObesity";

const QUESTIONS: [&str; 4] = [
    "I have heartburn and a cough. What medicine should I take?",
    "Could nausea and heartburn be a peptic ulcer?",
    "Which test finds pneumonia when there is fever?",
    "Heartburn",
];

const ENTITIES: [&str; 8] = ["Cough", "Heartburn", "Fever", "Omeprazole", "Gastritis", "Obesity", "Amoxicillin", "No such entity"];

/// An engine on a graph of 23 triples.
pub fn engine() -> Engine {
    open_graph(graph_of(TRIPLES))
}

/// A session: the trace as it stands live, and the events as a recording holds them.
struct Triaging<'a> {
    engine: &'a Engine,
    live: Trace,
    recording: Vec<Event>,
    /// The recording, read back and folded as far.
    replayed: Trace,
}

impl Triaging<'_> {
    /// Follows a run or a revision to its end, and compares after every event with the recording so far, as it is read from disk.
    fn follow(&mut self, work: impl FnOnce(&Engine, &CancelToken, &mut dyn FnMut(Event) -> bool) -> Outcome, events_until_stop: usize) {
        let (before, mut events) = (self.live.clone(), Vec::new());
        let cancel = CancelToken::new();
        let mut live = before.clone();
        let mut prefixes = Vec::new();
        let outcome = work(self.engine, &cancel, &mut |event| {
            live.apply(&event);
            prefixes.push(live.clone());
            events.push(event);
            if events.len() == events_until_stop {
                cancel.cancel();
            }
            true
        });
        assert_eq!(live.outcome.as_ref(), Some(&outcome));
        assert!(live.faults().is_empty(), "an honest run has no faults: {:?}", live.faults());
        if outcome == Outcome::Cancelled && !self.recording.is_empty() {
            // A revision that was stopped is not recorded, and the run stands as before.
            return;
        }
        let mut bytes = Vec::new();
        events.iter().for_each(|event| write_event(&mut bytes, event).expect("is written"));
        let header = self.recording.first().or(events.first()).cloned().expect("a start");
        let mut whole = Vec::new();
        if !self.recording.is_empty() {
            write_event(&mut whole, &header).expect("is written");
        }
        whole.extend(bytes);
        let read = read_recording(&whole[..]).expect("a recording");
        let read = &read[usize::from(!self.recording.is_empty())..];
        assert_eq!(read.len(), prefixes.len());
        for (at, (event, live)) in read.iter().zip(&prefixes).enumerate() {
            self.replayed.apply(event);
            assert!(self.replayed == *live, "the replay differs from the live state after event {at} ({:?})", event.what);
        }
        self.recording.extend(events);
        self.live = live;
    }
}

/// A random session; gives the number of prefixes that were compared.
pub fn triage_at_random(engine: &Engine, random: &mut Random) -> usize {
    let settings =
        Settings { k: 1 + random.below(3), top_k: 1 + random.below(6), delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
    let method = MethodName::NAMES[random.below(MethodName::NAMES.len())].parse().ok();
    let options = AskOptions { id: Some("run".into()), settings: Some(settings.clone()), method, ..AskOptions::default() };
    let mut session = Triaging { engine, live: Trace::default(), recording: Vec::new(), replayed: Trace::default() };
    let question = random.of(&QUESTIONS);
    session.follow(|engine, cancel, sink| engine.run(question, options, cancel, sink), usize::MAX);
    let (mut wanted, mut undo, mut redo) = (Triage::default(), Vec::new(), Vec::new());
    for _ in 0..random.below(8) {
        let before = wanted.clone();
        match random.below(10) {
            0 | 1 => redo.extend(undo.pop().map(|earlier| std::mem::replace(&mut wanted, earlier))),
            2 => undo.extend(redo.pop().map(|later| std::mem::replace(&mut wanted, later))),
            _ => {
                decide(&mut wanted, &session.live, &settings, random);
                if wanted != before {
                    undo.push(before);
                    redo.clear();
                }
            }
        }
        let reread = random.chance(30);
        let changed = Triage::first_stage_changed(&session.live.triage, &wanted);
        let Some(from) = changed.or(reread.then_some(Stage::Read)) else { continue };
        let from = if reread && random.chance(50) { Stage::Read } else { from };
        if random.chance(15) {
            // The session is opened again: what goes on from here is the recording's.
            session.live = session.replayed.clone();
        }
        let (trace, triage) = (session.live.clone(), Arc::new(wanted.clone()));
        let stop = if random.chance(12) { 1 + random.below(12) } else { usize::MAX };
        session.follow(|engine, cancel, sink| engine.carry_on(&trace, &triage, from, cancel, sink), stop);
        if *session.live.triage != wanted {
            wanted = Triage::clone(&session.live.triage);
        }
    }
    let json = |trace: &Trace| serde_json::to_string(&TraceDocument::of(trace, 1000)).expect("JSON");
    assert_eq!(json(&Trace::fold(&session.recording)), json(&session.live));
    session.recording.len()
}

/// One decision.
fn decide(triage: &mut Triage, trace: &Trace, started: &Settings, random: &mut Random) {
    let chains = &trace.table.chains;
    let key = chains.get(random.below(chains.len())).map(|chain| ChainKey::of(&trace.table, chain));
    let of_kept: Vec<ChainKey> = trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect();
    let key = if random.chance(50) && !of_kept.is_empty() { Some(random.of(&of_kept).clone()) } else { key };
    let entity = random.of(&ENTITIES);
    match (random.below(10), key) {
        (0 | 1, Some(key)) => triage.pin(key),
        (2 | 3, Some(key)) => triage.reject(key),
        (4, Some(key)) => triage.let_in(key),
        (5, _) => drop(triage.rejected_kinds.insert(*random.of(&ChainKind::ALL))),
        (6, _) => drop(triage.rejected_through.insert((*entity).into())),
        (7, _) => triage.add_anchor(entity),
        (8, _) => match trace.anchors.first() {
            Some(anchor) => triage.drop_anchor(&anchor.entity),
            None => triage.drop_anchor(entity),
        },
        _ => triage.set(
            started,
            &Settings { k: 1 + random.below(3), top_k: 1 + random.below(6), delta: *random.of(&[0.5, 0.7, 0.9]), ..started.clone() },
        ),
    }
}
