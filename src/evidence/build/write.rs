//! Lays out documents, sections, units, evidence and entities as rows.

use super::analyse::Analysis;
use super::entities::{EntityTable, Found, Subjects};
use crate::evidence::document::Document;
use crate::evidence::error::CollectionError;
use crate::evidence::label::Label;
use crate::evidence::names::NameParts;
use crate::evidence::segment::{DocumentRow, EntityRow, EvidenceRow, Part, SectionRow, StringAt, UnitRow};
use crate::graph::Graph;

/// Texts and rows as they are written.
#[derive(Default)]
pub(super) struct PartWriter {
    strings: Vec<u8>,
    text: Vec<u8>,
    documents: Vec<DocumentRow>,
    sections: Vec<SectionRow>,
    units: Vec<UnitRow>,
    evidence: Vec<EvidenceRow>,
    subject_starts: Vec<u32>,
    subjects: Vec<u32>,
    entities: Vec<EntityRow>,
    names: Option<NameParts>,
}

/// What lies where: the entities and the label of each piece of evidence.
pub(super) struct Laid {
    pub(super) sections: usize,
    pub(super) units: usize,
    pub(super) mentions: Vec<Vec<u32>>,
    pub(super) labels: Vec<Label>,
}

/// Appends a text.
fn put_text(bytes: &mut Vec<u8>, text: &str) -> StringAt {
    let at = bytes.len() as u64;
    bytes.extend_from_slice(text.as_bytes());
    StringAt { at, length: u32::try_from(text.len()).unwrap_or(0), unused: 0 }
}

fn number(count: usize) -> Result<u32, CollectionError> {
    u32::try_from(count).map_err(|_| CollectionError::TooLarge { what: "more than four thousand million parts" })
}

impl PartWriter {
    pub(super) fn documents(
        &mut self,
        documents: &[Document],
        analyses: &[Analysis],
        subjects: &Subjects,
        table: &EntityTable,
    ) -> Result<Laid, CollectionError> {
        let mut laid = Laid { sections: 0, units: 0, mentions: Vec::new(), labels: Vec::new() };
        let numbers = |found: &[Found]| {
            let mut numbers: Vec<u32> = found.iter().filter_map(|found| table.number(found)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        for (row, ((document, analysis), own)) in documents.iter().zip(analyses).zip(&subjects.of_document).enumerate() {
            self.subject_starts.push(number(self.subjects.len())?);
            self.subjects.extend(own.iter().filter_map(|found| table.number(found)));
            let strings = &mut self.strings;
            self.documents.push(DocumentRow {
                id: put_text(strings, &document.id),
                title: put_text(strings, &document.title),
                aliases: put_text(strings, &document.aliases.join("\n")),
                source: put_text(strings, &document.source),
                url: put_text(strings, &document.url),
                date: put_text(strings, &document.date),
                first_section: number(self.sections.len())?,
                sections: number(document.sections.len())?,
            });
            for (section, read) in document.sections.iter().zip(&analysis.sections) {
                let at = number(self.sections.len())?;
                self.sections.push(SectionRow {
                    name: put_text(&mut self.strings, &section.name),
                    heading: put_text(&mut self.strings, &section.heading),
                    text: put_text(&mut self.text, &section.text),
                    document: number(row)?,
                    label: read.label.number(),
                    first_unit: number(self.units.len())?,
                    units: number(read.units.len())?,
                    first_evidence: number(self.evidence.len())?,
                    evidence: number(read.evidence.len())?,
                });
                let few = |terms: &std::collections::BTreeMap<String, u16>| u16::try_from(terms.len()).unwrap_or(u16::MAX);
                for unit in &read.units {
                    self.units.push(UnitRow {
                        section: at,
                        start: number(unit.span.start)?,
                        end: number(unit.span.end)?,
                        terms: unit.length,
                        title_terms: few(&analysis.title_terms),
                        heading_terms: few(&read.heading_terms),
                    });
                }
                for (place, (span, found)) in read.evidence.iter().zip(&read.mentions).enumerate() {
                    self.evidence.push(EvidenceRow { section: at, start: number(span.start)?, end: number(span.end)? });
                    laid.mentions.push(numbers(found));
                    laid.labels.push(read.labels.get(&place).copied().unwrap_or(read.label));
                }
            }
        }
        self.subject_starts.push(number(self.subjects.len())?);
        (laid.sections, laid.units) = (self.sections.len(), self.units.len());
        Ok(laid)
    }

    pub(super) fn entities(&mut self, table: &EntityTable, subjects: &Subjects, graph: &Graph) {
        for (found, name) in table.rows().iter().zip(&table.names) {
            let (identifier, kind) = match found {
                Found::Graph(entity) => (graph.identifier(*entity), graph.kind(*entity).as_str()),
                Found::Own(_) => ("", ""),
            };
            let strings = &mut self.strings;
            self.entities.push(EntityRow {
                name: put_text(strings, name),
                identifier: put_text(strings, identifier),
                kind: put_text(strings, kind),
            });
        }
        self.names = Some(table.all_names(subjects, graph).parts());
    }

    pub(super) fn put(self, laid: &Laid, put: &mut impl FnMut(Part, Vec<u8>)) {
        put(Part::Strings, self.strings);
        put(Part::Text, self.text);
        put(Part::Documents, bytemuck::cast_slice(&self.documents).to_vec());
        put(Part::Sections, bytemuck::cast_slice(&self.sections).to_vec());
        put(Part::Units, bytemuck::cast_slice(&self.units).to_vec());
        put(Part::Evidence, bytemuck::cast_slice(&self.evidence).to_vec());
        put(Part::SubjectStarts, bytemuck::cast_slice(&self.subject_starts).to_vec());
        put(Part::Subjects, bytemuck::cast_slice(&self.subjects).to_vec());
        let mut starts = vec![0u32];
        let mut mentions: Vec<u32> = Vec::new();
        for own in &laid.mentions {
            mentions.extend(own);
            starts.push(mentions.len() as u32);
        }
        put(Part::MentionStarts, bytemuck::cast_slice(&starts).to_vec());
        put(Part::Mentions, bytemuck::cast_slice(&mentions).to_vec());
        put(Part::Entities, bytemuck::cast_slice(&self.entities).to_vec());
        if let Some(names) = self.names {
            put(Part::NameMap, names.map);
            put(Part::NameStarts, bytemuck::cast_slice(&names.starts).to_vec());
            put(Part::NameEntities, bytemuck::cast_slice(&names.entities).to_vec());
        }
    }
}
