//! The folder of models and its content.

use std::fs;
use std::path::{Path, PathBuf};

use super::{KnownModel, Receipt, StoreError};

/// The folder of receipts, in the folder of models.
const RECEIPTS: &str = ".receipts";

/// The folder of models.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// A model on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// Its name: the folder's, or the file's without `.gguf`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Bytes of its files.
    pub bytes: u64,
}

impl Store {
    /// The store in a folder, which need not exist yet.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a known model after its download.
    pub fn place(&self, model: &KnownModel) -> PathBuf {
        self.folder.join(model.file_name())
    }

    /// The folder of a model's files during the download.
    pub(super) fn unfinished(&self, name: &str) -> PathBuf {
        self.folder.join(format!(".part-{name}"))
    }

    /// Whether a model is partly downloaded.
    pub fn is_unfinished(&self, name: &str) -> bool {
        self.unfinished(name).is_dir()
    }

    /// The path of a model's receipt.
    pub(super) fn receipt_file(&self, name: &str) -> PathBuf {
        self.folder.join(RECEIPTS).join(format!("{name}.toml"))
    }

    /// The receipt of a model, if Catena downloaded it.
    ///
    /// # Errors
    /// If it exists but cannot be read.
    pub fn receipt(&self, name: &str) -> Result<Option<Receipt>, StoreError> {
        if name.contains(['/', '\\']) { Ok(None) } else { Receipt::read(&self.receipt_file(name)) }
    }

    /// All models in the folder, by name: folders with a `config.json`, and `.gguf` files.
    ///
    /// # Errors
    /// If the folder exists but cannot be read.
    pub fn models(&self) -> Result<Vec<LocalModel>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io(&self.folder)(error)),
        };
        let mut models = Vec::new();
        for entry in entries {
            let path = entry.map_err(StoreError::io(&self.folder))?.path();
            models.extend(Self::model_at(&path));
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// A model by its name in the folder, or by a path.
    pub fn find(&self, name: &str) -> Option<LocalModel> {
        let is_name = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
        let inside = [self.folder.join(name), self.folder.join(format!("{name}.gguf"))];
        inside.iter().filter(|_| is_name).find_map(|path| Self::model_at(path)).or_else(|| Self::model_at(Path::new(name)))
    }

    /// The model at a path, if there is one.
    fn model_at(path: &Path) -> Option<LocalModel> {
        let file_name = path.file_name()?.to_str()?;
        if file_name.starts_with('.') {
            return None;
        }
        if path.is_dir() {
            let is_model = path.join("config.json").is_file();
            return is_model.then(|| LocalModel { name: file_name.into(), path: path.into(), bytes: bytes_in(path) });
        }
        let stem = file_name.strip_suffix(".gguf").or_else(|| file_name.strip_suffix(".GGUF"))?;
        let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
        Some(LocalModel { name: stem.into(), path: path.into(), bytes })
    }
}

/// Bytes of the files in a folder and in those right below it (`1_Pooling`); models have no deeper ones.
fn bytes_in(folder: &Path) -> u64 {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let length = |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map_or(0, |state| state.len());
    entries(folder).iter().map(|path| if path.is_dir() { entries(path).iter().map(|path| length(path)).sum() } else { length(path) }).sum()
}
