//! What an evaluation came to: figures with their intervals, as JSON, as Markdown, and on a terminal. Everything in it but
//! the times follows from the questions, the graph, the models and the seed: the same evaluation gives the same report.

mod chart;
mod groups;
mod markdown;
mod summary;
mod timings;

pub use chart::{charts, headline};
pub use markdown::{markdown, table};
pub use summary::{ArmReport, Distribution, EvalReport, Evaluated, PairReport};
pub use timings::StageTimings;
