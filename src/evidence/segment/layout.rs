//! The layout of a segment: a header with the offset, length and checksum of every part, then the parts.
//!
//! ```text
//! 0    "CATENADC"
//! 8    u32 version, u32 byte-order mark
//! 16   u64 length of the file
//! 24   u64 number of parts
//! 32   u64 checksum of the header (XXH3, this field taken as 0)
//! 40   for each part: u64 offset (a multiple of 8), u64 length in bytes, u64 checksum (XXH3)
//! ```

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// The version that Catena writes and reads.
pub(super) const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"CATENADC";
const BYTE_ORDER: u32 = 0x0a0b_0c0d;
const FIXED: usize = 40;
const PER_PART: usize = 24;
const CHECKSUM_AT: usize = 32;

/// How many parts a segment has.
pub(in crate::evidence) const PARTS: usize = Part::ALL.len();

/// The parts, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(in crate::evidence) enum Part {
    /// JSON: name, graph, encoder, counts, what was rejected.
    Meta,
    /// Ids, titles, names and other short texts.
    Strings,
    /// The texts of the sections, one after another.
    Text,
    /// `DocumentRow[]`.
    Documents,
    /// `SectionRow[]`.
    Sections,
    /// `UnitRow[]`.
    Units,
    /// `EvidenceRow[]`.
    Evidence,
    /// `u32[documents + 1]`, into the next.
    SubjectStarts,
    /// `u32[]`: the entities that each document is about.
    Subjects,
    /// `u32[evidence + 1]`, into the next.
    MentionStarts,
    /// `u32[]`: the entities of each piece of evidence.
    Mentions,
    /// `EntityRow[]`.
    Entities,
    /// A finite-state map from stemmed names to keys.
    NameMap,
    /// `u32[keys + 1]`, into the next.
    NameStarts,
    /// `u32[]`: the entities of each key.
    NameEntities,
    /// `TopicRow[]`, sorted by entity, then label.
    Topics,
    /// `u32[topics + 1]`, into the next.
    TopicEvidenceStarts,
    /// `u32[]`.
    TopicEvidence,
    /// `u32[topics + 1]`, into the next.
    TopicEdgeStarts,
    /// `Edge[]`: the entities of each topic with their weights.
    TopicEdges,
    /// `u32[entities + 1]`, into the next.
    EntityEdgeStarts,
    /// `Edge[]`: the topics of each entity with their weights.
    EntityEdges,
    /// A finite-state map from terms to numbers.
    TermMap,
    /// `u32[terms + 1]`, into the next.
    TermStarts,
    /// `TermPosting[]`.
    TermPostings,
    /// `f32[units]`: the scale of each vector.
    UnitScales,
    /// `i8[units · dim]`.
    UnitVectors,
    /// `f32[entities]`.
    EntityScales,
    /// `i8[entities · dim]`.
    EntityVectors,
}

impl Part {
    pub(in crate::evidence) const ALL: [Self; 29] = [
        Self::Meta,
        Self::Strings,
        Self::Text,
        Self::Documents,
        Self::Sections,
        Self::Units,
        Self::Evidence,
        Self::SubjectStarts,
        Self::Subjects,
        Self::MentionStarts,
        Self::Mentions,
        Self::Entities,
        Self::NameMap,
        Self::NameStarts,
        Self::NameEntities,
        Self::Topics,
        Self::TopicEvidenceStarts,
        Self::TopicEvidence,
        Self::TopicEdgeStarts,
        Self::TopicEdges,
        Self::EntityEdgeStarts,
        Self::EntityEdges,
        Self::TermMap,
        Self::TermStarts,
        Self::TermPostings,
        Self::UnitScales,
        Self::UnitVectors,
        Self::EntityScales,
        Self::EntityVectors,
    ];

