//! Snapshots: a whole graph as one immutable block of bytes, read in place. An imported graph is such a block in a file
//! that is mapped into memory: opening it takes milliseconds whatever its size, and only the pages that a question touches
//! are read. A graph made in memory is the same block without a file.

mod bytes;
mod layout;
pub(crate) mod part_table;
mod verify;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use serde::{Deserialize, Serialize};

use super::role::Relation;
use crate::config::{is_verified, mark_verified, write_atomically};
use bytes::Bytes;
use layout::{KIND, SectionTable, VERSION, sections_of};
use part_table::HeadFault;

pub(crate) use bytes::Bytes as MappedBytes;
pub(super) use bytes::SnapshotSlice;
pub use layout::MAGIC as SNAPSHOT_MAGIC;
pub(super) use layout::Section;

/// Bits of a byte of [`Section::Flags`].
pub(super) mod flags {
    /// The entity's kind was stated, not inferred.
    pub(in crate::graph) const KIND_STATED: u8 = 1;
    /// The entity is described as a condition.
    pub(in crate::graph) const CONDITION: u8 = 2;
}

/// Why a snapshot cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It could not be read.
    #[error("the graph file {file} could not be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a snapshot.
    #[error("{file} is not a Catena graph; `catena kg import` makes one from a file of triples, an ontology or a table")]
    NotASnapshot {
        /// The file.
        file: String,
    },
    /// It was written by a machine with another order of bytes.
    #[error("the graph file {file} was written on a machine with another byte order; import the graph again on this machine")]
    ForeignByteOrder {
        /// The file.
        file: String,
    },
    /// It was written by a newer Catena.
    #[error("the graph file {file} has version {found}, and this Catena reads version {known}; update Catena or import the graph again")]
    Newer {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
        /// The version that this Catena reads.
        known: u32,
    },
    /// It was written by an older Catena.
    #[error("the graph file {file} has version {found}, which this Catena no longer reads; import the graph again")]
    Older {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
    },
    /// The end of the file is missing.
    #[error("the graph file {file} is cut off: it has only {found} of {expected} bytes; import the graph again or copy the file again")]
    Truncated {
        /// The file.
        file: String,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// The content does not match its checksums, or refers to something that does not exist.
    #[error("the graph file {file} is damaged ({part}); import the graph again or copy the file again")]
    Damaged {
        /// The file.
        file: String,
        /// The damaged part.
        part: String,
    },
}

/// The origin of a graph, and what its import rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphProvenance {
    /// The imported format; empty for a graph made in memory.
    #[serde(default)]
    pub format: String,
    /// The files, as the user named them.
    #[serde(default)]
    pub files: Vec<String>,
    /// The time of the import, in seconds since 1970-01-01 UTC.
    #[serde(default)]
    pub imported_at: u64,
    /// Lines or records read.
    #[serde(default)]
    pub lines: usize,
    /// Repeated triples.
    #[serde(default)]
    pub duplicates: usize,
    /// Rejected lines, by reason.
    #[serde(default)]
    pub rejected: std::collections::BTreeMap<String, usize>,
    /// Content that was left out on purpose, counted by type.
    #[serde(default)]
    pub left_out: std::collections::BTreeMap<String, usize>,
}

/// The metadata of a snapshot, read when it is opened.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SnapshotMeta {
    pub(super) name: String,
    pub(super) entities: u64,
    pub(super) triples: u64,
    /// Names and aliases.
    pub(super) names: u64,
    /// Entities that are described as conditions.
    pub(super) conditions: u64,
    /// How many entities were merged into others.
    pub(super) merges: u64,
    pub(super) kinds: Vec<String>,
    pub(super) relations: Vec<Relation>,
    pub(super) ambiguous: Vec<String>,
    pub(super) provenance: GraphProvenance,
}

/// A snapshot. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    bytes: Arc<Bytes>,
    table: SectionTable,
}

impl Snapshot {
    /// Lays out sections in memory.
    pub(super) fn assemble(sections: [Vec<u8>; Section::ALL.len()]) -> Self {
        let (table, length) = SectionTable::plan(KIND, &sections);
        let mut bytes = vec![0u64; length.div_ceil(8)];
        let target: &mut [u8] = bytemuck::cast_slice_mut(&mut bytes);
        let header = table.head(KIND, length);
        target[..header.len()].copy_from_slice(&header);
        for (section, content) in Section::ALL.into_iter().zip(&sections) {
            target[table.range(section as usize)].copy_from_slice(content);
        }
        Self { bytes: Arc::new(Bytes::Owned(bytes, length)), table }
    }

