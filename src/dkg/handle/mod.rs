//! [`Dkg`]: the DKG opened from its folder. It is queried, and changed by records that are on disk when the call returns.

mod open;
mod verify;

use std::ops::Range;
use std::path::{Path, PathBuf};

pub use verify::{StoreCheck, Verified};

use super::error::DkgError;
use super::journal::{self, JournalRecords, Position, Writer};
use super::lock::Lock;
use super::record::{Change, ProposalId, Record};
use super::state::{self, Changes, Digest, Fold, Preferences, ProposalState, RecordEffect, Waiting};
use super::statistics::Statistics;
use super::store::{Backend, Checkpoint};
use crate::graph::{LearnedTable, LearnedTriple, NamedTriple};

/// An open DKG.
#[derive(Debug)]
pub struct Dkg {
    folder: PathBuf,
    keys: Backend,
    checkpoint: Checkpoint,
    /// `None` where the DKG can only be read.
    writer: Option<Writer>,
    read_only: Option<String>,
    notices: Vec<String>,
    /// Held while we are the writer.
    _lock: Option<Lock>,
}

/// A record that was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendedRecord {
    /// Its number.
    pub seq: u64,
    /// What it changed in the learned triples.
    pub effect: RecordEffect,
}

/// Changes that are ready to be recorded.
struct Prepared {
    records: Vec<Record>,
    appended: Vec<AppendedRecord>,
    /// What they change in the store, and its digest then.
    changes: Changes,
    digest: Digest,
}

impl Dkg {
    /// Notices for the user, from opening the DKG and since.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Why nothing can be recorded; `None` where it can.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number that the next record will get.
    pub fn next_seq(&self) -> u64 {
        self.checkpoint.position.seq + 1
    }

    /// The SHA-256 of the last record, hexadecimal; zeros where there is none. It covers all records up to it.
    pub fn head(&self) -> String {
        self.checkpoint.position.sum.to_string()
    }

    /// All learned triples, with each name once: the fast form.
    ///
    /// # Errors
    /// If the store fails.
    pub fn table(&self) -> Result<LearnedTable, DkgError> {
        state::table(&self.keys)
    }

    /// All learned triples, in the order of [`Self::table`].
    ///
    /// # Errors
    /// If the store fails.
    pub fn learned(&self) -> Result<Vec<LearnedTriple>, DkgError> {
        Ok(self.table()?.iter().collect())
    }

    /// A proposal with its current state.
    ///
    /// # Errors
    /// If there is none with this number, or the store fails.
    pub fn proposal(&self, id: ProposalId) -> Result<ProposalState, DkgError> {
        Fold::new(&self.keys)?.proposal(id)
    }

    /// The proposals that are not decided yet.
    ///
    /// # Errors
    /// If the store fails.
    pub fn waiting(&self) -> Result<Waiting, DkgError> {
        state::waiting(&self.keys)
    }

