//! Searches the index for the rows nearest to a query, in two passes.
//!
//! A pass takes the groups whose centroids are nearest to the query and, among their lists, the nearest ones. Of the rows in these lists it compares
//! those whose sketches differ least from the query's. The first pass is short: it finds names with the same spelling, and a lower bound of the best cosine.
//! The lower that bound, the more lists the second pass visits, because the order of centroids is less informative when all are far away. It compares only
//! the rows that can be nearer, judging by their sketches.

use std::cmp::Ordering;
use std::f64::consts::PI;

use rayon::prelude::*;

use super::assign::NEAREST_GROUPS;
use super::exhaustive;
use super::inverted_lists::InvertedLists;
use super::quantise::{Quantised, add_products, wide};
use super::quantised_rows::QuantisedRows;
use super::simhash::{SIMHASH_BITS, SIMHASH_BYTES, differences, simhash};
use crate::model::Matrix;

// The extent of a search, chosen by measurement: it misses less than one in a hundred of the nearest of 1.29 million invented and of 98,000 real
// names. `benches/RESULTS.md` shows the cost and the misses of other settings.

/// Lists of the first pass. It considers as many groups as the assignment does, so that it reaches the list of a name with the same spelling.
const FIRST_LISTS: usize = 16;
/// Entries with the nearest sketches that the first pass compares.
const FIRST_ENTRIES: usize = 64;
/// From this cosine on, the vectors are taken as equal and the search ends.
const SAME: f32 = 0.9999;
/// Groups and lists that the second pass adds: this factor × (1 − best cosine) × the square root of the number of groups or lists.
const GROUPS_FOR_ROOT: f64 = 13.0;
const LISTS_FOR_ROOT: f64 = 10.0;
/// The largest (1 − best cosine) in that formula.
const FARTHEST: f32 = 0.5;
/// The most entries that the second pass compares.
const SECOND_ENTRIES: usize = 4096;
/// A row is compared if the Hamming distance of its sketch exceeds the expected one by at most this many standard deviations.
const DEVIATIONS: f64 = 1.75;
/// Rows beyond the requested number that are compared without rounding.
const SPARE: usize = 16;

impl InvertedLists {
    /// The nearest rows that the lists lead to, for each query. Queries have length 1 and are rotated.
    pub(super) fn nearest(&self, rows: &QuantisedRows, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
        let rounded = Quantised::of(queries);
        (0..queries.rows())
            .into_par_iter()
            .map_init(SearchScratch::default, |scratch, query| {
                let (bytes, factor) = rounded.row(query);
                if factor == 0.0 {
                    return Vec::new();
                }
                let best = exhaustive::TopRows::new(count.saturating_add(SPARE));
                let search = ListSearch { lists: self, rows, bytes, factor, wide: wide(bytes), sketch: simhash(bytes), count, above, best };
                exhaustive::rescore(rows, queries.row(query), search.run(scratch), count, above)
            })
            .collect()
    }
}

/// Buffers that a thread reuses.
#[derive(Default)]
struct SearchScratch {
    products: Vec<i32>,
    groups: Vec<ScoredCentroid>,
    lists: Vec<ScoredCentroid>,
    bits: Vec<u16>,
    compared: Vec<u32>,
    candidates: Vec<u32>,
    bytes: Vec<i8>,
    factors: Vec<f32>,
}

/// The score of a centroid, and its number.
type ScoredCentroid = (f32, u32);

/// The search for one query.
struct ListSearch<'a> {
    lists: &'a InvertedLists,
    rows: &'a QuantisedRows,
    bytes: &'a [i8],
    factor: f32,
    wide: Vec<i16>,
    sketch: [u8; SIMHASH_BYTES],
    count: usize,
    above: f64,
    /// The nearest so far, by products of what was rounded.
    best: exhaustive::TopRows,
}

