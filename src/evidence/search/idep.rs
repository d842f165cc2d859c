//! IdepRAG without a language model (EbmKG, section 4): search terms, entities, topics by a walk, features with usefulness, and the score of the evidence,
//! joined with the words of the question (BM25F) and what it asks for.
//!
//! A section's score is `(words + subject + topics + cosine) · (1 + label) + attention`, each part from 0 to 1 times its weight
//! ([`super::Weights`]): a label alone makes no section relevant, and a section without the words can still come first by its subject.

use std::collections::{HashMap, HashSet};

use super::advisor::{Advisor, advised};
use super::features::{Feature, attention, features};
use super::lexical::bm25f;
use super::method::{TopicSampling, Variant};
use super::question::Question;
use super::walk::{most_visited, neighbours, pagerank, random_walk};
use super::{Ranked, SearchOptions, Searcher, by_score, vector};
use crate::evidence::error::CollectionError;
use crate::evidence::label::Label;
use crate::evidence::segment::EvidenceRow;
use crate::model::Matrix;

/// Sections whose evidence is looked at in full.
const LOOKED_AT: usize = 30;
/// The most pieces of evidence of a section that are looked at.
const MOST_EVIDENCE: usize = 60;
/// The most pieces of evidence that the published score ranks: those of the most visited topics.
const MOST_RANKED: usize = 4000;
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

pub(super) fn rank(
    searcher: &mut Searcher<'_>,
    text: &str,
    (variant, options): (Variant, &SearchOptions),
    mut advisor: Option<&mut dyn Advisor>,
) -> Result<Vec<Ranked>, CollectionError> {
    let weights = &options.weights;
    let collection = searcher.collection;
    let lengths = searcher.lengths;
    let mut question = Question::read(collection, searcher.graph, text, weights, |count| lengths.rarity(count));
    // Terms that a model names come beside the question's own, and each that names an entity begins walks as if the question named it.
    if let Some(terms) = advisor.as_deref_mut().and_then(|advisor| advisor.search_terms(text)) {
        question.add_terms(collection, &terms);
    }
    let per_term = variant.entities.map_or(weights.entities_per_term, usize::from);

    // Search terms that name no entity: the entities with the nearest names.
    let mut starts = question.entities.clone();
    if !question.search_terms.is_empty() {
        let vectors = searcher.encode(&question.search_terms)?;
        let (scales, rows) = collection.entity_vectors();
        for row in 0..vectors.rows() {
            let near = vector::nearest(&vector::cosines(vectors.row(row), scales, rows), per_term);
            for (entity, cosine) in near.into_iter().filter(|(_, cosine)| *cosine >= RESEMBLANCE) {
                if !starts.iter().any(|(known, _)| *known == entity) {
                    starts.push((entity, RESEMBLING * cosine));
                }
            }
        }
    }
    let visits = match variant.topics {
        TopicSampling::Walk => random_walk(collection, &starts, weights, options.seed),
        TopicSampling::Exact => pagerank(collection, &starts, weights),
        TopicSampling::Neighbours => neighbours(collection, &starts),
    };
    let topics = most_visited(&visits, weights.topics);
    let by_rule = |question: &Question| features(collection, question, &topics, weights, options.seed);
    let named = advisor.and_then(|advisor| advised(advisor, collection, &question, &topics, (weights, options.seed)));
    let features = named.unwrap_or_else(|| by_rule(&question));
    if variant.published {
        return published(searcher, &topics, &features, variant.by_cosine);
    }

    let mut parts: HashMap<u32, Parts> = HashMap::new();
    by_words(searcher, &question, options, &mut parts);
    by_topics(searcher, &topics, &mut parts);
    for (section, parts) in &mut parts {
        let subjects = collection.subjects_of(*section);
        let named = question.entities.iter().filter(|(entity, _)| subjects.contains(entity)).map(|(_, weight)| *weight);
        parts.subject = named.fold(0.0, f32::max);
    }

    let own = searcher.encode(&[text.to_owned()])?;
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

    attend(searcher, &mut ranked, (&features, variant.by_cosine), options)?;
    ranked.sort_by(by_score);
    Ok(ranked)
}

