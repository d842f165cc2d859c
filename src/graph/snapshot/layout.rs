//! The layout of a snapshot: a header with the offset, length and checksum of every section, then the sections.
//!
//! ```text
//! 0    "CATENAKG"
//! 8    u32 version, u32 byte-order mark
//! 16   u64 length of the file
//! 24   u64 number of sections
//! 32   u64 checksum of the header (XXH3, this field taken as 0)
//! 40   for each section: u64 offset (a multiple of 8), u64 length in bytes, u64 checksum (XXH3)
//! ```
//!
//! Numbers are in the byte order of the machine that wrote the file; the mark reveals a foreign byte order.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// The version that Catena writes.
pub(super) const VERSION: u32 = 3;
/// The oldest version that it reads. It has no qualifiers, and so fewer sections; those it lacks are empty.
const OLDEST: u32 = 2;
/// How many sections a file of version 2 has.
const SECTIONS_OF_2: usize = 18;
/// The first bytes of every snapshot.
pub const MAGIC: &[u8; 8] = b"CATENAKG";
const BYTE_ORDER: u32 = 0x0a0b_0c0d;
const FIXED: usize = 40;
const PER_SECTION: usize = 24;
const CHECKSUM_AT: usize = 32;

/// The sections, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(in crate::graph) enum Section {
    /// JSON: name, counts, kinds, relations, provenance.
    Meta,
    /// `u32[entities + 1]`: first name row of each entity; its preferred name, then its aliases.
    NameStarts,
    /// `u64[rows + 1]`, into the next.
    NameOffsets,
    NameBytes,
    /// `u16[entities]`, into the kinds of the meta section.
    Kinds,
    /// `u8[entities]`, see [`super::flags`].
    Flags,
    /// `u64[entities + 1]` or empty, into the next.
    DescriptionOffsets,
    DescriptionBytes,
    /// `u64[entities + 1]` or empty, into the next.
    IdentifierOffsets,
    IdentifierBytes,
    /// `u32[2 · entities + 1]`, into the next: row `2e` holds the triples that start at entity `e`, row `2e + 1` those that end at it.
    /// They are adjacent because a search that reaches an entity reads both.
    RowStarts,
    /// `Edge[2 · triples]`.
    Edges,
    /// A finite-state map from stemmed names to keys.
    NameMap,
    /// `u32[keys + 1]`, into the next.
    KeyStarts,
    /// `Posting[]`.
    Postings,
    /// `f64[entities]`.
    Rarity,
    /// `f64[entities]`.
    Features,
    /// Text: merged entities, one a line.
    Merges,
    /// `TripleKey[]`, sorted: the triples with qualifiers.
    QualifiedTriples,
    /// `u64[qualified triples + 1]` or empty, into the next.
    QualifierOffsets,
    QualifierBytes,
    /// `u32[]`, sorted: the entities with attributes.
    AttributedEntities,
    /// `u64[entities with attributes + 1]` or empty, into the next.
    AttributeOffsets,
    AttributeBytes,
}

impl Section {
    pub(in crate::graph) const ALL: [Self; 24] = [
        Self::Meta,
        Self::NameStarts,
        Self::NameOffsets,
        Self::NameBytes,
        Self::Kinds,
        Self::Flags,
        Self::DescriptionOffsets,
        Self::DescriptionBytes,
        Self::IdentifierOffsets,
        Self::IdentifierBytes,
        Self::RowStarts,
        Self::Edges,
        Self::NameMap,
        Self::KeyStarts,
        Self::Postings,
        Self::Rarity,
        Self::Features,
        Self::Merges,
        Self::QualifiedTriples,
        Self::QualifierOffsets,
        Self::QualifierBytes,
        Self::AttributedEntities,
        Self::AttributeOffsets,
        Self::AttributeBytes,
    ];

    /// The content of the section, for messages.
    pub(in crate::graph) fn title(self) -> &'static str {
        match self {
            Self::Meta => "description of the graph",
            Self::NameStarts | Self::NameOffsets | Self::NameBytes => "names",
            Self::Kinds | Self::Flags => "kinds",
            Self::DescriptionOffsets | Self::DescriptionBytes => "descriptions",
            Self::IdentifierOffsets | Self::IdentifierBytes => "identifiers",
            Self::RowStarts | Self::Edges => "triples",
            Self::NameMap | Self::KeyStarts | Self::Postings => "name index",
            Self::Rarity | Self::Features => "weights",
            Self::Merges => "list of merges",
            Self::QualifiedTriples | Self::QualifierOffsets | Self::QualifierBytes => "qualifiers",
            Self::AttributedEntities | Self::AttributeOffsets | Self::AttributeBytes => "attributes",
        }
    }
}

