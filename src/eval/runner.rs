//! Asks every question with every method, several at a time, and writes the results.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::dataset::EvalQuestion;
use super::error::EvalError;
use super::folder::{EvalFolder, EvalRow, RunEnd, run_id};
use super::plan::Arm;
use super::score::{AnswerScores, Scoring, cost, score};
use crate::method::Engine;
use crate::model::CancelToken;
use crate::run::event::TokensSpent;
use crate::run::{AskOptions, Event, EventKind, MethodName, Outcome, Settings, Trace};

/// How many entities of an answer are kept with its result.
const ENTITIES: usize = 12;

/// A run of an evaluation.
#[derive(Debug)]
pub struct EvalRun<'a> {
    /// Answers the questions.
    pub engine: &'a Engine,
    /// Settings that all methods share.
    pub settings: &'a Settings,
    /// The questions.
    pub questions: &'a [&'a EvalQuestion],
    /// Methods with settings.
    pub arms: &'a [Arm],
    /// The methods run as their papers have them ([`AskOptions::bare`]).
    pub bare: bool,
    /// What the metrics need.
    pub scoring: &'a Scoring,
    /// Stops the run.
    pub cancel: &'a CancelToken,
}

impl EvalRun<'_> {
    /// Runs what the folder has no result of. `progress` gets the questions done (earlier results included) and the total.
    ///
    /// # Errors
    /// If it is stopped, or a result cannot be written.
    pub fn finish(&self, folder: &mut EvalFolder, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<(), EvalError> {
        let all = self.questions.len() * self.arms.len();
        // Question by question: an evaluation that is stopped has the same questions of all methods.
        let open: Vec<(&EvalQuestion, Arm)> = self
            .questions
            .iter()
            .flat_map(|question| self.arms.iter().map(|arm| (*question, *arm)))
            .filter(|(question, arm)| folder.row(*arm, &question.id).is_none())
            .collect();
        let done = AtomicUsize::new(all - open.len());
        progress(all - open.len(), all);
        let rows = Mutex::new(Vec::with_capacity(open.len()));
        let known: &EvalFolder = folder;
        let result = open.par_iter().try_for_each(|(question, arm)| {
            let stopped = || EvalError::Stopped { done: done.load(Ordering::Relaxed), all };
            if self.cancel.is_cancelled() {
                return Err(stopped());
            }
            let Some((row, events)) = self.ask(question, *arm) else { return Err(stopped()) };
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
    fn ask(&self, question: &EvalQuestion, arm: Arm) -> Option<(EvalRow, Vec<Event>)> {
        let mut trace = Trace::default();
        let mut events = Vec::new();
        let options = AskOptions {
            id: Some(run_id(arm, &question.id)),
            settings: Some(arm.settings(self.settings)),
            method: Some(arm.method),
            bare: self.bare,
            ..AskOptions::default()
        };
        // CoT thinks aloud first, and says its answer in brackets.
        let wants_label = self.bare && self.engine.models().generator.is_some() && arm.method != MethodName::Cot;
        let asked = if wants_label { question.asked_for_labels() } else { question.asked_as() };
        let outcome = self.engine.run(&asked, options, self.cancel, &mut |event| {
            trace.apply(&event);
            events.push(event);
            true
        });
        let ended = match outcome {
            Outcome::Cancelled => return None,
            Outcome::Answered => RunEnd::Answered,
            Outcome::NothingFound => RunEnd::NothingFound,
            Outcome::Failed { message } => RunEnd::Failed(message),
        };
        // A model that cannot measure an answer has failed like one that cannot give it.
        let spent: Vec<TokensSpent> = events
            .iter()
            .filter_map(|event| match &event.what {
                EventKind::ModelActive { activity } => activity.spent,
                _ => None,
            })
            .collect();
        let (scores, ended) = match score(question, &trace, self.scoring) {
            Ok(mut scores) => {
                if self.engine.models().generator.is_some() {
                    scores.extend(cost(&trace, &spent));
                }
                (scores, ended)
            }
            Err(error) => (AnswerScores::new(), RunEnd::Failed(error.to_string())),
        };
        let row = EvalRow {
            arm,
            id: question.id.clone(),
            ended,
            scores,
            entities: trace.answer.entities.iter().take(ENTITIES).cloned().collect(),
            chains: trace.chains_found,
            truncated: trace.truncated.is_some(),
        };
        Some((row, events))
    }
}
