//! Opens the DKG: takes the lock, checks the journal, and brings the store up to date.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::Dkg;
use crate::dkg::error::{DkgError, Refusal};
use crate::dkg::journal::{self, Position, Walked, Writer};
use crate::dkg::lock::{self, Lock, TriedLock};
use crate::dkg::record::Record;
use crate::dkg::state::{Changes, Digest, Fold, Keys, MemoryKeys};
use crate::dkg::store::{self, Backend, Checkpoint, SledKeys, StoreState, Vectors};

/// A journal of fewer bytes is replayed where it is only to be read.
const REPLAYED_UP_TO: u64 = 4 << 20;

/// The state after reading the journal.
struct Replayed {
    changes: Changes,
    digest: Digest,
    walked: Walked,
}

impl Dkg {
    /// Opens the DKG in a folder, and creates both where there is none. Where another instance has it open, or the folder is
    /// write-protected, it can be read but not changed ([`Self::read_only`] says why).
    ///
    /// # Errors
    /// [`DkgError::Broken`] if the journal was damaged or edited; [`DkgError::Io`] if it cannot be read.
    pub fn open(folder: &Path) -> Result<Self, DkgError> {
        let made = store::make_private(folder);
        match (made, lock::try_lock(folder)) {
            (Ok(()), Ok(TriedLock::Ours(lock))) => match journal::open_file(folder) {
                Ok(file) => Self::open_to_write(folder, file, lock),
                Err(error) => Self::open_to_read(folder, format!("the journal cannot be written: {error}")),
            },
            (_, Ok(TriedLock::Taken(who))) => Self::open_to_read(folder, who),
            (Err(error), _) if !folder.exists() => Err(error),
            (Err(error), _) => Self::open_to_read(folder, error.to_string()),
            (Ok(()), Err(error)) => Self::open_to_read(folder, format!("the folder cannot be written: {error}")),
        }
    }

