//! The models of an engine.

use crate::model::{EncoderHandle, GeneratorHandle, RecogniserHandle, RerankerHandle};
use crate::run::Models;

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
}

impl From<EncoderHandle> for EngineModels {
    fn from(encoder: EncoderHandle) -> Self {
        Self { encoder, reranker: None, recogniser: None, generator: None, warnings: Vec::new() }
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
