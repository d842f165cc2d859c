//! Describes a model from the headers of its files, enough to tell whether it fits into memory.

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::quantized::GgmlDType;

use super::config::TransformerConfig;
use super::folder::{self, Folder};
use super::gguf::Gguf;
use super::source::TensorSource;
use super::template::{self, ChatTemplate};
use super::tokens::Tokens;
use super::{folder_config, gguf_config, vocabulary};
use crate::model::ModelError;

/// What the headers of a model's files say.
#[derive(Debug, Clone, PartialEq)]
pub struct LanguageModelInspection {
    /// The model's name: of its file or folder.
    pub name: String,
    /// `qwen2`, `qwen3`, `llama`, `gemma3` or `phi3`.
    pub architecture: String,
    /// `gguf` or `safetensors`.
    pub format: &'static str,
    /// The format of most of its weights: `Q8_0`, `Q4K`, `BF16`.
    pub stored_as: String,
    /// The number of weights.
    pub parameters: u64,
    /// Their bytes in the file.
    pub weight_bytes: u64,
    /// Bytes of keys and values that each token of a conversation takes while the model runs.
    pub kv_bytes_per_token: u64,
    /// The model's own limit of tokens.
    pub context: usize,
    /// Layers.
    pub layers: usize,
    /// Components of a hidden state.
    pub hidden: usize,
    /// Tokens of its vocabulary.
    pub vocabulary: usize,
    /// Whether its files contain a chat template; without one, Catena uses a template usual in the family.
    pub chat_template: bool,
}

impl LanguageModelInspection {
    /// Bytes of memory to run it with a context of this many tokens: weights, keys and values, and buffers.
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
pub(super) struct OpenedHeaders {
    pub(super) name: String,
    pub(super) config: TransformerConfig,
    pub(super) files: ModelFiles,
}

/// Where it lies.
pub(super) enum ModelFiles {
    Gguf(Box<Gguf>),
    Folder(Folder),
}

impl ModelFiles {
    pub(super) fn source(&mut self) -> &mut dyn TensorSource {
        match self {
            Self::Gguf(file) => file.as_mut(),
            Self::Folder(folder) => folder,
        }
    }
}

impl ModelFiles {
    /// The number of weights.
    pub(super) fn parameters(&self) -> u64 {
        match self {
            Self::Gguf(file) => file.sizes().map(|(_, values, _)| values).sum(),
            Self::Folder(folder) => folder.sizes().map(|(_, values, _)| values).sum(),
        }
    }
}

/// The name of a model: of its file without the extension, or of its folder.
pub(super) fn name_of(path: &Path) -> String {
    let name = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) { path.file_stem() } else { path.file_name() };
    name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Reads the headers; `context` is how many tokens will be used at most.
pub(super) fn open_headers(path: &Path, context: usize) -> Result<OpenedHeaders, ModelError> {
    let name = name_of(path);
    let fail = |problem: String| ModelError::Load { name: path.display().to_string(), problem };
    if path.is_dir() {
        let (config, folder) = open_folder(path).map_err(fail)?;
        return Ok(OpenedHeaders { name, config, files: ModelFiles::Folder(folder) });
    }
    let mut file = Gguf::open(path).map_err(fail)?;
    let config = gguf_config::config(&mut file, context).map_err(fail)?;
    Ok(OpenedHeaders { name, config, files: ModelFiles::Gguf(Box::new(file)) })
}

fn open_folder(path: &Path) -> Result<(TransformerConfig, Folder), String> {
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

impl OpenedHeaders {
    /// The vocabulary, and the form of a conversation.
    ///
    /// # Errors
    /// What is missing, damaged or unknown.
    pub(super) fn texts(&self, path: &Path) -> Result<(Tokens, ChatTemplate), String> {
        let family = self.config.family;
        let (tokens, template) = match &self.files {
            ModelFiles::Gguf(file) => (vocabulary::of_gguf(file, family, path)?, file.text("tokenizer.chat_template")?.map(str::to_owned)),
            ModelFiles::Folder(_) => (vocabulary::of_folder(path)?, template::of_folder(path)?),
        };
        let form = ChatTemplate::new(template.as_deref(), family, &tokens)?;
        Ok((tokens, form))
    }
}

/// Reads a model's vocabulary and chat template, without its weights. Returns a warning if its own template cannot be used.
///
/// # Errors
/// [`ModelError::Load`] with the path as name: as [`inspect`], and if the vocabulary cannot be used.
pub fn check_conversation(path: &Path) -> Result<Option<String>, ModelError> {
    let opened = open_headers(path, super::CONTEXT)?;
    let (_, form) = opened.texts(path).map_err(|problem| ModelError::Load { name: path.display().to_string(), problem })?;
    Ok(form.warning().map(str::to_owned))
}

/// Describes the model in a GGUF file or a folder with safetensors. Reads headers only.
///
/// # Errors
/// [`ModelError::Load`] with the path as name: the file cannot be read, is damaged, or is of a kind that Catena cannot run.
pub fn inspect(path: &Path) -> Result<LanguageModelInspection, ModelError> {
    let opened = open_headers(path, super::CONTEXT)?;
    let fail = |problem: String| ModelError::Load { name: path.display().to_string(), problem };
    let (sizes, format, chat_template): (Vec<_>, _, _) = match &opened.files {
        ModelFiles::Gguf(file) => (file.sizes().collect(), "gguf", file.text("tokenizer.chat_template").map_err(fail)?.is_some()),
        ModelFiles::Folder(folder) => (folder.sizes().collect(), "safetensors", template::of_folder(path).map_err(fail)?.is_some()),
    };
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, values, _) in &sizes {
        *kinds.entry(kind_name(*kind)).or_default() += values;
    }
    let config = &opened.config;
    Ok(LanguageModelInspection {
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
