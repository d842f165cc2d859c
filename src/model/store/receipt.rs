//! Receipts of downloaded models: sizes, checksums and sources, to verify the files later.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::StoreError;
use crate::config::write_atomically;

/// The longest receipt, in bytes.
const LONGEST: u64 = 1 << 20;

/// The receipt of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The source of the download.
    pub source: String,
    /// Its licence.
    pub licence: String,
    /// Its files.
    pub files: Vec<FileReceipt>,
}

/// The receipt of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileReceipt {
    /// Its path below the model's folder, or the file's own name.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// What the checksum was compared with: `known` (Catena's own list), `hub` (the Hub's statement), or `first` (nothing; it was
    /// recorded at the first download).
    pub compared: String,
}

/// The state of a file compared with its receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Unchanged since the download.
    Whole,
    /// The file does not exist.
    Missing,
    /// The length or the checksum differs.
    Changed,
}

impl Receipt {
    /// Reads a receipt; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<Option<Self>, StoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path)(error)),
        };
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(StoreError::io(path))?;
        let damaged = |error: toml::de::Error| StoreError::Io { path: path.into(), problem: format!("is damaged: {}", error.message()) };
        toml::from_str(&text).map(Some).map_err(damaged)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), StoreError> {
        let text = toml::to_string(self).map_err(|error| StoreError::Io { path: path.into(), problem: error.to_string() })?;
        write_atomically(path, |out| out.write_all(text.as_bytes())).map_err(StoreError::io(path))
    }
}

impl FileReceipt {
    /// Compares a file with the receipt; reads the whole file. `advance` receives the bytes of each chunk and returns `false` to stop.
    ///
    /// # Errors
    /// If it cannot be read, or was stopped.
    pub fn state(&self, path: &Path, advance: &mut dyn FnMut(u64) -> bool) -> Result<FileState, StoreError> {
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(FileState::Missing),
            Err(error) => return Err(StoreError::io(path)(error)),
            Ok(state) if state.len() != self.bytes => return Ok(FileState::Changed),
            Ok(_) => {}
        }
        let same = hex(&checksum(path, advance)?.finalize()) == self.sha256;
        Ok(if same { FileState::Whole } else { FileState::Changed })
    }
}

/// The running checksum of a file, read to its end.
pub(super) fn checksum(path: &Path, advance: &mut dyn FnMut(u64) -> bool) -> Result<Sha256, StoreError> {
    let mut file = File::open(path).map_err(StoreError::io(path))?;
    let mut hash = Sha256::new();
    let mut portion = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut portion).map_err(StoreError::io(path))?;
        if read == 0 {
            return Ok(hash);
        }
        hash.update(&portion[..read]);
        if !advance(read as u64) {
            return Err(StoreError::Stopped);
        }
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