    /// Whether a record is undone; `false` for one that does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_void(&self, record: u64) -> Result<bool, DkgError> {
        Fold::new(&self.keys)?.is_void(record)
    }

    /// The records that make a triple learned, in order; empty if it is not learned. Names are compared after folding.
    ///
    /// # Errors
    /// If the store fails.
    pub fn support_of(&self, triple: &NamedTriple) -> Result<Vec<u64>, DkgError> {
        Fold::new(&self.keys)?.supports(triple)
    }

    /// What the ratings in force say about chains.
    ///
    /// # Errors
    /// If the store fails.
    pub fn preferences(&self) -> Result<Preferences, DkgError> {
        state::preferences(&self.keys)
    }

    /// The growth of the DKG in numbers.
    ///
    /// # Errors
    /// If the store fails.
    pub fn statistics(&self) -> Result<Statistics, DkgError> {
        state::statistics(&self.keys)
    }

    /// A record, from the journal.
    ///
    /// # Errors
    /// If there is none with this number, or its line was damaged or edited.
    pub fn record(&self, seq: u64) -> Result<Record, DkgError> {
        journal::find(&self.folder, self.checkpoint.position.length, seq)
    }

    /// Records from the journal, in order; numbers without a record are skipped.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn records(&self, range: Range<u64>) -> Result<JournalRecords, DkgError> {
        journal::records(&self.folder, self.checkpoint.position.length, range)
    }

    /// The stored vector of a text, if there is one.
    ///
    /// # Errors
    /// If the store fails.
    pub fn vector(&self, encoder: &str, text: &str) -> Result<Option<Vec<f32>>, DkgError> {
        self.keys.vector(encoder, text)
    }

    /// Stores vectors of texts under the encoder's name. They may be gone at the next start.
    ///
    /// # Errors
    /// If the store fails.
    pub fn put_vectors(&mut self, encoder: &str, vectors: &[(&str, &[f32])]) -> Result<(), DkgError> {
        self.keys.put_vectors(encoder, vectors)
    }

    /// Records changes, all or none, in one write. They are on disk when this returns. A later change may refer to an earlier one by its
    /// number (counting from [`Self::next_seq`]); an import of nothing but learned triples is skipped and gets no number.
    ///
    /// # Errors
    /// [`DkgError::Refused`] if a change is invalid, [`DkgError::NotWritten`] if the disk is full; then nothing was recorded.
    pub fn append(&mut self, changes: Vec<Change>) -> Result<Vec<AppendedRecord>, DkgError> {
        if self.writer.is_none() {
            let reason = self.read_only.clone().unwrap_or_default();
            return Err(DkgError::ReadOnly { reason });
        }
        let prepared = match self.prepare(&changes) {
            // What sled could not write in the background it says at whatever is asked next; the journal has it all.
            Err(error @ DkgError::Store { .. }) => {
                self.leave_store(&error)?;
                self.prepare(&changes)?
            }
            prepared => prepared?,
        };
        let Prepared { records, appended, changes, digest } = prepared;
        let Some(writer) = self.writer.as_mut().filter(|_| !records.is_empty()) else { return Ok(appended) };
        writer.append(&records)?;
        // From here on it is recorded, whatever becomes of the store.
        let position = writer.position();
        let modified_ns = writer.stamp().map_or(0, |(_, modified_ns)| modified_ns);
        self.checkpoint = Checkpoint { position, modified_ns, digest };
        if let Err(error) = self.keys.commit(changes, &self.checkpoint) {
            self.leave_store(&error)?;
        }
        Ok(appended)
    }

    /// The records of changes, and what they do to the state. Records nothing.
    fn prepare(&self, changes: &[Change]) -> Result<Prepared, DkgError> {
        let Position { seq: before, length, .. } = self.checkpoint.position;
        let at_ms = journal::now_ms();
        let mut fold = Fold::new(&self.keys)?;
        let mut records: Vec<Record> = Vec::with_capacity(changes.len());
        let mut appended = Vec::with_capacity(changes.len());
        for change in changes {
            state::admissible(change)?;
            if let Change::Import(import) = change
                && fold.knows(import)?
            {
                continue;
            }
            let record = Record { at_ms, change: change.clone(), seq: before + 1 + records.len() as u64 };
            let folder = &self.folder;
            let earlier = |seq: u64| match seq.checked_sub(before + 1).and_then(|place| records.get(place as usize)) {
                Some(record) => Ok(record.clone()),
                None => journal::find(folder, length, seq),
            };
            appended.push(AppendedRecord { seq: record.seq, effect: fold.apply(&record, &earlier)? });
            records.push(record);
        }
        let (changes, digest) = fold.finish(self.checkpoint.digest)?;
        Ok(Prepared { records, appended, changes, digest })
    }

    /// Reads what another instance has recorded since. The writer has nothing to read.
    ///
    /// # Errors
    /// If the journal is no longer the one that was opened, or was damaged or edited.
    pub fn refresh(&mut self) -> Result<Vec<AppendedRecord>, DkgError> {
        if self.writer.is_some() {
            return Ok(Vec::new());
        }
        let (length, _) = std::fs::metadata(journal::path_in(&self.folder)).map_or((0, 0), |metadata| journal::stamp(&metadata));
        if length < self.checkpoint.position.length {
            return Err(DkgError::Changed { file: journal::path_in(&self.folder) });
        }
        let mut appended = Vec::new();
        let mut fold = Fold::new(&self.keys)?;
        let folder = &self.folder;
        let walked = journal::walk(folder, self.checkpoint.position, &mut |record, end| {
            let effect = fold.apply(record, &|seq| journal::find(folder, end.length, seq))?;
            appended.push(AppendedRecord { seq: record.seq, effect });
            Ok(())
        })?;
        let (changes, digest) = fold.finish(self.checkpoint.digest)?;
        self.checkpoint = Checkpoint { position: walked.position, modified_ns: 0, digest };
        self.keys.commit(changes, &self.checkpoint)?;
        Ok(appended)
    }
}
