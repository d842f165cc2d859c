//! One file of a collection, read in place: its rows, by the numbers that they have in it.

use std::ops::Range;
use std::sync::Arc;

use fst::Map;

use crate::evidence::build::CollectionMeta;
use crate::evidence::collection::StoredSection;
use crate::evidence::document::{Document, Section};
use crate::evidence::error::CollectionError;
use crate::evidence::label::Label;
use crate::evidence::segment::{
    DocumentRow, Edge, EntityRow, EvidenceRow, Part, PartSlice, SectionRow, Segment, StringAt, TermPosting, TopicRow, UnitRow,
};

/// A file of a collection. Cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::evidence) struct Layer {
    pub(in crate::evidence) segment: Segment,
    pub(in crate::evidence) meta: CollectionMeta,
    names: Option<Arc<Map<PartSlice>>>,
    terms: Option<Arc<Map<PartSlice>>>,
}

/// The rows of a document.
#[derive(Debug, Clone, Default)]
pub(in crate::evidence) struct Spans {
    pub(in crate::evidence) sections: Range<u32>,
    pub(in crate::evidence) units: Range<u32>,
    pub(in crate::evidence) evidence: Range<u32>,
}

impl Layer {
    pub(in crate::evidence) fn of(segment: Segment, shown: &str) -> Result<Self, CollectionError> {
        let damaged = |part: Part| CollectionError::Damaged { file: shown.to_owned(), part: part.title() };
        let meta: CollectionMeta = serde_json::from_slice(segment.raw(Part::Meta)).map_err(|_| damaged(Part::Meta))?;
        let names = Map::new(segment.slice(Part::NameMap)).ok().map(Arc::new);
        let terms = Map::new(segment.slice(Part::TermMap)).ok().map(Arc::new);
        let layer = Self { segment, meta, names, terms };
        let sizes = [
            (Part::Documents, layer.documents().len(), layer.meta.documents),
            (Part::Sections, layer.sections().len(), layer.meta.sections),
            (Part::Units, layer.units().len(), layer.meta.units),
            (Part::Evidence, layer.evidence().len(), layer.meta.evidence),
            (Part::Entities, layer.entities().len(), layer.meta.entities),
            (Part::Topics, layer.topics().len(), layer.meta.topics),
        ];
        match sizes.into_iter().find(|(_, found, stated)| found != stated) {
            Some((part, ..)) => Err(damaged(part)),
            None => Ok(layer),
        }
    }

    pub(in crate::evidence) fn string(&self, at: StringAt) -> &str {
        self.segment.text(Part::Strings, at)
    }

    pub(in crate::evidence) fn documents(&self) -> &[DocumentRow] {
        self.segment.rows(Part::Documents)
    }

    pub(in crate::evidence) fn sections(&self) -> &[SectionRow] {
        self.segment.rows(Part::Sections)
    }

    pub(in crate::evidence) fn units(&self) -> &[UnitRow] {
        self.segment.rows(Part::Units)
    }

    pub(in crate::evidence) fn evidence(&self) -> &[EvidenceRow] {
        self.segment.rows(Part::Evidence)
    }

    pub(in crate::evidence) fn entities(&self) -> &[EntityRow] {
        self.segment.rows(Part::Entities)
    }

    pub(in crate::evidence) fn topics(&self) -> &[TopicRow] {
        self.segment.rows(Part::Topics)
    }

    /// A document's id, title and other names, without its text.
    pub(in crate::evidence) fn head_of(&self, row: &DocumentRow) -> Document {
        let of = |at| self.string(at).to_owned();
        let aliases = self.string(row.aliases).lines().map(str::to_owned).collect();
        Document { id: of(row.id), title: of(row.title), aliases, ..Document::default() }
    }

    /// A document as it was imported.
    pub(in crate::evidence) fn document_of(&self, row: &DocumentRow) -> Document {
        let first = row.first_section as usize;
        let sections = self.sections().get(first..first.saturating_add(row.sections as usize)).unwrap_or_default();
        let section = |section: &SectionRow| Section {
            name: self.string(section.name).to_owned(),
            heading: self.string(section.heading).to_owned(),
            text: self.segment.text(Part::Text, section.text).to_owned(),
        };
        Document {
            source: self.string(row.source).to_owned(),
            url: self.string(row.url).to_owned(),
            date: self.string(row.date).to_owned(),
            sections: sections.iter().map(section).collect(),
            ..self.head_of(row)
        }
    }

