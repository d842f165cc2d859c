//! The models of an engine.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::{EncoderHandle, GeneratorHandle, RecogniserHandle, RerankerHandle};
use crate::run::Models;

/// Warnings that come while models load on their threads, when the engine may be open already. Clones share them. They are sorted, so that
/// their order does not depend on which model is loaded first.
#[derive(Debug, Clone, Default)]
pub struct LateWarnings(Arc<Mutex<BTreeSet<String>>>);

impl LateWarnings {
    /// Adds a warning. The answer under way carries it, and so does every later one.
    pub fn add(&self, warning: String) {
        self.lock().insert(warning);
    }

    /// All warnings so far.
    pub fn all(&self) -> BTreeSet<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The models of an engine. Without a model, the built-in way takes its place: the graph-derived hypothesis, the extractive reader,
/// the encoder's similarity.
#[derive(Debug, Clone)]
pub struct EngineModels {
    /// Embeds mentions and names.
    pub encoder: EncoderHandle,
    /// Scores fragments against chains.
    pub reranker: Option<RerankerHandle>,
    /// Recognises drugs and diseases, known to the graph or not.
    pub recogniser: Option<RecogniserHandle>,
    /// Writes hypothesis and answer.
    pub generator: Option<GeneratorHandle>,
    /// Warnings that every answer carries: models that were requested but are not available.
    pub warnings: Vec<String>,
    /// The same of models that are still loading.
    pub late_warnings: LateWarnings,
}

impl From<EncoderHandle> for EngineModels {
    fn from(encoder: EncoderHandle) -> Self {
        Self { encoder, reranker: None, recogniser: None, generator: None, warnings: Vec::new(), late_warnings: LateWarnings::default() }
    }
}

impl EngineModels {
    /// Which models are in use at this moment.
    pub fn info(&self) -> Models {
        Models::in_use(&self.encoder, self.generator.as_ref(), self.reranker.as_ref())
    }

    /// Retries models that failed, now that a question needs them.
    pub(super) fn restart_failed(&self) {
        self.encoder.retry();
        if let Some(reranker) = &self.reranker {
            reranker.retry();
        }
        if let Some(recogniser) = &self.recogniser {
            recogniser.retry();
        }
        if let Some(generator) = &self.generator {
            generator.retry();
        }
    }
}
