//! Finds the passages that answer a question: IdepRAG without a language model, and the methods that it is compared with.

mod advisor;
mod communities;
mod features;
mod graphrag;
mod idep;
mod leiden;
mod lexical;
mod method;
mod question;
mod quote;
mod vector;
mod walk;
mod weights;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::collection::Collection;
use super::error::CollectionError;
use super::label::Label;
use crate::graph::Graph;
use crate::model::{Encoder, Matrix, StaticEncoder};
use question::Question;

pub use advisor::{Advisor, Package};
pub(super) use communities::Communities;
pub(super) use lexical::{Lengths, units_with};
pub use method::{SearchMethod, TopicSampling, UnknownSearchMethod, Variant};
pub use quote::Fit;
pub use weights::Weights;

/// Settings of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// The most passages.
    pub limit: usize,
    /// The seed of the random walk and of the packages.
    pub seed: u64,
    /// The settings of `idep`.
    pub weights: Weights,
    /// Whether the text is a claim to be checked, rather than a question: then evidence of every label is useful to `idep`.
    pub checks: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, seed: 0, weights: Weights::default(), checks: false }
    }
}

/// A passage that was found: of each section at most one.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The document's id.
    pub document: String,
    /// The document's title.
    pub title: String,
    /// The section's name.
    pub section: String,
    /// The number of the section among those of its document that have its name, from 0.
    pub nth: usize,
    /// What the section says about its subject.
    pub label: Label,
    /// The document's date.
    pub date: String,
    /// The document's address.
    pub url: String,
    /// Where it lies in the section's text, in bytes.
    pub bytes: Range<usize>,
    /// Where it lies in the section's text, in characters.
    pub characters: Range<usize>,
    /// Its text, word for word; not cleaned.
    pub text: String,
    /// Where the other evidence of its unit lies in the section's text, in bytes: the best first, with `idep` by Eq. 9, else by the
    /// question's words.
    pub others: Vec<Range<usize>>,
    /// Its score: comparable within one search only.
    pub score: f64,
    /// How it fits the question.
    pub fit: Fit,
}

/// The built-in encoder, loaded once for several searchers.
pub(super) type SharedEncoder = Arc<Mutex<StaticEncoder>>;

/// Searches one collection.
pub struct Searcher<'a> {
    collection: &'a Collection,
    graph: &'a Graph,
    encoder: SharedEncoder,
    lengths: Lengths,
    /// Found with the first search by `graphrag`.
    communities: Arc<OnceLock<Communities>>,
}

/// A section with its score, the unit that was found in it, and the unit's evidence, if it was ranked: the passage, then the others, the
/// best first.
#[derive(Debug, Clone, PartialEq)]
struct Ranked {
    section: u32,
    unit: u32,
    score: f32,
    spans: Vec<Range<usize>>,
}

/// The best first; equal ones in the order of the file.
fn by_score(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.section.cmp(&b.section))
}

impl<'a> Searcher<'a> {
    /// A searcher over a collection. Names in questions are recognised by the graph, too.
    ///
    /// # Errors
    /// If the built-in encoder cannot be loaded.
    pub fn new(collection: &'a Collection, graph: &'a Graph) -> Result<Self, CollectionError> {
        let encoder = Arc::new(Mutex::new(StaticEncoder::built_in()?));
        Ok(Self::with(collection, graph, encoder, Lengths::of(collection), Arc::default()))
    }

    /// As [`Self::new`], with what is known already.
    pub(super) fn with(
        collection: &'a Collection,
        graph: &'a Graph,
        encoder: SharedEncoder,
        lengths: Lengths,
        communities: Arc<OnceLock<Communities>>,
    ) -> Self {
        Self { collection, graph, encoder, lengths, communities }
    }

    /// Texts as vectors of length 1.
    fn encode(&self, texts: &[String]) -> Result<Matrix, CollectionError> {
        Ok(self.encoder.lock().unwrap_or_else(PoisonError::into_inner).encode(texts)?.normalised())
    }

