//! The store: the state on disk (sled), which can be queried without reading the journal. Whatever is wrong with it, it is rebuilt from the
//! journal.
//!
//! sled 0.34 is known to lose or damage what it holds when it is stopped abruptly, and to panic when it meets that. So a sum over
//! everything is kept with the place in the journal that the state stands for; it is checked whenever the store is opened, and no panic gets out.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use super::error::DkgError;
use super::journal::{Position, Sum, beginning_with, now_ms};
use super::state::{Changes, Digest, Each, Keys, MemoryKeys};
use crate::config::create_private_folder;
use crate::model::MODEL_THREAD_PREFIX;

/// The store's folder.
const FOLDER: &str = "state";
/// How the folder name of a damaged store begins.
const DAMAGED: &str = "state.damaged-";
/// The version of the stored format; a store of another version is rebuilt. 2: what ratings say about chains. 3: of which run each rating is.
const FORMAT: u32 = 3;
/// Where the place in the journal stands: behind all keys of the state.
const CHECKPOINT: &[u8] = b"~";
/// The tree of vectors.
const VECTORS: &[u8] = b"vectors";
/// What sled keeps in memory, bytes.
const CACHE: u64 = 16 << 20;
/// How often sled writes by itself what it was given, milliseconds.
const FLUSH_MS: u64 = 500;
/// What sled says while threads of its own still hold the files of a store that was closed just now. No one else can hold them: we have the lock.
const STILL_LOCKED: &str = "could not acquire lock";
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);
/// Changes of more bytes than that are handed to sled in parts. A part alone would be noticed by its sum.
const PART: usize = 8 << 20;

/// The journal position and the state that the store has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Checkpoint {
    /// The last record in the store.
    pub(super) position: Position,
    /// When the journal was last changed then, nanoseconds since 1970.
    pub(super) modified_ns: u64,
    /// The sum over the state.
    pub(super) digest: Digest,
}

#[derive(Serialize, Deserialize)]
struct StoredCheckpoint {
    format: u32,
    seq: u64,
    length: u64,
    sum: String,
    modified_ns: u64,
    digest: String,
}

impl Checkpoint {
    fn bytes(&self) -> Result<Vec<u8>, DkgError> {
        let Position { seq, length, sum } = self.position;
        let digest = format!("{:032x}", self.digest.0);
        let written = StoredCheckpoint { format: FORMAT, seq, length, sum: sum.to_string(), modified_ns: self.modified_ns, digest };
        serde_json::to_vec(&written).map_err(|error| DkgError::store(error.to_string()))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let written: StoredCheckpoint = serde_json::from_slice(bytes).ok()?;
        let position = Position { seq: written.seq, length: written.length, sum: Sum::parse(&written.sum)? };
        let digest = Digest(u128::from_str_radix(&written.digest, 16).ok()?);
        (written.format == FORMAT).then_some(Self { position, modified_ns: written.modified_ns, digest })
    }
}

/// What is in the place of the store.
pub(super) enum StoreState {
    /// A whole store.
    Whole(Box<SledKeys>, Checkpoint),
    /// None, or a new one that was never filled.
    Nothing,
    /// One that cannot be used, and why.
    Damaged(String),
}

/// The state in sled.
#[derive(Debug)]
pub(super) struct SledKeys {
    db: sled::Db,
    vectors: sled::Tree,
}

/// Runs what sled does; its panics become errors.
fn guarded<T>(work: impl FnOnce() -> sled::Result<T>) -> Result<T, DkgError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(DkgError::store(error.to_string())),
        Err(_) => Err(DkgError::store("the database stopped at data that it did not expect")),
    }
}

impl SledKeys {
    fn open(folder: &Path) -> Result<Self, DkgError> {
        make_private(folder)?;
        let config = sled::Config::new().path(folder).cache_capacity(CACHE).flush_every_ms(Some(FLUSH_MS));
        let began = Instant::now();
        loop {
            let opened = guarded(|| {
                let db = config.open()?;
                let vectors = db.open_tree(VECTORS)?;
                Ok(Self { db, vectors })
            });
            match opened {
                Err(DkgError::Store { reason }) if reason.contains(STILL_LOCKED) && began.elapsed() < PATIENCE => thread::sleep(PAUSE),
                other => return other,
            }
        }
    }

