//! Sessions: recorded, cut, carried on, listed, searched, removed, compared.

mod comparing;
mod listing;
mod recording;

use std::fs;
use std::sync::Arc;

use crate::support::sample;
use catena::graph::ChainKind;
use catena::run::{ChainKey, Event, EventKind, Outcome, Pruning, ScoredChain, Stage, Trace, Triage};
use catena::session::{KEPT_SESSIONS, Store};
use tempfile::TempDir;

pub(crate) fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("sessions"), KEPT_SESSIONS).expect("opens");
    (folder, store)
}

pub(crate) fn record(store: &Store, events: &[Event]) {
    let mut recorder = store.recorder();
    for event in events {
        assert!(recorder.take(event).expect("is written"), "{event:?} was not recorded");
    }
}

/// The files of the folder, as paths, without the index.
pub(crate) fn files(folder: &TempDir) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder.path().join("sessions")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some());
    files.sort();
    files
}

pub(crate) fn asked(run: &str, question: &str) -> Vec<Event> {
    let mut events = sample::answered_with(run, 12);
    if let EventKind::RunStarted { question: asked, .. } = &mut events[0].what {
        *asked = question.into();
    }
    events
}

fn scored(chains: &[u32]) -> Vec<ScoredChain> {
    chains
        .iter()
        .zip(1..)
        .map(|(chain, rank)| ScoredChain { chain: *chain, score: 1.0 / f64::from(rank), by_fragment: vec![0.5] })
        .collect()
}

/// Another choice of chains, in the place of the first.
pub(crate) fn choosing(mut events: Vec<Event>, kept: &[u32], runners_up: &[u32]) -> Vec<Event> {
    for event in &mut events {
        if let EventKind::ChainsPruned { pruning } = &mut event.what {
            *pruning = Arc::new(Pruning { kept: scored(kept), runners_up: scored(runners_up), ..Pruning::clone(pruning) });
        }
    }
    events
}

/// What a doctor's triage brings: another choice, and an answer from it.
pub(crate) fn revised(run: &str, kept: &[u32]) -> Vec<Event> {
    let triage = Triage { rejected_kinds: [ChainKind::CoAncestor].into(), ..Triage::default() };
    let kinds = [
        EventKind::Revised { triage: Arc::new(triage), from: Stage::Prune },
        EventKind::ChainsPruned { pruning: Arc::new(Pruning { kept: scored(kept), ..Pruning::default() }) },
        EventKind::AnswerFinished { answer: sample::answer() },
        EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 40.0 },
    ];
    kinds.into_iter().map(|what| Event { run: run.into(), at_ms: 30.0, what }).collect()
}

pub(crate) fn kept(trace: &Trace) -> Vec<ChainKey> {
    trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect()
}
