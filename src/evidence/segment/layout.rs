//! The layout of a segment: a head ([`crate::graph::part_table`]) with the offset, length and checksum of every part, then the parts.

use crate::graph::part_table::{self, FileKind};

/// The version that Catena writes.
pub(super) const VERSION: u32 = 3;
/// The version from before language models read documents, and how many parts its files have: all but the last two.
const FIRST: u32 = 1;
const PARTS_OF_FIRST: usize = PARTS - 2;
/// The version from before additions, without the last part.
const SECOND: u32 = 2;
const PARTS_OF_SECOND: usize = PARTS - 1;
const MAGIC: &[u8; 8] = b"CATENADC";
/// What a segment is.
pub(super) const KIND: FileKind = FileKind { magic: MAGIC, version: VERSION };

/// Where every part is.
pub(super) type PartTable = part_table::PartTable<PARTS>;

/// How many parts the files of a version have; `None` for versions that Catena does not read.
pub(super) fn parts_of(version: u32) -> Option<usize> {
    match version {
        FIRST => Some(PARTS_OF_FIRST),
        SECOND => Some(PARTS_OF_SECOND),
        VERSION => Some(PARTS),
        _ => None,
    }
}

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
    /// JSON: what a language model read in the units; empty where none did. Files from before it end here.
    Reading,
    /// JSON, in additions alone: the base that they belong to, and what they replace. Files from before additions lack it.
    Beside,
}

impl Part {
    pub(in crate::evidence) const ALL: [Self; 31] = [
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
        Self::Reading,
        Self::Beside,
    ];

    /// The content of the part, for messages.
    pub(in crate::evidence) fn title(self) -> &'static str {
        match self {
            Self::Meta | Self::Beside => "description of the collection",
            Self::Strings | Self::Documents | Self::Sections => "list of documents",
            Self::Text => "text",
            Self::Units | Self::Evidence | Self::MentionStarts | Self::Mentions => "evidence",
            Self::SubjectStarts | Self::Subjects | Self::Entities | Self::NameMap | Self::NameStarts | Self::NameEntities => "entities",
            Self::Topics | Self::TopicEvidenceStarts | Self::TopicEvidence => "topics",
            Self::TopicEdgeStarts | Self::TopicEdges | Self::EntityEdgeStarts | Self::EntityEdges => "edges",
            Self::TermMap | Self::TermStarts | Self::TermPostings => "word index",
            Self::Reading => "reading by a language model",
            Self::UnitScales | Self::UnitVectors | Self::EntityScales | Self::EntityVectors => "vectors",
        }
    }
}
