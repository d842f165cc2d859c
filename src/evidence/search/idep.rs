//! IdepRAG without a language model (EbmKG, section 4): search terms, entities, topics by a walk, features with usefulness, and the score of the evidence,
//! joined with the words of the question (BM25F) and what it asks for.
//!
//! A section's score is `(words + subject + topics + cosine) · (1 + label) + attention`, each part from 0 to 1 times its weight
//! ([`super::Weights`]): a label alone makes no section relevant, and a section without the words can still come first by its subject.

use std::collections::HashMap;

use super::features::{Feature, attention, features};
use super::lexical::bm25f;
use super::question::Question;
use super::walk::{most_visited, pagerank, random_walk};
use super::{Ranked, SearchOptions, Searcher, by_score, vector};
use crate::evidence::error::CollectionError;
use crate::evidence::label::Label;
use crate::model::Encoder;

/// Sections whose evidence is looked at in full.
const LOOKED_AT: usize = 30;
/// The most pieces of evidence of a section that are looked at.
const MOST_EVIDENCE: usize = 60;
/// What an entity counts for that only resembles a search term.
const RESEMBLING: f32 = 0.3;
/// The least cosine of a search term and an entity's name.
const RESEMBLANCE: f32 = 0.6;

/// What a section was found by.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    unit: Option<u32>,
    words: f32,
    subject: f32,
    topic: f32,
}

pub(super) fn rank(searcher: &mut Searcher<'_>, text: &str, options: &SearchOptions) -> Result<Vec<Ranked>, CollectionError> {
    let weights = &options.weights;
    let collection = searcher.collection;
    let lengths = searcher.lengths;
    let question = Question::read(collection, searcher.graph, text, weights, |count| lengths.rarity(count));

    // Search terms that name no entity: the entities with the nearest names.
    let mut starts = question.entities.clone();
    if !question.search_terms.is_empty() {
        let vectors = searcher.encoder.encode(&question.search_terms)?.normalised();
        let (scales, rows) = collection.entity_vectors();
        for row in 0..vectors.rows() {
            let near = vector::nearest(&vector::cosines(vectors.row(row), scales, rows), weights.entities_per_term);
            for (entity, cosine) in near.into_iter().filter(|(_, cosine)| *cosine >= RESEMBLANCE) {
                if !starts.iter().any(|(known, _)| *known == entity) {
                    starts.push((entity, RESEMBLING * cosine));
                }
            }
        }
    }
    let visits =
        if options.exact_walk { pagerank(collection, &starts, weights) } else { random_walk(collection, &starts, weights, options.seed) };
    let topics = most_visited(&visits, weights.topics);

    let mut parts: HashMap<u32, Parts> = HashMap::new();
    by_words(searcher, &question, options, &mut parts);
    by_topics(searcher, &topics, &mut parts);
    for (section, parts) in &mut parts {
        let subjects = collection.subjects_of(*section);
        let named = question.entities.iter().filter(|(entity, _)| subjects.contains(entity)).map(|(_, weight)| *weight);
        parts.subject = named.fold(0.0, f32::max);
    }

    let own = searcher.encoder.encode(&[text.to_owned()])?.normalised();
    let (scales, rows) = collection.unit_vectors();
    let dim = own.dim();
    let cosine = |unit: u32| {
        let at = unit as usize * dim;
        match (scales.get(unit as usize), rows.get(at..at + dim)) {
            (Some(scale), Some(row)) if own.rows() > 0 => vector::cosine(own.row(0), *scale, row).max(0.0),
            _ => 0.0,
        }
    };
    let mut ranked: Vec<Ranked> = parts
        .iter()
        .filter_map(|(section, parts)| {
            let row = collection.section_row(*section)?;
            let unit = parts.unit.unwrap_or(row.first_unit);
            let base = parts.words + weights.subject * parts.subject + weights.topic * parts.topic + weights.cosine * cosine(unit);
            let asked = question.asked.answered_by(Label::of_number(row.label));
            Some(Ranked { section: *section, unit, score: base * (1.0 + weights.label * asked), span: None })
        })
        .collect();
    ranked.sort_by(by_score);

    let features = features(collection, &question, &topics, weights, options.seed);
    attend(searcher, &mut ranked, &features, options)?;
    ranked.sort_by(by_score);
    Ok(ranked)
}

/// The words of the question: BM25F, the best unit of each section, as a share of the best of all.
fn by_words(searcher: &Searcher<'_>, question: &Question, options: &SearchOptions, parts: &mut HashMap<u32, Parts>) {
    let words = question.words.iter().map(|(term, weight)| (term.as_str(), *weight));
    let units = bm25f(searcher.collection, &searcher.lengths, words, &options.weights);
    let best = units.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
    for (unit, score) in units {
        let Some(row) = searcher.collection.units().get(unit as usize) else { continue };
        let part = parts.entry(row.section).or_default();
        let share = score / best;
        if share > part.words {
            (part.words, part.unit) = (share, Some(unit));
        }
    }
}

/// The topics that the walk visited: the most visited of those that a section has evidence for, as a share of the most visited of all.
fn by_topics(searcher: &Searcher<'_>, topics: &[(u32, f32)], parts: &mut HashMap<u32, Parts>) {
    let most = topics.iter().map(|(_, share)| *share).fold(f32::MIN_POSITIVE, f32::max);
    for (topic, share) in topics {
        for piece in searcher.collection.evidence_of_topic(*topic) {
            let Some(row) = searcher.collection.evidence().get(*piece as usize) else { continue };
            let part = parts.entry(row.section).or_default();
            part.topic = part.topic.max(share / most);
        }
    }
}

/// Adds to the leading sections the attention of their best evidence (Eq. 9), and makes that evidence the passage.
fn attend(
    searcher: &mut Searcher<'_>,
    ranked: &mut [Ranked],
    features: &[Feature],
    options: &SearchOptions,
) -> Result<(), CollectionError> {
    let texts: Vec<String> = features.iter().map(|feature| feature.text.clone()).collect();
    let of_features = searcher.encoder.encode(&texts)?.normalised();
    for ranked in ranked.iter_mut().take(LOOKED_AT) {
        let Some(section) = searcher.collection.section(ranked.section) else { continue };
        let mut spans = searcher.spans_of(ranked);
        spans.truncate(MOST_EVIDENCE);
        let texts: Vec<String> = spans.iter().map(|span| section.text.get(span.clone()).unwrap_or_default().to_owned()).collect();
        let vectors = searcher.encoder.encode(&texts)?.normalised();
        let mut best: Option<(f32, f32, usize)> = None;
        for row in 0..vectors.rows() {
            let cosines: Vec<f32> =
                (0..of_features.rows()).map(|feature| vector::dot(vectors.row(row), of_features.row(feature))).collect();
            let score = attention(&cosines, features);
            // Which sentence is shown: the one most like the question, and the features.
            let shown = score + cosines.first().copied().unwrap_or(0.0);
            if best.is_none_or(|(_, known, _)| shown > known) {
                best = Some((best.map_or(score, |(best, ..)| best.max(score)), shown, row));
            }
        }
        if let Some((score, _, row)) = best {
            ranked.score += options.weights.attention * score;
            ranked.span = spans.get(row).cloned();
        }
    }
    Ok(())
}
