//! The centroids of the index, in two levels: a few hundred groups, and in each of them lists of about
//! [`ROWS_PER_LIST`] rows. Both come from spherical k-means: the groups' on a sample, the lists' on all rows of a group.
//! Small lists are what makes a search fast; groups are what makes it fast to find the right ones among so many.
//!
//! All is counted in whole numbers or added up in one order, so that the same vectors give the same centroids everywhere.

use rayon::prelude::*;

use super::quantise::{Quantised, factor_of, products, signed};
use super::rows::Rows;

/// Rows of a list; each row stands in two.
const ROWS_PER_LIST: usize = 24;
/// The most lists; their numbers are kept in 16 bits, one of which means "none".
const MOST_LISTS: usize = 65_000;
/// Groups for each square root of the number of lists.
const GROUPS_PER_ROOT: f64 = 4.0;
/// Rows of the sample for each group.
const SAMPLE_PER_GROUP: usize = 64;
/// Rounds of k-means.
pub(super) const ROUNDS: usize = 4;
/// Rows that are compared with centroids at a time: they stay in the nearest cache.
pub(super) const PORTION: usize = 32;

/// How many lists so many rows get.
pub(super) fn list_count(rows: usize) -> usize {
    (rows / ROWS_PER_LIST).clamp(1, MOST_LISTS)
}

/// How many groups so many lists get.
pub(super) fn group_count(lists: usize) -> usize {
    (((lists as f64).sqrt() * GROUPS_PER_ROOT) as usize).clamp(1, lists.max(1))
}

/// Centroids of groups and lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Centroids {
    pub(super) groups: Quantised,
    /// Which lists are a group's: from its own number here to the next one's.
    pub(super) begins: Vec<u32>,
    pub(super) lists: Quantised,
}

impl Centroids {
    /// Bytes of a draft's block with so many lists.
    pub(super) fn block_bytes(lists: usize, dim: usize) -> usize {
        let groups = group_count(lists);
        groups * dim + (groups + 1) * size_of::<u32>() + lists * dim
    }

    /// As a draft holds them; factors follow from the bytes.
    pub(super) fn block(&self) -> Vec<u8> {
        let begins = self.begins.iter().flat_map(|begin| begin.to_le_bytes());
        let (groups, lists) = (bytemuck::cast_slice::<i8, u8>(&self.groups.bytes), bytemuck::cast_slice(&self.lists.bytes));
        groups.iter().copied().chain(begins).chain(lists.iter().copied()).collect()
    }

    /// From a block of the right length, which the draft has checked.
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

/// Centroids of the groups, from a sample spread evenly over all rows that are not zeros. `told` is asked after each
/// round; `None` if it does not want to go on.
pub(super) fn groups(rows: &Rows, told: &mut dyn FnMut(usize) -> bool) -> Option<Quantised> {
    let count = group_count(list_count(rows.len()));
    let full: Vec<u32> = (0..rows.len() as u32).filter(|row| rows.row(*row as usize).is_some_and(|(_, factor)| factor > 0.0)).collect();
    let sample = chosen(rows, &spread(&full, count * SAMPLE_PER_GROUP));
    let mut centroids = spread_rows(&sample, count);
    for round in 1..=ROUNDS {
        centroids = improve(&sample, &centroids);
        if !told(round) {
            return None;
        }
    }
    Some(centroids)
}

/// The group of each row of a block; `None` for rows of zeros.
pub(super) fn groups_of_block(rows: &Rows, groups: &Quantised, block: usize) -> Vec<Option<u32>> {
    let Some((bytes, factors)) = rows.block(block) else { return Vec::new() };
    let nearest: Vec<u32> = bytes.par_chunks(PORTION * rows.dim()).flat_map_iter(|bytes| nearest(groups, bytes)).collect();
    nearest.into_iter().zip(factors).map(|(group, factor)| (factor > 0.0).then_some(group)).collect()
}

/// Centroids of the lists of each group: as many as its share of the rows.
pub(super) fn lists(rows: &Rows, groups: Quantised, group_of: &[Option<u32>]) -> Centroids {
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
    // Where no row has content there are no centroids; lists of zeros take their place.
    joined.bytes.resize(lists * rows.dim(), 0);
    joined.factors.resize(lists, 0.0);
    Centroids { groups, begins, lists: joined }
}

/// At most so many of the numbers, spread evenly.
fn spread(numbers: &[u32], wanted: usize) -> Vec<u32> {
    let wanted = wanted.min(numbers.len());
    (0..wanted).map(|place| numbers[place * numbers.len() / wanted]).collect()
}

fn chosen(rows: &Rows, numbers: &[u32]) -> Quantised {
    let mut chosen = Quantised { dim: rows.dim(), ..Quantised::default() };
    for (bytes, factor) in numbers.iter().filter_map(|row| rows.row(*row as usize)) {
        chosen.bytes.extend_from_slice(bytes);
        chosen.factors.push(factor);
    }
    chosen
}

/// So many rows, spread evenly; rows of zeros where there are too few.
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

/// One round: each centroid moves to the middle of the rows that are nearest to it. One that nothing is near to stays.
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
