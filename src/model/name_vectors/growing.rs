//! Vectors of the names of learned entities, which are added one by one. Rows never change, and copies share them.

use std::sync::Arc;

use rayon::prelude::*;

use super::exhaustive::TopRows;
use super::quantise::{Quantised, cosine, products};
use super::rotate::rotated;
use crate::model::Matrix;

/// Rows of a chunk that copies share.
const PORTION: usize = 512;

/// Unit vectors as rotated bytes, row by row, each within [`super::TOLERANCE`] of its cosines. Cheap to copy.
#[derive(Debug, Clone, Default)]
pub struct GrowingVectors {
    portions: Vec<Arc<Quantised>>,
}

impl GrowingVectors {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.portions.last().map_or(0, |last| (self.portions.len() - 1) * PORTION + last.rows())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.portions.is_empty()
    }

    /// Appends rows (of length 1, or zeros).
    pub fn push(&mut self, vectors: &Matrix) {
        let vectors = rotated(vectors);
        for row in 0..vectors.rows() {
            if self.portions.last().is_none_or(|last| last.rows() == PORTION) {
                self.portions.push(Arc::new(Quantised { dim: vectors.dim(), ..Quantised::default() }));
            }
            if let Some(last) = self.portions.last_mut() {
                Arc::make_mut(last).push(vectors.row(row));
            }
        }
    }

    /// For each query (of length 1) at most `count` rows whose cosine with it is greater than `above`: best first, ties by row.
    pub fn nearest(&self, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
        let queries = rotated(queries);
        let of_query = |query: usize| {
            let unit = queries.row(query);
            let mut best = TopRows::new(count);
            if super::zeros(unit) {
                return Vec::new();
            }
            for (portion, at) in self.portions.iter().zip((0u32..).step_by(PORTION)) {
                for row in 0..portion.rows() {
                    let (bytes, factor) = portion.row(row);
                    let near = cosine(bytes, factor, unit);
                    if f64::from(near) > above {
                        best.offer(at + row as u32, near);
                    }
                }
            }
            best.into_vec()
        };
        (0..queries.rows()).into_par_iter().map(of_query).collect()
    }

    /// For each of the rows its best cosine with any query; 0 for rows that do not exist and without queries.
    pub fn similarities(&self, rows: &[u32], queries: &Matrix) -> Vec<f32> {
        let rounded = Quantised::of(&rotated(queries));
        if rounded.rows() == 0 {
            return vec![0.0; rows.len()];
        }
        let mut out = Vec::new();
        let best = |row: &u32| {
            let (portion, row) = (*row as usize / PORTION, *row as usize % PORTION);
            let Some(portion) = self.portions.get(portion).filter(|portion| row < portion.rows()) else { return 0.0 };
            let (bytes, factor) = portion.row(row);
            products(bytes, &rounded.bytes, rounded.dim, &mut out);
            let scores = out.iter().zip(&rounded.factors).map(|(product, of_query)| *product as f32 * factor * of_query);
            scores.fold(f32::NEG_INFINITY, f32::max)
        };
        rows.iter().map(best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::dot;
    use crate::model::name_vectors::TOLERANCE;
    use crate::text::SplitMix64;

    fn rows(from: u64, count: u64) -> Matrix {
        let component = |at: u64| (SplitMix64::at(at) % 2001) as f32 / 1000.0 - 1.0;
        Matrix::new(64, (from * 64..(from + count) * 64).map(component).collect()).normalised()
    }

    #[test]
    fn rows_added_one_by_one_are_found_like_all_at_once() {
        let all = rows(0, 1200);
        let (mut grown, mut at_once) = (GrowingVectors::default(), GrowingVectors::default());
        at_once.push(&all);
        for row in 0..1200 {
            let before = grown.clone();
            grown.push(&rows(row, 1));
            assert_eq!((before.len(), grown.len()), (row as usize, row as usize + 1), "a copy stays what it was");
        }
        let queries = rows(5, 3);
        let near = grown.nearest(&queries, 4, 0.1);
        assert_eq!(near, at_once.nearest(&queries, 4, 0.1));
        for (query, found) in near.iter().enumerate() {
            assert_eq!(found[0].0 as usize, query + 5);
            for (row, cosine) in found {
                assert!((cosine - dot(all.row(*row as usize), queries.row(query))).abs() < TOLERANCE);
            }
        }
        let best = grown.similarities(&[6, 5000, 700], &queries);
        assert!((best[0] - 1.0).abs() < TOLERANCE);
        assert_eq!(best[1].to_bits(), 0f32.to_bits());
        let expected = (0..3).map(|query| dot(all.row(700), queries.row(query))).fold(f32::MIN, f32::max);
        assert!((best[2] - expected).abs() < TOLERANCE);
        assert!(grown.nearest(&Matrix::new(64, vec![0.0; 64]), 3, -1.0)[0].is_empty());
    }
}
