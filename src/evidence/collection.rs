//! A collection of documents, read in place: documents, sections, evidence, entities and topics.

use std::ops::Range;
use std::path::Path;

use fst::Map;

use super::build::{BuildStep, CollectionMeta, build};
use super::document::{Document, Section};
use super::error::CollectionError;
use super::label::Label;
use super::reading::{Reading, topic_key};
use super::segment::{
    DocumentRow, Edge, EntityRow, EvidenceRow, Part, PartSlice, SectionRow, Segment, StringAt, TermPosting, TopicRow, UnitRow,
};
use crate::graph::Graph;

/// A collection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Collection {
    pub(super) segment: Segment,
    meta: CollectionMeta,
    names: Option<std::sync::Arc<Map<PartSlice>>>,
    terms: Option<std::sync::Arc<Map<PartSlice>>>,
    reading: std::sync::Arc<Reading>,
}

/// A section of a stored document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSection<'a> {
    /// The document's id.
    pub document: &'a str,
    /// The document's title.
    pub title: &'a str,
    /// The document's date, as its source gives it.
    pub date: &'a str,
    /// The document's address.
    pub url: &'a str,
    /// The section's name.
    pub name: &'a str,
    /// What it says about its subject.
    pub label: Label,
    /// Its text, word for word; not cleaned.
    pub text: &'a str,
}

impl Collection {
    /// Builds a collection in memory; see [`CollectionMeta`] for what came of it. `wanted` is told each step and says whether to go on.
    ///
    /// # Errors
    /// If the documents have too much text, the encoder fails, or the result is no longer wanted.
    pub fn build(
        name: &str,
        documents: &[Document],
        graph: &Graph,
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<Self, CollectionError> {
        Self::build_with(name, documents, graph, Reading::default(), wanted)
    }

    /// As [`Self::build`], with what a language model read; what it did not read is read by rule.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_with(
        name: &str,
        documents: &[Document],
        graph: &Graph,
        reading: Reading,
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<Self, CollectionError> {
        if documents.is_empty() {
            return Err(CollectionError::Empty { name: name.to_owned() });
        }
        Self::of(build(name, documents, graph, reading, wanted)?, name)
    }

    /// What a language model read; empty where none did.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The summary that a language model wrote of a topic.
    pub(super) fn summary_of(&self, entity: u32, label: u32) -> Option<&str> {
        if self.reading.summaries.is_empty() {
            return None;
        }
        self.reading.summaries.get(&topic_key(self.entity_name(entity), Label::of_number(label))).map(String::as_str)
    }

    /// Opens a stored collection.
    ///
    /// # Errors
    /// If the file cannot be read, is no collection, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CollectionError> {
        Self::of(Segment::open(path)?, &path.display().to_string())
    }

