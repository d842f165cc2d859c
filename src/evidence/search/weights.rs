//! The settings of `idep`: those of the paper, and the weights by which its score is joined with the question's words.

use serde::{Deserialize, Serialize};

/// The settings of `idep`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// Entities for each search term that names none (n_m).
    pub entities_per_term: usize,
    /// The longest walk, in steps from an entity to a topic or back (α).
    pub walk_length: usize,
    /// How many walks (β).
    pub walks: usize,
    /// How many topics are kept (n_t).
    pub topics: usize,
    /// Packages of topics from which features are taken (n_p).
    pub packages: usize,
    /// Features of each package.
    pub features: usize,
    /// BM25F: saturation.
    pub k1: f32,
    /// BM25F: how much the length of a text counts.
    pub body_b: f32,
    /// BM25F: how much the length of titles and headings counts.
    pub title_b: f32,
    /// BM25F: a word in the title.
    pub title: f32,
    /// BM25F: a word in the heading.
    pub heading: f32,
    /// Words of a cue ("side effects"), beside others.
    pub cue: f32,
    /// Words of synonyms, beside those of the question.
    pub synonym: f32,
    /// Words of the document's subject, where the question names it by another name.
    pub subject: f32,
    /// Topics that the walk visits.
    pub topic: f32,
    /// The cosine of question and unit.
    pub cosine: f32,
    /// The attention of the best evidence (Eq. 9).
    pub attention: f32,
    /// A section whose label is asked for.
    pub label: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            entities_per_term: 3,
            walk_length: 6,
            walks: 2000,
            topics: 100,
            packages: 5,
            features: 4,
            k1: 1.6,
            body_b: 0.75,
            title_b: 0.3,
            title: 2.0,
            heading: 1.0,
            cue: 0.6,
            synonym: 0.4,
            subject: 0.35,
            topic: 0.2,
            cosine: 0.2,
            attention: 0.1,
            label: 1.0,
        }
    }
}
