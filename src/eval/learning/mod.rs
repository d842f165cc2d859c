//! The learning curve of the DKG (WTS, section 3.3): an apprenticeship, in which a mentor gives the answer to every question, then a
//! mastership, in which answers are only rated good or bad; and how much better the answers become.

mod report;
mod training_question;
mod trial;

pub use report::{markdown, table};
pub use training_question::{TrainingQuestion, TrainingSet, TrainingSetError};
pub use trial::{KeyEntityScore, LearningCurve, LearningTrial, TrialPhase, TrialProgress, TrialRules, score_answers};
