//! The folder of sessions: one file per run, which only its owner can read.

use std::fs::{self, File, Metadata};
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::SessionError;
use super::index::{self, IndexEntry};
use super::recorder::Recorder;
use super::summary::Summary;
use crate::config::create_private_folder;
use crate::run::{Event, RecordingError, Trace, read_recording};

/// How many sessions are kept by default.
pub const KEPT_SESSIONS: usize = 1000;
/// The most bytes of all sessions together; the oldest are removed first.
const MOST_BYTES: u64 = 2 << 30;
/// The most bytes of one session.
const LONGEST: u64 = 1 << 30;
/// The ending of a session's file.
const ENDING: &str = ".jsonl";
/// The longest id that is used as a file name unchanged.
const LONGEST_NAME: usize = 64;
/// How file names begin that are checksums of an id.
const MADE: &str = "x-";

/// The folder of sessions.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    keep: usize,
}

/// The sessions of a folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// The sessions, newest first.
    pub sessions: Vec<Summary>,
    /// Files that cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file's name.
    pub file: String,
    /// Why, in plain words.
    pub reason: String,
}

/// A run as read from its recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// How many lines at the end are cut short, because the program or the machine stopped while writing: 0 or 1.
    pub torn: usize,
    /// When the question was asked: the time in the run's id, else the time of the last change of the file.
    pub asked: Option<SystemTime>,
}

impl Recorded {
    /// The run as it stands after its last event.
    pub fn trace(&self) -> Trace {
        Trace::fold(&self.events)
    }
}

impl Store {
    /// Opens the folder, or creates it so that only its owner can enter it. At most `keep` sessions are kept.
    ///
    /// # Errors
    /// If the folder cannot be created or entered.
    pub fn open(folder: &Path, keep: usize) -> Result<Self, SessionError> {
        let made = create_private_folder(folder);
        made.map_err(|source| SessionError::Folder { folder: folder.to_path_buf(), source })?;
        Ok(Self { folder: folder.to_path_buf(), keep: keep.max(1) })
    }

    /// A recorder that writes to this folder.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(self.clone())
    }

    /// The file of a run. Ids can come from recordings and are not trusted as file names: an id that is not a plain name is replaced by
    /// its checksum.
    pub(super) fn file(&self, id: &str) -> PathBuf {
        self.folder.join(file_name(id))
    }

    /// All sessions, newest first. Files that have not changed since the last listing are not read again.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Listing, SessionError> {
        let known = index::read(&self.folder);
        let files = self.files()?;
        let entries: Vec<IndexEntry> = files
            .par_iter()
            .map(|(name, state)| match known.get(name) {
                Some(entry) if entry.is_of(state) => entry.clone(),
                _ => IndexEntry::of(&self.folder.join(name), name, state),
            })
            .collect();
        if entries.len() != known.len() || entries.iter().any(|entry| known.get(&entry.file) != Some(entry)) {
            // A missing index only makes the next listing slower.
            let _ = index::write(&self.folder, entries.iter());
        }
        let mut listing = Listing::default();
        for entry in entries {
            match (entry.summary, entry.problem) {
                (Some(summary), _) => listing.sessions.push(summary),
                (None, problem) => listing.unreadable.push(Unreadable { file: entry.file, reason: problem.unwrap_or_default() }),
            }
        }
        listing.sessions.sort_by(|a, b| b.asked_ms.cmp(&a.asked_ms).then_with(|| b.id.cmp(&a.id)));
        Ok(listing)
    }

    /// Reads a session.
    ///
    /// # Errors
    /// If no session has this id, or its file is not a recording.
    pub fn read(&self, id: &str) -> Result<Recorded, SessionError> {
        match read_events(&self.file(id)) {
            Err(SessionError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Err(SessionError::Unknown { id: id.to_owned() })
            }
            other => other,
        }
    }

    /// Whether a session has this id.
    pub fn has(&self, id: &str) -> bool {
        self.file(id).is_file()
    }

    /// Removes a session and its entry in the index.
    ///
    /// # Errors
    /// If no session has this id, or its file cannot be removed.
    pub fn delete(&self, id: &str) -> Result<(), SessionError> {
        let file = self.file(id);
        fs::remove_file(&file).map_err(|source| match source.kind() {
            ErrorKind::NotFound => SessionError::Unknown { id: id.to_owned() },
            _ => SessionError::Write { file, source },
        })?;
        self.list().map(drop)
    }

    /// Adds a file that was just written to the index.
    pub(super) fn note(&self, file: &Path) {
        if let (Some(name), Ok(state)) = (file.file_name().and_then(|name| name.to_str()), fs::metadata(file)) {
            // A file that is missing from the index is read when sessions are listed.
            let _ = index::append(&self.folder, &IndexEntry::of(file, name, &state));
        }
    }

    /// Removes the sessions that were changed longest ago, while there are too many or they take too much space.
    pub(super) fn remove_oldest(&self) -> Result<(), SessionError> {
        let mut files = self.files()?;
        files.sort_by_cached_key(|(name, state)| (state.modified().unwrap_or(SystemTime::UNIX_EPOCH), name.clone()));
        let mut bytes: u64 = files.iter().map(|(_, state)| state.len()).sum();
        let mut left = files.len();
        let mut removed = false;
        for (name, state) in &files {
            // The newest stays, however large it is.
            if left <= 1 || (left <= self.keep && bytes <= MOST_BYTES) {
                break;
            }
            let file = self.folder.join(name);
            fs::remove_file(&file).map_err(|source| SessionError::Write { file, source })?;
            (left, bytes, removed) = (left - 1, bytes - state.len(), true);
        }
        // The index must not hold a question whose session is removed.
        if removed { self.list().map(drop) } else { Ok(()) }
    }

    /// The files of the sessions, in the order of their names.
    fn files(&self) -> Result<Vec<(String, Metadata)>, SessionError> {
        let failed = |source| SessionError::Folder { folder: self.folder.clone(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, Ok(state)) = (entry.file_name(), entry.metadata()) else { continue };
            if let Some(name) = name.to_str().filter(|name| name.ends_with(ENDING) && state.is_file()) {
                files.push((name.to_owned(), state));
            }
        }
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(files)
    }
}

