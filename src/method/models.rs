//! The models that an engine works with.

use crate::model::{EncoderHandle, GeneratorHandle, RerankerHandle};
use crate::run::Models;

/// The models of an engine. What is not there is done by the built-in way: the hypothesis derived from the graph, the
/// extractive reader, the encoder's similarity.
#[derive(Debug, Clone)]
pub struct EngineModels {
    /// Embeds mentions and names.
    pub encoder: EncoderHandle,
    /// Scores fragments against chains.
    pub reranker: Option<RerankerHandle>,
    /// Writes hypothesis and answer.
    pub generator: Option<GeneratorHandle>,
    /// What every answer must say of them: models that are wanted and not there.
    pub warnings: Vec<String>,
}

impl From<EncoderHandle> for EngineModels {
    fn from(encoder: EncoderHandle) -> Self {
        Self { encoder, reranker: None, generator: None, warnings: Vec::new() }
    }
}

impl EngineModels {
    /// What is known of them at this moment.
    pub fn info(&self) -> Models {
        Models::in_use(&self.encoder, self.generator.as_ref(), self.reranker.as_ref())
    }

    /// Gives models that failed another try, now that there is a question for them again.
    pub(super) fn restart_failed(&self) {
        self.encoder.retry();
        if let Some(reranker) = &self.reranker {
            reranker.retry();
        }
        if let Some(generator) = &self.generator {
            generator.retry();
        }
    }
}
