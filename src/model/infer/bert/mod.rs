//! Encoders of the BERT family (BERT, RoBERTa, XLM-RoBERTa) from a local folder of files as they are published: sentence encoders
//! (MiniLM, GTE, BGE, E5) and cross-encoders (bge-reranker).
//!
//! Weights are read from `model.safetensors` or `pytorch_model.bin`. On the processor the network is our own (`network.rs`), laid out for
//! short texts; on other devices it is candle's tensors (`tensors.rs`).

mod compute;
mod config;
mod cross_encoder;
mod encoder;
mod folder;
mod inspect;
mod kernel;
mod network;
mod pickle;
mod tensors;
mod thread_team;
mod tokens;
mod vector;
mod weights;

use std::path::Path;

use candle_core::{Device, DeviceLocation};

pub use inspect::{Inspection, inspect};

use crate::model::{Encoder, ModelError, Reranker};

/// Opens a sentence encoder: a folder with `config.json`, `tokenizer.json`, `model.safetensors` or `pytorch_model.bin`, and
/// `1_Pooling/config.json` (or `modules.json`, which names it). `sentence_bert_config.json` may give the most tokens; `catena.toml` with the key
/// `delta` the cosine above which two names mean the same, which is otherwise what was measured for the model, or 0.7.
///
/// # Errors
/// [`ModelError::Load`] that names the file and the field or tensor: missing, damaged, of another model, of a kind that is not computed.
pub fn open_encoder(folder: &Path, device: &Device) -> Result<Box<dyn Encoder>, ModelError> {
    Ok(Box::new(encoder::BertEncoder::open(folder, device)?))
}

/// Opens a cross-encoder with one logit: a folder with `config.json`, `tokenizer.json`, `model.safetensors` or `pytorch_model.bin`.
///
/// # Errors
/// As for [`open_encoder`].
pub fn open_reranker(folder: &Path, device: &Device) -> Result<Box<dyn Reranker>, ModelError> {
    Ok(Box::new(cross_encoder::CrossEncoder::open(folder, device)?))
}

/// A device as traces show it: `cpu`, `cuda:0`, `metal:0`.
fn device_name(device: &Device) -> String {
    match device.location() {
        DeviceLocation::Cpu => "cpu".into(),
        DeviceLocation::Cuda { gpu_id } => format!("cuda:{gpu_id}"),
        DeviceLocation::Metal { gpu_id } => format!("metal:{gpu_id}"),
    }
}