    /// The checkpoint, if everything is as it was written.
    fn check(&self) -> Result<Option<Checkpoint>, DkgError> {
        let mut digest = Digest::default();
        let mut checkpoint = None;
        let mut empty = true;
        let mut is_other = false;
        self.scan(&[], &mut |key, value| {
            empty = false;
            if key == CHECKPOINT {
                checkpoint = Checkpoint::parse(value);
                is_other = serde_json::from_slice(value).is_ok_and(|written: StoredCheckpoint| written.format < FORMAT);
            } else {
                digest.add(key, value);
            }
            Ok(())
        })?;
        match checkpoint {
            // What an earlier version made lacks what this one keeps; it is made anew, and nothing is wrong with it.
            None if empty || is_other => Ok(None),
            None => Err(DkgError::store("another version made it, or it was never completed")),
            Some(checkpoint) if checkpoint.digest != digest => Err(DkgError::store("its content does not match its checksum")),
            some => Ok(some),
        }
    }

    fn vector_key(encoder: &str, text: &str) -> [u8; 32] {
        Sha256::new().chain_update((encoder.len() as u64).to_le_bytes()).chain_update(encoder).chain_update(text).finalize().into()
    }
}

impl Keys for SledKeys {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DkgError> {
        guarded(|| Ok(self.db.get(key)?.map(|value| value.to_vec())))
    }

