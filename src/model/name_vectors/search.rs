//! Searching the lists for the rows nearest to a query, in two looks.
//!
//! A look goes through the groups whose centroids are nearest to the query for the nearest lists, takes those of their rows whose sketches
//! differ least from the query's, and compares them with the stored vectors. The first look is short. It finds what is spelled as
//! the query is, and how near something is at least. The second goes the further, the less near that is: the order of centroids tells the less,
//! the farther away all of them are. Of the rows that it comes by it compares those that may be nearer, by their sketches.

use std::cmp::Ordering;
use std::f64::consts::PI;

use rayon::prelude::*;

use super::file::GROUPS;
use super::lists::Lists;
use super::quantise::{Quantised, add_products, wide};
use super::rows::Rows;
use super::scan;
use super::sketch::{SKETCH_BITS, SKETCH_BYTES, differences, sketch};
use crate::model::Matrix;

// How far a search goes. Chosen by measurement: so that less than one in a hundred of the nearest of 1.29 million invented names, and of 98,000 real
// ones, is missed. `benches/RESULTS.md` has what less costs and misses.

/// Lists of the first look. Its groups are those of filing, so that it comes by the list of a name spelled as the query is.
const FIRST_LISTS: usize = 16;
/// Entries with the best sketches that the first look compares.
const FIRST_ENTRIES: usize = 64;
/// A cosine that nothing need exceed: the same vector.
const SAME: f32 = 0.9999;
/// What the second look adds, for each 1 that the nearest cosine so far is below 1 and each square root of the number of groups, or of lists.
const GROUPS_FOR_ROOT: f64 = 13.0;
const LISTS_FOR_ROOT: f64 = 10.0;
/// The distance from 1 beyond which the second look goes no further.
const FARTHEST: f32 = 0.5;
/// The most entries that the second look compares.
const SECOND_ENTRIES: usize = 4096;
/// By how many standard deviations a sketch may differ in more bits than its vector's cosine lets one expect.
const DEVIATIONS: f64 = 1.75;
/// How many more rows than asked for are compared without rounding.
const SPARE: usize = 16;

impl Lists {
    /// The rows nearest to each query, as far as the lists lead to them. Queries have length 1 and are rotated.
    pub(super) fn nearest(&self, rows: &Rows, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
        let rounded = Quantised::of(queries);
        (0..queries.rows())
            .into_par_iter()
            .map_init(Room::default, |room, query| {
                let (bytes, factor) = rounded.row(query);
                if factor == 0.0 {
                    return Vec::new();
                }
                let best = scan::Best::new(count.saturating_add(SPARE));
                let search = Search { lists: self, rows, bytes, factor, wide: wide(bytes), sketch: sketch(bytes), count, above, best };
                scan::settle(rows, queries.row(query), search.run(room), count, above)
            })
            .collect()
    }
}

/// What a thread needs again and again.
#[derive(Default)]
struct Room {
    products: Vec<i32>,
    groups: Vec<Scored>,
    lists: Vec<Scored>,
    bits: Vec<u16>,
    known: Vec<u32>,
    candidates: Vec<u32>,
    bytes: Vec<i8>,
    factors: Vec<f32>,
}

/// How near a centroid is, and its number.
type Scored = (f32, u32);

/// The search for one query.
struct Search<'a> {
    lists: &'a Lists,
    rows: &'a Rows,
    bytes: &'a [i8],
    factor: f32,
    wide: Vec<i16>,
    sketch: [u8; SKETCH_BYTES],
    count: usize,
    above: f64,
    /// The nearest so far, by products of what was rounded.
    best: scan::Best,
}

