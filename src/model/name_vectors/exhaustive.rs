//! Exhaustive search: compares every row, in parallel.

use rayon::prelude::*;

use super::TOLERANCE;
use super::quantise::{Quantised, cosine, products};
use super::quantised_rows::{QuantisedRows, ROWS_PER_BLOCK};
use crate::model::Matrix;

/// Rows beyond the requested number that are compared without rounding, because rounding may have changed the order.
const SPARE: usize = 16;

/// The best rows so far: best first, ties by row number.
#[derive(Clone, Default)]
pub(super) struct TopRows {
    most: usize,
    found: Vec<(u32, f32)>,
}

impl TopRows {
    pub(super) fn new(count: usize) -> Self {
        Self { most: count, found: Vec::new() }
    }

    pub(super) fn offer(&mut self, row: u32, score: f32) {
        let after = |other: &(u32, f32)| other.1 > score || (other.1 == score && other.0 < row);
        if self.found.len() == self.most && self.found.last().is_none_or(after) {
            return;
        }
        let place = self.found.partition_point(after);
        self.found.insert(place, (row, score));
        self.found.truncate(self.most);
    }

    fn merge(mut self, other: Self) -> Self {
        for (row, score) in other.found {
            self.offer(row, score);
        }
        self
    }

    /// The score at this rank, if there is one.
    pub(super) fn at(&self, place: usize) -> Option<f32> {
        self.found.get(place).map(|(_, score)| *score)
    }

    pub(super) fn into_vec(self) -> Vec<(u32, f32)> {
        self.found
    }
}

/// Rescores candidates, which were found with a rounded query, with the exact query: best first, ties by row.
pub(super) fn rescore(
    rows: &QuantisedRows,
    unit: &[f32],
    candidates: impl IntoIterator<Item = u32>,
    count: usize,
    above: f64,
) -> Vec<(u32, f32)> {
    let mut best = TopRows::new(count);
    if super::zeros(unit) {
        return Vec::new();
    }
    for row in candidates {
        if let Some((bytes, factor)) = rows.row(row as usize).filter(|(_, factor)| *factor > 0.0) {
            let cosine = cosine(bytes, factor, unit);
            if f64::from(cosine) > above {
                best.offer(row, cosine);
            }
        }
    }
    best.into_vec()
}

/// The rows nearest to each query, by comparing all of them. Queries have length 1.
pub(super) fn nearest(rows: &QuantisedRows, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
    let rounded = Quantised::of(queries);
    let many = rounded.rows();
    let floor = above as f32 - TOLERANCE;
    let empty = || vec![TopRows::new(count.saturating_add(SPARE)); many];
    let best = (0..rows.blocks())
        .into_par_iter()
        .fold(
            || (empty(), Vec::new()),
            |(mut best, mut out), block| {
                let Some((bytes, factors)) = rows.block(block) else { return (best, out) };
                products(bytes, &rounded.bytes, rounded.dim, &mut out);
                for ((row, factor), products) in (block * ROWS_PER_BLOCK..).zip(factors).zip(out.chunks_exact(many)) {
                    if factor > 0.0 {
                        for ((product, of_query), best) in products.iter().zip(&rounded.factors).zip(&mut best) {
                            let score = *product as f32 * factor * of_query;
                            if score > floor {
                                best.offer(row as u32, score);
                            }
                        }
                    }
                }
                (best, out)
            },
        )
        .map(|(best, _)| best)
        .reduce(empty, |a, b| a.into_iter().zip(b).map(|(a, b)| a.merge(b)).collect());
    best.into_iter()
        .zip(0..)
        .map(|(best, query)| rescore(rows, queries.row(query), best.into_vec().into_iter().map(|(row, _)| row), count, above))
        .collect()
}

/// For each of the rows its best cosine with any query; 0 for rows of zeros and without queries.
pub(super) fn similarities(rows: &QuantisedRows, wanted: &[u32], queries: &Matrix) -> Vec<f32> {
    let rounded = Quantised::of(queries);
    let many = rounded.rows();
    if many == 0 {
        return vec![0.0; wanted.len()];
    }
    wanted
        .par_chunks(512)
        .flat_map_iter(|wanted| {
            let mut bytes = Vec::with_capacity(wanted.len() * rounded.dim);
            let mut factors = Vec::with_capacity(wanted.len());
            for row in wanted {
                match rows.row(*row as usize) {
                    Some((row, factor)) => {
                        bytes.extend_from_slice(row);
                        factors.push(factor);
                    }
                    None => {
                        bytes.resize(bytes.len() + rounded.dim, 0);
                        factors.push(0.0);
                    }
                }
            }
            let mut out = Vec::new();
            products(&bytes, &rounded.bytes, rounded.dim, &mut out);
            let best = |products: &[i32]| {
                let scores = products.iter().zip(&rounded.factors).map(|(product, factor)| *product as f32 * factor);
                scores.fold(f32::NEG_INFINITY, f32::max)
            };
            let best: Vec<f32> = out.chunks_exact(many).zip(factors).map(|(products, factor)| best(products) * factor).collect();
            best
        })
        .collect()
}