    fn scan(&self, prefix: &[u8], each: Each<'_>) -> Result<(), DkgError> {
        guarded(|| {
            for entry in self.db.scan_prefix(prefix) {
                let (key, value) = entry?;
                if let Err(error) = each(&key, &value) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    }

    fn write(&mut self, changes: Changes) -> Result<(), DkgError> {
        let mut batch = sled::Batch::default();
        let mut bytes = 0;
        for (key, value) in changes {
            bytes += key.len() + value.as_ref().map_or(0, Vec::len);
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
            if bytes > PART {
                guarded(|| self.db.apply_batch(std::mem::take(&mut batch)))?;
                bytes = 0;
            }
        }
        guarded(|| self.db.apply_batch(batch))
    }
}

/// Where the state of an open graph is.
#[derive(Debug)]
pub(super) enum Backend {
    /// On disk.
    Sled(Box<SledKeys>),
    /// In memory: another instance has the store, or it cannot be used.
    Memory(MemoryKeys, Vectors),
}

/// Vectors in memory.
pub(super) type Vectors = std::collections::BTreeMap<[u8; 32], Vec<f32>>;

impl Default for Backend {
    fn default() -> Self {
        Self::Memory(MemoryKeys::default(), Vectors::new())
    }
}

impl Keys for Backend {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DkgError> {
        match self {
            Self::Sled(keys) => keys.get(key),
            Self::Memory(keys, _) => keys.get(key),
        }
    }

    fn scan(&self, prefix: &[u8], each: Each<'_>) -> Result<(), DkgError> {
        match self {
            Self::Sled(keys) => keys.scan(prefix, each),
            Self::Memory(keys, _) => keys.scan(prefix, each),
        }
    }

    fn write(&mut self, changes: Changes) -> Result<(), DkgError> {
        match self {
            Self::Sled(keys) => keys.write(changes),
            Self::Memory(keys, _) => keys.write(changes),
        }
    }
}

impl Backend {
    /// Writes changes together with what they stand for.
    pub(super) fn commit(&mut self, mut changes: Changes, checkpoint: &Checkpoint) -> Result<(), DkgError> {
        if matches!(self, Self::Sled(_)) {
            changes.insert(CHECKPOINT.to_vec(), Some(checkpoint.bytes()?));
        }
        self.write(changes)
    }

    /// A vector that was put.
    pub(super) fn vector(&self, encoder: &str, text: &str) -> Result<Option<Vec<f32>>, DkgError> {
        let key = SledKeys::vector_key(encoder, text);
        match self {
            Self::Memory(_, vectors) => Ok(vectors.get(&key).cloned()),
            Self::Sled(keys) => {
                let value = guarded(|| keys.vectors.get(key))?;
                Ok(value.and_then(|bytes| {
                    let (sum, numbers) = bytes.split_at_checked(8)?;
                    let sound = xxh3_64(numbers).to_le_bytes() == *sum;
                    sound.then(|| numbers.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
                }))
            }
        }
    }

    /// Keeps vectors. They can be computed again, so they are not waited for.
    pub(super) fn put_vectors(&mut self, encoder: &str, vectors: &[(&str, &[f32])]) -> Result<(), DkgError> {
        match self {
            Self::Memory(_, kept) => {
                kept.extend(vectors.iter().map(|(text, vector)| (SledKeys::vector_key(encoder, text), vector.to_vec())));
                Ok(())
            }
            Self::Sled(keys) => {
                let mut batch = sled::Batch::default();
                for (text, vector) in vectors {
                    let numbers: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
                    let value = [&xxh3_64(&numbers).to_le_bytes()[..], &numbers].concat();
                    batch.insert(&SledKeys::vector_key(encoder, text), value);
                }
                guarded(|| keys.vectors.apply_batch(batch))
            }
        }
    }
}

/// Creates a folder that only its owner can enter.
pub(super) fn make_private(folder: &Path) -> Result<(), DkgError> {
    create_private_folder(folder).map_err(DkgError::io(folder, "created"))
}

/// Opens the store of a graph's folder and checks all of it.
pub(super) fn open(folder: &Path) -> StoreState {
    let state = folder.join(FOLDER);
    if !state.exists() {
        return StoreState::Nothing;
    }
    // On a thread whose panics the screen passes over: they are expected here, and say nothing that the notice does not.
    let opened = thread::scope(|scope| {
        let work = || SledKeys::open(&state).and_then(|keys| keys.check().map(|checkpoint| (keys, checkpoint)));
        let started = thread::Builder::new().name(format!("{MODEL_THREAD_PREFIX}store")).spawn_scoped(scope, work);
        started.map_err(|error| DkgError::store(error.to_string()))?.join().unwrap_or_else(|_| Err(DkgError::store("it cannot be opened")))
    });
    match opened {
        Ok((keys, Some(checkpoint))) => StoreState::Whole(Box::new(keys), checkpoint),
        Ok((_, None)) => StoreState::Nothing,
        Err(DkgError::Store { reason }) => StoreState::Damaged(reason),
        Err(error) => StoreState::Damaged(error.to_string()),
    }
}

/// Creates an empty store. A `damaged` one in its place is moved aside, so that it can be examined (only the latest is kept); any other is
/// removed. Gives the path of the damaged one.
pub(super) fn make(folder: &Path, damaged: bool) -> Result<(Box<SledKeys>, Option<PathBuf>), DkgError> {
    let state = folder.join(FOLDER);
    let mut aside = None;
    if damaged {
        for old in beginning_with(folder, DAMAGED) {
            fs::remove_dir_all(&old).map_err(DkgError::io(&old, "removed"))?;
        }
        let place = folder.join(format!("{DAMAGED}{}", now_ms()));
        fs::rename(&state, &place).map_err(DkgError::io(&state, "moved aside"))?;
        aside = Some(place);
    } else if state.exists() {
        fs::remove_dir_all(&state).map_err(DkgError::io(&state, "removed"))?;
    }
    Ok((Box::new(SledKeys::open(&state)?), aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_version_made_is_made_anew_and_is_no_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let written = |format: u32| {
            let digest = format!("{:032x}", Digest::default().0);
            let checkpoint = StoredCheckpoint { format, seq: 0, length: 0, sum: Sum::default().to_string(), modified_ns: 0, digest };
            let keys = SledKeys::open(&folder.path().join(FOLDER)).expect("opens");
            keys.db.insert(CHECKPOINT, serde_json::to_vec(&checkpoint).expect("JSON")).expect("is written");
            keys.db.flush().expect("is written");
            drop(keys);
            open(folder.path())
        };
        assert!(matches!(written(FORMAT - 1), StoreState::Nothing));
        assert!(matches!(written(FORMAT + 1), StoreState::Damaged(_)), "a newer one may hold what this version does not know");
        assert!(matches!(written(FORMAT), StoreState::Whole(..)));
    }
}
