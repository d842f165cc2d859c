//! Runs a learning trial: measure, apprenticeship, measure, mastership, measure.

use rayon::prelude::*;

use super::training_question::TrainingQuestion;
use crate::dkg::record::Rating;
use crate::dkg::state::Status;
use crate::eval::metric::key_entity_match;
use crate::eval::score::Ratio;
use crate::feedback::teacher::{GivenRating, TeachError, Teacher};
use crate::method::Engine;
use crate::model::{CancelToken, ModelError};
use crate::run::{AnswerPart, AskOptions, MethodName, Trace};

/// The parts of an answer that are scored.
const PARTS: [AnswerPart; 3] = [AnswerPart::Conditions, AnswerPart::Tests, AnswerPart::Treatments];
/// In the mastership an answer is rated good if it names at least this share of the expected entities.
const GOOD: f64 = 0.5;

/// Key-entity match (RoK, section 4): the share of the expected entities that answers name among their first five (conditions) or
/// twelve (tests, treatments), over all questions that ask for the part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KeyEntityScore {
    /// For conditions, tests and treatments: entities found, entities expected, questions.
    pub parts: [(usize, usize, usize); 3],
}

impl KeyEntityScore {
    /// The share of a part (0 conditions, 1 tests, 2 treatments), 0 to 1; `None` where no question asks for it.
    pub fn share(&self, part: usize) -> Option<f64> {
        let (found, all, _) = self.parts.get(part)?;
        (*all > 0).then(|| *found as f64 / *all as f64)
    }

    /// The mean over the parts that are asked for; 0 where none is.
    pub fn mean(&self) -> f64 {
        let shares: Vec<f64> = (0..PARTS.len()).filter_map(|part| self.share(part)).collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }

    /// Adds the score of one answer; gives the share of the expected entities that it names.
    fn add(&mut self, question: &TrainingQuestion, trace: &Trace) -> f64 {
        let (mut found, mut all) = (0, 0);
        for part in &question.gold.asked {
            let (f, a) = key_entity_match(*part, question.gold.of_part(*part), &trace.answer.entities);
            let place = PARTS.iter().position(|known| known == part).unwrap_or(0);
            let sums = &mut self.parts[place];
            *sums = (sums.0 + f, sums.1 + a, sums.2 + 1);
            (found, all) = (found + f, all + a);
        }
        found as f64 / all.max(1) as f64
    }

    /// Entities found of those expected, over all parts.
    fn ratio(self) -> Ratio {
        Ratio::of(self.parts.iter().fold((0, 0), |(found, all), (f, a, _)| (found + f, all + a)))
    }

    fn plus(mut self, other: Self) -> Self {
        for (sum, more) in self.parts.iter_mut().zip(other.parts) {
            *sum = (sum.0 + more.0, sum.1 + more.1, sum.2 + more.2);
        }
        self
    }
}

/// A phase of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialPhase {
    /// A mentor gives the answer to each question.
    Apprenticeship,
    /// Answers are rated good or bad.
    Mastership,
    /// Questions are asked only to score the answers; nothing is learned.
    Measurement,
}

/// How far a trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialProgress {
    /// The phase.
    pub phase: TrialPhase,
    /// Questions done in this phase.
    pub done: usize,
    /// All questions of this phase.
    pub of: usize,
}

/// The result of a trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearningCurve {
    /// How many questions the apprenticeship and the mastership have.
    pub questions: (usize, usize),
    /// The score on the mastership's questions before anything is learned.
    pub before: KeyEntityScore,
    /// The same after the apprenticeship.
    pub after_apprenticeship: KeyEntityScore,
    /// The same after the mastership.
    pub after_mastership: KeyEntityScore,
    /// The answers given during the mastership, each before its own rating.
    pub during_mastership: KeyEntityScore,
    /// For each question of the mastership, the expected entities that were found, of all: before, after the apprenticeship and after the mastership.
    pub by_question: [Vec<Ratio>; 3],
    /// (Questions of apprenticeship and mastership so far, learned triples), after every question.
    pub learned: Vec<(usize, u64)>,
    /// The same for proposals that were redundant.
    pub redundant: Vec<(usize, u64)>,
    /// Answers rated good and bad in the mastership.
    pub ratings: (usize, usize),
    /// Questions of both phases that nothing was learned from, because they were answered with confidence near by (WTS, algorithm 1).
    pub known_already: usize,
    /// Proposals: learned, redundant, in conflict; and statements that could not be proposed.
    pub proposals: [u64; 4],
}

/// What a trial runs with.
#[derive(Debug)]
pub struct LearningTrial<'a> {
    /// Learns; also has the engine that answers.
    pub teacher: &'a Teacher,
    /// Questions taught with the mentor's answers.
    pub apprenticeship: &'a [TrainingQuestion],
    /// Questions asked and rated.
    pub mastership: &'a [TrainingQuestion],
    /// What answers, and what is learned from.
    pub rules: TrialRules,
    /// Stops the trial; what has been learned by then stays.
    pub cancel: &'a CancelToken,
}