    /// The passages that answer a question best, the best first.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn search(&mut self, question: &str, method: SearchMethod, options: &SearchOptions) -> Result<Vec<Passage>, CollectionError> {
        self.advised_search(question, method, options, None)
    }

    /// As [`Self::search`]; with `idep`, an advisor names search terms and features, as far as it can.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn advised_search(
        &mut self,
        question: &str,
        method: SearchMethod,
        options: &SearchOptions,
        advisor: Option<&mut dyn Advisor>,
    ) -> Result<Vec<Passage>, CollectionError> {
        let read = self.read(question, options);
        let ranked = self.ranked((question, Some(&read)), (method, options), advisor)?;
        Ok(ranked.iter().filter_map(|ranked| self.passage(ranked, question, &read)).collect())
    }

    /// The sections of those passages, as document and section, without choosing sentences.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn ranking(
        &mut self,
        question: &str,
        method: SearchMethod,
        options: &SearchOptions,
    ) -> Result<Vec<(String, String)>, CollectionError> {
        let ranked = self.ranked((question, None), (method, options), None)?;
        let section = |ranked: &Ranked| self.collection.section(ranked.section).map(|s| (s.document.to_owned(), s.name.to_owned()));
        Ok(ranked.iter().filter_map(section).collect())
    }

    fn read(&self, question: &str, options: &SearchOptions) -> Question {
        Question::read(self.collection, self.graph, question, &options.weights, |count| self.lengths.rarity(count))
    }

    fn ranked(
        &mut self,
        (question, read): (&str, Option<&Question>),
        (method, options): (SearchMethod, &SearchOptions),
        advisor: Option<&mut dyn Advisor>,
    ) -> Result<Vec<Ranked>, CollectionError> {
        let mut ranked = match method {
            SearchMethod::Bm25 => self.of_units(&lexical::bm25(self.collection, &self.lengths, question)),
            SearchMethod::Vector => {
                let cosines = self.cosines(question)?;
                self.of_units(&cosines)
            }
            SearchMethod::Hybrid => {
                let words = self.of_units(&lexical::bm25(self.collection, &self.lengths, question));
                let cosines = self.cosines(question)?;
                let cosines = self.of_units(&cosines);
                joined(words, cosines)
            }
            SearchMethod::GraphRag => graphrag::rank(self, question)?,
            SearchMethod::Idep(variant) => {
                let read = read.cloned().unwrap_or_else(|| self.read(question, options));
                idep::rank(self, (question, read), (variant, options), advisor)?
            }
        };
        ranked.truncate(options.limit);
        Ok(ranked)
    }

    fn cosines(&mut self, text: &str) -> Result<Vec<(u32, f32)>, CollectionError> {
        let matrix = self.encode(&[text.to_owned()])?;
        if matrix.rows() == 0 {
            return Ok(Vec::new());
        }
        Ok(vector::of_units(self.collection, matrix.row(0)).into_iter().zip(0..).map(|(cosine, unit)| (unit, cosine)).collect())
    }

    /// The sections of units with scores: each with its best unit, the best section first.
    fn of_units(&self, units: &[(u32, f32)]) -> Vec<Ranked> {
        let mut best: std::collections::HashMap<u32, Ranked> = std::collections::HashMap::new();
        for (unit, score) in units.iter().filter(|(_, score)| *score > 0.0) {
            let Some(row) = self.collection.unit(*unit) else { continue };
            let ranked = Ranked { section: row.section, unit: *unit, score: *score, spans: Vec::new() };
            best.entry(row.section)
                .and_modify(|known| {
                    if *score > known.score {
                        known.clone_from(&ranked)
                    }
                })
                .or_insert(ranked);
        }
        let mut ranked: Vec<Ranked> = best.into_values().collect();
        ranked.sort_by(by_score);
        ranked
    }

    fn passage(&self, ranked: &Ranked, question: &str, read: &Question) -> Option<Passage> {
        let section = self.collection.section(ranked.section)?;
        let spans = if ranked.spans.is_empty() { self.by_words(ranked, question) } else { ranked.spans.clone() };
        let (span, others) = spans.split_first()?;
        Some(Passage {
            document: section.document.to_owned(),
            title: section.title.to_owned(),
            section: section.name.to_owned(),
            nth: self.collection.nth_of_name(ranked.section),
            label: section.label,
            date: section.date.to_owned(),
            url: section.url.to_owned(),
            characters: Collection::in_characters(section.text, span.clone()),
            text: section.text.get(span.clone())?.to_owned(),
            bytes: span.clone(),
            others: others.to_vec(),
            score: f64::from(ranked.score),
            fit: self.fit(ranked, read),
        })
    }

    /// The evidence of a unit, that with most of the question's words first; where there are as many, in the order of the text.
    fn by_words(&self, ranked: &Ranked, question: &str) -> Vec<Range<usize>> {
        let Some(section) = self.collection.section(ranked.section) else { return Vec::new() };
        let words: std::collections::HashSet<String> = super::terms::terms(question).into_iter().collect();
        let count = |span: &Range<usize>| {
            let own = super::terms::terms(section.text.get(span.clone()).unwrap_or_default());
            let own: std::collections::HashSet<String> = own.into_iter().collect();
            own.intersection(&words).count()
        };
        let mut spans = self.spans_of(ranked);
        spans.sort_by_cached_key(|span| std::cmp::Reverse(count(span)));
        spans
    }

    /// The evidence within a ranked section's unit.
    fn spans_of(&self, ranked: &Ranked) -> Vec<Range<usize>> {
        let unit = self.collection.unit(ranked.unit);
        let (_, rows) = self.collection.evidence_of(ranked.section);
        let within = |start: u32, end: u32| unit.as_ref().is_none_or(|unit| unit.start <= start && end <= unit.end);
        rows.iter().filter(|row| within(row.start, row.end)).map(|row| row.start as usize..row.end as usize).collect()
    }
}

/// Two rankings joined by reciprocal ranks (Cormack et al. 2009, k = 60).
fn joined(a: Vec<Ranked>, b: Vec<Ranked>) -> Vec<Ranked> {
    const K: f32 = 60.0;
    let mut sums: std::collections::BTreeMap<u32, Ranked> = std::collections::BTreeMap::new();
    for ranking in [a, b] {
        for (rank, ranked) in ranking.into_iter().enumerate() {
            let score = 1.0 / (K + rank as f32 + 1.0);
            sums.entry(ranked.section).and_modify(|known| known.score += score).or_insert(Ranked { score, ..ranked });
        }
    }
    let mut ranked: Vec<Ranked> = sums.into_values().collect();
    ranked.sort_by(by_score);
    ranked
}

#[cfg(test)]
mod tests;
