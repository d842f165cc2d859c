//! Downloads a model: all files into a staging folder, which is moved into place when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use super::receipt::{FileReceipt, checksum, hex};
use super::{Hub, KnownModel, Receipt, Store, StoreError};
use sha2::Digest;

/// Receives the progress of a download, and can stop it.
pub trait PullProgress {
    /// A file begins: bytes already present, and the total if it is known.
    fn file(&mut self, file: &str, have: u64, total: Option<u64>);
    /// Bytes of the file so far.
    fn done(&mut self, bytes: u64);
    /// Whether the user has stopped the download.
    fn stopped(&self) -> bool;
}

/// Downloads a model from the Hub into the folder of models and returns its receipt. Resumes an earlier download.
///
/// # Errors
/// See [`StoreError`]; downloaded bytes are kept, except files with a wrong checksum.
pub fn pull(store: &Store, model: &KnownModel, hub: &Hub, progress: &mut dyn PullProgress) -> Result<Receipt, StoreError> {
    let staging = begin(store, model)?;
    let noted = staging.join(".receipt.toml");
    let source = hub.source(model);
    let earlier = Receipt::read(&noted).ok().flatten().filter(|receipt| receipt.source == source);
    let mut receipt = earlier.unwrap_or_else(|| Receipt { source, licence: model.licence.clone(), files: Vec::new() });
    for file in &model.files {
        let target = place(&staging, file)?;
        let whole =
            receipt.files.iter().any(|known| known.path == *file && fs::metadata(&target).is_ok_and(|state| state.len() == known.bytes));
        if !whole {
            receipt.files.retain(|known| known.path != *file);
            receipt.files.push(hub.fetch(model, file, &target, progress)?);
            receipt.write(&noted)?;
        }
    }
    finish(store, model, receipt)
}

/// Creates the staging folder of a model.
pub(super) fn begin(store: &Store, model: &KnownModel) -> Result<PathBuf, StoreError> {
    let staging = store.unfinished(&model.name);
    for folder in [store.folder(), &staging, &store.receipt_file(&model.name).with_file_name("")] {
        create_private_folder(folder).map_err(StoreError::io(folder))?;
    }
    Ok(staging)
}

/// The path of a file in the staging folder.
pub(super) fn place(staging: &Path, file: &str) -> Result<PathBuf, StoreError> {
    let target = staging.join(file);
    if !is_inside(file) {
        return Err(StoreError::Io { path: target, problem: "is outside the model's folder".into() });
    }
    if let Some(folder) = target.parent() {
        create_private_folder(folder).map_err(StoreError::io(folder))?;
    }
    Ok(target)
}

/// Moves a complete model into place.
pub(super) fn finish(store: &Store, model: &KnownModel, mut receipt: Receipt) -> Result<Receipt, StoreError> {
    let staging = store.unfinished(&model.name);
    let target = store.place(model);
    if let ([file], true) = (&mut receipt.files[..], model.is_single()) {
        let from = staging.join(&file.path);
        file.path = model.file_name();
        receipt.write(&store.receipt_file(&model.name))?;
        fs::rename(&from, &target).map_err(StoreError::io(&target))?;
        let _ = fs::remove_dir_all(&staging);
        return Ok(receipt);
    }
    receipt.write(&store.receipt_file(&model.name))?;
    let _ = fs::remove_file(staging.join(".receipt.toml"));
    let old = store.folder().join(format!(".old-{}", model.name));
    let _ = fs::remove_dir_all(&old);
    if target.exists() {
        fs::rename(&target, &old).map_err(StoreError::io(&target))?;
    }
    fs::rename(&staging, &target).map_err(StoreError::io(&target))?;
    let _ = fs::remove_dir_all(&old);
    Ok(receipt)
}

/// The receipt of a downloaded file, if its checksum equals the one in Catena's list, else the one that the source states; without either, any
/// checksum is accepted and recorded.
pub(super) fn file_receipt(
    model: &KnownModel,
    file: &str,
    path: &Path,
    stated: Option<&str>,
    progress: &mut dyn PullProgress,
) -> Result<FileReceipt, StoreError> {
    let found = hex(&checksum(path, &mut |_| !progress.stopped())?.finalize());
    let (expected, compared) = match (model.sha256.get(file), stated) {
        (Some(known), _) => (Some(known.as_str()), "known"),
        (None, Some(stated)) => (Some(stated), "hub"),
        (None, None) => (None, "first"),
    };
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        return Err(StoreError::Checksum { file: file.into(), expected: expected.into(), found });
    }
    let bytes = fs::metadata(path).map_err(StoreError::io(path))?.len();
    Ok(FileReceipt { path: file.into(), bytes, sha256: found, compared: compared.into() })
}

/// Whether a path stays below the folder that it is relative to.
pub(super) fn is_inside(file: &str) -> bool {
    !file.is_empty() && Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_))) && !file.contains('\\')
}

fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
