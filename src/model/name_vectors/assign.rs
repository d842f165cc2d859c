//! Assigns each row to two inverted lists.
//!
//! The first is the list of the nearest centroid. The second is chosen so that its residual is as orthogonal as possible to that of the first: with a residual `r = x − ⟨x,c₁⟩c₁`, the centroid that makes
//! `|x − ⟨x,c⟩c|² + λ ⟨x − ⟨x,c⟩c, r/|r|⟩²` least among the nearest few (SOAR: Sun et al., "SOAR: Improved indexing for
//! approximate nearest neighbor search", NeurIPS 2023, λ = 1). A name of two rare words can thus be found by either word.

use rayon::prelude::*;

use super::centroids::{Centroids, PORTION};
use super::quantise::{product, products};
use super::quantised_rows::QuantisedRows;

/// Weight of the parallel part of the second residual (λ).
const LAMBDA: f32 = 1.0;
/// The number of nearest groups whose lists are considered. A search considers at least as many, so that it always reaches the lists of a name
/// with the same spelling.
pub(super) const NEAREST_GROUPS: usize = 12;
/// The number of nearest lists from which the second one is chosen.
const NEAREST_LISTS: usize = 8;
/// In place of a list number, for rows of zeros.
const UNASSIGNED: u16 = u16::MAX;

/// The two lists of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListAssignment(u16, u16);

impl ListAssignment {
    /// Bytes in a partial file.
    pub(super) const BYTES: usize = 4;

    pub(super) fn lists(self) -> [Option<usize>; 2] {
        let list = |number: u16| (number != UNASSIGNED).then_some(usize::from(number));
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

/// The best scores so far with their numbers, best first; ties by number.
struct TopScores<const MOST: usize>([(f32, usize); MOST]);

impl<const MOST: usize> TopScores<MOST> {
    fn new() -> Self {
        Self([(f32::NEG_INFINITY, usize::MAX); MOST])
    }

    fn offer(&mut self, score: f32, number: usize) {
        if score > self.0[MOST - 1].0 {
            let place = self.0.partition_point(|(better, _)| *better >= score);
            self.0[place..].rotate_right(1);
            self.0[place] = (score, number);
        }
    }

    fn found(&self) -> impl Iterator<Item = (f32, usize)> {
        self.0.iter().copied().filter(|(_, number)| *number != usize::MAX)
    }
}

/// Assigns the rows of a block.
pub(super) fn assign_block(rows: &QuantisedRows, centroids: &Centroids, block: usize) -> Vec<ListAssignment> {
    let Some((bytes, factors)) = rows.block(block) else { return Vec::new() };
    let factors: Vec<f32> = factors.collect();
    let portions = bytes.par_chunks(PORTION * rows.dim()).zip(factors.par_chunks(PORTION));
    portions.flat_map_iter(|(bytes, factors)| assign(centroids, bytes, factors)).collect()
}

/// Assigns a few rows.
fn assign(centroids: &Centroids, bytes: &[i8], factors: &[f32]) -> Vec<ListAssignment> {
    let dim = centroids.groups.dim;
    let mut out = Vec::new();
    products(&centroids.groups.bytes, bytes, dim, &mut out);
    let mut groups: Vec<TopScores<NEAREST_GROUPS>> = factors.iter().map(|_| TopScores::new()).collect();
    for ((products, of_group), group) in out.chunks_exact(factors.len()).zip(&centroids.groups.factors).zip(0..) {
        for (product, groups) in products.iter().zip(&mut groups) {
            groups.offer(*product as f32 * of_group, group);
        }
    }
    let mut filed = Vec::with_capacity(factors.len());
    for ((row, factor), groups) in bytes.chunks_exact(dim).zip(factors).zip(groups) {
        let mut nearest: TopScores<NEAREST_LISTS> = TopScores::new();
        for (_, group) in groups.found() {
            let lists = centroids.lists_of(group);
            products(&centroids.lists.bytes[lists.start * dim..lists.end * dim], row, dim, &mut out);
            for (product, list) in out.iter().zip(lists) {
                nearest.offer(*product as f32 * centroids.lists.factors[list], list);
            }
        }
        filed.push(choose(centroids, row, *factor, &nearest));
    }
    filed
}

fn choose(centroids: &Centroids, row: &[i8], factor: f32, nearest: &TopScores<NEAREST_LISTS>) -> ListAssignment {
    let mut found = nearest.found();
    let Some((score, first)) = found.next().filter(|_| factor > 0.0 && !row.is_empty()) else {
        return ListAssignment(UNASSIGNED, UNASSIGNED);
    };
    let cosine = score * factor;
    let left = (1.0 - cosine * cosine).max(1e-6);
    let (bytes, of_first) = centroids.lists.row(first);
    let mut best = (f32::INFINITY, first);
    for (score, list) in found {
        let (other, of_other) = centroids.lists.row(list);
        let both = product(bytes, other) as f32 * of_first * of_other;
        let second = score * factor;
        let along = (left - second * (second - cosine * both)) / left.sqrt();
        let cost = 1.0 - second * second + LAMBDA * along * along;
        if cost < best.0 {
            best = (cost, list);
        }
    }
    let number = |list: usize| u16::try_from(list).unwrap_or(UNASSIGNED);
    ListAssignment(number(first), number(best.1))
}
