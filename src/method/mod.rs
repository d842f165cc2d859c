//! Methods: each a short composition of the pipeline's stages. And the engine that runs them.

mod compose;
mod engine;
mod explain;
mod memory;
mod models;
mod nearest;
mod overlap;
mod ranked;
mod relevance;
mod revise;
mod rok;
mod similar;
mod stages;
mod telling;
mod wts;

pub use crate::pipeline::{Method, UnknownMethod, Without};
pub use engine::{Engine, EngineError, EngineOptions, Origins};
pub use models::EngineModels;