/// Why a header is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderFault {
    NotASnapshot,
    ForeignByteOrder,
    Version(u32),
    Truncated { expected: u64 },
    Damaged,
}

/// The offset, length and checksum of every section.
#[derive(Debug, Clone)]
pub(super) struct SectionTable {
    rows: [(usize, usize, u64); Section::ALL.len()],
    pub(super) checksum: u64,
}

impl SectionTable {
    /// Lays out sections one after the other; returns the table and the length of the file.
    pub(super) fn plan(sections: &[Vec<u8>; Section::ALL.len()]) -> (Self, usize) {
        let mut at = FIXED + PER_SECTION * sections.len();
        let rows = std::array::from_fn(|i| {
            at = at.next_multiple_of(8);
            let row = (at, sections[i].len(), xxh3_64(&sections[i]));
            at += sections[i].len();
            row
        });
        let length = at.next_multiple_of(8);
        let mut table = Self { rows, checksum: 0 };
        table.checksum = header_checksum(&table.header(length));
        (table, length)
    }

    pub(super) fn range(&self, section: Section) -> Range<usize> {
        let (offset, length, _) = self.rows[section as usize];
        offset..offset + length
    }

    pub(super) fn checksum_of(&self, section: Section) -> u64 {
        self.rows[section as usize].2
    }

    /// The header as written to the file.
    pub(super) fn header(&self, length: usize) -> Vec<u8> {
        let mut header = Vec::with_capacity(FIXED + PER_SECTION * self.rows.len());
        header.extend(MAGIC);
        header.extend(VERSION.to_ne_bytes());
        header.extend(BYTE_ORDER.to_ne_bytes());
        for word in [length as u64, self.rows.len() as u64, self.checksum] {
            header.extend(word.to_ne_bytes());
        }
        for (offset, length, checksum) in self.rows {
            for word in [offset as u64, length as u64, checksum] {
                header.extend(word.to_ne_bytes());
            }
        }
        header
    }

    /// Reads the header of a file and checks that every section lies within it.
    pub(super) fn read(file: &[u8]) -> Result<Self, HeaderFault> {
        let word =
            |at: usize| file.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_ne_bytes).ok_or(HeaderFault::NotASnapshot);
        let half =
            |at: usize| file.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_ne_bytes).ok_or(HeaderFault::NotASnapshot);
        if !file.starts_with(MAGIC) {
            return Err(HeaderFault::NotASnapshot);
        }
        match half(12)? {
            BYTE_ORDER => {}
            mark if mark.swap_bytes() == BYTE_ORDER => return Err(HeaderFault::ForeignByteOrder),
            _ => return Err(HeaderFault::Damaged),
        }
        let version = half(8)?;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(HeaderFault::Version(version));
        }
        let sections = if version == OLDEST { SECTIONS_OF_2 } else { Section::ALL.len() };
        let length = word(16)?;
        if length > file.len() as u64 {
            return Err(HeaderFault::Truncated { expected: length });
        }
        let header = FIXED + PER_SECTION * sections;
        if length != file.len() as u64 || word(24)? != sections as u64 || file.len() < header {
            return Err(HeaderFault::Damaged);
        }
        let checksum = word(CHECKSUM_AT)?;
        if header_checksum(&file[..header]) != checksum {
            return Err(HeaderFault::Damaged);
        }
        let mut rows = [(0, 0, xxh3_64(&[])); Section::ALL.len()];
        for (i, row) in rows.iter_mut().enumerate().take(sections) {
            let at = FIXED + PER_SECTION * i;
            let (offset, length, checksum) = (word(at)?, word(at + 8)?, word(at + 16)?);
            let end = offset.checked_add(length).ok_or(HeaderFault::Damaged)?;
            if offset % 8 != 0 || offset < header as u64 || end > file.len() as u64 {
                return Err(HeaderFault::Damaged);
            }
            *row = (offset as usize, length as usize, checksum);
        }
        Ok(Self { rows, checksum })
    }
}

/// The checksum of a header, computed with its own field as 0.
fn header_checksum(header: &[u8]) -> u64 {
    let mut header = header.to_vec();
    if let Some(field) = header.get_mut(CHECKSUM_AT..CHECKSUM_AT + 8) {
        field.fill(0);
    }
    xxh3_64(&header)
}