    /// The rows of a document.
    pub(in crate::evidence) fn spans_of(&self, document: u32) -> Spans {
        let Some(row) = self.documents().get(document as usize) else { return Spans::default() };
        let sections = row.first_section..row.first_section.saturating_add(row.sections);
        let own = self.sections().get(sections.start as usize..sections.end as usize).unwrap_or_default();
        let (Some(first), Some(last)) = (own.first(), own.last()) else { return Spans { sections, ..Spans::default() } };
        let units = first.first_unit..last.first_unit.saturating_add(last.units);
        let evidence = first.first_evidence..last.first_evidence.saturating_add(last.evidence);
        Spans { sections, units, evidence }
    }

    pub(in crate::evidence) fn section(&self, number: u32) -> Option<StoredSection<'_>> {
        let row = self.sections().get(number as usize)?;
        let document = self.documents().get(row.document as usize)?;
        Some(StoredSection {
            document: self.string(document.id),
            title: self.string(document.title),
            date: self.string(document.date),
            url: self.string(document.url),
            name: self.string(row.name),
            label: Label::of_number(row.label),
            text: self.segment.text(Part::Text, row.text),
        })
    }

    /// The number of a section among those of its document that have its name, from 0.
    pub(in crate::evidence) fn nth_of_name(&self, section: u32) -> usize {
        let Some(row) = self.sections().get(section as usize) else { return 0 };
        let first = self.documents().get(row.document as usize).map_or(section, |document| document.first_section);
        let before = self.sections().get(first as usize..section as usize).unwrap_or_default();
        let name = self.string(row.name);
        before.iter().filter(|before| self.string(before.name) == name).count()
    }

    /// The evidence of a section.
    pub(in crate::evidence) fn evidence_of(&self, row: &SectionRow) -> &[EvidenceRow] {
        let first = row.first_evidence as usize;
        self.evidence().get(first..first.saturating_add(row.evidence as usize)).unwrap_or_default()
    }

    /// The entities that a document is about.
    pub(in crate::evidence) fn subjects_of(&self, document: u32) -> &[u32] {
        self.segment.row(Part::SubjectStarts, Part::Subjects, document as usize)
    }

    /// The entities that a piece of evidence mentions.
    pub(in crate::evidence) fn mentions_of(&self, piece: u32) -> &[u32] {
        self.segment.row(Part::MentionStarts, Part::Mentions, piece as usize)
    }

    pub(in crate::evidence) fn entity_name(&self, entity: u32) -> &str {
        self.entities().get(entity as usize).map_or("", |row| self.string(row.name))
    }

    pub(in crate::evidence) fn entity_kind(&self, entity: u32) -> &str {
        self.entities().get(entity as usize).map_or("", |row| self.string(row.kind))
    }

    pub(in crate::evidence) fn names(&self) -> Option<&Map<PartSlice>> {
        self.names.as_deref()
    }

    /// The entities of the number of a name.
    pub(in crate::evidence) fn named(&self, number: u64) -> &[u32] {
        usize::try_from(number).map_or(&[], |number| self.segment.row(Part::NameStarts, Part::NameEntities, number))
    }

    /// The entities of a name's key.
    pub(in crate::evidence) fn of_key(&self, key: &str) -> &[u32] {
        self.names().and_then(|names| names.get(key)).map_or(&[], |number| self.named(number))
    }

    pub(in crate::evidence) fn terms(&self) -> Option<&Map<PartSlice>> {
        self.terms.as_deref()
    }

    /// The units with a term.
    pub(in crate::evidence) fn postings(&self, term: &str) -> &[TermPosting] {
        let number = self.terms().and_then(|terms| terms.get(term)).and_then(|number| usize::try_from(number).ok());
        number.map_or(&[], |number| self.segment.row(Part::TermStarts, Part::TermPostings, number))
    }

    pub(in crate::evidence) fn evidence_of_topic(&self, topic: u32) -> &[u32] {
        self.segment.row(Part::TopicEvidenceStarts, Part::TopicEvidence, topic as usize)
    }

    pub(in crate::evidence) fn edges_of_topic(&self, topic: u32) -> &[Edge] {
        self.segment.row(Part::TopicEdgeStarts, Part::TopicEdges, topic as usize)
    }

    pub(in crate::evidence) fn edges_of_entity(&self, entity: u32) -> &[Edge] {
        self.segment.row(Part::EntityEdgeStarts, Part::EntityEdges, entity as usize)
    }

    /// The vectors of units: scales, and rows of `dim` components.
    pub(in crate::evidence) fn unit_vectors(&self) -> (&[f32], &[i8]) {
        (self.segment.rows(Part::UnitScales), self.segment.rows(Part::UnitVectors))
    }

    /// The vectors of entities' names.
    pub(in crate::evidence) fn entity_vectors(&self) -> (&[f32], &[i8]) {
        (self.segment.rows(Part::EntityScales), self.segment.rows(Part::EntityVectors))
    }
}
