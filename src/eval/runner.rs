//! Asks every question with every method, side by side, and keeps what came of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::dataset::Case;
use super::error::EvalError;
use super::folder::{Ended, EvalFolder, Row, run_id};
use super::plan::Arm;
use super::score::{Scores, Scoring, score};
use crate::method::Engine;
use crate::model::CancelToken;
use crate::run::{AskOptions, Event, Outcome, Settings, Trace};

/// How many entities of an answer are kept with its result.
const ENTITIES: usize = 12;

/// What is to be run.
#[derive(Debug)]
pub struct Run<'a> {
    /// Answers.
    pub engine: &'a Engine,
    /// Settings that all methods share.
    pub settings: &'a Settings,
    /// The questions.
    pub cases: &'a [&'a Case],
    /// Methods with settings.
    pub arms: &'a [Arm],
    /// What metrics need.
    pub scoring: &'a Scoring,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

impl Run<'_> {
    /// Runs what the folder does not know yet. `progress`: questions done (those known before included), of how many.
    ///
    /// # Errors
    /// If it is stopped, or a result cannot be written.
    pub fn finish(&self, folder: &mut EvalFolder, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<(), EvalError> {
        let all = self.cases.len() * self.arms.len();
        // Question by question: an evaluation that is stopped has the same questions of all methods.
        let open: Vec<(&Case, Arm)> = self
            .cases
            .iter()
            .flat_map(|case| self.arms.iter().map(|arm| (*case, *arm)))
            .filter(|(case, arm)| folder.row(*arm, &case.id).is_none())
            .collect();
        let done = AtomicUsize::new(all - open.len());
        progress(all - open.len(), all);
        let rows = Mutex::new(Vec::with_capacity(open.len()));
        let known: &EvalFolder = folder;
        let result = open.par_iter().try_for_each(|(case, arm)| {
            let stopped = || EvalError::Stopped { done: done.load(Ordering::Relaxed), all };
            if self.cancel.is_cancelled() {
                return Err(stopped());
            }
            let Some((row, events)) = self.ask(case, *arm) else { return Err(stopped()) };
            known.write(&row, &events)?;
            rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            Ok(())
        });
        folder.take(rows.into_inner().unwrap_or_else(PoisonError::into_inner));
        // Whichever thread noticed first, the count is of all.
        result.map_err(|error| match error {
            EvalError::Stopped { all, .. } => EvalError::Stopped { done: done.load(Ordering::Relaxed), all },
            error => error,
        })
    }

    /// Asks one question with one method; `None` when it was stopped.
    fn ask(&self, case: &Case, arm: Arm) -> Option<(Row, Vec<Event>)> {
        let mut trace = Trace::default();
        let mut events = Vec::new();
        let options = AskOptions { id: Some(run_id(arm, &case.id)), settings: Some(arm.settings(self.settings)), method: Some(arm.method) };
        let outcome = self.engine.run(&case.asked_as(), options, self.cancel, &mut |event| {
            trace.apply(&event);
            events.push(event);
            true
        });
        let ended = match outcome {
            Outcome::Cancelled => return None,
            Outcome::Answered => Ended::Answered,
            Outcome::NothingFound => Ended::NothingFound,
            Outcome::Failed { message } => Ended::Failed(message),
        };
        // A model that cannot measure an answer has failed like one that cannot give it.
        let (scores, ended) = match score(case, &trace, self.scoring) {
            Ok(scores) => (scores, ended),
            Err(error) => (Scores::new(), Ended::Failed(error.to_string())),
        };
        let row = Row {
            arm,
            id: case.id.clone(),
            ended,
            scores,
            entities: trace.answer.entities.iter().take(ENTITIES).cloned().collect(),
            chains: trace.chains_found,
            truncated: trace.truncated.is_some(),
        };
        Some((row, events))
    }
}
