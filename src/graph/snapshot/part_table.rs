//! The head of a file that consists of parts (a snapshot, a collection of documents): where each part is, how long it is, and its checksum.
//!
//! ```text
//! 0    eight bytes that tell what the file is
//! 8    u32 version, u32 byte-order mark
//! 16   u64 length of the file
//! 24   u64 number of parts
//! 32   u64 checksum of the head (XXH3, this field taken as 0)
//! 40   for each part: u64 offset (a multiple of 8), u64 length in bytes, u64 checksum (XXH3)
//! ```
//!
//! Numbers are in the byte order of the machine that wrote the file; the mark reveals a foreign byte order.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

const BYTE_ORDER: u32 = 0x0a0b_0c0d;
const FIXED: usize = 40;
const PER_PART: usize = 24;
const CHECKSUM_AT: usize = 32;

/// What a file is: its first bytes, and the version that Catena writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileKind {
    pub(crate) magic: &'static [u8; 8],
    pub(crate) version: u32,
}

/// Why a head is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadFault {
    /// The file is something else.
    OtherKind,
    ForeignByteOrder,
    Version(u32),
    Truncated {
        expected: u64,
    },
    Damaged,
}

/// The offset, length and checksum of every part.
#[derive(Debug, Clone)]
pub(crate) struct PartTable<const PARTS: usize> {
    rows: [(usize, usize, u64); PARTS],
    pub(crate) checksum: u64,
}

impl<const PARTS: usize> PartTable<PARTS> {
    /// Lays out parts one after the other; returns the table and the length of the file.
    pub(crate) fn plan(kind: FileKind, parts: &[Vec<u8>; PARTS]) -> (Self, usize) {
        let mut at = FIXED + PER_PART * PARTS;
        let rows = std::array::from_fn(|i| {
            at = at.next_multiple_of(8);
            let row = (at, parts[i].len(), xxh3_64(&parts[i]));
            at += parts[i].len();
            row
        });
        let length = at.next_multiple_of(8);
        let mut table = Self { rows, checksum: 0 };
        table.checksum = head_checksum(&table.head(kind, length));
        (table, length)
    }

    /// The bytes of a part, by its place.
    pub(crate) fn range(&self, part: usize) -> Range<usize> {
        let (offset, length, _) = self.rows[part];
        offset..offset + length
    }

    /// The checksum of a part, by its place.
    pub(crate) fn checksum_of(&self, part: usize) -> u64 {
        self.rows[part].2
    }

    /// The head as written to the file.
    pub(crate) fn head(&self, kind: FileKind, length: usize) -> Vec<u8> {
        let mut head = Vec::with_capacity(FIXED + PER_PART * PARTS);
        head.extend(kind.magic);
        head.extend(kind.version.to_ne_bytes());
        head.extend(BYTE_ORDER.to_ne_bytes());
        for word in [length as u64, PARTS as u64, self.checksum] {
            head.extend(word.to_ne_bytes());
        }
        for (offset, length, checksum) in self.rows {
            for word in [offset as u64, length as u64, checksum] {
                head.extend(word.to_ne_bytes());
            }
        }
        head
    }

    /// Reads the head of a file and checks that every part lies within it. `parts_of`: how many parts a file of this version has, at most all; `None` for
    /// versions that are not read. The parts that it lacks are empty.
    pub(crate) fn read(kind: FileKind, file: &[u8], parts_of: impl Fn(u32) -> Option<usize>) -> Result<Self, HeadFault> {
        let word = |at: usize| file.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_ne_bytes).ok_or(HeadFault::OtherKind);
        let half = |at: usize| file.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_ne_bytes).ok_or(HeadFault::OtherKind);
        if !file.starts_with(kind.magic) {
            return Err(HeadFault::OtherKind);
        }
        match half(12)? {
            BYTE_ORDER => {}
            mark if mark.swap_bytes() == BYTE_ORDER => return Err(HeadFault::ForeignByteOrder),
            _ => return Err(HeadFault::Damaged),
        }
        let version = half(8)?;
        let parts = parts_of(version).filter(|parts| *parts <= PARTS).ok_or(HeadFault::Version(version))?;
        let length = word(16)?;
        if length > file.len() as u64 {
            return Err(HeadFault::Truncated { expected: length });
        }
        let head = FIXED + PER_PART * parts;
        if length != file.len() as u64 || word(24)? != parts as u64 {
            return Err(HeadFault::Damaged);
        }
        let checksum = word(CHECKSUM_AT)?;
        if head_checksum(file.get(..head).ok_or(HeadFault::Damaged)?) != checksum {
            return Err(HeadFault::Damaged);
        }
        let mut rows = [(0, 0, xxh3_64(&[])); PARTS];
        for (i, row) in rows.iter_mut().enumerate().take(parts) {
            let at = FIXED + PER_PART * i;
            let (offset, length, checksum) = (word(at)?, word(at + 8)?, word(at + 16)?);
            let end = offset.checked_add(length).ok_or(HeadFault::Damaged)?;
            if offset % 8 != 0 || offset < head as u64 || end > file.len() as u64 {
                return Err(HeadFault::Damaged);
            }
            *row = (offset as usize, length as usize, checksum);
        }
        Ok(Self { rows, checksum })
    }
}

/// The checksum of a head, computed with its own field as 0.
fn head_checksum(head: &[u8]) -> u64 {
    let mut head = head.to_vec();
    if let Some(field) = head.get_mut(CHECKSUM_AT..CHECKSUM_AT + 8) {
        field.fill(0);
    }
    xxh3_64(&head)
}
