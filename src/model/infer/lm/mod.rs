//! Local language models by candle: decoder-only transformers from GGUF files and folders with safetensors.
//!
//! The path of a question: `template` writes the conversation in the format that the model was trained on, `tokens` splits it into tokens
//! (nothing in a question or graph can become a control token), a `Forward` computes logits, `grammar` rules out what does not fit the form that was
//! asked for, `sampling` draws the next token with what is usual for the model (`decoding`), `stream` turns tokens into whole characters. `model` joins these steps and keeps the keys and values of a prompt for the next prompt with the same beginning.
//!
//! There are two implementations of `Forward`: `tensors` with candle's operations, on any device, as the reference; and `cpu` with our own kernels
//! on quantised weights, for processors. `gguf*`, `folder*` and `source` read the files; `inspection` describes a model without loading it.

mod config;
#[cfg(test)]
mod conformance;
mod cpu;
mod decoding;
mod folder;
mod folder_config;
mod gguf;
mod gguf_config;
mod grammar;
mod inspection;
mod jinja;
mod jinja_source;
mod model;
mod python_json;
mod quantise;
mod rope;
mod sampling;
mod source;
mod stream;
mod template;
mod tensors;
mod tokens;
mod vocabulary;

use std::path::Path;

use candle_core::Device;

pub use grammar::meets;
pub use inspection::{LanguageModelInspection, check_conversation, inspect};
pub use model::LanguageModel;

use crate::model::{Generator, ModelError};

/// The default context, in tokens: keys and values for more take memory that few questions need.
pub const CONTEXT: usize = 8192;

/// How a language model is loaded and run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The most tokens of prompt and answer together. `None`: the model's own limit, but at most 8,192.
    pub context: Option<usize>,
    /// Converts floating-point weights to 8-bit blocks (Q8_0) while loading: a half or a quarter of the memory and
    /// correspondingly faster, with a small loss of precision.
    pub to_q8_0: bool,
    /// Threads for computing on a processor. `None`: one for each core.
    pub threads: Option<usize>,
    /// The implementation to use.
    pub computation: Computation,
    /// The repetition penalty of requests that name none: 1 (none) to 2. `None`: what is usual for the model's family and size.
    pub repetition_penalty: Option<f32>,
    /// The same for min-p: 0 (none) to 1.
    pub min_p: Option<f64>,
}

/// The implementation that computes a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Computation {
    /// Our own kernels on a processor, candle's operations on other devices.
    #[default]
    Fastest,
    /// Candle's operations on every device: the reference.
    Tensors,
}

/// Loads a language model from a GGUF file, or a folder with `config.json`, safetensors and `tokenizer.json`.
///
/// # Errors
/// [`ModelError::Load`] with the path as name: a file is missing, damaged, unsupported, or needs more memory than
/// the device has.
pub fn open(path: &Path, device: &Device, options: &Options) -> Result<Box<dyn Generator>, ModelError> {
    Ok(Box::new(LanguageModel::open(path, device, options)?))
}

/// The vector instructions that language models use on this processor: `AVX-512 VNNI`, `AVX2`, or `none`.
pub fn instructions() -> &'static str {
    match cpu::Instructions::best() {
        cpu::Instructions::Plain => "none",
        #[cfg(target_arch = "x86_64")]
        cpu::Instructions::Avx2 => "AVX2",
        #[cfg(target_arch = "x86_64")]
        cpu::Instructions::Avx512 => "AVX-512 VNNI",
    }
}

/// Computes a model's logits, for one token or many at once, and keeps the keys and values of all positions.
trait Forward: Send {
    /// Reads `tokens` at the positions from `position`; returns the logits after the last one if they are `wanted`. Keys and values from `position` on
    /// are replaced; all earlier ones must exist. `go_on` is called before every layer; the result is `None` if it returned `false`.
    fn forward(&mut self, tokens: &[u32], position: usize, wanted: bool, go_on: &mut dyn FnMut() -> bool)
    -> Result<Option<&[f32]>, String>;

    /// The number of tokens to pass at once.
    fn portion(&self) -> usize;
}
