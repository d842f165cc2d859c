//! Methods: each a short composition of the pipeline's stages. And the engine that runs them.

mod engine;
mod explain;
mod hykge;
mod memory;
mod models;
mod overlap;
mod revise;
mod stages;

pub use engine::{Engine, EngineError, EngineOptions, Origins};
pub use models::EngineModels;
