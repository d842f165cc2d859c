//! The index of sessions: a line for each file, with its summary and what shows whether the file has changed since.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::summary::Summary;
use crate::config::write_atomically;

/// The name of the index in the folder of sessions. Sessions end in `.jsonl`; the index does not.
pub(super) const INDEX: &str = "index";
/// The most bytes of an index; a longer one is rebuilt.
const MOST_BYTES: u64 = 64 << 20;

/// A line of the index: what is known of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct IndexEntry {
    /// The file's name in the folder.
    pub(super) file: String,
    /// The length of the file when it was summarised, in bytes.
    bytes: u64,
    /// When the file was last changed before that, in nanoseconds since 1970.
    changed_ns: u64,
    /// The summary, if the file can be read.
    pub(super) summary: Option<Summary>,
    /// Why the file cannot be read, if it cannot.
    #[serde(default)]
    pub(super) problem: Option<String>,
}

fn nanoseconds(state: &Metadata) -> u64 {
    let since = state.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl IndexEntry {
    /// Summarises a file.
    pub(super) fn of(path: &Path, file: &str, state: &Metadata) -> Self {
        let changed = state.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let read = File::open(path).map_err(|error| error.to_string());
        let (summary, problem) = match read.and_then(|from| Summary::of(BufReader::with_capacity(1 << 16, from), changed)) {
            Ok(summary) => (Some(summary), None),
            Err(problem) => (None, Some(problem)),
        };
        Self { file: file.to_owned(), bytes: state.len(), changed_ns: nanoseconds(state), summary, problem }
    }

    /// Whether the file has not changed since it was summarised.
    pub(super) fn is_of(&self, state: &Metadata) -> bool {
        self.bytes == state.len() && self.changed_ns == nanoseconds(state)
    }
}

/// Reads the index. Lines that cannot be read are left out; their files are summarised again.
pub(super) fn read(folder: &Path) -> BTreeMap<String, IndexEntry> {
    let path = folder.join(INDEX);
    let short = fs::metadata(&path).is_ok_and(|state| state.len() <= MOST_BYTES);
    let text = if short { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    // A later line about a file replaces an earlier one.
    text.lines().filter_map(|line| serde_json::from_str::<IndexEntry>(line).ok()).map(|entry| (entry.file.clone(), entry)).collect()
}

/// Writes the whole index.
pub(super) fn write<'a>(folder: &Path, entries: impl Iterator<Item = &'a IndexEntry>) -> io::Result<()> {
    write_atomically(&folder.join(INDEX), |out| {
        for entry in entries {
            serde_json::to_writer(&mut *out, entry).map_err(io::Error::other)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Adds a line.
pub(super) fn append(folder: &Path, entry: &IndexEntry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry).map_err(io::Error::other)?;
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder.join(INDEX))?.write_all(&line)
}
