//! The layout of a snapshot: a head ([`super::part_table`]) with the offset, length and checksum of every section, then the sections.

use super::part_table::{FileKind, PartTable};

/// The version that Catena writes.
pub(super) const VERSION: u32 = 3;
/// The oldest version that it reads. It has no qualifiers, and so fewer sections; those it lacks are empty.
const OLDEST: u32 = 2;
/// How many sections a file of version 2 has.
const SECTIONS_OF_2: usize = 18;
/// The first bytes of every snapshot.
pub const MAGIC: &[u8; 8] = b"CATENAKG";
/// What a snapshot is.
pub(super) const KIND: FileKind = FileKind { magic: MAGIC, version: VERSION };

/// Where every section is.
pub(super) type SectionTable = PartTable<{ Section::ALL.len() }>;

/// How many sections a file of a version has; `None` for versions that are not read.
pub(super) fn sections_of(version: u32) -> Option<usize> {
    match version {
        OLDEST => Some(SECTIONS_OF_2),
        VERSION => Some(Section::ALL.len()),
        _ => None,
    }
}

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
