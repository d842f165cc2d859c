//! BM25 over title, heading and text as one, and BM25F, in which each of the three has a weight of its own.
//!
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. The index is the collection's own (decision 0081).

use std::collections::BTreeMap;

use super::weights::Weights;
use crate::evidence::collection::Collection;
use crate::evidence::segment::TermPosting;
use crate::evidence::terms::terms;

/// BM25's usual settings.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Mean lengths in terms.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::evidence) struct Lengths {
    units: f32,
    body: f32,
    title: f32,
    heading: f32,
}

impl Lengths {
    pub(in crate::evidence) fn of(collection: &Collection) -> Self {
        let units = collection.unit_count();
        let mean = |sum: u64| (sum as f32 / units.max(1) as f32).max(1.0);
        let (mut body, mut title, mut heading) = (0, 0, 0);
        for unit in collection.unit_lengths() {
            body += u64::from(unit.terms);
            title += u64::from(unit.title_terms);
            heading += u64::from(unit.heading_terms);
        }
        Self { units: units as f32, body: mean(body), title: mean(title), heading: mean(heading) }
    }

    /// How much a term tells: the fewer units have it, the more.
    pub(super) fn rarity(&self, with_term: usize) -> f32 {
        let with_term = with_term as f32;
        (1.0 + (self.units - with_term + 0.5) / (with_term + 0.5)).ln()
    }
}

/// BM25 of every unit with a term of the question, in the order of units.
pub(super) fn bm25(collection: &Collection, lengths: &Lengths, question: &str) -> Vec<(u32, f32)> {
    let mut counts: BTreeMap<String, f32> = BTreeMap::new();
    for term in terms(question) {
        *counts.entry(term).or_default() += 1.0;
    }
    let mean = lengths.body + lengths.title + lengths.heading;
    let of_posting = |posting: &TermPosting| {
        let unit = collection.unit(posting.unit)?;
        let length = unit.terms as f32 + f32::from(unit.title_terms) + f32::from(unit.heading_terms);
        let times = f32::from(posting.body) + f32::from(posting.title) + f32::from(posting.heading);
        Some(times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean)))
    };
    scores(collection, lengths, counts.iter().map(|(term, count)| (term.as_str(), *count)), of_posting)
}

/// The units with words of a text, the best by BM25 first.
pub(in crate::evidence) fn units_with(collection: &Collection, lengths: &Lengths, text: &str) -> Vec<u32> {
    let mut scored = bm25(collection, lengths, text);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.into_iter().map(|(unit, _)| unit).collect()
}

/// BM25F of every unit with one of these terms, each with its weight.
pub(super) fn bm25f<'t>(
    collection: &Collection,
    lengths: &Lengths,
    terms: impl Iterator<Item = (&'t str, f32)>,
    weights: &Weights,
) -> Vec<(u32, f32)> {
    let of_posting = |posting: &TermPosting| {
        let unit = collection.unit(posting.unit)?;
        let field = |times: f32, length: f32, mean: f32, b: f32| times / (1.0 - b + b * length / mean);
        let times = field(f32::from(posting.body), unit.terms as f32, lengths.body, weights.body_b)
            + weights.title * field(f32::from(posting.title), f32::from(unit.title_terms), lengths.title, weights.title_b)
            + weights.heading * field(f32::from(posting.heading), f32::from(unit.heading_terms), lengths.heading, weights.title_b);
        Some(times * (weights.k1 + 1.0) / (times + weights.k1))
    };
    scores(collection, lengths, terms, of_posting)
}

fn scores<'t>(
    collection: &Collection,
    lengths: &Lengths,
    terms: impl Iterator<Item = (&'t str, f32)>,
    of_posting: impl Fn(&TermPosting) -> Option<f32>,
) -> Vec<(u32, f32)> {
    // A place for each unit: common words stand in most of them.
    let mut sums: Vec<Option<f32>> = vec![None; collection.unit_count()];
    for (term, weight) in terms {
        let postings = collection.postings(term);
        let rarity = lengths.rarity(postings.len());
        for posting in postings.iter() {
            if let Some(score) = of_posting(posting)
                && let Some(sum) = sums.get_mut(posting.unit as usize)
            {
                *sum.get_or_insert(0.0) += weight * rarity * score;
            }
        }
    }
    (0u32..).zip(sums).filter_map(|(unit, sum)| Some((unit, sum?))).collect()
}
