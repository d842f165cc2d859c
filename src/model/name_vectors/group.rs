//! How the index is made: centroids by spherical k-means on a sample, then each row is filed in two lists.
//!
//! The first list of a row is that of the nearest centroid. The second is chosen so that what the first one leaves of the
//! row is not again what the second one leaves: with a residual `r = x − ⟨x,c₁⟩c₁`, the centroid that makes
//! `|x − ⟨x,c⟩c|² + λ ⟨x − ⟨x,c⟩c, r/|r|⟩²` least among the nearest few (SOAR: Sun et al., "Improved indexing for approximate
//! nearest neighbor search", NeurIPS 2023, eq. 4, λ = 1). A name of two rare words is thus found by either of them.
//!
//! All is counted in whole numbers or added up in one order, so that the same vectors give the same file everywhere.

use rayon::prelude::*;

use super::quantise::{Quantised, product, products};
use super::rows::{ROWS_PER_BLOCK, Rows};

/// Lists for each square root of the number of rows.
const LISTS_PER_ROOT: f64 = 4.0;
/// The most lists; the numbers of lists are kept in 16 bits.
const MOST_LISTS: usize = 8192;
/// Rows of the sample for each list.
const SAMPLE_PER_LIST: usize = 32;
/// Rounds of k-means.
pub(super) const ROUNDS: usize = 4;
/// Weight of what both lists leave of a row.
const LAMBDA: f32 = 1.0;
/// Among how many nearest centroids the second list is chosen.
const NEAREST: usize = 8;
/// Rows that are compared with all centroids at a time: they stay in the nearest cache.
const PORTION: usize = 32;
/// In place of a list, for rows of zeros.
const NOWHERE: u16 = u16::MAX;

/// The two lists of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filed(u16, u16);

impl Filed {
    /// Bytes in a draft.
    pub(super) const BYTES: usize = 4;

    pub(super) fn lists(self) -> [Option<usize>; 2] {
        let list = |number: u16| (number != NOWHERE).then_some(usize::from(number));
        [list(self.0), list(self.1).filter(|_| self.1 != self.0)]
    }

    pub(super) fn bytes(self) -> [u8; Self::BYTES] {
        let ([a, b], [c, d]) = (self.0.to_le_bytes(), self.1.to_le_bytes());
        [a, b, c, d]
    }

    pub(super) fn of(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks_exact(Self::BYTES).map(|b| Self(u16::from_le_bytes([b[0], b[1]]), u16::from_le_bytes([b[2], b[3]]))).collect()
    }
}

/// How many lists so many rows get.
pub(super) fn list_count(rows: usize) -> usize {
    (((rows as f64).sqrt() * LISTS_PER_ROOT) as usize).clamp(1, MOST_LISTS)
}

/// Rows spread evenly over all that are not zeros.
pub(super) fn sample(rows: &Rows) -> Quantised {
    let full: Vec<u32> =
        (0..rows.len()).filter(|row| rows.row(*row).is_some_and(|(_, factor)| factor > 0.0)).map(|row| row as u32).collect();
    let wanted = (list_count(rows.len()) * SAMPLE_PER_LIST).min(full.len());
    let mut sample = Quantised { dim: rows.dim(), bytes: Vec::with_capacity(wanted * rows.dim()), factors: Vec::with_capacity(wanted) };
    for place in 0..wanted {
        if let Some((bytes, factor)) = rows.row(full[place * full.len() / wanted] as usize) {
            sample.bytes.extend_from_slice(bytes);
            sample.factors.push(factor);
        }
    }
    sample
}

/// The first centroids: rows of the sample, spread evenly.
pub(super) fn first_centroids(sample: &Quantised, lists: usize) -> Quantised {
    let mut centroids = Quantised { dim: sample.dim, ..Quantised::default() };
    for list in 0..lists.min(sample.rows()) {
        let (bytes, factor) = sample.row(list * sample.rows() / lists.min(sample.rows()));
        centroids.bytes.extend_from_slice(bytes);
        centroids.factors.push(factor);
    }
    centroids
}

