//! A course: examined, taught, examined, practised, examined.

use rayon::prelude::*;

use super::training_question::Lesson;
use crate::dkg::record::Rating;
use crate::feedback::teacher::{Given, TeachError, Teacher};
use crate::method::Engine;
use crate::model::CancelToken;
use crate::run::{AnswerPart, AskOptions, Trace};

/// The parts of an answer that are scored.
const PARTS: [AnswerPart; 3] = [AnswerPart::Conditions, AnswerPart::Tests, AnswerPart::Treatments];
/// An answer is found good in a mastership if it states at least this share of what it should.
const GOOD: f64 = 0.5;

/// Key-entity match (RoK, section 4): the share of the entities of the part asked for that the answer states among its
/// first five (conditions) or twelve (tests, treatments), over all questions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// For conditions, tests, treatments: how many were found, of how many, in how many questions.
    pub parts: [(usize, usize, usize); 3],
}

impl Score {
    /// The share of a part; `None` where nothing asks for it.
    pub fn share(&self, part: usize) -> Option<f64> {
        let (found, all, _) = self.parts.get(part)?;
        (*all > 0).then(|| *found as f64 / *all as f64)
    }

    /// The mean of the parts that are asked for.
    pub fn mean(&self) -> f64 {
        let shares: Vec<f64> = (0..PARTS.len()).filter_map(|part| self.share(part)).collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }
}

/// Which part of a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Questions whose answers a mentor gives.
    Apprenticeship,
    /// Questions whose answers are found good or bad.
    Mastership,
    /// Questions that are only asked, to see how good the answers are.
    Examination,
}

/// How far a course has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The part.
    pub phase: Phase,
    /// Questions done.
    pub done: usize,
    /// Of so many.
    pub of: usize,
}

/// What a course came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Questions of the apprenticeship, and of the mastership.
    pub questions: (usize, usize),
    /// The mastership's questions before anything was taught.
    pub before: Score,
    /// The same after the apprenticeship.
    pub taught: Score,
    /// The same after the mastership.
    pub practised: Score,
    /// The answers as they were given in the mastership, each before its own rating.
    pub meanwhile: Score,
    /// How many triples were learned after so many questions of apprenticeship and mastership.
    pub curve: Vec<(usize, u64)>,
    /// In the mastership, answers found good and bad.
    pub ratings: (usize, usize),
    /// Proposals: learned, redundant, conflicting; and how many were not proposed at all.
    pub proposals: [u64; 4],
}

/// What a course is held with.
#[derive(Debug)]
pub struct Study<'a> {
    /// Teaches.
    pub teacher: &'a Teacher,
    /// Taught with the mentor's answers.
    pub apprenticeship: &'a [Lesson],
    /// Asked, and practised.
    pub mastership: &'a [Lesson],
    /// Stops it; what was learned until then stays.
    pub cancel: &'a CancelToken,
}

impl Study<'_> {
    /// Holds the course. What is new among the proposals is accepted at once.
    ///
    /// # Errors
    /// If something cannot be recorded, or it is stopped.
    pub fn hold(&self, progress: &(dyn Fn(Step) + Sync)) -> Result<Course, TeachError> {
        let engine = self.teacher.engine();
        let mut course = Course { questions: (self.apprenticeship.len(), self.mastership.len()), ..Course::default() };
        course.before = examine(engine, self.mastership, self.cancel, progress);
        course.curve.push((0, self.learned()));
        for (at, lesson) in self.apprenticeship.iter().enumerate() {
            let trace = ask(engine, &lesson.question, self.cancel);
            let given = Given { gold: lesson.answer(), accept: true, ..Given::plain(Rating::Gold) };
            self.teach(&trace, &given, &mut course)?;
            course.curve.push((at + 1, self.learned()));
            progress(Step { phase: Phase::Apprenticeship, done: at + 1, of: self.apprenticeship.len() });
        }
        course.taught = examine(engine, self.mastership, self.cancel, progress);
        for (at, lesson) in self.mastership.iter().enumerate() {
            let trace = ask(engine, &lesson.question, self.cancel);
            let good = score_one(lesson, &trace, &mut course.meanwhile) >= GOOD;
            if trace.evidence.is_some() {
                // What a bad answer would take back is for a person to decide.
                let given = Given { accept: good, ..Given::plain(if good { Rating::Good } else { Rating::Bad }) };
                self.teach(&trace, &given, &mut course)?;
            }
            *(if good { &mut course.ratings.0 } else { &mut course.ratings.1 }) += 1;
            course.curve.push((self.apprenticeship.len() + at + 1, self.learned()));
            progress(Step { phase: Phase::Mastership, done: at + 1, of: self.mastership.len() });
        }
        course.practised = examine(engine, self.mastership, self.cancel, progress);
        Ok(course)
    }

    fn learned(&self) -> u64 {
        self.teacher.engine().knowledge().graph.learned_count() as u64
    }

    fn teach(&self, trace: &Trace, given: &Given, course: &mut Course) -> Result<(), TeachError> {
        use crate::dkg::state::Status;
        if self.cancel.is_cancelled() {
            return Err(crate::model::ModelError::Cancelled.into());
        }
        let rated = self.teacher.rate(trace, given, self.cancel)?;
        course.proposals[0] += rated.count(|status| matches!(status, Status::Accepted { .. })) as u64;
        course.proposals[1] += rated.count(|status| status == Status::Redundant) as u64;
        course.proposals[2] += rated.count(|status| status == Status::Conflicting) as u64;
        course.proposals[3] += rated.rejected.values().sum::<u64>();
        Ok(())
    }
}

fn ask(engine: &Engine, question: &str, cancel: &CancelToken) -> Trace {
    let mut trace = Trace::default();
    engine.run(question, AskOptions::default(), cancel, &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

/// Adds what an answer states of what it should; gives the share.
fn score_one(lesson: &Lesson, trace: &Trace, score: &mut Score) -> f64 {
    let (mut found, mut all) = (0, 0);
    for part in &lesson.asked {
        let (f, a) = lesson.found(*part, &trace.answer.entities);
        let place = PARTS.iter().position(|known| known == part).unwrap_or(0);
        let sums = &mut score.parts[place];
        *sums = (sums.0 + f, sums.1 + a, sums.2 + 1);
        (found, all) = (found + f, all + a);
    }
    found as f64 / all.max(1) as f64
}

/// Asks every question, side by side, and scores the answers. Nothing is learned.
pub fn examine(engine: &Engine, lessons: &[Lesson], cancel: &CancelToken, progress: &(dyn Fn(Step) + Sync)) -> Score {
    let done = std::sync::atomic::AtomicUsize::new(0);
    lessons
        .par_iter()
        .map(|lesson| {
            let mut score = Score::default();
            score_one(lesson, &ask(engine, &lesson.question, cancel), &mut score);
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress(Step { phase: Phase::Examination, done, of: lessons.len() });
            score
        })
        .reduce(Score::default, |a, b| {
            let mut sum = a;
            for (sum, more) in sum.parts.iter_mut().zip(b.parts) {
                *sum = (sum.0 + more.0, sum.1 + more.1, sum.2 + more.2);
            }
            sum
        })
}
