//! Teaching from a file of questions with answers (WTS, section 3.3): an apprenticeship, in which a mentor gives the answer to every
//! question, then a mastership, in which answers are only found good or bad; and how much better the answers get.

mod learning_curve;
mod report;
mod training_question;

pub use learning_curve::{Course, Phase, Score, Step, Study, examine};
pub use report::{markdown, table};
pub use training_question::{Lesson, Lessons, LessonsError};
