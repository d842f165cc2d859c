//! The rows of a segment's parts, as they lie in the file.

use bytemuck::{Pod, Zeroable};

/// Where a text lies in a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct StringAt {
    pub(in crate::evidence) at: u64,
    pub(in crate::evidence) length: u32,
    pub(in crate::evidence) unused: u32,
}

/// A document.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct DocumentRow {
    pub(in crate::evidence) id: StringAt,
    pub(in crate::evidence) title: StringAt,
    /// One a line.
    pub(in crate::evidence) aliases: StringAt,
    pub(in crate::evidence) source: StringAt,
    pub(in crate::evidence) url: StringAt,
    pub(in crate::evidence) date: StringAt,
    pub(in crate::evidence) first_section: u32,
    pub(in crate::evidence) sections: u32,
}

/// A section.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct SectionRow {
    pub(in crate::evidence) name: StringAt,
    pub(in crate::evidence) heading: StringAt,
    /// In the part of texts.
    pub(in crate::evidence) text: StringAt,
    pub(in crate::evidence) document: u32,
    pub(in crate::evidence) label: u32,
    pub(in crate::evidence) first_unit: u32,
    pub(in crate::evidence) units: u32,
    pub(in crate::evidence) first_evidence: u32,
    pub(in crate::evidence) evidence: u32,
}

/// A unit: what is searched. Offsets are bytes of its section's text.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct UnitRow {
    pub(in crate::evidence) section: u32,
    pub(in crate::evidence) start: u32,
    pub(in crate::evidence) end: u32,
    /// Terms of its text.
    pub(in crate::evidence) terms: u32,
    /// Terms of its document's title.
    pub(in crate::evidence) title_terms: u16,
    /// Terms of its section's heading.
    pub(in crate::evidence) heading_terms: u16,
}

/// A piece of evidence: a sentence or list item of a section.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct EvidenceRow {
    pub(in crate::evidence) section: u32,
    pub(in crate::evidence) start: u32,
    pub(in crate::evidence) end: u32,
}

/// An entity.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct EntityRow {
    pub(in crate::evidence) name: StringAt,
    pub(in crate::evidence) identifier: StringAt,
    pub(in crate::evidence) kind: StringAt,
}

/// A topic: an entity with a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct TopicRow {
    pub(in crate::evidence) entity: u32,
    pub(in crate::evidence) label: u32,
}

/// An edge of the bipartite graph of topics and entities, with its weight w(t, m) (EbmKG, Eq. 6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct Edge {
    pub(in crate::evidence) to: u32,
    pub(in crate::evidence) weight: f32,
}

/// A term in a unit: how often in its text, in its document's title and in its section's heading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::evidence) struct TermPosting {
    pub(in crate::evidence) unit: u32,
    pub(in crate::evidence) body: u16,
    pub(in crate::evidence) title: u8,
    pub(in crate::evidence) heading: u8,
}