/// Reads a recording. A last line that is cut short is left out.
///
/// # Errors
/// If the file cannot be read, is longer than 1 GiB, or is not a recording; the error names the line.
pub fn read_events(file: &Path) -> Result<Recorded, SessionError> {
    let failed = |source| SessionError::Read { file: file.to_path_buf(), source };
    let from = File::open(file).map_err(failed)?;
    let state = from.metadata().map_err(failed)?;
    if !state.is_file() {
        // A pipe has no length and cannot be read twice.
        let mut bytes = Vec::new();
        from.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        return read_events_from(Cursor::new(&bytes), bytes.len() as u64, file);
    }
    let mut recorded = read_events_from(from, state.len(), file)?;
    recorded.asked = recorded.asked.or_else(|| state.modified().ok());
    Ok(recorded)
}

/// Reads a recording of `length` bytes from anything that can seek; errors call it `name`.
///
/// # Errors
/// As [`read_events`].
pub fn read_events_from(mut from: impl Read + Seek, length: u64, name: &Path) -> Result<Recorded, SessionError> {
    let failed = |source| SessionError::Read { file: name.to_path_buf(), source };
    if length > LONGEST {
        return Err(SessionError::TooLong { file: name.to_path_buf(), bytes: length });
    }
    let whole = whole_lines(&mut from, length).map_err(failed)?;
    let mut read = |length: u64| {
        from.rewind().map_err(|source| RecordingError::Io { line: 1, source })?;
        read_recording(BufReader::with_capacity(1 << 16, (&mut from).take(length)))
    };
    let wrong = |source| SessionError::Recording { file: name.to_path_buf(), source };
    // A last line without a line break can still be complete: then nothing is lost.
    let (events, torn) = match read(length) {
        Ok(events) => (events, 0),
        Err(error) if whole == length => return Err(wrong(error)),
        Err(_) => (read(whole).map_err(wrong)?, 1),
    };
    let asked = events.first().and_then(|event| super::time_of_id(&event.run));
    Ok(Recorded { events, torn, asked })
}

/// The file name of a run: its id if that is a plain name, else a checksum of it.
pub(crate) fn file_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_name = id.starts_with(|c: char| c.is_ascii_lowercase()) && id.len() <= LONGEST_NAME && id.chars().all(plain);
    let name = if is_name && !id.starts_with(MADE) {
        id.to_owned()
    } else {
        let sum: String = Sha256::digest(id.as_bytes()).iter().take(20).map(|byte| format!("{byte:02x}")).collect();
        format!("{MADE}{sum}")
    };
    name + ENDING
}

/// The length of a file up to the end of its last complete line, in bytes.
pub(crate) fn whole_lines(mut file: impl Read + Seek, length: u64) -> std::io::Result<u64> {
    const PORTION: u64 = 1 << 16;
    let mut end = length;
    let mut bytes = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(PORTION);
        file.seek(SeekFrom::Start(start))?;
        bytes.clear();
        (&mut file).take(end - start).read_to_end(&mut bytes)?;
        if let Some(at) = memchr::memrchr(b'\n', &bytes) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
