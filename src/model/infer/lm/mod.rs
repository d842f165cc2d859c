//! Local language models by candle: decoder-only transformers from GGUF files and folders with safetensors.
//!
//! A question goes through here like this: `template` writes the conversation as the model was taught it, `tokens` cuts it into
//! tokens (nothing in a question or graph can become a control token), a `Forward` computes logits, `sample` draws the
//! next token, `stream` turns tokens into whole characters. `model` holds it together and keeps what was computed of a prompt
//! for the next one that begins alike.
//!
//! There are two ways to compute: `tensors` by candle's operations, on any device, the reference; and `cpu`, kernels of our own on
//! quantised weights, which processors take.

mod config;
mod cpu;
mod folder;
mod folder_config;
mod gguf;
mod gguf_config;
mod inspection;
mod model;
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

pub use inspection::{Inspection, inspect};
pub use model::LanguageModel;

use crate::model::{Generator, ModelError};

/// Tokens of context that a model gets unless told: keys and values for more take memory that few questions need.
pub const CONTEXT: usize = 8192;

/// How a language model is loaded and run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Tokens of prompt and answer together at most. `None`: what the model was made for, 8,192 at most.
    pub context: Option<usize>,
    /// Floating-point weights are brought into 8-bit blocks (Q8_0) while loading: half or a quarter of the memory, and as
    /// much faster, for a small loss of precision.
    pub to_q8_0: bool,
    /// Threads that compute, on a processor. `None`: as many as there are cores.
    pub threads: Option<usize>,
    /// How it is computed.
    pub computation: Computation,
}

/// How a model is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Computation {
    /// By our own kernels on a processor, by candle's operations on other devices.
    #[default]
    Fastest,
    /// By candle's operations everywhere: the reference.
    Tensors,
}

/// Loads a language model from a GGUF file, or a folder with `config.json`, safetensors and `tokenizer.json`.
///
/// # Errors
/// [`ModelError::Load`] with the path as name: a file is missing, damaged, of a kind that Catena cannot run, or needs more memory than
/// the device gives.
pub fn open(path: &Path, device: &Device, options: &Options) -> Result<Box<dyn Generator>, ModelError> {
    Ok(Box::new(LanguageModel::open(path, device, options)?))
}

/// The vector instructions that language models are computed by on this processor: `AVX-512 VNNI`, `AVX2`, or `none`.
pub fn instructions() -> &'static str {
    match cpu::Instructions::best() {
        cpu::Instructions::Plain => "none",
        #[cfg(target_arch = "x86_64")]
        cpu::Instructions::Avx2 => "AVX2",
        #[cfg(target_arch = "x86_64")]
        cpu::Instructions::Avx512 => "AVX-512 VNNI",
    }
}

/// Something that computes a model's logits, token by token or many at once, and remembers keys and values of all positions.
trait Forward: Send {
    /// Reads `tokens`, which stand at the positions from `position`; gives the logits after the last where they are `wanted`. What was
    /// remembered from `position` on is forgotten; everything before must be there. `go_on` is asked before every layer; `None` if it said no.
    fn forward(&mut self, tokens: &[u32], position: usize, wanted: bool, go_on: &mut dyn FnMut() -> bool)
    -> Result<Option<&[f32]>, String>;

    /// How many tokens it should be given at once.
    fn portion(&self) -> usize;
}