impl Search<'_> {
    fn run(mut self, room: &mut Room) -> impl Iterator<Item = u32> {
        room.lists.clear();
        room.known.clear();
        room.groups.clear();
        let (centroids, factors) = self.lists.group_centroids();
        self.score(centroids, factors, 0, &mut room.products, &mut room.groups);
        let groups = GROUPS.min(room.groups.len());
        nearest_first(&mut room.groups, groups);
        self.score_lists(0..groups, room);
        self.look(FIRST_LISTS, FIRST_ENTRIES, SKETCH_BITS as u16, room);

        let nearest = self.best.at(0).unwrap_or(-1.0);
        if nearest < SAME {
            let left = f64::from((1.0 - nearest.max(self.above as f32)).clamp(0.0, FARTHEST));
            let share = |count: usize, of_root: f64| ((count as f64).sqrt() * of_root * left) as usize;
            let more = (groups + share(room.groups.len(), GROUPS_FOR_ROOT)).min(room.groups.len());
            nearest_first(&mut room.groups[groups..], more - groups);
            self.score_lists(groups..more, room);
            // All that are asked for are to be found, not only the nearest.
            let farthest = self.best.at(self.count - 1).map_or(self.above, |cosine| f64::from(cosine).max(self.above));
            let entries = SECOND_ENTRIES.max(self.count.saturating_mul(8));
            self.look(FIRST_LISTS + share(self.lists.len(), LISTS_FOR_ROOT), entries, most_bits(farthest), room);
        }
        self.best.into_vec().into_iter().map(|(row, _)| row)
    }

    /// Adds the scores of some centroids, which are numbered from `first` on.
    fn score(&self, centroids: &[i8], factors: impl Iterator<Item = f32>, first: usize, products: &mut Vec<i32>, scores: &mut Vec<Scored>) {
        products.clear();
        add_products(centroids, &self.wide, self.bytes.len(), products);
        scores
            .extend(products.iter().zip(factors).zip(first as u32..).map(|((product, factor), number)| (*product as f32 * factor, number)));
    }

    /// Adds the scores of the lists of some of the groups.
    fn score_lists(&self, groups: std::ops::Range<usize>, room: &mut Room) {
        for (_, group) in &room.groups[groups] {
            let lists = self.lists.lists_of(*group as usize);
            let (centroids, factors) = self.lists.centroids_of(lists.clone());
            self.score(centroids, factors, lists.start, &mut room.products, &mut room.lists);
        }
    }

    /// Compares those of the rows in the nearest lists whose sketches differ in at most so many bits, or at most in as many as those of
    /// about `entries` of them.
    fn look(&mut self, lists: usize, entries: usize, most: u16, room: &mut Room) {
        let lists = lists.min(room.lists.len());
        nearest_first(&mut room.lists, lists);
        let lists = &mut room.lists[..lists];
        lists.sort_unstable_by_key(|(_, list)| *list);
        room.bits.clear();
        for (_, list) in &*lists {
            differences(self.lists.sketches(&self.lists.entries(*list as usize)), &self.sketch, &mut room.bits);
        }
        // All with as few differing bits as the last one taken are taken, whatever their place.
        let most = enough(&room.bits, entries).min(most);
        room.candidates.clear();
        let mut bits = &room.bits[..];
        for (_, list) in &*lists {
            let entries = self.lists.entries(*list as usize);
            let (of_list, rest) = bits.split_at(entries.len());
            let near = of_list.iter().zip(entries).filter(|(bits, _)| **bits <= most);
            room.candidates.extend(near.map(|(_, entry)| self.lists.row_of(entry)));
            bits = rest;
        }
        // Each row may stand there twice, and may have been compared before.
        room.candidates.sort_unstable();
        room.candidates.dedup();
        let known = &room.known;
        room.candidates.retain(|row| known.binary_search(row).is_err());
        self.compare(room);
        room.known.clone_from(&room.candidates);
    }

    /// Compares the candidates with the query, both rounded.
    fn compare(&mut self, room: &mut Room) {
        room.bytes.clear();
        room.factors.clear();
        // Copied first: rows lie far apart, and the processor fetches several at a time if nothing waits for one of them.
        for candidate in &room.candidates {
            let (row, factor) = self.rows.row(*candidate as usize).unwrap_or((&[], 0.0));
            room.bytes.extend_from_slice(row);
            room.bytes.resize(room.factors.len() * self.bytes.len() + self.bytes.len(), 0);
            room.factors.push(factor);
        }
        room.products.clear();
        add_products(&room.bytes, &self.wide, self.bytes.len(), &mut room.products);
        for ((product, factor), row) in room.products.iter().zip(&room.factors).zip(&room.candidates) {
            if *factor > 0.0 {
                self.best.offer(*row, *product as f32 * factor * self.factor);
            }
        }
    }
}

/// Puts the best scores first, in no order among themselves; ties by number.
fn nearest_first(scores: &mut [Scored], count: usize) {
    let nearer = |a: &Scored, b: &Scored| -> Ordering { b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)) };
    if (1..scores.len()).contains(&count) {
        scores.select_nth_unstable_by(count, nearer);
    }
}

/// The least number of differing bits that at least `wanted` entries do not exceed.
fn enough(bits: &[u16], wanted: usize) -> u16 {
    let mut counts = [0usize; SKETCH_BITS + 1];
    for bits in bits {
        counts[usize::from(*bits).min(SKETCH_BITS)] += 1;
    }
    let mut sum = 0;
    let last = counts.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    last.unwrap_or(SKETCH_BITS) as u16
}

/// In how many bits the sketches of two vectors of this cosine differ at most, but for chance: each bit differs with a
/// probability of the angle divided by π.
fn most_bits(cosine: f64) -> u16 {
    let (bits, share) = (SKETCH_BITS as f64, cosine.clamp(-1.0, 1.0).acos() / PI);
    (bits * share + DEVIATIONS * (bits * share * (1.0 - share)).sqrt()) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_entries_do_not_exceed_a_number_of_bits() {
        assert_eq!(enough(&[5, 3, 3, 9], 1), 3);
        assert_eq!(enough(&[5, 3, 3, 9], 3), 5);
        assert_eq!(enough(&[5, 3, 3, 9], 5), SKETCH_BITS as u16);
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
