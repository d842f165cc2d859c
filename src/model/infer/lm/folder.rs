//! A folder with a model as Hugging Face lays it out: `config.json` and safetensors, in one file or several.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use candle_core::quantized::GgmlDType;
use serde_json::Value;

use super::source::{RawMatrix, TensorSource, bytes_of};

/// The largest JSON file in a model's folder, in bytes (a tokenizer of 256,000 tokens has 33 MB).
const LARGEST_JSON: u64 = 256 << 20;
/// The header of a safetensors file, by its format.
const LARGEST_HEADER: u64 = 100 << 20;

/// The position, type and shape of a tensor.
#[derive(Debug, Clone)]
struct TensorLocation {
    file: usize,
    kind: GgmlDType,
    rows: usize,
    columns: usize,
    from: u64,
    bytes: usize,
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder {
    files: Vec<(String, File)>,
    tensors: BTreeMap<String, TensorLocation>,
}

/// A JSON file of a folder; `None` if it is not there.
///
/// # Errors
/// If it cannot be read, is too large, or is no JSON: its name and why.
pub(super) fn read_json(folder: &Path, name: &str) -> Result<Option<Value>, String> {
    match read_text(folder, name)? {
        None => Ok(None),
        Some(text) => serde_json::from_str(&text).map(Some).map_err(|e| format!("{name} is damaged: {e}")),
    }
}

/// A text file of a folder; `None` if it is not there.
///
/// # Errors
/// If it cannot be read or is too large: its name and why.
pub(super) fn read_text(folder: &Path, name: &str) -> Result<Option<String>, String> {
    let file = match File::open(folder.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{name} cannot be opened: {error}")),
    };
    let mut text = String::new();
    file.take(LARGEST_JSON + 1).read_to_string(&mut text).map_err(|e| format!("{name} cannot be read: {e}"))?;
    if text.len() as u64 > LARGEST_JSON { Err(format!("{name} is larger than {} MiB", LARGEST_JSON >> 20)) } else { Ok(Some(text)) }
}

impl Folder {
    /// Reads the headers of all its weight files.
    ///
    /// # Errors
    /// The missing or damaged file.
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        let mut open = Self { files: Vec::new(), tensors: BTreeMap::new() };
        for name in weight_files(folder)? {
            let path: PathBuf = folder.join(&name);
            let file = File::open(path).map_err(|e| format!("{name} cannot be opened: {e}"))?;
            open.files.push((name.clone(), file));
            open.header().map_err(|problem| format!("{name}: {problem}"))?;
        }
        Ok(open)
    }

    /// Reads the header of the last file.
    fn header(&mut self) -> Result<(), String> {
        let number = self.files.len() - 1;
        let file = &mut self.files[number].1;
        let size = file.metadata().map_err(|e| format!("its size cannot be read: {e}"))?.len();
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(|_| "it is too short for a safetensors file")?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER || length > size.saturating_sub(8) {
            return Err(format!("its header claims {length} bytes, more than the file holds; copy or download it again"));
        }
        let mut header = vec![0; usize::try_from(length).map_err(|e| e.to_string())?];
        file.read_exact(&mut header).map_err(|e| format!("its header cannot be read: {e}"))?;
        let header: serde_json::Map<String, Value> = serde_json::from_slice(&header).map_err(|e| format!("its header is damaged: {e}"))?;
        for (name, entry) in &header {
            if name == "__metadata__" {
                continue;
            }
            let place = place(entry, number, 8 + length, size).map_err(|problem| format!("the tensor {name} {problem}"))?;
            if self.tensors.insert(name.clone(), place).is_some() {
                return Err(format!("the tensor {name} is in two files"));
            }
        }
        Ok(())
    }

    /// Whether there is a tensor of this (Hugging Face) name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Leaves a tensor out, as if it were not there.
    pub(super) fn forget(&mut self, name: &str) {
        self.tensors.remove(name);
    }

    /// For every tensor its kind, number of values, and bytes.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (GgmlDType, u64, u64)> {
        self.tensors.values().map(|place| (place.kind, (place.rows * place.columns) as u64, place.bytes as u64))
    }
}

