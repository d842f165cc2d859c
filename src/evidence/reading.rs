//! What a language model read in a collection's units: which sentences are evidence, with keyword, label and entities, and summaries of topics. It names
//! sentences by their numbers and never writes any, so that evidence stays word for word what the document says.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::collection::Collection;
use super::label::Label;

/// What a language model read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// The model, and the prompts that it was asked by.
    pub model: String,
    /// By the key of a unit: its evidence.
    pub(super) units: BTreeMap<String, Vec<ReadEvidence>>,
    /// By entity and label: the summary of a topic's evidence.
    pub(super) summaries: BTreeMap<String, String>,
}

/// A piece of evidence (EbmKG, Eq. 1–3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ReadEvidence {
    /// Its first and last sentence, counted from 0 within the unit.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The label's id.
    pub(super) label: String,
    /// What it is about.
    pub(super) keyword: String,
    /// What it mentions, as terms.
    pub(super) entities: Vec<String>,
}

/// The key of a unit: the same text under the same heading is read once.
pub(super) fn unit_key(title: &str, section: &str, text: &str) -> String {
    format!("{:016x}", xxh3_64(format!("{title}\n{section}\n{text}").as_bytes()))
}

/// The key of a topic.
pub(super) fn topic_key(entity: &str, label: Label) -> String {
    format!("{entity}\n{}", label.as_str())
}

impl Reading {
    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// How many units were read.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Keeps only what was read in these units, and drops summaries: of removed documents nothing is left.
    pub(super) fn keep(&mut self, keys: &BTreeSet<String>) {
        let before = self.units.len();
        self.units.retain(|key, _| keys.contains(key));
        if self.units.len() != before {
            self.summaries.clear();
        }
    }
}

impl Collection {
    /// The summaries that a language model wrote of topics with evidence in these documents, told by their ids.
    pub(crate) fn summaries_about(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&str> {
        let about = |topic: u32| {
            let row = self.topic_row(topic)?;
            let summary = self.summary_of(row.entity, row.label)?;
            let section = |piece: &u32| self.section(self.piece(*piece)?.section);
            self.evidence_of_topic(topic).iter().filter_map(section).any(|section| is_meant(section.document)).then_some(summary)
        };
        (0..self.meta().topics as u32).filter_map(about).collect()
    }
}
