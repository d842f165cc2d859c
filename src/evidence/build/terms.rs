//! The word index: for each term the units whose text, title or heading has it.

use std::collections::BTreeMap;

use fst::MapBuilder;

use super::analyse::Analysis;
use crate::evidence::document::Document;
use crate::evidence::segment::{Part, TermPosting};

/// The word index of a collection.
pub(super) struct TermIndex {
    postings: BTreeMap<String, Vec<TermPosting>>,
}

impl TermIndex {
    pub(super) fn of(documents: &[Document], analyses: &[Analysis]) -> Self {
        let mut postings: BTreeMap<String, Vec<TermPosting>> = BTreeMap::new();
        let mut number = 0u32;
        for (_, analysis) in documents.iter().zip(analyses) {
            for section in &analysis.sections {
                for unit in &section.units {
                    let mut rows: BTreeMap<&str, TermPosting> = BTreeMap::new();
                    let few = |count: u16| u8::try_from(count).unwrap_or(u8::MAX);
                    for (term, count) in &unit.terms {
                        rows.entry(term).or_default().body = *count;
                    }
                    for (term, count) in &analysis.title_terms {
                        rows.entry(term).or_default().title = few(*count);
                    }
                    for (term, count) in &section.heading_terms {
                        rows.entry(term).or_default().heading = few(*count);
                    }
                    for (term, row) in rows {
                        let row = TermPosting { unit: number, ..row };
                        match postings.get_mut(term) {
                            Some(known) => known.push(row),
                            None => {
                                postings.insert(term.to_owned(), vec![row]);
                            }
                        }
                    }
                    number += 1;
                }
            }
        }
        Self { postings }
    }

    pub(super) fn len(&self) -> usize {
        self.postings.len()
    }

    pub(super) fn put(self, put: &mut impl FnMut(Part, Vec<u8>)) {
        let mut map = MapBuilder::memory();
        let (mut starts, mut rows): (Vec<u32>, Vec<TermPosting>) = (Vec::new(), Vec::new());
        for (term, mut own) in self.postings {
            // It fails only on keys out of order, which a sorted map has not.
            let _ = map.insert(term, starts.len() as u64);
            starts.push(rows.len() as u32);
            rows.append(&mut own);
        }
        starts.push(rows.len() as u32);
        put(Part::TermMap, map.into_inner().unwrap_or_default());
        put(Part::TermStarts, bytemuck::cast_slice(&starts).to_vec());
        put(Part::TermPostings, bytemuck::cast_slice(&rows).to_vec());
    }
}