    /// Maps a file. Checks its header, sizes and metadata, and its whole content unless this file was checked before.
    pub(super) fn open(path: &Path) -> Result<(Self, SnapshotMeta), SnapshotError> {
        let shown = path.display().to_string();
        let io = |source| SnapshotError::Io { file: shown.clone(), source };
        let file = File::open(path).map_err(io)?;
        let state = file.metadata().map_err(io)?;
        if state.len() == 0 {
            return Err(SnapshotError::NotASnapshot { file: shown });
        }
        let (snapshot, meta) = Self::read(Bytes::map(&file).map_err(io)?, &shown)?;
        if !is_verified(path, &state, snapshot.table.checksum) {
            snapshot.verify(&meta, &shown)?;
            mark_verified(path, &state, snapshot.table.checksum);
        }
        Ok((snapshot, meta))
    }

    /// Reads a snapshot from memory and checks it in full.
    pub(super) fn from_bytes(bytes: &[u8], shown: &str) -> Result<(Self, SnapshotMeta), SnapshotError> {
        let (snapshot, meta) = Self::read(Bytes::copied(bytes), shown)?;
        snapshot.verify(&meta, shown)?;
        Ok((snapshot, meta))
    }

    fn read(bytes: Bytes, shown: &str) -> Result<(Self, SnapshotMeta), SnapshotError> {
        let file = shown.to_owned();
        let found = bytes.len() as u64;
        let table = SectionTable::read(KIND, &bytes, sections_of).map_err(|fault| match fault {
            HeadFault::OtherKind => SnapshotError::NotASnapshot { file },
            HeadFault::ForeignByteOrder => SnapshotError::ForeignByteOrder { file },
            HeadFault::Version(found) if found > VERSION => SnapshotError::Newer { file, found, known: VERSION },
            HeadFault::Version(found) => SnapshotError::Older { file, found },
            HeadFault::Truncated { expected } => SnapshotError::Truncated { file, expected, found },
            HeadFault::Damaged => SnapshotError::Damaged { file, part: "header".into() },
        })?;
        let snapshot = Self { bytes: Arc::new(bytes), table };
        let meta = snapshot.meta(shown)?;
        snapshot.check_sizes(&meta, shown)?;
        Ok((snapshot, meta))
    }

    /// Writes the snapshot to a file, which appears only once it is complete.
    pub(super) fn save(&self, path: &Path) -> io::Result<()> {
        write_atomically(path, |out| out.write_all(&self.bytes))?;
        // What was just written need not be read back.
        mark_verified(path, &std::fs::metadata(path)?, self.table.checksum);
        Ok(())
    }

    /// All bytes, as in the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A number that changes when a name, an alias or their order changes.
    pub(super) fn names_fingerprint(&self) -> u64 {
        let sums = [Section::NameStarts, Section::NameOffsets, Section::NameBytes].map(|s| self.table.checksum_of(s as usize));
        xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&sums))
    }

    pub(super) fn raw(&self, section: Section) -> &[u8] {
        &self.bytes[self.table.range(section as usize)]
    }

    /// A section as rows of one type; empty if its length does not fit, which opening rules out.
    pub(super) fn rows<T: AnyBitPattern + NoUninit>(&self, section: Section) -> &[T] {
        bytemuck::try_cast_slice(self.raw(section)).unwrap_or(&[])
    }

    /// A section as a slice that keeps the snapshot alive.
    pub(super) fn slice(&self, section: Section) -> SnapshotSlice {
        SnapshotSlice { bytes: Arc::clone(&self.bytes), range: self.table.range(section as usize) }
    }

    /// Text `i` of a pair of sections; empty if it does not exist.
    pub(super) fn text(&self, offsets: Section, bytes: Section, i: usize) -> &str {
        let offsets: &[u64] = self.rows(offsets);
        let (Some(from), Some(to)) = (offsets.get(i), offsets.get(i + 1)) else { return "" };
        let text = self.raw(bytes).get(*from as usize..*to as usize).unwrap_or(&[]);
        std::str::from_utf8(text).unwrap_or("")
    }

    /// Row `i` of a pair of sections with compressed rows; empty if it does not exist.
    pub(super) fn row<T: AnyBitPattern + NoUninit>(&self, starts: Section, rows: Section, i: usize) -> &[T] {
        let starts: &[u32] = self.rows(starts);
        let (Some(from), Some(to)) = (starts.get(i), starts.get(i + 1)) else { return &[] };
        self.rows(rows).get(*from as usize..*to as usize).unwrap_or(&[])
    }
}
