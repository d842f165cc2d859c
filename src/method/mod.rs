//! Methods: each a short composition of the pipeline's stages. And the engine that runs them.

mod engine;
mod hykge;
mod models;
mod overlap;

pub use engine::{Engine, EngineError, EngineOptions};
pub use models::EngineModels;