    /// Opens to read only: another instance can open the folder for writing at the same time. Creates and changes nothing; a missing folder
    /// counts as an empty DKG.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_read_only(folder: &Path) -> Result<Self, DkgError> {
        let reason = "it was opened to be read".to_owned();
        let stamp = fs::metadata(journal::path_in(folder)).map_or((0, 0), |metadata| journal::stamp(&metadata));
        // A short journal is read faster than the store is opened, and without taking anything from anyone.
        if stamp.0 < REPLAYED_UP_TO {
            return Self::open_to_read(folder, reason);
        }
        // Our own lock is released at once: another instance that starts to write waits for the store, and gets it.
        let is_free = matches!(lock::try_lock(folder), Ok(TriedLock::Ours(_)));
        if is_free
            && let StoreState::Whole(stored, checkpoint) = store::open(folder)
            && (checkpoint.position.length, checkpoint.modified_ns) == stamp
        {
            let mut changes = Changes::new();
            stored.scan(&[], &mut |key, value| {
                changes.insert(key.to_vec(), Some(value.to_vec()));
                Ok(())
            })?;
            let walked = Walked { position: checkpoint.position, torn: 0 };
            return Self::in_memory(folder, Replayed { changes, digest: checkpoint.digest, walked }, reason);
        }
        Self::open_to_read(folder, reason)
    }

    /// Why nothing can be recorded in a folder at this moment; `None` where it can. Changes nothing.
    pub fn hindrance(folder: &Path) -> Option<String> {
        if !folder.exists() {
            return None;
        }
        match lock::try_lock(folder) {
            Ok(TriedLock::Ours(_)) => {}
            Ok(TriedLock::Taken(who)) => return Some(who),
            Err(error) => return Some(format!("the folder cannot be written: {error}")),
        }
        let path = journal::path_in(folder);
        let opened = fs::OpenOptions::new().append(true).open(path);
        opened.err().filter(|error| error.kind() != ErrorKind::NotFound).map(|error| format!("the journal cannot be written: {error}"))
    }

    /// Opens, to read only, the records before the first damaged line of a journal; all records where no line is damaged.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn open_sound_part(folder: &Path) -> Result<Self, DkgError> {
        let keys = MemoryKeys::default();
        let mut fold = Fold::new(&keys)?;
        let mut position = Position::default();
        let mut reason = "only the intact part of the journal was opened".to_owned();
        let read = journal::walk(folder, position, &mut |record, end| {
            fold_in(&mut fold, folder, record, end)?;
            position = end;
            Ok(())
        });
        match read {
            Err(error @ DkgError::Broken { .. }) => reason = error.to_string(),
            read => _ = read?,
        }
        let (changes, digest) = fold.finish(Digest::default())?;
        Self::in_memory(folder, Replayed { changes, digest, walked: Walked { position, torn: 0 } }, reason)
    }

    fn in_memory(folder: &Path, replayed: Replayed, reason: String) -> Result<Self, DkgError> {
        let mut keys = Backend::default();
        let checkpoint = Checkpoint { position: replayed.walked.position, modified_ns: 0, digest: replayed.digest };
        keys.commit(replayed.changes, &checkpoint)?;
        let folder = folder.to_path_buf();
        Ok(Self { folder, keys, checkpoint, writer: None, read_only: Some(reason), notices: Vec::new(), _lock: None })
    }

    fn open_to_read(folder: &Path, reason: String) -> Result<Self, DkgError> {
        let replayed = replay(folder)?;
        Self::in_memory(folder, replayed, reason)
    }

    fn open_to_write(folder: &Path, file: fs::File, lock: Lock) -> Result<Self, DkgError> {
        let mut notices = Vec::new();
        let metadata = file.metadata().map_err(DkgError::io(&journal::path_in(folder), "read"))?;
        let (length, modified_ns) = journal::stamp(&metadata);
        let found = store::open(folder);
        let known = match &found {
            StoreState::Whole(_, checkpoint) => Some(*checkpoint),
            StoreState::Nothing | StoreState::Damaged(_) => None,
        };
        if let (StoreState::Whole(..), Some(checkpoint)) = (&found, known)
            && (checkpoint.position.length, checkpoint.modified_ns) == (length, modified_ns)
        {
            let walked = Walked { position: checkpoint.position, torn: 0 };
            let (writer, _) = Writer::new(file, folder, &walked)?;
            return Ok(Self::assemble(folder, sled(found), checkpoint, writer, lock, notices));
        }
        // The store is behind, ahead, at odds with the journal, or not there.
        let (keys, replayed) = match found {
            StoreState::Whole(keys, checkpoint) => match catch_up(folder, &keys, checkpoint)? {
                Ok(replayed) => (Some(keys), replayed),
                Err(notice) => {
                    drop(keys);
                    notices.push(format!("{notice} Catena rebuilt the store from the journal."));
                    let replayed = replay(folder)?;
                    (make(folder, false, &mut notices), replayed)
                }
            },
            StoreState::Nothing => {
                let replayed = replay(folder)?;
                (make(folder, false, &mut notices), replayed)
            }
            StoreState::Damaged(reason) => {
                let replayed = replay(folder)?;
                notices.push(format!(
                    "The store of learned triples was damaged ({reason}); Catena rebuilt it from the journal. Nothing is lost."
                ));
                (make(folder, true, &mut notices), replayed)
            }
        };
        let (writer, notice) = Writer::new(file, folder, &replayed.walked)?;
        notices.extend(notice);
        let modified_ns = writer.stamp()?.1;
        let checkpoint = Checkpoint { position: writer.position(), modified_ns, digest: replayed.digest };
        let keys = keys.map_or_else(Backend::default, Backend::Sled);
        let mut dkg = Self::assemble(folder, keys, checkpoint, writer, lock, notices);
        if let Err(error) = dkg.keys.commit(replayed.changes, &checkpoint) {
            dkg.leave_store(&error)?;
        }
        Ok(dkg)
    }

    fn assemble(folder: &Path, keys: Backend, checkpoint: Checkpoint, writer: Writer, lock: Lock, notices: Vec<String>) -> Self {
        let folder = folder.to_path_buf();
        Self { folder, keys, checkpoint, writer: Some(writer), read_only: None, notices, _lock: Some(lock) }
    }

    /// Continues in memory, from the journal, after the store has failed.
    pub(super) fn leave_store(&mut self, error: &DkgError) -> Result<(), DkgError> {
        self.keys = Backend::default();
        let replayed = replay(&self.folder)?;
        self.checkpoint.digest = replayed.digest;
        self.keys.commit(replayed.changes, &self.checkpoint)?;
        self.notices.push(format!("{error}. Until then the learned triples are kept in memory; every record is in the journal."));
        Ok(())
    }
}

