//! What an engine remembers of its latest runs, so that a revision does again only what changes. Nothing depends on it: all of
//! it can be found anew from a trace, with the same result.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::run_state::Understood;
use super::triple_similarity::TripleVectors;
use crate::graph::ChainTable;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::search::Searched;
use crate::run::{Trace, Triage};

/// How many runs are remembered. One can hold 250,000 chains (10 MB, and their table).
const RUNS: usize = 2;

/// A run, as far as its chains are chosen.
#[derive(Debug, Clone)]
pub(super) struct CachedRun {
    pub(super) run: Arc<str>,
    /// The triage that the rest was found under.
    pub(super) triage: Arc<Triage>,
    pub(super) understood: Understood,
    pub(super) assessment: Arc<Assessment>,
    pub(super) searched: Searched,
    pub(super) scores: ScoreCache,
}

impl CachedRun {
    /// What was understood of the question, where δ was the same.
    pub(super) fn understood(&self, triage: &Triage) -> Option<Understood> {
        (self.triage.delta == triage.delta).then(|| self.understood.clone())
    }

    /// What the question speaks for, where its anchors were the same.
    pub(super) fn assessment(&self, triage: &Triage) -> Option<Arc<Assessment>> {
        let anchors = |triage: &'_ Triage| (triage.delta, triage.rejected_anchors.clone(), triage.added_anchors.clone());
        (anchors(&self.triage) == anchors(triage)).then(|| Arc::clone(&self.assessment))
    }

    /// The chains, where they are those of a table.
    pub(super) fn searched(&self, table: &Arc<ChainTable>) -> Option<Searched> {
        let same = Arc::ptr_eq(&self.searched.table, table) || self.searched.table == *table;
        same.then(|| self.searched.clone())
    }
}

/// What an engine remembers.
#[derive(Debug, Default)]
pub(super) struct RunCache {
    /// The latest runs, latest last.
    runs: Mutex<VecDeque<CachedRun>>,
    /// Vectors of triples, of whatever run.
    pub(super) triples: TripleVectors,
}

impl RunCache {
    /// What is remembered of a trace's run.
    pub(super) fn of(&self, trace: &Trace) -> Option<CachedRun> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().find(|run| *run.run == *trace.id).cloned()
    }

    /// Remembers a run in place of what was known of it.
    pub(super) fn put(&self, run: CachedRun) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|known| known.run != run.run);
        runs.push_back(run);
        while runs.len() > RUNS {
            runs.pop_front();
        }
    }
}
