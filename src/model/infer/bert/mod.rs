//! Encoders of the BERT family (BERT, RoBERTa, XLM-RoBERTa) from a local folder of files as they are published: sentence encoders
//! (MiniLM, GTE, BGE, E5) and cross-encoders (bge-reranker); and recognisers of mentions over such a network (`w2ner/`).
//!
//! Weights are read from `model.safetensors` or `pytorch_model.bin`. On a processor our own network computes (`network.rs`), which is optimised for
//! short texts; on other devices candle's tensors do (`tensors.rs`). `runner.rs` cuts texts into batches for either.

mod all_gather;
mod config;
mod cross_encoder;
mod encoder;
mod folder;
mod inspect;
mod kernel;
mod network;
mod pickle;
mod runner;
mod tensors;
mod tokens;
mod w2ner;
mod weights;

use std::path::Path;

use candle_core::Device;

pub use folder::EmbeddedFiles;
pub use inspect::{EncoderInspection, inspect};
pub use w2ner::shipped::FILES as SHIPPED_RECOGNISER;

use crate::model::{Encoder, ModelError, Recogniser, Reranker};

/// Opens a sentence encoder: a folder with `config.json`, `tokenizer.json`, `model.safetensors` or `pytorch_model.bin`, and
/// `1_Pooling/config.json` (or `modules.json`, which names it). `sentence_bert_config.json` can set the most tokens. `delta` in `catena.toml` sets
/// the cosine above which two names mean the same; the default is the value measured for the model, or 0.7.
///
/// # Errors
/// [`ModelError::Load`] with the file and the field or tensor: missing, damaged, of another model, or unsupported.
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

/// Opens a recogniser of mentions: a folder with `config.json`, `tokenizer.json`, `w2ner.json` and `model.safetensors`. It runs on the processor.
///
/// # Errors
/// As for [`open_encoder`].
pub fn open_recogniser(folder: &Path) -> Result<Box<dyn Recogniser>, ModelError> {
    Ok(Box::new(w2ner::W2ner::open(folder::ModelFolder::at(folder)?)?))
}

/// Opens a recogniser that is part of the program, see [`SHIPPED_RECOGNISER`].
///
/// # Errors
/// As for [`open_encoder`].
pub fn open_embedded_recogniser(name: &str, files: EmbeddedFiles) -> Result<Box<dyn Recogniser>, ModelError> {
    Ok(Box::new(w2ner::W2ner::open(folder::ModelFolder::embedded(name, files))?))
}
