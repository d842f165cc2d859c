//! The models that an engine works with.

use crate::model::{EncoderHandle, GeneratorHandle, RerankerHandle, WorkerState};
use crate::pipeline::Models;

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
        // A thread that has ended says so when it is asked for something.
        if self.encoder.status().state == WorkerState::Failed {
            let _ = self.encoder.restart();
        }
        if let Some(reranker) = self.reranker.as_ref().filter(|model| model.status().state == WorkerState::Failed) {
            let _ = reranker.restart();
        }
        if let Some(generator) = self.generator.as_ref().filter(|model| model.status().state == WorkerState::Failed) {
            let _ = generator.restart();
        }
    }
}