/// The paper's ranking alone: the evidence of the topics by Eq. 9, or by its cosine with the question; each section by its best evidence.
fn published(
    searcher: &mut Searcher<'_>,
    topics: &[(u32, f32)],
    features: &[Feature],
    by_cosine: bool,
) -> Result<Vec<Ranked>, CollectionError> {
    let collection = searcher.collection;
    let mut pieces: Vec<u32> = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    for (topic, _) in topics {
        pieces.extend(collection.evidence_of_topic(*topic).iter().filter(|piece| seen.insert(**piece)));
        if pieces.len() >= MOST_RANKED {
            pieces.truncate(MOST_RANKED);
            break;
        }
    }
    let rows: Vec<_> = pieces.iter().filter_map(|piece| collection.evidence().get(*piece as usize)).collect();
    let text = |row: &&EvidenceRow| {
        let text = collection.section(row.section).and_then(|section| section.text.get(row.start as usize..row.end as usize));
        text.unwrap_or_default().to_owned()
    };
    let of_features = searcher.encode(&features.iter().map(|feature| feature.text.clone()).collect::<Vec<_>>())?;
    let vectors = searcher.encode(&rows.iter().map(text).collect::<Vec<_>>())?;
    let mut best: HashMap<u32, Ranked> = HashMap::new();
    for (at, row) in rows.iter().enumerate().take(vectors.rows()) {
        let score = evidence_score(vectors.row(at), &of_features, (features, by_cosine));
        let span = row.start as usize..row.end as usize;
        let units = collection.units().partition_point(|unit| (unit.section, unit.end) < (row.section, row.end));
        let ranked = Ranked { section: row.section, unit: u32::try_from(units).unwrap_or(0), score, span: Some(span) };
        match best.get_mut(&row.section) {
            Some(known) if known.score >= score => {}
            Some(known) => *known = ranked,
            None => {
                best.insert(row.section, ranked);
            }
        }
    }
    let mut ranked: Vec<Ranked> = best.into_values().collect();
    ranked.sort_by(by_score);
    Ok(ranked)
}

/// The score of a piece of evidence: its attention on the features (Eq. 9), or its cosine with the first, which is the question.
fn evidence_score(vector: &[f32], of_features: &Matrix, (features, by_cosine): (&[Feature], bool)) -> f32 {
    let cosines: Vec<f32> = (0..of_features.rows()).map(|feature| vector::dot(vector, of_features.row(feature))).collect();
    if by_cosine { cosines.first().copied().unwrap_or(0.0).max(0.0) } else { attention(&cosines, features) }
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
    (features, by_cosine): (&[Feature], bool),
    options: &SearchOptions,
) -> Result<(), CollectionError> {
    let texts: Vec<String> = features.iter().map(|feature| feature.text.clone()).collect();
    let of_features = searcher.encode(&texts)?;
    for ranked in ranked.iter_mut().take(LOOKED_AT) {
        let Some(section) = searcher.collection.section(ranked.section) else { continue };
        let mut spans = searcher.spans_of(ranked);
        spans.truncate(MOST_EVIDENCE);
        let texts: Vec<String> = spans.iter().map(|span| section.text.get(span.clone()).unwrap_or_default().to_owned()).collect();
        let vectors = searcher.encode(&texts)?;
        let mut best: Option<(f32, f32, usize)> = None;
        for row in 0..vectors.rows() {
            let cosines: Vec<f32> =
                (0..of_features.rows()).map(|feature| vector::dot(vectors.row(row), of_features.row(feature))).collect();
            let score = evidence_score(vectors.row(row), &of_features, (features, by_cosine));
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
