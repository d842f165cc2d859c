//! IdepRAG without a language model (EbmKG, section 4): search terms, entities, topics by a walk, features with usefulness, and the score
//! of the evidence, joined with the words of the question (BM25F) and what it asks for.
//!
//! A section's score is `(words + subject + topics + cosine) · (1 + label) + attention`, each part from 0 to 1 times its weight
//! ([`super::Weights`]): a label alone makes no section relevant, and a section without the words can still come first by its subject.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::advisor::{Advisor, advised};
use super::features::{Feature, attention, features};
use super::lexical::bm25f;
use super::method::{TopicSampling, Variant};
use super::question::Question;
use super::walk::{most_visited, neighbours, pagerank, random_walk};
use super::{Ranked, SearchOptions, Searcher, by_score, vector};
use crate::evidence::collection::Collection;
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

/// The parts of every section; `None` where nothing was found by.
type OfSections = [Option<Parts>];

/// A section's parts; they begin with the first.
fn parts_of(all: &mut OfSections, section: u32) -> Option<&mut Parts> {
    all.get_mut(section as usize).map(|parts| parts.get_or_insert_with(Parts::default))
}

pub(super) fn rank(
    searcher: &mut Searcher<'_>,
    (text, mut question): (&str, Question),
    (variant, options): (Variant, &SearchOptions),
    mut advisor: Option<&mut dyn Advisor>,
) -> Result<Vec<Ranked>, CollectionError> {
    let weights = &options.weights;
    let collection = searcher.collection;
    // Terms that a model names come beside the question's own, and each that names an entity begins walks as if the question named it.
    if let Some(terms) = advisor.as_deref_mut().and_then(|advisor| advisor.search_terms(text)) {
        question.add_terms(collection, &terms);
    }
    let per_term = variant.entities.map_or(weights.entities_per_term, usize::from);

    // Search terms that name no entity: the entities with the nearest names.
    let mut starts = question.entities.clone();
    if !question.search_terms.is_empty() {
        let vectors = searcher.encode(&question.search_terms)?;
        for (entity, cosine) in vector::entities_like(collection, &vectors, RESEMBLANCE, per_term).into_iter().flatten() {
            if !starts.iter().any(|(known, _)| *known == entity) {
                starts.push((entity, RESEMBLING * cosine));
            }
        }
    }
    let visits = match variant.topics {
        TopicSampling::Walk => random_walk(collection, &starts, weights, options.seed),
        TopicSampling::Exact => pagerank(collection, &starts, weights),
        TopicSampling::Neighbours => neighbours(collection, &starts),
    };
    let topics = most_visited(&visits, weights.topics);
    let by_rule = |question: &Question| features(collection, question, &topics, options);
    let named = advisor.and_then(|advisor| advised(advisor, collection, &question, &topics, options));
    let features = named.unwrap_or_else(|| by_rule(&question));
    if variant.published {
        return published(searcher, &topics, &features, variant.by_cosine);
    }

    let mut parts: Vec<Option<Parts>> = vec![None; collection.meta().sections];
    by_words(searcher, &question, options, &mut parts);
    by_topics(searcher, &topics, &mut parts);
    for (section, parts) in (0u32..).zip(&mut parts) {
        let Some(parts) = parts else { continue };
        let subjects = collection.subjects_of(section);
        let named = question.entities.iter().filter(|(entity, _)| subjects.contains(entity)).map(|(_, weight)| *weight);
        parts.subject = named.fold(0.0, f32::max);
    }

    let own = searcher.encode(&[text.to_owned()])?;
    let cosine = |unit: u32| match collection.unit_vector(unit) {
        Some((scale, row)) if own.rows() > 0 => vector::cosine(own.row(0), scale, row).max(0.0),
        _ => 0.0,
    };
    let mut ranked: Vec<Ranked> = (0u32..)
        .zip(&parts)
        .filter_map(|(section, parts)| {
            let parts = parts.as_ref()?;
            let row = collection.section_row(section)?;
            let unit = parts.unit.unwrap_or(row.first_unit);
            let base = parts.words + weights.subject * parts.subject + weights.topic * parts.topic + weights.cosine * cosine(unit);
            let asked = question.asked.answered_by(Label::of_number(row.label));
            Some(Ranked { section, unit, score: base * (1.0 + weights.label * asked), spans: Vec::new() })
        })
        .collect();
    // Only those that are looked at change their places, so that no others than these can be among the first.
    let needed = options.limit.saturating_add(LOOKED_AT);
    if ranked.len() > needed {
        ranked.select_nth_unstable_by(needed, by_score);
        ranked.truncate(needed);
    }
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
        pieces.extend(collection.evidence_of_topic(*topic).iter().copied().filter(|piece| seen.insert(*piece)));
        if pieces.len() >= MOST_RANKED {
            pieces.truncate(MOST_RANKED);
            break;
        }
    }
    let rows: Vec<_> = pieces.iter().filter_map(|piece| collection.piece(*piece)).collect();
    let text = |row: &EvidenceRow| {
        let text = collection.section(row.section).and_then(|section| section.text.get(row.start as usize..row.end as usize));
        text.unwrap_or_default().to_owned()
    };
    let of_features = searcher.encode(&features.iter().map(|feature| feature.text.clone()).collect::<Vec<_>>())?;
    let vectors = searcher.encode(&rows.iter().map(text).collect::<Vec<_>>())?;
    let mut best: HashMap<u32, Ranked> = HashMap::new();
    for (at, row) in rows.iter().enumerate().take(vectors.rows()) {
        let score = evidence_score(&cosines_with(&of_features, vectors.row(at)), (features, by_cosine));
        let span = row.start as usize..row.end as usize;
        let ranked = Ranked { section: row.section, unit: unit_of(collection, row), score, spans: vec![span] };
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

/// The unit of a piece of evidence: the first of its section that does not end before it.
fn unit_of(collection: &Collection, piece: &EvidenceRow) -> u32 {
    let Some(section) = collection.section_row(piece.section) else { return 0 };
    let units = section.first_unit..section.first_unit.saturating_add(section.units);
    units.clone().find(|unit| collection.unit(*unit).is_some_and(|unit| unit.end >= piece.end)).unwrap_or(units.end)
}

/// The cosines of a piece of evidence with the features; the first of them is the question.
fn cosines_with(features: &Matrix, vector: &[f32]) -> Vec<f32> {
    (0..features.rows()).map(|feature| vector::dot(vector, features.row(feature))).collect()
}

/// The score of a piece of evidence: its attention on the features (Eq. 9), or its cosine with the question.
fn evidence_score(cosines: &[f32], (features, by_cosine): (&[Feature], bool)) -> f32 {
    if by_cosine { cosines.first().copied().unwrap_or(0.0).max(0.0) } else { attention(cosines, features) }
}

/// The words of the question: BM25F, the best unit of each section, as a share of the best of all.
fn by_words(searcher: &Searcher<'_>, question: &Question, options: &SearchOptions, parts: &mut OfSections) {
    let words = question.words.iter().map(|(term, weight)| (term.as_str(), *weight));
    let units = bm25f(searcher.collection, &searcher.lengths, words, &options.weights);
    let best = units.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
    for (unit, score) in units {
        let Some(row) = searcher.collection.unit(unit) else { continue };
        let Some(part) = parts_of(parts, row.section) else { continue };
        let share = score / best;
        if share > part.words {
            (part.words, part.unit) = (share, Some(unit));
        }
    }
}

/// The topics that the walk visited: the most visited of those that a section has evidence for, as a share of the most visited of all.
fn by_topics(searcher: &Searcher<'_>, topics: &[(u32, f32)], parts: &mut OfSections) {
    let most = topics.iter().map(|(_, share)| *share).fold(f32::MIN_POSITIVE, f32::max);
    for (topic, share) in topics {
        for piece in searcher.collection.evidence_of_topic(*topic).iter() {
            let row = searcher.collection.piece(*piece);
            if let Some(part) = row.and_then(|row| parts_of(parts, row.section)) {
                part.topic = part.topic.max(share / most);
            }
        }
    }
}

/// Adds to the leading sections the attention of their best evidence (Eq. 9), makes that evidence the passage, and puts the rest in the
/// order of theirs.
fn attend(
    searcher: &mut Searcher<'_>,
    ranked: &mut [Ranked],
    (features, by_cosine): (&[Feature], bool),
    options: &SearchOptions,
) -> Result<(), CollectionError> {
    let texts: Vec<String> = features.iter().map(|feature| feature.text.clone()).collect();
    let of_features = searcher.encode(&texts)?;
    // All sentences at once, so that all cores take part.
    let (mut texts, mut spans): (Vec<String>, Vec<Vec<Range<usize>>>) = (Vec::new(), Vec::new());
    for ranked in ranked.iter().take(LOOKED_AT) {
        let mut own = searcher.spans_of(ranked);
        own.truncate(MOST_EVIDENCE);
        let text = searcher.collection.section(ranked.section).map_or("", |section| section.text);
        texts.extend(own.iter().map(|span| text.get(span.clone()).unwrap_or_default().to_owned()));
        spans.push(own);
    }
    let vectors = searcher.encode(&texts)?;
    let mut first = 0;
    for (ranked, spans) in ranked.iter_mut().zip(spans) {
        let rows = first..(first + spans.len()).min(vectors.rows());
        first = rows.end;
        let mut best: Option<(f32, f32, Range<usize>)> = None;
        let mut others: Vec<(f32, Range<usize>)> = Vec::with_capacity(spans.len());
        for (row, span) in rows.zip(spans) {
            let cosines = cosines_with(&of_features, vectors.row(row));
            let score = evidence_score(&cosines, (features, by_cosine));
            // Which sentence is shown: the one most like the question, and the features.
            let shown = score + cosines.first().copied().unwrap_or(0.0);
            others.push((score, span.clone()));
            if best.as_ref().is_none_or(|(_, known, _)| shown > *known) {
                best = Some((best.map_or(score, |(best, ..)| best.max(score)), shown, span));
            }
        }
        if let Some((score, _, span)) = best {
            ranked.score += options.weights.attention * score;
            others.retain(|(_, other)| *other != span);
            others.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.spans = std::iter::once(span).chain(others.into_iter().map(|(_, span)| span)).collect();
        }
    }
    Ok(())
}
