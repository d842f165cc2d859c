//! The folder of a BERT model, on disk or within the program: reads its files within limits and reports their faults.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::ModelError;
use crate::text::sanitise_line;

/// The largest settings file, in bytes (usual ones have a few kilobytes).
const LARGEST_SETTINGS: u64 = 4 << 20;
/// The largest tokeniser file, in bytes (a vocabulary of 250,000 entries has 17 MB).
const LARGEST_TOKENIZER: u64 = 256 << 20;

/// The files of a model that is part of the program, by their names.
pub type EmbeddedFiles = &'static [(&'static str, &'static [u8])];

/// An open file of a model.
pub(super) trait ModelFile: Read + Seek {}

impl<T: Read + Seek> ModelFile for T {}

/// A folder with a model, and the name under which faults are reported.
#[derive(Debug, Clone)]
pub(super) struct ModelFolder {
    pub(super) name: String,
    place: Place,
}

/// Where the files are.
#[derive(Clone)]
enum Place {
    Disk(PathBuf),
    Program(EmbeddedFiles),
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disk(path) => path.fmt(f),
            Self::Program(files) => f.debug_list().entries(files.iter().map(|(name, _)| name)).finish(),
        }
    }
}

impl ModelFolder {
    /// The files of a model that is part of the program.
    pub(super) fn embedded(name: &str, files: EmbeddedFiles) -> Self {
        Self { name: name.into(), place: Place::Program(files) }
    }

    /// The folder at a path; its last part is the model's name.
    pub(super) fn at(path: &Path) -> Result<Self, ModelError> {
        let last = path.canonicalize().ok().as_deref().unwrap_or(path).file_name().map(|n| n.to_string_lossy().into_owned());
        let name = sanitise_line(&last.unwrap_or_else(|| "model".into()));
        let folder = Self { name, place: Place::Disk(path.to_owned()) };
        if path.is_dir() {
            return Ok(folder);
        }
        Err(folder.fails(&path.display().to_string(), "there is no such folder; a model is a folder with config.json and its weights"))
    }

    /// The error for a file with wrong content. Text from the file is made safe to show.
    pub(super) fn fails(&self, file: &str, problem: impl AsRef<str>) -> ModelError {
        ModelError::Load { name: self.name.clone(), problem: sanitise_line(&format!("{file}: {}", problem.as_ref())) }
    }

    /// A file, opened, and its size in bytes.
    pub(super) fn open(&self, name: &str) -> std::io::Result<(Box<dyn ModelFile>, u64)> {
        match &self.place {
            Place::Disk(path) => {
                let file = File::open(path.join(name))?;
                let size = file.metadata()?.len();
                Ok((Box::new(file), size))
            }
            Place::Program(files) => {
                let found = files.iter().find(|(of, _)| *of == name).ok_or(std::io::ErrorKind::NotFound)?;
                Ok((Box::new(Cursor::new(found.1)), found.1.len() as u64))
            }
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        match &self.place {
            Place::Disk(path) => path.join(name).is_file(),
            Place::Program(files) => files.iter().any(|(of, _)| *of == name),
        }
    }

    /// Size of a file in bytes, 0 where there is none.
    pub(super) fn size(&self, name: &str) -> u64 {
        match &self.place {
            Place::Disk(path) => std::fs::metadata(path.join(name)).map_or(0, |m| m.len()),
            Place::Program(_) => self.open(name).map_or(0, |(_, size)| size),
        }
    }

    /// The bytes of a file of at most `limit` bytes.
    fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        let (file, _) = self.open(name).map_err(|error| self.fails(name, format!("cannot be read ({error})")))?;
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| self.fails(name, format!("cannot be read ({error})")))?;
        if bytes.len() as u64 > limit {
            return Err(self.fails(name, format!("is larger than {} MiB, more than such a file needs", limit >> 20)));
        }
        Ok(bytes)
    }

    /// A JSON file of settings.
    pub(super) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, ModelError> {
        serde_json::from_slice(&self.read(name, LARGEST_SETTINGS)?).map_err(|error| self.fails(name, error.to_string()))
    }

    /// [`Self::json`] for a file that may be missing.
    fn json_if_there<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ModelError> {
        if self.has(name) { self.json(name).map(Some) } else { Ok(None) }
    }

    /// The bytes of `tokenizer.json`.
    pub(super) fn tokenizer(&self) -> Result<Vec<u8>, ModelError> {
        if !self.has("tokenizer.json") {
            return Err(self.fails("tokenizer.json", "is missing; older vocabularies (vocab.txt, sentencepiece.bpe.model) are not read"));
        }
        self.read("tokenizer.json", LARGEST_TOKENIZER)
    }
}