/// One round: each centroid moves to the middle of the rows that are nearest to it. One that nothing is near to stays.
pub(super) fn improve(sample: &Quantised, centroids: &Quantised) -> Quantised {
    let dim = sample.dim;
    let nearest: Vec<u16> = sample
        .bytes
        .par_chunks(PORTION * dim)
        .zip(sample.factors.par_chunks(PORTION))
        .flat_map_iter(|(bytes, factors)| file(centroids, bytes, factors).into_iter().map(|filed| filed.0).collect::<Vec<_>>())
        .collect();
    let mut sums = vec![0f32; centroids.bytes.len()];
    for (row, list) in nearest.into_iter().enumerate() {
        let (bytes, factor) = sample.row(row);
        let Some(sum) = sums.get_mut(usize::from(list) * dim..(usize::from(list) + 1) * dim) else { continue };
        for (sum, byte) in sum.iter_mut().zip(bytes) {
            *sum += f32::from(*byte) * factor;
        }
    }
    let mut improved = Quantised { dim, ..Quantised::default() };
    for (list, sum) in sums.chunks_exact(dim).enumerate() {
        improved.push(sum);
        if improved.factors[list] == 0.0 {
            let (bytes, factor) = centroids.row(list);
            improved.bytes.truncate(list * dim);
            improved.bytes.extend_from_slice(bytes);
            improved.factors[list] = factor;
        }
    }
    improved
}

/// Files the rows of a block.
pub(super) fn file_block(rows: &Rows, centroids: &Quantised, block: usize) -> Vec<Filed> {
    let Some((bytes, factors)) = rows.block(block) else { return Vec::new() };
    let factors: Vec<f32> = factors.collect();
    debug_assert!(factors.len() <= ROWS_PER_BLOCK);
    let portions = bytes.par_chunks(PORTION * rows.dim()).zip(factors.par_chunks(PORTION));
    portions.flat_map_iter(|(bytes, factors)| file(centroids, bytes, factors)).collect()
}

/// Files a few rows.
fn file(centroids: &Quantised, bytes: &[i8], factors: &[f32]) -> Vec<Filed> {
    let mut out = Vec::new();
    products(&centroids.bytes, bytes, centroids.dim, &mut out);
    // The nearest centroids of each row, best first; ties by number.
    let mut nearest = vec![[(f32::NEG_INFINITY, NOWHERE); NEAREST]; factors.len()];
    for ((products, of_centroid), list) in out.chunks_exact(factors.len()).zip(&centroids.factors).zip(0u16..) {
        for (product, nearest) in products.iter().zip(&mut nearest) {
            let score = *product as f32 * of_centroid;
            if score > nearest[NEAREST - 1].0 {
                let place = nearest.partition_point(|(better, _)| *better >= score);
                nearest[place..].rotate_right(1);
                nearest[place] = (score, list);
            }
        }
    }
    nearest.iter().zip(factors).map(|(nearest, factor)| choose(centroids, nearest, *factor)).collect()
}

fn choose(centroids: &Quantised, nearest: &[(f32, u16); NEAREST], factor: f32) -> Filed {
    let (first, others) = (nearest[0], &nearest[1..]);
    if factor == 0.0 || first.1 == NOWHERE {
        return Filed(NOWHERE, NOWHERE);
    }
    let cosine = first.0 * factor;
    let left = (1.0 - cosine * cosine).max(1e-6);
    let (bytes, of_first) = centroids.row(usize::from(first.1));
    let mut best = (f32::INFINITY, first.1);
    for (score, list) in others.iter().filter(|(_, list)| *list != NOWHERE) {
        let (other, of_other) = centroids.row(usize::from(*list));
        let both = product(bytes, other) as f32 * of_first * of_other;
        let second = score * factor;
        let along = (left - second * (second - cosine * both)) / left.sqrt();
        let cost = 1.0 - second * second + LAMBDA * along * along;
        if cost < best.0 {
            best = (cost, *list);
        }
    }
    Filed(first.1, best.1)
}