impl ListSearch<'_> {
    fn run(mut self, scratch: &mut SearchScratch) -> impl Iterator<Item = u32> {
        scratch.lists.clear();
        scratch.compared.clear();
        scratch.groups.clear();
        let (centroids, factors) = self.lists.group_centroids();
        self.score(centroids, factors, 0, &mut scratch.products, &mut scratch.groups);
        let groups = NEAREST_GROUPS.min(scratch.groups.len());
        nearest_first(&mut scratch.groups, groups);
        self.score_lists(0..groups, scratch);
        self.pass(FIRST_LISTS, FIRST_ENTRIES, SIMHASH_BITS as u16, scratch);

        let nearest = self.best.at(0).unwrap_or(-1.0);
        if nearest < SAME {
            let left = f64::from((1.0 - nearest.max(self.above as f32)).clamp(0.0, FARTHEST));
            let share = |count: usize, of_root: f64| ((count as f64).sqrt() * of_root * left) as usize;
            let more = (groups + share(scratch.groups.len(), GROUPS_FOR_ROOT)).min(scratch.groups.len());
            nearest_first(&mut scratch.groups[groups..], more - groups);
            self.score_lists(groups..more, scratch);
            // All requested rows count, not only the nearest.
            let farthest = self.best.at(self.count - 1).map_or(self.above, |cosine| f64::from(cosine).max(self.above));
            let entries = SECOND_ENTRIES.max(self.count.saturating_mul(8));
            self.pass(FIRST_LISTS + share(self.lists.len(), LISTS_FOR_ROOT), entries, most_bits(farthest), scratch);
        }
        self.best.into_vec().into_iter().map(|(row, _)| row)
    }

    /// Appends the scores of some centroids, numbered from `first`.
    fn score(
        &self,
        centroids: &[i8],
        factors: impl Iterator<Item = f32>,
        first: usize,
        products: &mut Vec<i32>,
        scores: &mut Vec<ScoredCentroid>,
    ) {
        products.clear();
        add_products(centroids, &self.wide, self.bytes.len(), products);
        scores
            .extend(products.iter().zip(factors).zip(first as u32..).map(|((product, factor), number)| (*product as f32 * factor, number)));
    }

    /// Appends the scores of the lists of some groups.
    fn score_lists(&self, groups: std::ops::Range<usize>, scratch: &mut SearchScratch) {
        for (_, group) in &scratch.groups[groups] {
            let lists = self.lists.lists_of(*group as usize);
            let (centroids, factors) = self.lists.centroids_of(lists.clone());
            self.score(centroids, factors, lists.start, &mut scratch.products, &mut scratch.lists);
        }
    }

    /// One pass: compares the rows in the nearest lists whose sketches differ in at most `most` bits, limited to about `entries` rows with the
    /// fewest.
    fn pass(&mut self, lists: usize, entries: usize, most: u16, scratch: &mut SearchScratch) {
        let lists = lists.min(scratch.lists.len());
        nearest_first(&mut scratch.lists, lists);
        let lists = &mut scratch.lists[..lists];
        lists.sort_unstable_by_key(|(_, list)| *list);
        scratch.bits.clear();
        for (_, list) in &*lists {
            differences(self.lists.sketches(&self.lists.entries(*list as usize)), &self.sketch, &mut scratch.bits);
        }
        // Ties in the number of differing bits are all taken.
        let most = enough(&scratch.bits, entries).min(most);
        scratch.candidates.clear();
        let mut bits = &scratch.bits[..];
        for (_, list) in &*lists {
            let entries = self.lists.entries(*list as usize);
            let (of_list, rest) = bits.split_at(entries.len());
            let near = of_list.iter().zip(entries).filter(|(bits, _)| **bits <= most);
            scratch.candidates.extend(near.map(|(_, entry)| self.lists.row_of(entry)));
            bits = rest;
        }
        // A row may occur twice, and may have been compared in the first pass.
        scratch.candidates.sort_unstable();
        scratch.candidates.dedup();
        let compared = &scratch.compared;
        scratch.candidates.retain(|row| compared.binary_search(row).is_err());
        self.compare(scratch);
        scratch.compared.clone_from(&scratch.candidates);
    }

    /// Compares the quantised candidates with the quantised query.
    fn compare(&mut self, scratch: &mut SearchScratch) {
        scratch.bytes.clear();
        scratch.factors.clear();
        // Copied first: rows lie far apart, and the processor fetches several at a time if no computation waits for one of them.
        for candidate in &scratch.candidates {
            let (row, factor) = self.rows.row(*candidate as usize).unwrap_or((&[], 0.0));
            scratch.bytes.extend_from_slice(row);
            scratch.bytes.resize(scratch.factors.len() * self.bytes.len() + self.bytes.len(), 0);
            scratch.factors.push(factor);
        }
        scratch.products.clear();
        add_products(&scratch.bytes, &self.wide, self.bytes.len(), &mut scratch.products);
        for ((product, factor), row) in scratch.products.iter().zip(&scratch.factors).zip(&scratch.candidates) {
            if *factor > 0.0 {
                self.best.offer(*row, *product as f32 * factor * self.factor);
            }
        }
    }
}

/// Moves the best `count` scores to the front, unordered; ties by number.
fn nearest_first(scores: &mut [ScoredCentroid], count: usize) {
    let nearer = |a: &ScoredCentroid, b: &ScoredCentroid| -> Ordering { b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)) };
    if (1..scores.len()).contains(&count) {
        scores.select_nth_unstable_by(count, nearer);
    }
}

/// The smallest number of differing bits that at least `wanted` entries do not exceed.
fn enough(bits: &[u16], wanted: usize) -> u16 {
    let mut counts = [0usize; SIMHASH_BITS + 1];
    for bits in bits {
        counts[usize::from(*bits).min(SIMHASH_BITS)] += 1;
    }
    let mut sum = 0;
    let last = counts.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    last.unwrap_or(SIMHASH_BITS) as u16
}

/// The most bits in which the sketches of two vectors with this cosine are likely to differ: each bit differs with a probability of
/// the angle divided by π.
fn most_bits(cosine: f64) -> u16 {
    let (bits, share) = (SIMHASH_BITS as f64, cosine.clamp(-1.0, 1.0).acos() / PI);
    (bits * share + DEVIATIONS * (bits * share * (1.0 - share)).sqrt()) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_entries_do_not_exceed_a_number_of_bits() {
        assert_eq!(enough(&[5, 3, 3, 9], 1), 3);
        assert_eq!(enough(&[5, 3, 3, 9], 3), 5);
        assert_eq!(enough(&[5, 3, 3, 9], 5), SIMHASH_BITS as u16);
    }

    #[test]
    fn the_angle_bounds_the_bits() {
        assert_eq!(most_bits(1.0), 0);
        assert_eq!(most_bits(-1.0), 256);
        // A right angle: half of the bits, and one and three quarters of the standard deviation of 8.
        assert_eq!(most_bits(0.0), 142);
        assert_eq!(most_bits(f64::NAN), 0);
    }
}
