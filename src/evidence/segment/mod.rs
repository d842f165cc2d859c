//! Segments: a collection of documents as one immutable, checksummed file that is mapped into memory, in the way of the graph's snapshots.

mod layout;
mod rows;

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use xxhash_rust::xxh3::xxh3_64;

use super::error::CollectionError;
use crate::config::{is_verified, mark_verified, write_atomically};
use crate::graph::MappedBytes;
use crate::graph::part_table::HeadFault;
use layout::{KIND, PartTable, VERSION, parts_of};

pub(super) use layout::{PARTS, Part};
pub(super) use rows::{DocumentRow, Edge, EntityRow, EvidenceRow, SectionRow, StringAt, TermPosting, TopicRow, UnitRow};

/// A segment. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    bytes: Arc<MappedBytes>,
    table: PartTable,
}

/// A part of a segment that keeps it alive, for readers that own their data.
#[derive(Debug, Clone)]
pub(super) struct PartSlice {
    bytes: Arc<MappedBytes>,
    range: std::ops::Range<usize>,
}

impl AsRef<[u8]> for PartSlice {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or(&[])
    }
}

impl Segment {
    /// Lays out parts in memory.
    pub(super) fn assemble(parts: [Vec<u8>; PARTS]) -> Self {
        let (table, length) = PartTable::plan(KIND, &parts);
        let mut bytes = vec![0u8; length];
        let header = table.head(KIND, length);
        bytes[..header.len()].copy_from_slice(&header);
        for (part, content) in Part::ALL.into_iter().zip(&parts) {
            bytes[table.range(part as usize)].copy_from_slice(content);
        }
        Self { bytes: Arc::new(MappedBytes::copied(&bytes)), table }
    }

    /// Maps a file. Checks its header, and its whole content unless this file was checked before.
    pub(super) fn open(path: &Path) -> Result<Self, CollectionError> {
        let (segment, state) = Self::map(path)?;
        if !is_verified(path, &state, segment.table.checksum) {
            segment.verify(&path.display().to_string())?;
            mark_verified(path, &state, segment.table.checksum);
        }
        Ok(segment)
    }

    /// Maps a file and checks its header alone.
    fn map(path: &Path) -> Result<(Self, Metadata), CollectionError> {
        let shown = path.display().to_string();
        let io = |source| CollectionError::Io { file: shown.clone(), source };
        let file = File::open(path).map_err(io)?;
        let state = file.metadata().map_err(io)?;
        if state.len() == 0 {
            return Err(CollectionError::NotACollection { file: shown });
        }
        Ok((Self::read(MappedBytes::map(&file).map_err(io)?, &shown)?, state))
    }

    /// The checksum that a file has now.
    pub(super) fn checksum_in(path: &Path) -> Result<u64, CollectionError> {
        Self::map(path).map(|(segment, _)| segment.table.checksum)
    }

    /// Reads a segment from memory and checks it in full.
    pub(super) fn from_bytes(bytes: &[u8], shown: &str) -> Result<Self, CollectionError> {
        let segment = Self::read(MappedBytes::copied(bytes), shown)?;
        segment.verify(shown)?;
        Ok(segment)
    }

    fn read(bytes: MappedBytes, shown: &str) -> Result<Self, CollectionError> {
        let file = shown.to_owned();
        let table = PartTable::read(KIND, &bytes, parts_of).map_err(|fault| match fault {
            HeadFault::OtherKind => CollectionError::NotACollection { file },
            HeadFault::ForeignByteOrder | HeadFault::Version(_) => CollectionError::Foreign { file, known: VERSION },
            HeadFault::Truncated { .. } | HeadFault::Damaged => CollectionError::Damaged { file, part: "header" },
        })?;
        Ok(Self { bytes: Arc::new(bytes), table })
    }

    /// Checks every part against its checksum.
    pub(super) fn verify(&self, shown: &str) -> Result<(), CollectionError> {
        let damaged = Part::ALL.into_iter().find(|part| xxh3_64(self.raw(*part)) != self.table.checksum_of(*part as usize));
        damaged.map_or(Ok(()), |part| Err(CollectionError::Damaged { file: shown.to_owned(), part: part.title() }))
    }

    /// Writes the segment to a file, which appears only once it is complete.
    pub(super) fn save(&self, path: &Path) -> io::Result<()> {
        write_atomically(path, |out| out.write_all(&self.bytes))?;
        mark_verified(path, &std::fs::metadata(path)?, self.table.checksum);
        Ok(())
    }

    /// A number that changes with the content.
    pub(super) fn checksum(&self) -> u64 {
        self.table.checksum
    }

    /// All bytes, as in the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn raw(&self, part: Part) -> &[u8] {
        self.bytes.get(self.table.range(part as usize)).unwrap_or(&[])
    }

    /// A part as rows of one type; empty if its length does not fit.
    pub(super) fn rows<T: AnyBitPattern + NoUninit>(&self, part: Part) -> &[T] {
        bytemuck::try_cast_slice(self.raw(part)).unwrap_or(&[])
    }

    pub(super) fn slice(&self, part: Part) -> PartSlice {
        PartSlice { bytes: Arc::clone(&self.bytes), range: self.table.range(part as usize) }
    }

    /// Row `i` of a pair of parts with compressed rows; empty if it does not exist.
    pub(super) fn row<T: AnyBitPattern + NoUninit>(&self, starts: Part, rows: Part, i: usize) -> &[T] {
        let starts: &[u32] = self.rows(starts);
        let (Some(from), Some(to)) = (starts.get(i), starts.get(i + 1)) else { return &[] };
        self.rows(rows).get(*from as usize..*to as usize).unwrap_or(&[])
    }

    /// A text of a part; empty if it is not there.
    pub(super) fn text(&self, part: Part, at: StringAt) -> &str {
        let end = usize::try_from(at.at).ok().and_then(|start| Some(start..start.checked_add(at.length as usize)?));
        end.and_then(|range| self.raw(part).get(range)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Segment {
        let parts = std::array::from_fn(|i| vec![i as u8; 3 * i]);
        Segment::assemble(parts)
    }

    #[test]
    fn parts_come_back_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.docs");
        segment().save(&path).expect("saves");
        let read = Segment::open(&path).expect("opens");
        assert_eq!(read.bytes(), segment().bytes(), "the same input, the same bytes");
        assert_eq!(read.raw(Part::Text).len(), 3 * Part::Text as usize);
    }

    #[test]
    fn every_damaged_byte_is_found() {
        let good = segment().bytes().to_vec();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let table = segment().table;
            let in_a_part = Part::ALL.into_iter().any(|part| table.range(part as usize).contains(&at));
            let result = Segment::from_bytes(&bad, "x");
            // Padding between parts belongs to nothing.
            assert!(result.is_err() || !in_a_part && at >= table.range(Part::Meta as usize).start, "byte {at}");
        }
        for length in [0, 7, 39, 40, good.len() / 2, good.len() - 1] {
            assert!(Segment::from_bytes(&good[..length], "x").is_err(), "{length} bytes");
        }
    }
}
