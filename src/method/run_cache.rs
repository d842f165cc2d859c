//! A cache of the engine's latest runs, so that a revision computes only what changes. Nothing depends on it: a revision without it
//! gives the same result from the trace alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::run_state::Understood;
use super::triple_similarity::TripleVectors;
use crate::graph::ChainTable;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::search::Searched;
use crate::run::{Trace, Triage};

/// The number of runs that are cached. One can hold 250,000 chains (10 MB, plus their table).
const RUNS: usize = 2;

/// A cached run, up to the choice of its chains.
#[derive(Debug, Clone)]
pub(super) struct CachedRun {
    pub(super) run: Arc<str>,
    /// The state of the graph that it was computed on.
    pub(super) version: u64,
    /// The decisions under which the rest was computed.
    pub(super) triage: Arc<Triage>,
    pub(super) understood: Understood,
    pub(super) assessment: Arc<Assessment>,
    pub(super) searched: Searched,
    pub(super) scores: ScoreCache,
}

impl CachedRun {
    /// What was understood of the question, if δ is the same.
    pub(super) fn understood(&self, triage: &Triage) -> Option<Understood> {
        (self.triage.delta == triage.delta && self.triage.case == triage.case).then(|| self.understood.clone())
    }

    /// What the question speaks for, if its anchors are the same.
    pub(super) fn assessment(&self, triage: &Triage) -> Option<Arc<Assessment>> {
        let anchors =
            |triage: &'_ Triage| (triage.delta, triage.rejected_anchors.clone(), triage.added_anchors.clone(), triage.case.clone());
        (anchors(&self.triage) == anchors(triage)).then(|| Arc::clone(&self.assessment))
    }

    /// The chains, if they are those of this table.
    pub(super) fn searched(&self, table: &Arc<ChainTable>) -> Option<Searched> {
        let same = Arc::ptr_eq(&self.searched.table, table) || self.searched.table == *table;
        same.then(|| self.searched.clone())
    }
}

/// The engine's cache.
#[derive(Debug, Default)]
pub(super) struct RunCache {
    /// The latest runs, oldest first.
    runs: Mutex<VecDeque<CachedRun>>,
    /// Vectors of triples, from all runs.
    pub(super) triples: TripleVectors,
}

impl RunCache {
    /// The cached run that this trace belongs to.
    pub(super) fn of(&self, trace: &Trace) -> Option<CachedRun> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().find(|run| *run.run == *trace.id).cloned()
    }

    /// Caches a run, in place of an older entry of the same run.
    pub(super) fn put(&self, run: CachedRun) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|known| known.run != run.run);
        runs.push_back(run);
        while runs.len() > RUNS {
            runs.pop_front();
        }
    }
}
