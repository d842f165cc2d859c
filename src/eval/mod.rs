//! Evaluation: asks questions with known answers, scores what comes back, and says how certain the scores are.
//!
//! [`EvalRun`] asks every question with every method and keeps what came of it in an [`EvalFolder`], so that it can be ended at any time and goes on
//! where it was; [`report::EvalReport`] sums that up; [`differing`] tells on which questions two methods differ.

pub mod choice;
pub mod claims;
mod compare;
pub mod dataset;
mod error;
mod folder;
pub mod learning;
mod measure;
pub mod metric;
pub mod ner;
mod plan;
pub mod report;
pub mod reproduce;
pub mod retrieval;
mod runner;
pub mod score;
pub mod statistics;

pub use compare::{Differing, differing};
pub use error::EvalError;
pub use folder::{EvalFolder, EvalRow, RunEnd};
pub use plan::{Arm, DatasetIdentity, EvalIdentity, GraphIdentity};
pub use runner::EvalRun;
pub use score::{Measure, Scoring};