/// Names of the files with weights: those of the index, or the one.
fn weight_files(folder: &Path) -> Result<Vec<String>, String> {
    let Some(index) = read_json(folder, "model.safetensors.index.json")? else { return Ok(vec!["model.safetensors".into()]) };
    let map = index["weight_map"].as_object().ok_or("model.safetensors.index.json has no weight_map")?;
    let mut names: Vec<String> = Vec::new();
    for name in map.values() {
        let name = name.as_str().ok_or("model.safetensors.index.json names a file by a value that is not a text")?;
        // A name from a file: it must stay in the folder.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(format!("model.safetensors.index.json names {name:?}, which is not a file of this folder"));
        }
        names.push(name.into());
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn place(entry: &Value, file: usize, start: u64, size: u64) -> Result<TensorLocation, String> {
    let kind = match entry["dtype"].as_str() {
        Some("F32") => GgmlDType::F32,
        Some("F16") => GgmlDType::F16,
        Some("BF16") => GgmlDType::BF16,
        other => return Err(format!("has the type {}; Catena reads F32, F16 and BF16", other.unwrap_or("(none)"))),
    };
    let whole = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).ok_or("has a damaged description");
    let shape = entry["shape"].as_array().ok_or("has no shape")?.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    let (columns, rows) = shape.split_last().map_or((1, &[][..]), |(last, rest)| (*last, rest));
    let rows = rows.iter().try_fold(1usize, |rows, length| rows.checked_mul(*length)).ok_or("is larger than any file")?;
    let bytes = rows.checked_mul(columns).and_then(|_| bytes_of(kind, rows, columns)).ok_or("is larger than any file")?;
    let offsets = entry["data_offsets"].as_array().ok_or("has no position in the file")?;
    let [Some(from), Some(to)] = [0, 1].map(|i| offsets.get(i).and_then(Value::as_u64)) else {
        return Err("has no position in the file".into());
    };
    if to.checked_sub(from) != Some(bytes as u64) || start.checked_add(to).is_none_or(|end| end > size) {
        return Err(format!("needs {bytes} bytes, which is not what the file holds; copy or download it again"));
    }
    Ok(TensorLocation { file, kind, rows, columns, from: start + from, bytes })
}

impl TensorSource for Folder {
    fn tensor(&mut self, name: &str) -> Result<Option<RawMatrix>, String> {
        let Some(place) = hugging_face_name(name).and_then(|name| self.tensors.get(&name)) else { return Ok(None) };
        let (file_name, file) = &mut self.files[place.file];
        let mut data = vec![0; place.bytes];
        file.seek(SeekFrom::Start(place.from))
            .and_then(|_| file.read_exact(&mut data))
            .map_err(|e| format!("the tensor {name} cannot be read from {file_name}: {e}"))?;
        Ok(Some(RawMatrix { name: name.into(), kind: place.kind, rows: place.rows, columns: place.columns, data }))
    }
}

/// The Hugging Face name of the tensor that GGUF files call `name`.
fn hugging_face_name(name: &str) -> Option<String> {
    let whole = match name {
        "token_embd.weight" => Some("model.embed_tokens.weight"),
        "output_norm.weight" => Some("model.norm.weight"),
        "output.weight" => Some("lm_head.weight"),
        _ => None,
    };
    if let Some(whole) = whole {
        return Some(whole.into());
    }
    let (layer, part) = name.strip_prefix("blk.")?.split_once('.')?;
    let (part, end) = part.rsplit_once('.')?;
    let part = match part {
        "attn_norm" => "input_layernorm",
        "attn_q" => "self_attn.q_proj",
        "attn_k" => "self_attn.k_proj",
        "attn_v" => "self_attn.v_proj",
        "attn_output" => "self_attn.o_proj",
        "attn_q_norm" => "self_attn.q_norm",
        "attn_k_norm" => "self_attn.k_norm",
        "ffn_norm" => "post_attention_layernorm",
        "ffn_gate" => "mlp.gate_proj",
        "ffn_up" => "mlp.up_proj",
        "ffn_down" => "mlp.down_proj",
        _ => return None,
    };
    Some(format!("model.layers.{layer}.{part}.{end}"))
}
