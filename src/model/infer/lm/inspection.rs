//! What a model is, told from the headers of its files: enough to say whether it fits into memory before it is loaded.

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::quantized::GgmlDType;

use super::config::Config;
use super::folder::{self, Folder};
use super::gguf::Gguf;
use super::source::Source;
use super::{folder_config, gguf_config};
use crate::model::ModelError;

/// What the headers of a model's files say.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// The model's name: of its file or folder.
    pub name: String,
    /// `qwen2`, `qwen3`, `llama`, `gemma3` or `phi3`.
    pub architecture: String,
    /// `gguf` or `safetensors`.
    pub format: &'static str,
    /// In what form most of its weights are stored: `Q8_0`, `Q4K`, `BF16`.
    pub stored_as: String,
    /// Weights.
    pub parameters: u64,
    /// Bytes that they take in the file.
    pub weight_bytes: u64,
    /// Bytes of keys and values that each token of a conversation takes while the model runs.
    pub kv_bytes_per_token: u64,
    /// Tokens it was made for at most.
    pub context: usize,
    /// Layers.
    pub layers: usize,
    /// Components of a hidden state.
    pub hidden: usize,
    /// Tokens of its vocabulary.
    pub vocabulary: usize,
    /// Whether its files say how a conversation is written. Without, a form usual in its family is taken.
    pub chat_template: bool,
}

impl Inspection {
    /// Bytes of memory needed to run it with a context of so many tokens: weights, keys and values, and what a step computes with.
    pub fn memory(&self, context: usize) -> u64 {
        let logits = self.vocabulary as u64 * 4 * 4;
        let step = self.hidden as u64 * 4 * 64 * 16;
        self.weight_bytes
            .saturating_add(self.weight_bytes / 32)
            .saturating_add(self.kv_bytes_per_token.saturating_mul(context as u64))
            .saturating_add(logits + step)
    }
}

/// An opened model whose weights were not read yet.
pub(super) struct Opened {
    pub(super) name: String,
    pub(super) config: Config,
    pub(super) files: Files,
}

/// Where it lies.
pub(super) enum Files {
    Gguf(Box<Gguf>),
    Folder(Folder),
}

impl Files {
    pub(super) fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Gguf(file) => file.as_mut(),
            Self::Folder(folder) => folder,
        }
    }
}

/// The name of a model: of its file without the extension, or of its folder.
pub(super) fn name_of(path: &Path) -> String {
    let name = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) { path.file_stem() } else { path.file_name() };
    name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Reads the headers; `context` is how many tokens will be used at most.
pub(super) fn open_headers(path: &Path, context: usize) -> Result<Opened, ModelError> {
    let name = name_of(path);
    let fail = |problem: String| ModelError::Load { name: path.display().to_string(), problem };
    if path.is_dir() {
        let (config, folder) = open_folder(path).map_err(fail)?;
        return Ok(Opened { name, config, files: Files::Folder(folder) });
    }
    let mut file = Gguf::open(path).map_err(fail)?;
    let config = gguf_config::config(&mut file, context).map_err(fail)?;
    Ok(Opened { name, config, files: Files::Gguf(Box::new(file)) })
}

fn open_folder(path: &Path) -> Result<(Config, Folder), String> {
    let json = folder::read_json(path, "config.json")?.ok_or("the folder has no config.json")?;
    let config = folder_config::config(&json)?;
    let mut folder = Folder::open(path)?;
    match json["tie_word_embeddings"].as_bool() {
        Some(true) => folder.forget("lm_head.weight"),
        Some(false) if !folder.has("lm_head.weight") => return Err("the tensor lm_head.weight is missing".into()),
        _ => {}
    }
    Ok((config, folder))
}

/// What the model in a GGUF file or a folder with safetensors is. Reads headers only.
///
/// # Errors
/// [`ModelError::Load`] with the path as name: the file cannot be read, is damaged, or is of a kind that Catena cannot run.
pub fn inspect(path: &Path) -> Result<Inspection, ModelError> {
    let opened = open_headers(path, super::CONTEXT)?;
    let fail = |problem: String| ModelError::Load { name: path.display().to_string(), problem };
    let (sizes, format, chat_template): (Vec<_>, _, _) = match &opened.files {
        Files::Gguf(file) => (file.sizes().collect(), "gguf", file.text("tokenizer.chat_template").map_err(fail)?.is_some()),
        Files::Folder(folder) => (folder.sizes().collect(), "safetensors", super::template::of_folder(path).map_err(fail)?.is_some()),
    };
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, values, _) in &sizes {
        *kinds.entry(kind_name(*kind)).or_default() += values;
    }
    let config = &opened.config;
    Ok(Inspection {
        name: opened.name,
        architecture: config.family.name().into(),
        format,
        stored_as: kinds.into_iter().max_by_key(|(_, values)| *values).map_or_else(String::new, |(kind, _)| kind),
        parameters: sizes.iter().map(|(_, values, _)| values).sum(),
        weight_bytes: sizes.iter().map(|(_, _, bytes)| bytes).sum(),
        kv_bytes_per_token: config.kv_bytes_per_token(),
        context: config.context,
        layers: config.layers,
        hidden: config.hidden,
        vocabulary: config.vocabulary,
        chat_template,
    })
}

fn kind_name(kind: GgmlDType) -> String {
    format!("{kind:?}")
}
