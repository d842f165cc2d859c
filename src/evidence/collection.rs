//! A collection of documents, read in place: documents, sections, evidence, entities and topics. It is one file, or two that are read as
//! one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fst::{IntoStreamer, Streamer};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::build::{BuildStep, CollectionMeta, build};
use super::document::Document;
use super::error::CollectionError;
use super::label::Label;
use super::layers::{Added, Edges, Layer, Numbers};
use super::names::{longest_at, longest_where};
use super::reading::{Reading, topic_key};
use super::segment::{EvidenceRow, Part, SectionRow, Segment, TermPosting, TopicRow, UnitRow};
use crate::graph::Graph;
use crate::text::Token;

/// What the name of an addition has after that of its collection's file.
const ADDED: &str = ".added";
/// How often a collection is opened again that changes meanwhile.
const ATTEMPTS: usize = 5;

/// The file of the addition to a collection's file.
pub(super) fn added_beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(ADDED);
    file.with_file_name(name)
}

/// A collection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Collection {
    pub(super) base: Layer,
    pub(super) added: Option<Arc<Added>>,
    meta: CollectionMeta,
    reading: Arc<Reading>,
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

    /// Opens a stored collection: its file, and the addition beside it, if there is one.
    ///
    /// # Errors
    /// If a file cannot be read, is no collection, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CollectionError> {
        let mut collection = Self::opened(path)?;
        for _ in 1..ATTEMPTS {
            // Another program may have written both files again between the first and the second.
            if Segment::checksum_in(path)? == collection.base.segment.checksum() {
                break;
            }
            collection = Self::opened(path)?;
        }
        Ok(collection)
    }

    fn opened(path: &Path) -> Result<Self, CollectionError> {
        let collection = Self::of(Segment::open(path)?, &path.display().to_string())?;
        let beside = added_beside(path);
        match Segment::open(&beside) {
            Ok(segment) => collection.with_added(segment, &beside.display().to_string()),
            Err(CollectionError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(collection),
            Err(error) => Err(error),
        }
    }

    /// The documents of its addition that are new or replaced, each by the number of the one that it replaces in the base; new ones have the
    /// numbers after it.
    pub(super) fn documents_beside(&self) -> BTreeMap<u32, Document> {
        let Some(added) = self.added.as_deref() else { return BTreeMap::new() };
        let base = &self.base;
        let mut own = BTreeMap::new();
        let mut next = base.documents().len() as u32;
        for (row, place) in added.layer.documents().iter().zip(&added.beside.places) {
            let document = added.layer.document_of(row);
            match base.documents().get(*place as usize) {
                // One that was only read again.
                Some(there) if base.document_of(there) == document => {}
                Some(_) => {
                    own.insert(*place, document);
                }
                None => {
                    own.insert(next, document);
                    next = next.saturating_add(1);
                }
            }
        }
        own
    }

    /// Its base alone.
    pub(super) fn without_added(mut self) -> Self {
        self.meta = self.base.meta.clone();
        self.added = None;
        self
    }

    /// The collection with an addition; without it, if it belongs to another base.
    pub(super) fn with_added(mut self, segment: Segment, shown: &str) -> Result<Self, CollectionError> {
        let damaged = || CollectionError::Damaged { file: shown.to_owned(), part: Part::Beside.title() };
        let added = Added::of(&self.base, Layer::of(segment, shown)?).ok_or_else(damaged)?;
        let Some(added) = added else { return Ok(self) };
        self.meta = added.beside.whole.clone();
        let numbers = [
            (&added.documents, self.meta.documents),
            (&added.sections, self.meta.sections),
            (&added.units, self.meta.units),
            (&added.evidence, self.meta.evidence),
            (&added.entities, self.meta.entities),
            (&added.topics, self.meta.topics),
        ];
        if numbers.into_iter().any(|(numbers, stated)| numbers.len() != stated) {
            return Err(damaged());
        }
        self.added = Some(Arc::new(added));
        Ok(self)
    }

    /// Reads a collection of one file from memory and checks it in full.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CollectionError> {
        Self::of(Segment::from_bytes(bytes, "the collection")?, "the collection")
    }

    fn of(segment: Segment, shown: &str) -> Result<Self, CollectionError> {
        let base = Layer::of(segment, shown)?;
        let reading = match base.segment.raw(Part::Reading) {
            [] => Reading::default(),
            bytes => serde_json::from_slice(bytes)
                .map_err(|_| CollectionError::Damaged { file: shown.to_owned(), part: Part::Reading.title() })?,
        };
        Ok(Self { meta: base.meta.clone(), base, added: None, reading: Arc::new(reading) })
    }

    /// Writes a collection of one file, which only its owner can read and which appears only once it is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), CollectionError> {
        self.base.segment.save(path).map_err(|source| CollectionError::Io { file: path.display().to_string(), source })
    }

    /// Reads every byte and compares it with the checksums.
    ///
    /// # Errors
    /// If a part is damaged.
    pub fn verify(&self) -> Result<(), CollectionError> {
        self.layers().try_for_each(|layer| layer.segment.verify(&self.meta.name))
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::once(&self.base).chain(self.added.as_deref().map(|added| &added.layer))
    }

    /// All bytes of its file, without those of an addition.
    pub fn bytes(&self) -> &[u8] {
        self.base.segment.bytes()
    }

    /// A number that changes with the content.
    pub fn identity(&self) -> u64 {
        let base = xxh3_64(self.base.segment.bytes());
        self.added.as_ref().map_or(base, |added| xxh3_64_with_seed(added.layer.segment.bytes(), base))
    }

    /// What the collection says of itself.
    pub fn meta(&self) -> &CollectionMeta {
        &self.meta
    }

    /// Where the row with a number lies.
    fn place(&self, own: u32, numbers: impl Fn(&Added) -> &Numbers) -> Option<(&Layer, u32)> {
        let Some(added) = self.added.as_deref() else { return Some((&self.base, own)) };
        let in_base = numbers(added).in_base(own).map(|row| (&self.base, row));
        in_base.or_else(|| numbers(added).in_added(own).map(|row| (&added.layer, row)))
    }

    /// The number of a row of one of the files.
    fn number(&self, layer: &Layer, row: u32, numbers: impl Fn(&Added) -> &Numbers) -> Option<u32> {
        let Some(added) = self.added.as_deref() else { return Some(row) };
        if std::ptr::eq(layer, &self.base) { numbers(added).of_base(row) } else { numbers(added).of_added(row) }
    }

    /// Where the documents lie, in their order.
    fn document_rows(&self) -> impl Iterator<Item = (&Layer, u32)> {
        (0..self.meta.documents as u32).filter_map(|own| self.place(own, |added| &added.documents))
    }

    /// The documents as they were imported.
    pub fn documents(&self) -> impl Iterator<Item = Document> + '_ {
        self.document_rows().filter_map(|(layer, row)| Some(layer.document_of(layer.documents().get(row as usize)?)))
    }

    /// The ids and titles of the documents, in their order.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.document_rows().filter_map(|(layer, row)| {
            let row = layer.documents().get(row as usize)?;
            Some((layer.string(row.id), layer.string(row.title)))
        })
    }

    /// The document with an id.
    pub fn document(&self, id: &str) -> Option<Document> {
        let rows = self.document_rows().filter_map(|(layer, row)| Some((layer, layer.documents().get(row as usize)?)));
        rows.filter(|(layer, row)| layer.string(row.id) == id).map(|(layer, row)| layer.document_of(row)).next()
    }

    /// A section by its number.
    pub fn section(&self, number: u32) -> Option<StoredSection<'_>> {
        let (layer, row) = self.place(number, |added| &added.sections)?;
        layer.section(row)
    }

    pub(super) fn section_row(&self, number: u32) -> Option<SectionRow> {
        let (layer, row) = self.place(number, |added| &added.sections)?;
        let row = layer.sections().get(row as usize)?;
        Some(SectionRow {
            document: self.number(layer, row.document, |added| &added.documents)?,
            // What has none begins nowhere.
            first_unit: self.number(layer, row.first_unit, |added| &added.units).unwrap_or(u32::MAX),
            first_evidence: self.number(layer, row.first_evidence, |added| &added.evidence).unwrap_or(u32::MAX),
            ..*row
        })
    }

    /// The number of a section among those of its document that have its name, from 0.
    pub(super) fn nth_of_name(&self, section: u32) -> usize {
        self.place(section, |added| &added.sections).map_or(0, |(layer, row)| layer.nth_of_name(row))
    }

    pub(super) fn unit_count(&self) -> usize {
        self.meta.units
    }

    pub(super) fn unit(&self, number: u32) -> Option<UnitRow> {
        let (layer, row) = self.place(number, |added| &added.units)?;
        let row = layer.units().get(row as usize)?;
        Some(UnitRow { section: self.number(layer, row.section, |added| &added.sections)?, ..*row })
    }

    /// All units, in no order that means anything, and without their sections.
    pub(super) fn unit_lengths(&self) -> impl Iterator<Item = &UnitRow> {
        let added = self.added.as_deref();
        let left = move |row: u32| added.is_none_or(|added| !added.units.is_removed(row));
        let of_base = (0u32..).zip(self.base.units()).filter(move |(row, _)| left(*row)).map(|(_, unit)| unit);
        of_base.chain(added.map_or(&[][..], |added| added.layer.units()))
    }

    /// A piece of evidence.
    pub(super) fn piece(&self, number: u32) -> Option<EvidenceRow> {
        let (layer, row) = self.place(number, |added| &added.evidence)?;
        let row = layer.evidence().get(row as usize)?;
        Some(EvidenceRow { section: self.number(layer, row.section, |added| &added.sections)?, ..*row })
    }

    /// The evidence of a section: the number of the first, and the rows, whose sections are those of their file.
    pub(super) fn evidence_of(&self, section: u32) -> (u32, &[EvidenceRow]) {
        let Some((layer, row)) = self.place(section, |added| &added.sections) else { return (0, &[]) };
        let Some(row) = layer.sections().get(row as usize) else { return (0, &[]) };
        (self.number(layer, row.first_evidence, |added| &added.evidence).unwrap_or(0), layer.evidence_of(row))
    }

    /// The entities that a section's document is about.
    pub(super) fn subjects_of(&self, section: u32) -> Cow<'_, [u32]> {
        let Some((layer, row)) = self.place(section, |added| &added.sections) else { return Cow::Borrowed(&[]) };
        let document = layer.sections().get(row as usize).map_or(u32::MAX, |row| row.document);
        self.entities_in(layer, layer.subjects_of(document))
    }

    /// Entities of one of the files, those that are left, by their numbers.
    fn entities_in<'a>(&self, layer: &Layer, rows: &'a [u32]) -> Cow<'a, [u32]> {
        if self.added.is_none() {
            return Cow::Borrowed(rows);
        }
        rows.iter().filter_map(|row| self.number(layer, *row, |added| &added.entities)).collect()
    }

    /// The name of an entity.
    pub fn entity_name(&self, entity: u32) -> &str {
        self.place(entity, |added| &added.entities).map_or("", |(layer, row)| layer.entity_name(row))
    }

    /// The kind of an entity, as the graph names it; empty if the graph does not know the entity.
    pub fn entity_kind(&self, entity: u32) -> &str {
        self.place(entity, |added| &added.entities).map_or("", |(layer, row)| layer.entity_kind(row))
    }

    /// The identifier of an entity in the graph's source; empty if there is none.
    pub fn entity_identifier(&self, entity: u32) -> &str {
        let row = self.place(entity, |added| &added.entities);
        row.and_then(|(layer, row)| Some(layer.string(layer.entities().get(row as usize)?.identifier))).unwrap_or("")
    }

    /// The longest name that begins at a token: one past its last token, and the entities.
    pub(super) fn longest_name(&self, tokens: &[Token], first: usize) -> Option<(usize, Vec<u32>)> {
        let named = |layer: &Layer, number: u64| self.entities_in(layer, layer.named(number)).into_owned();
        let in_base = |number| self.added.is_none() || !named(&self.base, number).is_empty();
        let of_base = self.base.names().and_then(|names| longest_where(names, tokens, first, in_base));
        let of_base = of_base.map(|(last, number)| (last, named(&self.base, number)));
        let layer = self.added.as_deref().map(|added| &added.layer);
        let of_added = layer.and_then(|layer| {
            let (last, number) = longest_at(layer.names()?, tokens, first)?;
            Some((last, named(layer, number)))
        });
        match (of_base, of_added) {
            (Some(base), Some(added)) if base.0 == added.0 => Some((base.0, joined(base.1, added.1))),
            (Some(base), Some(added)) => Some(if base.0 > added.0 { base } else { added }),
            (one, None) | (None, one) => one,
        }
    }

    /// The entities of a name's key.
    pub(super) fn of_key(&self, key: &str) -> Vec<u32> {
        let named = self.layers().map(|layer| self.entities_in(layer, layer.of_key(key)).into_owned());
        named.reduce(joined).unwrap_or_default()
    }

    /// Tells the terms that begin with a text; some are told twice, or have no unit any more.
    pub(super) fn terms_beginning(&self, first: &str, tell: &mut dyn FnMut(&str)) {
        for map in self.layers().filter_map(Layer::terms) {
            let mut stream = map.range().ge(first).into_stream();
            while let Some((term, _)) = stream.next() {
                let Ok(term) = std::str::from_utf8(term) else { continue };
                if !term.starts_with(first) {
                    break;
                }
                tell(term);
            }
        }
    }

    /// The units with a term.
    pub(super) fn postings(&self, term: &str) -> Cow<'_, [TermPosting]> {
        let of_base = self.base.postings(term);
        let Some(added) = self.added.as_deref() else { return Cow::Borrowed(of_base) };
        let numbered = |posting: &TermPosting, unit: Option<u32>| Some(TermPosting { unit: unit?, ..*posting });
        let mut all: Vec<TermPosting> = of_base.iter().filter_map(|own| numbered(own, added.units.of_base(own.unit))).collect();
        let left = all.len();
        all.extend(added.layer.postings(term).iter().filter_map(|own| numbered(own, added.units.of_added(own.unit))));
        if left < all.len() {
            all.sort_unstable_by_key(|posting| posting.unit);
        }
        Cow::Owned(all)
    }

    /// All topics, in order.
    pub(super) fn topics(&self) -> impl Iterator<Item = TopicRow> {
        (0..self.meta.topics as u32).filter_map(|topic| self.topic_row(topic))
    }

    pub(super) fn topic_row(&self, topic: u32) -> Option<TopicRow> {
        let (layer, row) = self.place(topic, |added| &added.topics)?;
        let row = layer.topics().get(row as usize)?;
        Some(TopicRow { entity: self.number(layer, row.entity, |added| &added.entities)?, label: row.label })
    }

    /// The topic of an entity and a label.
    pub(super) fn topic_of(&self, entity: u32, label: Label) -> Option<u32> {
        let label = label.number();
        let find = |layer: &Layer, entity| layer.topics().binary_search(&TopicRow { entity, label }).ok().map(|row| row as u32);
        let Some(added) = self.added.as_deref() else { return find(&self.base, entity) };
        let of_added = || added.topics.of_added(find(&added.layer, added.entities.in_added(entity)?)?);
        let of_base = added.entities.in_base(entity).and_then(|entity| added.topics.of_base(find(&self.base, entity)?));
        of_base.or_else(of_added)
    }

    /// The evidence of a topic, in order.
    pub(super) fn evidence_of_topic(&self, topic: u32) -> Cow<'_, [u32]> {
        match self.added.as_deref() {
            Some(added) => Cow::Owned(added.evidence_of_topic(&self.base, topic)),
            None => Cow::Borrowed(self.base.evidence_of_topic(topic)),
        }
    }

    /// The entities of a topic with their weights.
    pub(super) fn edges_of_topic(&self, topic: u32) -> Edges<'_> {
        match self.added.as_deref() {
            Some(added) => added.edges_of_topic(&self.base, topic),
            None => self.base.edges_of_topic(topic).into(),
        }
    }

    /// The topics of an entity with their weights.
    pub(super) fn edges_of_entity(&self, entity: u32) -> Edges<'_> {
        match self.added.as_deref() {
            Some(added) => added.edges_of_entity(&self.base, entity),
            None => self.base.edges_of_entity(entity).into(),
        }
    }

    /// The vector of a unit: its scale and its components.
    pub(super) fn unit_vector(&self, unit: u32) -> Option<(f32, &[i8])> {
        let (layer, row) = self.place(unit, |added| &added.units)?;
        let ((scales, rows), dim) = (layer.unit_vectors(), layer.meta.dim);
        let at = (row as usize).checked_mul(dim)?;
        Some((*scales.get(row as usize)?, rows.get(at..at.checked_add(dim)?)?))
    }

    /// A span of a section's text, in bytes, as a span in characters.
    pub fn in_characters(text: &str, span: Range<usize>) -> Range<usize> {
        let start = text.get(..span.start).map_or(0, |before| before.chars().count());
        let length = text.get(span).map_or(0, |inside| inside.chars().count());
        start..start + length
    }
}

/// The entities of both, each once, in order.
fn joined(one: Vec<u32>, other: Vec<u32>) -> Vec<u32> {
    let all: BTreeSet<u32> = one.into_iter().chain(other).collect();
    all.into_iter().collect()
}
