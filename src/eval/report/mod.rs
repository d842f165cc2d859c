//! The report of an evaluation: figures with confidence intervals, as JSON, as Markdown and on a terminal. Except for the times, the same
//! questions, graph, models and seed give the same report.

mod chart;
mod groups;
mod markdown;
mod summary;
mod timings;

pub use chart::{charts, headline};
pub use markdown::{markdown, table};
pub use summary::{ArmReport, Distribution, EvalReport, Evaluated, PairReport};
pub use timings::StageTimings;
