//! Reads the headers of a model's files: architecture, form, memory. Reads no weights.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::LocalModel;
use super::space::in_words;
use crate::model::infer::{bert, lm};

/// The longest header or configuration, in bytes.
const LONGEST: u64 = 64 << 20;

/// What the headers of a model's files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headers {
    /// `gguf`, `safetensors` or `pytorch`.
    pub form: &'static str,
    /// The architecture.
    pub architecture: String,
    /// Estimated bytes of memory when loaded.
    pub memory: u64,
    /// What the user should know about it although it can be used.
    pub warning: Option<String>,
}

/// Whether a model fits into the memory that is available now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryFit {
    /// It does.
    Fits,
    /// It does not.
    TooLarge,
    /// The system does not say.
    Unknown,
}

impl Headers {
    /// Whether it fits into the available bytes.
    pub fn fit(&self, available: Option<u64>) -> MemoryFit {
        match available {
            None => MemoryFit::Unknown,
            Some(available) if self.memory <= available => MemoryFit::Fits,
            Some(_) => MemoryFit::TooLarge,
        }
    }

    /// The estimate in words.
    pub fn memory_in_words(&self) -> String {
        in_words(self.memory)
    }
}

/// Reads the headers of a model's files: checks that the files are complete, and returns architecture and memory.
///
/// # Errors
/// What is wrong, naming the file.
pub fn read_headers(model: &LocalModel) -> Result<Headers, String> {
    if model.path.is_file() {
        gguf(&model.path)?;
        return language_model(model, "gguf");
    }
    let config = model.path.join("config.json");
    let config: Value = serde_json::from_slice(&beginning(&config, LONGEST)?).map_err(|error| format!("{}: {error}", config.display()))?;
    let (form, weights) = weights_in(&model.path)?;
    for file in weights.iter().filter(|_| form == "safetensors") {
        whole_safetensors(file)?;
    }
    match config["model_type"].as_str() {
        Some("bert" | "roberta" | "xlm-roberta") => {
            let inspection = bert::inspect(&model.path).map_err(|error| error.to_string())?;
            Ok(Headers { form, architecture: inspection.architecture, memory: inspection.bytes, warning: None })
        }
        _ => language_model(model, form),
    }
}

fn language_model(model: &LocalModel, form: &'static str) -> Result<Headers, String> {
    let inspection = lm::inspect(&model.path).map_err(|error| error.to_string())?;
    let memory = inspection.memory(lm::CONTEXT.min(inspection.context));
    let warning = lm::check_conversation(&model.path).map_err(|error| error.to_string())?;
    Ok(Headers { form, architecture: inspection.architecture, memory, warning })
}

/// The files of weights in a folder.
fn weights_in(folder: &Path) -> Result<(&'static str, Vec<PathBuf>), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for (form, ending) in [("safetensors", "safetensors"), ("pytorch", "bin")] {
        let of_form: Vec<PathBuf> = files.iter().filter(|file| file.extension().is_some_and(|e| e == ending)).cloned().collect();
        if !of_form.is_empty() {
            return Ok((form, of_form));
        }
    }
    Err(format!("{}: there are no weights (model.safetensors or pytorch_model.bin)", folder.display()))
}

/// Checks that a safetensors file is as long as its header says.
fn whole_safetensors(file: &Path) -> Result<(), String> {
    let wrong = |problem: String| format!("{}: {problem}", file.display());
    let total = length_of(file)?;
    let head = beginning(file, 8)?;
    let length = u64::from_le_bytes(head.try_into().map_err(|_| wrong("it is too short for weights".into()))?);
    if length > LONGEST || length.saturating_add(8) > total {
        return Err(wrong("its header is longer than the file; the download is incomplete, or it is not a safetensors file".into()));
    }
    let header = beginning(file, 8 + length)?;
    let header: serde_json::Map<String, Value> =
        serde_json::from_slice(header.get(8..).unwrap_or_default()).map_err(|error| wrong(format!("its header is damaged: {error}")))?;
    let ends = header.values().filter_map(|tensor| tensor["data_offsets"][1].as_u64());
    let wanted = ends.max().unwrap_or(0).saturating_add(8 + length);
    if wanted == total { Ok(()) } else { Err(wrong(format!("it has {total} bytes, but its header describes {wanted}"))) }
}

/// Checks the beginning of a GGUF file.
fn gguf(file: &Path) -> Result<(), String> {
    let head = beginning(file, 24)?;
    let version = head.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    if head.len() < 24 || !head.starts_with(b"GGUF") || !version.is_some_and(|version| (2..=3).contains(&version)) {
        return Err(format!("{}: it is not a GGUF file of version 2 or 3", file.display()));
    }
    Ok(())
}

fn length_of(file: &Path) -> Result<u64, String> {
    std::fs::metadata(file).map(|state| state.len()).map_err(|error| format!("{}: {error}", file.display()))
}

fn beginning(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(most).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| format!("{}: {error}", file.display()))
}