fn sled(found: StoreState) -> Backend {
    match found {
        StoreState::Whole(keys, _) => Backend::Sled(keys),
        StoreState::Nothing | StoreState::Damaged(_) => Backend::Memory(MemoryKeys::default(), Vectors::new()),
    }
}

/// An empty store, if there can be one.
fn make(folder: &Path, damaged: bool, notices: &mut Vec<String>) -> Option<Box<SledKeys>> {
    match store::make(folder, damaged) {
        Ok((keys, aside)) => {
            notices.extend(aside.map(|place| format!("The damaged store is kept in {} until the next damage.", place.display())));
            Some(keys)
        }
        Err(error) => {
            notices.push(format!(
                "The store of learned triples cannot be created ({error}); until the next start the triples are kept in memory."
            ));
            None
        }
    }
}

/// A record with valid hashes may still be invalid: then Catena did not write it.
fn fold_in(fold: &mut Fold<'_>, folder: &Path, record: &Record, end: Position) -> Result<(), DkgError> {
    match fold.apply(record, &|seq| journal::find(folder, end.length, seq)) {
        Err(DkgError::Refused(refusal)) => Err(senseless(folder, record.seq, &refusal)),
        other => other.map(|_| ()),
    }
}

fn senseless(folder: &Path, seq: u64, refusal: &Refusal) -> DkgError {
    let reason = format!("it is invalid here: {refusal}");
    DkgError::Broken { file: journal::path_in(folder), line: seq, reason, sound: seq - 1, newer: false }
}

/// Reads the whole journal.
fn replay(folder: &Path) -> Result<Replayed, DkgError> {
    let keys = MemoryKeys::default();
    let mut fold = Fold::new(&keys)?;
    let walked = journal::walk(folder, Position::default(), &mut |record, end| fold_in(&mut fold, folder, record, end))?;
    let (changes, digest) = fold.finish(Digest::default())?;
    Ok(Replayed { changes, digest, walked })
}

/// Reads the whole journal, and applies the records after the store's checkpoint. Gives a notice instead if the store does not belong
/// to this journal.
fn catch_up(folder: &Path, keys: &SledKeys, checkpoint: Checkpoint) -> Result<Result<Replayed, String>, DkgError> {
    let mut fold = Fold::new(keys)?;
    let mut met = checkpoint.position == Position::default();
    let walked = journal::walk(folder, Position::default(), &mut |record, end| {
        if end.seq == checkpoint.position.seq {
            met = end == checkpoint.position;
        }
        if met && end.seq > checkpoint.position.seq { fold_in(&mut fold, folder, record, end) } else { Ok(()) }
    })?;
    if walked.position.seq < checkpoint.position.seq {
        let (there, known) = (walked.position.seq, checkpoint.position.seq);
        return Ok(Err(format!(
            "The journal {} has {there} records, but {known} had been recorded: the last {} were removed, or it is an older copy. If that was not \
             intended, restore the newer file.",
            journal::path_in(folder).display(),
            known - there
        )));
    }
    if !met {
        return Ok(Err(format!(
            "Record {} of the journal {} is not the one that was recorded here: it is another journal, or a rewritten one. If that was not \
             intended, restore the right file.",
            checkpoint.position.seq,
            journal::path_in(folder).display()
        )));
    }
    let (changes, digest) = fold.finish(checkpoint.digest)?;
    Ok(Ok(Replayed { changes, digest, walked }))
}