/// How the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all tokens.
    Mean,
    /// The first token (`[CLS]`, `<s>`).
    First,
}

/// The settings of sentence-transformers and `catena.toml`. Vectors are always normalised, whether or not
/// there is a module for it, as [`crate::model::Encoder::encode`] promises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SentenceSettings {
    pub(super) pooling: Pooling,
    pub(super) max_seq_length: Option<usize>,
    pub(super) delta: Option<f64>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingFile {
    word_embedding_dimension: Option<usize>,
    // The names of earlier versions …
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    // … and of later ones.
    pooling_mode: Option<String>,
}

#[derive(Deserialize)]
struct Lengths {
    max_seq_length: Option<usize>,
}

/// `catena.toml`, which a user can put into a model's folder.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CatenaToml {
    delta: Option<f64>,
}

impl ModelFolder {
    /// The settings of a sentence encoder, for a network of `hidden` components.
    pub(super) fn sentences(&self, hidden: usize) -> Result<SentenceSettings, ModelError> {
        let modules: Vec<Module> = self.json_if_there("modules.json")?.unwrap_or_default();
        let mut pooling = None;
        for module in &modules {
            // "sentence_transformers.models.Pooling", in later versions with more parts in between.
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                "Pooling" => pooling = Some(self.pooling(&module.path, hidden)?),
                other => {
                    let problem = format!("the module {other:?} is not among those that Catena computes (Transformer, Pooling, Normalize)");
                    return Err(self.fails("modules.json", problem));
                }
            }
        }
        if pooling.is_none() && self.has("1_Pooling/config.json") {
            pooling = Some(self.pooling("1_Pooling", hidden)?);
        }
        let Some(pooling) = pooling else {
            let problem = "is missing; it says how the vectors of the words become the vector of the text (mean or first)";
            return Err(self.fails("1_Pooling/config.json", problem));
        };
        let lengths: Option<Lengths> = self.json_if_there("sentence_bert_config.json")?;
        Ok(SentenceSettings { pooling, max_seq_length: lengths.and_then(|l| l.max_seq_length), delta: self.delta()? })
    }

    fn pooling(&self, module: &str, hidden: usize) -> Result<Pooling, ModelError> {
        let file = format!("{module}/config.json");
        if module.contains(['/', '\\']) || module.contains("..") {
            return Err(self.fails("modules.json", format!("path {module:?} does not name a folder beside it")));
        }
        let read: PoolingFile = self.json(&file)?;
        if let Some(other) = read.word_embedding_dimension.filter(|dimension| *dimension != hidden) {
            return Err(self.fails(&file, format!("word_embedding_dimension is {other}, but hidden_size in config.json is {hidden}")));
        }
        match (read.pooling_mode_mean_tokens, read.pooling_mode_cls_token, read.pooling_mode.as_deref()) {
            (true, false, None | Some("mean")) | (false, false, Some("mean")) => Ok(Pooling::Mean),
            (false, true, None | Some("cls")) | (false, false, Some("cls")) => Ok(Pooling::First),
            _ => Err(self.fails(&file, "the pooling is neither the mean of the words nor the first word (pooling_mode_…)")),
        }
    }

    /// `delta` of `catena.toml`.
    fn delta(&self) -> Result<Option<f64>, ModelError> {
        let file = "catena.toml";
        if !self.has(file) {
            return Ok(None);
        }
        let text = String::from_utf8(self.read(file, LARGEST_SETTINGS)?).map_err(|_| self.fails(file, "is not UTF-8"))?;
        let own: CatenaToml = toml::from_str(&text).map_err(|error| self.fails(file, error.to_string()))?;
        match own.delta {
            Some(delta) if !(0.0..=1.0).contains(&delta) => {
                Err(self.fails(file, format!("delta is {delta}; it must be a cosine from 0 to 1")))
            }
            delta => Ok(delta),
        }
    }
}