/// What answers in a trial, and which questions are learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrialRules {
    /// The method that answers. WTS runs as published: the paper's algorithm alone, and learned from are the questions of its algorithm 1.
    pub method: MethodName,
    /// WTS's H: what was answered with confidence at this depth or before teaches nothing.
    pub enough_within: u64,
    /// In the mastership nobody rates the answers: every question is learned from without its answer.
    pub without_feedback: bool,
}

impl TrialRules {
    fn is_wts(self) -> bool {
        matches!(self.method, MethodName::Wts(_))
    }

    /// Whether a run is learned from.
    fn teaches(self, trace: &Trace) -> bool {
        !self.is_wts() || trace.reasoned.is_none_or(|reasoned| reasoned.teaches(self.enough_within))
    }

    fn options(self) -> AskOptions {
        AskOptions { method: Some(self.method), bare: self.is_wts(), ..AskOptions::default() }
    }
}

impl LearningTrial<'_> {
    /// Runs the trial. New proposals are accepted at once.
    ///
    /// # Errors
    /// If something cannot be recorded, or the trial is stopped.
    pub fn run(&self, progress: &(dyn Fn(TrialProgress) + Sync)) -> Result<LearningCurve, TeachError> {
        let engine = self.teacher.engine();
        let measure = || score_answers(engine, self.mastership, self.rules, self.cancel, progress);
        let (before, of_each) = measure();
        let mut curve = LearningCurve { questions: (self.apprenticeship.len(), self.mastership.len()), ..LearningCurve::default() };
        (curve.before, curve.by_question[0]) = (before, of_each);
        self.grown(&mut curve, 0);
        for (at, question) in self.apprenticeship.iter().enumerate() {
            let trace = ask(engine, &question.question, self.rules, self.cancel);
            let given = GivenRating { gold: question.mentor_answer(), accept: true, ..GivenRating::plain(Rating::Gold) };
            if self.rules.teaches(&trace) {
                self.rate(&trace, &given, &mut curve)?;
            } else {
                curve.known_already += 1;
            }
            self.grown(&mut curve, at + 1);
            progress(TrialProgress { phase: TrialPhase::Apprenticeship, done: at + 1, of: self.apprenticeship.len() });
        }
        (curve.after_apprenticeship, curve.by_question[1]) = measure();
        for (at, question) in self.mastership.iter().enumerate() {
            let trace = ask(engine, &question.question, self.rules, self.cancel);
            let good = curve.during_mastership.add(question, &trace) >= GOOD;
            let good = good && !self.rules.without_feedback;
            if !self.rules.teaches(&trace) {
                curve.known_already += 1;
            } else if trace.evidence.is_some() {
                // What a bad answer would retract is for a person to decide.
                let given = GivenRating { accept: good, ..GivenRating::plain(if good { Rating::Good } else { Rating::Bad }) };
                self.rate(&trace, &given, &mut curve)?;
            }
            if !self.rules.without_feedback {
                *(if good { &mut curve.ratings.0 } else { &mut curve.ratings.1 }) += 1;
            }
            self.grown(&mut curve, self.apprenticeship.len() + at + 1);
            progress(TrialProgress { phase: TrialPhase::Mastership, done: at + 1, of: self.mastership.len() });
        }
        (curve.after_mastership, curve.by_question[2]) = measure();
        Ok(curve)
    }

    /// Notes how far the graph has grown after so many questions.
    fn grown(&self, curve: &mut LearningCurve, questions: usize) {
        curve.learned.push((questions, self.teacher.engine().knowledge().graph.learned_count() as u64));
        curve.redundant.push((questions, curve.proposals[1]));
    }

    fn rate(&self, trace: &Trace, given: &GivenRating, curve: &mut LearningCurve) -> Result<(), TeachError> {
        if self.cancel.is_cancelled() {
            return Err(ModelError::Cancelled.into());
        }
        let result = self.teacher.rate(trace, given, self.cancel)?;
        curve.proposals[0] += result.count(|status| matches!(status, Status::Accepted { .. })) as u64;
        curve.proposals[1] += result.count(|status| status == Status::Redundant) as u64;
        curve.proposals[2] += result.count(|status| status == Status::Conflicting) as u64;
        curve.proposals[3] += result.rejected.values().sum::<u64>();
        Ok(())
    }
}

fn ask(engine: &Engine, question: &str, rules: TrialRules, cancel: &CancelToken) -> Trace {
    let mut trace = Trace::default();
    engine.run(question, rules.options(), cancel, &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

/// Asks every question, several at a time, and scores the answers, together and each. Nothing is learned.
pub fn score_answers(
    engine: &Engine,
    questions: &[TrainingQuestion],
    rules: TrialRules,
    cancel: &CancelToken,
    progress: &(dyn Fn(TrialProgress) + Sync),
) -> (KeyEntityScore, Vec<Ratio>) {
    let done = std::sync::atomic::AtomicUsize::new(0);
    let scores: Vec<KeyEntityScore> = questions
        .par_iter()
        .map(|question| {
            let mut score = KeyEntityScore::default();
            score.add(question, &ask(engine, &question.question, rules, cancel));
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress(TrialProgress { phase: TrialPhase::Measurement, done, of: questions.len() });
            score
        })
        .collect();
    let of_each = scores.iter().map(|score| score.ratio()).collect();
    (scores.into_iter().fold(KeyEntityScore::default(), KeyEntityScore::plus), of_each)
}
