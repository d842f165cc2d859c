//! The centroids of the index, in two levels: a few hundred groups, each with lists of about [`ROWS_PER_LIST`] rows. Both levels come from spherical
//! k-means: the groups from a sample, the lists from all rows of a group. Small lists make a search fast; groups make it fast to find the right lists.
//!
//! All sums are of integers or in one fixed order, so the same vectors give the same centroids on every machine.

use rayon::prelude::*;

use super::quantise::{Quantised, factor_of, products, signed};
use super::quantised_rows::QuantisedRows;

/// Rows of a list, on average; each row is in two lists.
const ROWS_PER_LIST: usize = 24;
/// The most lists: their numbers have 16 bits, and one value means "none".
const MOST_LISTS: usize = 65_000;
/// Groups for each square root of the number of lists.
const GROUPS_PER_ROOT: f64 = 4.0;
/// Rows of the sample for each group.
const SAMPLE_PER_GROUP: usize = 64;
/// Rounds of k-means.
pub(super) const ROUNDS: usize = 4;
/// Rows that are compared with the centroids at a time: they stay in the first-level cache.
pub(super) const PORTION: usize = 32;

/// The number of lists for this many rows.
pub(super) fn list_count(rows: usize) -> usize {
    (rows / ROWS_PER_LIST).clamp(1, MOST_LISTS)
}

/// The number of groups for this many lists.
pub(super) fn group_count(lists: usize) -> usize {
    (((lists as f64).sqrt() * GROUPS_PER_ROOT) as usize).clamp(1, lists.max(1))
}

/// Centroids of groups and lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Centroids {
    pub(super) groups: Quantised,
    /// The first list of each group, and the end of the last.
    pub(super) begins: Vec<u32>,
    pub(super) lists: Quantised,
}

impl Centroids {
    /// Bytes of the block of a partial file with this many lists.
    pub(super) fn block_bytes(lists: usize, dim: usize) -> usize {
        let groups = group_count(lists);
        groups * dim + (groups + 1) * size_of::<u32>() + lists * dim
    }

    /// The block of a partial file; factors follow from the bytes.
    pub(super) fn block(&self) -> Vec<u8> {
        let begins = self.begins.iter().flat_map(|begin| begin.to_le_bytes());
        let (groups, lists) = (bytemuck::cast_slice::<i8, u8>(&self.groups.bytes), bytemuck::cast_slice(&self.lists.bytes));
        groups.iter().copied().chain(begins).chain(lists.iter().copied()).collect()
    }

    /// Reads a block, whose length has been checked.
    pub(super) fn of(block: &[u8], lists: usize, dim: usize) -> Self {
        let groups = group_count(lists);
        let (first, rest) = block.split_at(groups * dim);
        let (begins, last) = rest.split_at((groups + 1) * size_of::<u32>());
        let begins = begins.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let quantised = |bytes: &[u8]| {
            let bytes = signed(bytes).to_vec();
            Quantised { dim, factors: bytes.chunks_exact(dim).map(factor_of).collect(), bytes }
        };
        Self { groups: quantised(first), begins, lists: quantised(last) }
    }

    /// The lists of a group.
    pub(super) fn lists_of(&self, group: usize) -> std::ops::Range<usize> {
        self.begins[group] as usize..self.begins[group + 1] as usize
    }
}

/// Centroids of the groups, from a sample spread evenly over all rows that are not zeros. `progress` is called after each
/// round; the result is `None` if it returned `false`.
pub(super) fn group_centroids(rows: &QuantisedRows, progress: &mut dyn FnMut(usize) -> bool) -> Option<Quantised> {
    let count = group_count(list_count(rows.len()));
    let full: Vec<u32> = (0..rows.len() as u32).filter(|row| rows.row(*row as usize).is_some_and(|(_, factor)| factor > 0.0)).collect();
    let sample = chosen(rows, &spread(&full, count * SAMPLE_PER_GROUP));
    let mut centroids = spread_rows(&sample, count);
    for round in 1..=ROUNDS {
        centroids = improve(&sample, &centroids);
        if !progress(round) {
            return None;
        }
    }
    Some(centroids)
}

/// The group of each row of a block; `None` for rows of zeros.
pub(super) fn groups_of_block(rows: &QuantisedRows, groups: &Quantised, block: usize) -> Vec<Option<u32>> {
    let Some((bytes, factors)) = rows.block(block) else { return Vec::new() };
    let nearest: Vec<u32> = bytes.par_chunks(PORTION * rows.dim()).flat_map_iter(|bytes| nearest(groups, bytes)).collect();
    nearest.into_iter().zip(factors).map(|(group, factor)| (factor > 0.0).then_some(group)).collect()
}