    /// The content of the part, for messages.
    pub(in crate::evidence) fn title(self) -> &'static str {
        match self {
            Self::Meta => "description of the collection",
            Self::Strings | Self::Documents | Self::Sections => "list of documents",
            Self::Text => "text",
            Self::Units | Self::Evidence | Self::MentionStarts | Self::Mentions => "evidence",
            Self::SubjectStarts | Self::Subjects | Self::Entities | Self::NameMap | Self::NameStarts | Self::NameEntities => "entities",
            Self::Topics | Self::TopicEvidenceStarts | Self::TopicEvidence => "topics",
            Self::TopicEdgeStarts | Self::TopicEdges | Self::EntityEdgeStarts | Self::EntityEdges => "edges",
            Self::TermMap | Self::TermStarts | Self::TermPostings => "word index",
            Self::UnitScales | Self::UnitVectors | Self::EntityScales | Self::EntityVectors => "vectors",
        }
    }
}

/// Why a header is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderFault {
    NotASegment,
    ForeignByteOrder,
    Version(u32),
    Damaged,
}

/// The offset, length and checksum of every part.
#[derive(Debug, Clone)]
pub(super) struct PartTable {
    rows: [(usize, usize, u64); PARTS],
    pub(super) checksum: u64,
}

impl PartTable {
    /// Lays out parts one after the other; returns the table and the length of the file.
    pub(super) fn plan(parts: &[Vec<u8>; PARTS]) -> (Self, usize) {
        let mut at = FIXED + PER_PART * PARTS;
        let rows = std::array::from_fn(|i| {
            at = at.next_multiple_of(8);
            let row = (at, parts[i].len(), xxh3_64(&parts[i]));
            at += parts[i].len();
            row
        });
        let length = at.next_multiple_of(8);
        let mut table = Self { rows, checksum: 0 };
        table.checksum = header_checksum(&table.header(length));
        (table, length)
    }

    pub(super) fn range(&self, part: Part) -> Range<usize> {
        let (offset, length, _) = self.rows[part as usize];
        offset..offset + length
    }

    pub(super) fn checksum_of(&self, part: Part) -> u64 {
        self.rows[part as usize].2
    }

    /// The header as written to the file.
    pub(super) fn header(&self, length: usize) -> Vec<u8> {
        let mut header = Vec::with_capacity(FIXED + PER_PART * PARTS);
        header.extend(MAGIC);
        header.extend(VERSION.to_ne_bytes());
        header.extend(BYTE_ORDER.to_ne_bytes());
        for word in [length as u64, PARTS as u64, self.checksum] {
            header.extend(word.to_ne_bytes());
        }
        for (offset, length, checksum) in self.rows {
            for word in [offset as u64, length as u64, checksum] {
                header.extend(word.to_ne_bytes());
            }
        }
        header
    }

    /// Reads the header of a file and checks that every part lies within it.
    pub(super) fn read(file: &[u8]) -> Result<Self, HeaderFault> {
        let bytes = |at: usize, length: usize| file.get(at..at + length).ok_or(HeaderFault::NotASegment);
        let word = |at: usize| bytes(at, 8)?.try_into().map(u64::from_ne_bytes).map_err(|_| HeaderFault::Damaged);
        let half = |at: usize| bytes(at, 4)?.try_into().map(u32::from_ne_bytes).map_err(|_| HeaderFault::Damaged);
        if !file.starts_with(MAGIC) {
            return Err(HeaderFault::NotASegment);
        }
        match half(12)? {
            BYTE_ORDER => {}
            mark if mark.swap_bytes() == BYTE_ORDER => return Err(HeaderFault::ForeignByteOrder),
            _ => return Err(HeaderFault::Damaged),
        }
        let version = half(8)?;
        if version != VERSION {
            return Err(HeaderFault::Version(version));
        }
        let header = FIXED + PER_PART * PARTS;
        if word(16)? != file.len() as u64 || word(24)? != PARTS as u64 {
            return Err(HeaderFault::Damaged);
        }
        let checksum = word(CHECKSUM_AT)?;
        if header_checksum(file.get(..header).ok_or(HeaderFault::Damaged)?) != checksum {
            return Err(HeaderFault::Damaged);
        }
        let mut rows = [(0, 0, 0); PARTS];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = FIXED + PER_PART * i;
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
