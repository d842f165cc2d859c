//! Builds a collection from documents: units, evidence, entities, topics and their weights, the word index and the vectors (EbmKG, section 3).
//! The same documents and the same graph give the same bytes.

mod analyse;
mod beside;
mod entities;
mod terms;
mod topics;
mod vectors;
mod write;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::document::Document;
use super::error::CollectionError;
use super::passage::{sentences, units};
use super::reading::{Reading, unit_key};
use super::segment::{PARTS, Part, Segment};
use crate::graph::Graph;
use analyse::{Analysis, analyse};
pub(super) use beside::build_beside;
pub(super) use entities::in_graph;
use entities::{EntityTable, Subjects};
use terms::TermIndex;
use topics::Topics;
use write::PartWriter;

/// What a collection says of itself, read when it is opened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CollectionMeta {
    /// Its name.
    pub name: String,
    /// What decides how documents are read: the version of Catena, and the graph's names. Empty in collections from before additions.
    #[serde(default)]
    pub read_by: String,
    /// The graph whose names were recognised.
    pub graph: String,
    /// The encoder of the vectors.
    pub encoder: String,
    /// Components of a vector.
    pub dim: usize,
    /// Documents.
    pub documents: usize,
    /// Sections.
    pub sections: usize,
    /// Units: sections, or windows of long ones.
    pub units: usize,
    /// Pieces of evidence.
    pub evidence: usize,
    /// Entities that evidence mentions or documents are about.
    pub entities: usize,
    /// How many of them the graph knows.
    pub graph_entities: usize,
    /// Topics: pairs of entity and label with evidence.
    pub topics: usize,
    /// Edges between topics and entities.
    pub edges: usize,
    /// Different words.
    pub terms: usize,
    /// Units that a language model read; the others are read by rule.
    #[serde(default)]
    pub units_by_model: usize,
    /// Sections whose heading names no label.
    pub without_label: usize,
    /// Documents that gave nothing, by reason.
    pub without_evidence: BTreeMap<String, WithoutEvidence>,
}

/// The documents that gave no evidence for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredWithoutEvidence")]
pub struct WithoutEvidence {
    /// How many.
    pub count: usize,
    /// Their ids, in the order of the collection.
    pub documents: Vec<String>,
}

/// As collections have it.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredWithoutEvidence {
    /// Collections from before all ids were kept: how many, and the first.
    First(usize, String),
    All {
        count: usize,
        documents: Vec<String>,
    },
}

impl From<StoredWithoutEvidence> for WithoutEvidence {
    fn from(stored: StoredWithoutEvidence) -> Self {
        match stored {
            StoredWithoutEvidence::First(count, first) => Self { count, documents: vec![first] },
            StoredWithoutEvidence::All { count, documents } => Self { count, documents },
        }
    }
}

/// The steps of building, for progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildStep {
    /// Names are recognised and evidence is extracted; of so many documents.
    Reading(usize),
    /// Topics and weights.
    Topics,
    /// Vectors of units and entities.
    Vectors,
}

/// Builds a segment. `wanted` is told each step and says whether to go on.
///
/// # Errors
/// If the documents have too much text for one collection, the encoder fails, or the result is no longer wanted.
pub(super) fn build(
    name: &str,
    documents: &[Document],
    graph: &Graph,
    mut reading: Reading,
    wanted: &(dyn Fn(BuildStep) -> bool + Sync),
) -> Result<Segment, CollectionError> {
    go_on(wanted, BuildStep::Reading(documents.len()))?;
    if !reading.is_empty() {
        reading.keep(&documents.iter().flat_map(keys_of).collect());
    }
    let subjects = Subjects::of(documents, graph);
    let (_, mut parts) = laid_out(name, documents, &subjects, (graph, &reading), wanted)?;
    if !reading.is_empty() {
        put(&mut parts, Part::Reading, serde_json::to_vec(&reading).unwrap_or_default());
    }
    Ok(Segment::assemble(parts))
}

/// What decides how documents are read, beside their own text.
pub(super) fn read_by(graph: &Graph) -> String {
    format!("{} {:016x}", env!("CARGO_PKG_VERSION"), graph.names_fingerprint())
}

fn go_on(wanted: &(dyn Fn(BuildStep) -> bool + Sync), step: BuildStep) -> Result<(), CollectionError> {
    if wanted(step) { Ok(()) } else { Err(CollectionError::Stopped) }
}

