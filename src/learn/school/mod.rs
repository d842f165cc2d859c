//! Teaching from a file of questions with answers (WTS, section 3.3): an apprenticeship, in which a mentor gives the answer to every
//! question, then a mastership, in which answers are only found good or bad; and how much better the answers get.

mod course;
mod lesson;
mod report;

pub use course::{Course, Phase, Score, Step, Study, examine};
pub use lesson::{Lesson, Lessons, LessonsError};
pub use report::{markdown, table};