/// The centroids of the lists of each group: in proportion to its share of the rows.
pub(super) fn list_centroids(rows: &QuantisedRows, groups: Quantised, group_of: &[Option<u32>]) -> Centroids {
    let mut members = vec![Vec::new(); groups.rows()];
    for (row, group) in (0u32..).zip(group_of) {
        if let Some(members) = group.and_then(|group| members.get_mut(group as usize)) {
            members.push(row);
        }
    }
    let (all, lists) = (members.iter().map(Vec::len).sum::<usize>().max(1), list_count(rows.len()));
    let mut begins = vec![0u32];
    let mut before = 0;
    for members in &members {
        before += members.len();
        begins.push((before * lists / all) as u32);
    }
    let centroids: Vec<Quantised> = (0..groups.rows())
        .into_par_iter()
        .map(|group| {
            let members = chosen(rows, &members[group]);
            let mut centroids = spread_rows(&members, (begins[group + 1] - begins[group]) as usize);
            for _ in 0..ROUNDS {
                centroids = improve(&members, &centroids);
            }
            centroids
        })
        .collect();
    let mut joined = Quantised { dim: rows.dim(), ..Quantised::default() };
    for centroids in centroids {
        joined.bytes.extend(centroids.bytes);
        joined.factors.extend(centroids.factors);
    }
    // Without any row that has content there are no centroids; zeros take their place.
    joined.bytes.resize(lists * rows.dim(), 0);
    joined.factors.resize(lists, 0.0);
    Centroids { groups, begins, lists: joined }
}

/// At most `wanted` of the numbers, spread evenly.
fn spread(numbers: &[u32], wanted: usize) -> Vec<u32> {
    let wanted = wanted.min(numbers.len());
    (0..wanted).map(|place| numbers[place * numbers.len() / wanted]).collect()
}

fn chosen(rows: &QuantisedRows, numbers: &[u32]) -> Quantised {
    let mut chosen = Quantised { dim: rows.dim(), ..Quantised::default() };
    for (bytes, factor) in numbers.iter().filter_map(|row| rows.row(*row as usize)) {
        chosen.bytes.extend_from_slice(bytes);
        chosen.factors.push(factor);
    }
    chosen
}

/// `wanted` rows, spread evenly; filled up with rows of zeros.
fn spread_rows(rows: &Quantised, wanted: usize) -> Quantised {
    let mut spread = Quantised { dim: rows.dim, ..Quantised::default() };
    for place in 0..wanted.min(rows.rows()) {
        let (bytes, factor) = rows.row(place * rows.rows() / wanted.min(rows.rows()));
        spread.bytes.extend_from_slice(bytes);
        spread.factors.push(factor);
    }
    spread.bytes.resize(wanted * rows.dim, 0);
    spread.factors.resize(wanted, 0.0);
    spread
}

/// The nearest centroid of each row; ties by number.
fn nearest(centroids: &Quantised, bytes: &[i8]) -> Vec<u32> {
    let many = bytes.len() / centroids.dim;
    let mut out = Vec::new();
    products(&centroids.bytes, bytes, centroids.dim, &mut out);
    let mut best = vec![(f32::NEG_INFINITY, 0u32); many];
    for ((products, factor), number) in out.chunks_exact(many).zip(&centroids.factors).zip(0..) {
        for (product, best) in products.iter().zip(&mut best) {
            let score = *product as f32 * factor;
            if score > best.0 {
                *best = (score, number);
            }
        }
    }
    best.into_iter().map(|(_, number)| number).collect()
}

/// One round of k-means: each centroid moves to the mean direction of the rows nearest to it. A centroid without rows stays.
fn improve(rows: &Quantised, centroids: &Quantised) -> Quantised {
    let dim = rows.dim;
    if centroids.rows() == 0 {
        return centroids.clone();
    }
    let nearest: Vec<u32> = rows.bytes.par_chunks(PORTION * dim).flat_map_iter(|bytes| nearest(centroids, bytes)).collect();
    let mut sums = vec![0f32; centroids.bytes.len()];
    for (row, centroid) in nearest.into_iter().enumerate() {
        let ((bytes, factor), begin) = (rows.row(row), centroid as usize * dim);
        for (sum, byte) in sums[begin..begin + dim].iter_mut().zip(bytes) {
            *sum += f32::from(*byte) * factor;
        }
    }
    let mut improved = Quantised { dim, ..Quantised::default() };
    for (number, sum) in sums.chunks_exact(dim).enumerate() {
        improved.push(sum);
        if improved.factors[number] == 0.0 {
            let (bytes, factor) = centroids.row(number);
            improved.bytes.truncate(number * dim);
            improved.bytes.extend_from_slice(bytes);
            improved.factors[number] = factor;
        }
    }
    improved
}