fn put(parts: &mut [Vec<u8>; PARTS], part: Part, bytes: Vec<u8>) {
    if let Some(place) = parts.get_mut(part as usize) {
        *place = bytes;
    }
}

/// The parts of a segment of documents, and what it says of itself. `subjects`: what each of them is about, and the names to look for.
fn laid_out(
    name: &str,
    documents: &[Document],
    subjects: &Subjects,
    (graph, reading): (&Graph, &Reading),
    wanted: &(dyn Fn(BuildStep) -> bool + Sync),
) -> Result<(CollectionMeta, [Vec<u8>; PARTS]), CollectionError> {
    let analyses: Vec<Analysis> =
        documents.par_iter().zip(&subjects.of_document).map(|(d, own)| analyse(d, own, subjects, (graph, reading))).collect();
    go_on(wanted, BuildStep::Topics)?;
    let table = EntityTable::of(subjects, &analyses, graph);
    let mut writer = PartWriter::default();
    let mut meta = CollectionMeta {
        name: name.to_owned(),
        read_by: read_by(graph),
        graph: graph.name().to_owned(),
        documents: documents.len(),
        entities: table.len(),
        graph_entities: table.graph_entities(),
        ..CollectionMeta::default()
    };
    let laid = writer.documents(documents, &analyses, subjects, &table)?;
    (meta.sections, meta.units, meta.evidence) = (laid.sections, laid.units, laid.mentions.len());
    meta.units_by_model = reading.len();
    meta.without_label = analyses.iter().flat_map(|analysis| &analysis.sections).filter(|s| s.label == super::Label::NONE).count();
    for (document, analysis) in documents.iter().zip(&analyses) {
        if let Some(why) = analysis.why_nothing() {
            let those = meta.without_evidence.entry(why.to_owned()).or_default();
            those.count += 1;
            those.documents.push(document.id.clone());
        }
    }
    let topics = Topics::of(&laid.mentions, &laid.labels, table.len());
    (meta.topics, meta.edges) = (topics.rows.len(), topics.edges.len());
    let terms = TermIndex::of(documents, &analyses);
    meta.terms = terms.len();
    go_on(wanted, BuildStep::Vectors)?;
    let vectors = vectors::of(documents, &analyses, &table)?;
    (meta.encoder, meta.dim) = (vectors.encoder.clone(), vectors.dim);
    let mut parts: [Vec<u8>; PARTS] = std::array::from_fn(|_| Vec::new());
    writer.entities(&table, subjects, graph);
    let mut put = |part: Part, bytes: Vec<u8>| put(&mut parts, part, bytes);
    put(Part::Meta, serde_json::to_vec(&meta).unwrap_or_default());
    topics.put(&mut put);
    terms.put(&mut put);
    vectors.put(&mut put);
    writer.put(&laid, &mut put);
    go_on(wanted, BuildStep::Vectors)?;
    Ok((meta, parts))
}

/// The keys of a document's units.
fn keys_of(document: &Document) -> Vec<String> {
    let of_section = |section: &super::Section| {
        let text = section.text.as_str();
        let spans = units(text, &sentences(text));
        let key = |span: std::ops::Range<usize>| unit_key(&document.title, &section.name, text.get(span).unwrap_or_default());
        spans.into_iter().map(key).collect::<Vec<_>>()
    };
    document.sections.iter().flat_map(of_section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn every_document_without_evidence_is_kept_and_older_collections_open() {
        let document = |id: &str, title: &str| {
            let section = crate::evidence::Section { text: "Zzxq vvkj qqwx.".into(), ..crate::evidence::Section::default() };
            Document { id: id.into(), title: title.into(), sections: vec![section], ..Document::default() }
        };
        let documents = [document("b", ""), document("a", "Asthma"), document("c", "")];
        let graph = starter_graph().expect("a graph");
        let segment = build("t", &documents, &graph, Reading::default(), &|_| true).expect("builds");
        let meta: CollectionMeta = serde_json::from_slice(segment.raw(Part::Meta)).expect("reads");
        let found: Vec<&WithoutEvidence> = meta.without_evidence.values().collect();
        assert_eq!(found, [&WithoutEvidence { count: 2, documents: vec!["b".into(), "c".into()] }]);

        let old: WithoutEvidence = serde_json::from_str(r#"[7,"b"]"#).expect("as it was stored before");
        assert_eq!(old, WithoutEvidence { count: 7, documents: vec!["b".into()] });
    }
}
