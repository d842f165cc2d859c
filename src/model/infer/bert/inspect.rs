//! Describes the model in a folder without loading it.

use std::path::Path;

use super::config::BertConfig;
use super::folder::ModelFolder;
use super::weights::{PYTORCH, SAFETENSORS};
use crate::model::ModelError;

/// A description of a model, from `config.json` and the sizes of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderInspection {
    /// `model_type` of its configuration: `bert`, `xlm-roberta`, …
    pub architecture: String,
    /// Whether it is a cross-encoder (`architectures` names a sequence classifier) rather than a sentence encoder.
    pub cross_encoder: bool,
    /// The number of its weights.
    pub parameters: u64,
    /// Estimated bytes in memory when it is loaded and computing: every weight as `f32`, and buffers for a batch.
    pub bytes: u64,
    /// Bytes of the file of weights.
    pub file_bytes: u64,
    /// Components of a vector.
    pub dim: usize,
    /// The most tokens of a text, or of a pair of texts; what is longer is cut.
    pub max_tokens: usize,
}

/// Describes the encoder or cross-encoder in a folder. Reads a few kilobytes.
///
/// # Errors
/// [`ModelError::Load`] if there is no such folder, no file of weights, or a configuration that [`super::open_encoder`] and
/// [`super::open_reranker`] would refuse.
pub fn inspect(folder: &Path) -> Result<EncoderInspection, ModelError> {
    let folder = ModelFolder::at(folder)?;
    let config = BertConfig::read(&folder)?;
    let file_bytes = [SAFETENSORS, PYTORCH].map(|file| folder.size(file)).into_iter().find(|size| *size > 0).unwrap_or(0);
    if file_bytes == 0 {
        return Err(folder.fails(SAFETENSORS, format!("is missing, and so is {PYTORCH}; one of the two must hold the model's weights")));
    }
    let cross_encoder = config.classifier;
    let hidden = config.hidden as u64;
    let head = if cross_encoder { (hidden + 1) * hidden + hidden + 1 } else { 0 };
    let parameters = config.parameters() + head;
    let max_tokens = if cross_encoder {
        config.most_tokens()
    } else {
        folder.sentences(config.hidden).ok().and_then(|s| s.max_seq_length).unwrap_or(usize::MAX).min(config.most_tokens())
    };
    // A row of the network, of its three projections and of its inner layer, and the exchange buffers of threads.
    let row = 4 * (6 * hidden + 2 * config.intermediate as u64);
    Ok(EncoderInspection {
        architecture: config.model_type.clone(),
        cross_encoder,
        parameters,
        bytes: parameters * 4 + row * (max_tokens.max(512) as u64),
        file_bytes,
        dim: config.hidden,
        max_tokens,
    })
}
