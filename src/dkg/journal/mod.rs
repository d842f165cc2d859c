//! The journal: the authoritative history of the DKG. An append-only file with one record per line; each line has the hash of the line before,
//! so that no record can be changed or removed unnoticed. A record counts once it is on disk.

mod line;
mod read;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use line::LONGEST;
pub(super) use line::Sum;
pub(super) use read::JournalRecords;
pub(super) use read::{Walked, find, records, walk};

use super::error::{DkgError, Refusal};
use super::record::Record;
use crate::config::create_private;

/// The journal's name in its folder.
const NAME: &str = "journal.jsonl";

/// A position in the journal: after a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    /// How many records.
    pub(super) seq: u64,
    /// How many bytes.
    pub(super) length: u64,
    /// The sum of the last line; zeros where there is none.
    pub(super) sum: Sum,
}

/// The journal's place in a folder.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Length and time of the last change (nanoseconds since 1970): a file with the same two is unchanged.
pub(super) fn stamp(metadata: &Metadata) -> (u64, u64) {
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), time.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Opens the journal for writing, and creates it where there is none.
///
/// # Errors
/// What the system reports; a write-protected journal can still be read.
pub(super) fn open_file(folder: &Path) -> io::Result<File> {
    let path = path_in(folder);
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let existed = path.exists();
    let file = options.open(&path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    if !existed {
        file.sync_all()?;
        sync_folder(folder)?;
    }
    Ok(file)
}

/// Makes names in a folder survive a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Writes records at the journal's end.
#[derive(Debug)]
pub(super) struct Writer {
    file: File,
    path: PathBuf,
    position: Position,
    /// Why nothing more is written, once that is so.
    poisoned: Option<String>,
}

impl Writer {
    /// Writes from here on. Bytes after the last whole record were never acknowledged: they are moved to a separate file, and a notice says
    /// so.
    pub(super) fn new(file: File, folder: &Path, walked: &Walked) -> Result<(Self, Option<String>), DkgError> {
        let path = path_in(folder);
        let mut notice = None;
        if walked.torn > 0 {
            let kept = folder.join(format!("journal.torn-{}", now_ms()));
            let failed = DkgError::io(&kept, "written");
            (|| {
                let mut source = File::open(&path)?;
                source.seek(SeekFrom::Start(walked.position.length))?;
                let mut copy = create_private(&kept)?;
                io::copy(&mut source.take(walked.torn), &mut copy)?;
                copy.sync_all()?;
                sync_folder(folder)
            })()
            .map_err(failed)?;
            file.set_len(walked.position.length).and_then(|()| file.sync_all()).map_err(DkgError::io(&path, "repaired"))?;
            notice = Some(format!(
                "The program or the machine stopped while it wrote the last {} bytes of {}, so they were never confirmed. Catena cut them off and \
                 kept them in {}.",
                walked.torn,
                path.display(),
                kept.display()
            ));
        }
        Ok((Self { file, path, position: walked.position, poisoned: None }, notice))
    }

    /// The end of the journal.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Length and time of change of the file.
    pub(super) fn stamp(&self) -> Result<(u64, u64), DkgError> {
        self.file.metadata().map(|metadata| stamp(&metadata)).map_err(DkgError::io(&self.path, "read"))
    }

    /// Writes records with one write and waits until they are on disk. Their numbers must continue the last one's.
    ///
    /// # Errors
    /// [`Refusal::TooLong`], before anything is written; [`DkgError::NotWritten`], which leaves the file unchanged; after any other error nothing
    /// can be appended until the journal is opened again.
    pub(super) fn append(&mut self, records: &[Record]) -> Result<(), DkgError> {
        if let Some(reason) = &self.poisoned {
            return Err(DkgError::Unconfirmed { file: self.path.clone(), reason: reason.clone() });
        }
        let mut bytes = Vec::new();
        let mut next = self.position;
        for record in records {
            let start = bytes.len();
            // Numbers that are none were refused before.
            next.sum = line::seal(record, &next.sum, &mut bytes).map_err(|_| Refusal::Distance)?;
            let length = bytes.len() - start - 1;
            if length > LONGEST {
                return Err(Refusal::TooLong { bytes: length, most: LONGEST }.into());
            }
            next.seq = record.seq;
        }
        next.length += bytes.len() as u64;
        if self.file.metadata().map_err(DkgError::io(&self.path, "read"))?.len() != self.position.length {
            self.poisoned = Some("another program changed it".to_owned());
            return Err(DkgError::Changed { file: self.path.clone() });
        }
        if let Err(source) = self.file.write_all(&bytes) {
            if let Err(error) = self.file.set_len(self.position.length) {
                self.poisoned = Some(format!("{source}; and the partial record could not be removed: {error}"));
            }
            return Err(DkgError::NotWritten { file: self.path.clone(), source });
        }
        if let Err(error) = self.file.sync_data() {
            let reason = error.to_string();
            self.poisoned = Some(reason.clone());
            return Err(DkgError::Unconfirmed { file: self.path.clone(), reason });
        }
        self.position = next;
        Ok(())
    }
}

/// Files in a folder whose names begin so.
pub(super) fn beginning_with(folder: &Path, start: &str) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().starts_with(start)).map(|entry| entry.path()).collect()
}