    /// Reads a collection from memory and checks it in full.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CollectionError> {
        Self::of(Segment::from_bytes(bytes, "the collection")?, "the collection")
    }

    fn of(segment: Segment, shown: &str) -> Result<Self, CollectionError> {
        let damaged = |part: Part| CollectionError::Damaged { file: shown.to_owned(), part: part.title() };
        let meta: CollectionMeta = serde_json::from_slice(segment.raw(Part::Meta)).map_err(|_| damaged(Part::Meta))?;
        let names = Map::new(segment.slice(Part::NameMap)).ok().map(std::sync::Arc::new);
        let terms = Map::new(segment.slice(Part::TermMap)).ok().map(std::sync::Arc::new);
        let reading = match segment.raw(Part::Reading) {
            [] => Reading::default(),
            bytes => serde_json::from_slice(bytes).map_err(|_| damaged(Part::Reading))?,
        };
        let collection = Self { segment, meta, names, terms, reading: std::sync::Arc::new(reading) };
        let sizes = [
            (Part::Documents, collection.rows::<DocumentRow>(Part::Documents).len(), collection.meta.documents),
            (Part::Sections, collection.rows::<SectionRow>(Part::Sections).len(), collection.meta.sections),
            (Part::Units, collection.rows::<UnitRow>(Part::Units).len(), collection.meta.units),
            (Part::Evidence, collection.rows::<EvidenceRow>(Part::Evidence).len(), collection.meta.evidence),
            (Part::Entities, collection.rows::<EntityRow>(Part::Entities).len(), collection.meta.entities),
            (Part::Topics, collection.rows::<TopicRow>(Part::Topics).len(), collection.meta.topics),
        ];
        match sizes.into_iter().find(|(_, found, stated)| found != stated) {
            Some((part, ..)) => Err(damaged(part)),
            None => Ok(collection),
        }
    }

    /// Writes the collection to a file, which only its owner can read and which appears only once it is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), CollectionError> {
        self.segment.save(path).map_err(|source| CollectionError::Io { file: path.display().to_string(), source })
    }

    /// Reads every byte and compares it with the checksums.
    ///
    /// # Errors
    /// If a part is damaged.
    pub fn verify(&self) -> Result<(), CollectionError> {
        self.segment.verify(&self.meta.name)
    }

    /// All bytes, as in the file.
    pub fn bytes(&self) -> &[u8] {
        self.segment.bytes()
    }

    /// What the collection says of itself.
    pub fn meta(&self) -> &CollectionMeta {
        &self.meta
    }

    fn rows<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(&self, part: Part) -> &[T] {
        self.segment.rows(part)
    }

    fn string(&self, at: StringAt) -> &str {
        self.segment.text(Part::Strings, at)
    }

    /// The documents as they were imported.
    pub fn documents(&self) -> impl Iterator<Item = Document> + '_ {
        self.rows::<DocumentRow>(Part::Documents).iter().map(|row| self.document_of(row))
    }

    /// The ids and titles of the documents, in their order.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows::<DocumentRow>(Part::Documents).iter().map(|row| (self.string(row.id), self.string(row.title)))
    }

    /// The document with an id.
    pub fn document(&self, id: &str) -> Option<Document> {
        self.rows::<DocumentRow>(Part::Documents).iter().find(|row| self.string(row.id) == id).map(|row| self.document_of(row))
    }

    fn document_of(&self, row: &DocumentRow) -> Document {
        let first = row.first_section as usize;
        let sections = self.rows::<SectionRow>(Part::Sections).get(first..first.saturating_add(row.sections as usize)).unwrap_or_default();
        let section = |section: &SectionRow| Section {
            name: self.string(section.name).to_owned(),
            heading: self.string(section.heading).to_owned(),
            text: self.segment.text(Part::Text, section.text).to_owned(),
        };
        Document {
            id: self.string(row.id).to_owned(),
            title: self.string(row.title).to_owned(),
            aliases: self.string(row.aliases).lines().map(str::to_owned).collect(),
            source: self.string(row.source).to_owned(),
            url: self.string(row.url).to_owned(),
            date: self.string(row.date).to_owned(),
            sections: sections.iter().map(section).collect(),
        }
    }

    /// A section by its number.
    pub fn section(&self, number: u32) -> Option<StoredSection<'_>> {
        let row = self.section_row(number)?;
        let document = self.rows::<DocumentRow>(Part::Documents).get(row.document as usize)?;
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

    pub(super) fn section_row(&self, number: u32) -> Option<&SectionRow> {
        self.rows::<SectionRow>(Part::Sections).get(number as usize)
    }

    /// The number of a section among those of its document that have its name, from 0.
    pub(super) fn nth_of_name(&self, section: u32) -> usize {
        let Some(row) = self.section_row(section) else { return 0 };
        let document = self.rows::<DocumentRow>(Part::Documents).get(row.document as usize);
        let first = document.map_or(section, |document| document.first_section);
        let before = self.rows::<SectionRow>(Part::Sections).get(first as usize..section as usize).unwrap_or_default();
        let name = self.string(row.name);
        before.iter().filter(|before| self.string(before.name) == name).count()
    }

    pub(super) fn units(&self) -> &[UnitRow] {
        self.rows(Part::Units)
    }

    pub(super) fn evidence(&self) -> &[EvidenceRow] {
        self.rows(Part::Evidence)
    }

    /// The evidence of a section: the number of the first, and the rows.
    pub(super) fn evidence_of(&self, section: u32) -> (u32, &[EvidenceRow]) {
        let Some(row) = self.section_row(section) else { return (0, &[]) };
        let first = row.first_evidence as usize;
        (row.first_evidence, self.evidence().get(first..first.saturating_add(row.evidence as usize)).unwrap_or_default())
    }

    /// The entities that a section's document is about.
    pub(super) fn subjects_of(&self, section: u32) -> &[u32] {
        let document = self.section_row(section).map_or(u32::MAX, |row| row.document);
        self.segment.row(Part::SubjectStarts, Part::Subjects, document as usize)
    }

    /// The name of an entity.
    pub fn entity_name(&self, entity: u32) -> &str {
        self.rows::<EntityRow>(Part::Entities).get(entity as usize).map_or("", |row| self.string(row.name))
    }

    /// The kind of an entity, as the graph names it; empty if the graph does not know the entity.
    pub fn entity_kind(&self, entity: u32) -> &str {
        self.rows::<EntityRow>(Part::Entities).get(entity as usize).map_or("", |row| self.string(row.kind))
    }

    /// The identifier of an entity in the graph's source; empty if there is none.
    pub fn entity_identifier(&self, entity: u32) -> &str {
        self.rows::<EntityRow>(Part::Entities).get(entity as usize).map_or("", |row| self.string(row.identifier))
    }

    pub(super) fn names(&self) -> Option<&Map<PartSlice>> {
        self.names.as_deref()
    }

    /// The entities of a name's key.
    pub(super) fn named(&self, key: u64) -> &[u32] {
        usize::try_from(key).map_or(&[], |key| self.segment.row(Part::NameStarts, Part::NameEntities, key))
    }

    pub(super) fn terms(&self) -> Option<&Map<PartSlice>> {
        self.terms.as_deref()
    }

    /// The units with a term.
    pub(super) fn postings(&self, term: &str) -> &[TermPosting] {
        let number = self.terms.as_ref().and_then(|terms| terms.get(term)).and_then(|number| usize::try_from(number).ok());
        number.map_or(&[], |number| self.segment.row(Part::TermStarts, Part::TermPostings, number))
    }

    pub(super) fn topics(&self) -> &[TopicRow] {
        self.rows(Part::Topics)
    }

    /// The evidence of a topic.
    pub(super) fn evidence_of_topic(&self, topic: u32) -> &[u32] {
        self.segment.row(Part::TopicEvidenceStarts, Part::TopicEvidence, topic as usize)
    }

    /// The entities of a topic with their weights.
    pub(super) fn edges_of_topic(&self, topic: u32) -> &[Edge] {
        self.segment.row(Part::TopicEdgeStarts, Part::TopicEdges, topic as usize)
    }

    /// The topics of an entity with their weights.
    pub(super) fn edges_of_entity(&self, entity: u32) -> &[Edge] {
        self.segment.row(Part::EntityEdgeStarts, Part::EntityEdges, entity as usize)
    }

    /// The vectors of units: scales, and rows of `dim` components.
    pub(super) fn unit_vectors(&self) -> (&[f32], &[i8]) {
        (self.rows(Part::UnitScales), self.rows(Part::UnitVectors))
    }

    /// The vectors of entities' names.
    pub(super) fn entity_vectors(&self) -> (&[f32], &[i8]) {
        (self.rows(Part::EntityScales), self.rows(Part::EntityVectors))
    }

    /// A span of a section's text, in bytes, as a span in characters.
    pub fn in_characters(text: &str, span: Range<usize>) -> Range<usize> {
        let start = text.get(..span.start).map_or(0, |before| before.chars().count());
        let length = text.get(span).map_or(0, |inside| inside.chars().count());
        start..start + length
    }
}
