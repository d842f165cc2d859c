//! Attention over cached keys and values, one query position at a time.

use crate::model::infer::maths::{fma, soft_cap, softmax};

/// Positions by which the cache grows.
const STEP: usize = 256;
/// Positions whose keys are interleaved, so that 16 scores are computed at once.
const SIDE: usize = 16;

/// Keys and values of one head in one layer.
#[derive(Debug, Default)]
pub(super) struct HeadCache {
    /// `[positions / 16][head_dim][16]`
    keys: Vec<f32>,
    /// `[positions][head_dim]`
    values: Vec<f32>,
}

impl HeadCache {
    /// Allocates memory for this many positions.
    pub(super) fn grow(&mut self, positions: usize, dim: usize) {
        let needed = positions.next_multiple_of(SIDE) * dim;
        if self.keys.len() < needed {
            let step = positions.next_multiple_of(STEP) * dim;
            for room in [&mut self.keys, &mut self.values] {
                room.reserve_exact(step.saturating_sub(room.len()));
                room.resize(step, 0.0);
            }
        }
    }

    /// Stores the key and the value of a position.
    pub(super) fn keep(&mut self, position: usize, key: &[f32], value: &[f32]) {
        let dim = key.len();
        let tile = &mut self.keys[position / SIDE * SIDE * dim..][..SIDE * dim];
        for (side, key) in tile.chunks_exact_mut(SIDE).zip(key) {
            side[position % SIDE] = *key;
        }
        self.values[position * dim..][..dim].copy_from_slice(value);
    }
}

/// The positions that a query sees, and the scaling of its scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionSpan {
    /// The first position seen.
    pub(super) from: usize,
    /// The query's own position, the last that is seen.
    pub(super) at: usize,
    pub(super) scale: f32,
    pub(super) cap: Option<f32>,
}

/// Query heads computed together: they share each read of keys and values.
const TOGETHER: usize = 4;

/// The attention outputs of query heads (`dim` components each, one after another) that share keys and values.
pub(super) fn attend(head: &HeadCache, queries: &[f32], dim: usize, span: AttentionSpan, scores: &mut Vec<f32>, output: &mut [f32]) {
    let parts = queries.chunks(TOGETHER * dim).zip(output.chunks_mut(TOGETHER * dim));
    for (queries, output) in parts {
        match queries.len() / dim {
            4 => attend_together::<4>(head, queries, dim, span, scores, output),
            3 => attend_together::<3>(head, queries, dim, span, scores, output),
            2 => attend_together::<2>(head, queries, dim, span, scores, output),
            _ => attend_together::<1>(head, queries, dim, span, scores, output),
        }
    }
}

fn attend_together<const H: usize>(
    head: &HeadCache,
    queries: &[f32],
    dim: usize,
    span: AttentionSpan,
    scores: &mut Vec<f32>,
    output: &mut [f32],
) {
    let first = span.from / SIDE * SIDE;
    let count = span.at + 1 - first;
    let width = count.next_multiple_of(SIDE);
    scores.resize(H * width, 0.0);
    let queries: [&[f32]; H] = std::array::from_fn(|h| &queries[h * dim..(h + 1) * dim]);
    let tiles = head.keys[first * dim..].chunks_exact(SIDE * dim);
    for (number, tile) in tiles.take(width / SIDE).enumerate() {
        // Plain indices and whole arrays, so that the sums stay in registers.
        let mut sums = [[0f32; SIDE]; H];
        for (d, side) in tile.as_chunks::<SIDE>().0.iter().enumerate().take(dim) {
            for h in 0..H {
                let query = queries[h][d];
                for i in 0..SIDE {
                    sums[h][i] = fma(side[i], query, sums[h][i]);
                }
            }
        }
        for (h, sums) in sums.iter().enumerate() {
            let at = h * width + number * SIDE;
            for (score, sum) in scores[at..at + SIDE].iter_mut().zip(sums) {
                *score = sum * span.scale;
            }
        }
    }
    for scores in scores.chunks_exact_mut(width) {
        let seen = &mut scores[span.from - first..count];
        if let Some(most) = span.cap {
            soft_cap(seen, most);
        }
        softmax(seen);
    }
    let seen = |h: usize| &scores[h * width + span.from - first..h * width + count];
    weigh::<H>(&head.values[span.from * dim..(span.at + 1) * dim], dim, std::array::from_fn(seen), output);
}

/// For each head the sum of the rows of `values`, each times its weight.
fn weigh<const H: usize>(values: &[f32], dim: usize, weights: [&[f32]; H], output: &mut [f32]) {
    let whole = dim / SIDE * SIDE;
    for from in (0..whole).step_by(SIDE) {
        let mut sums = [[0f32; SIDE]; H];
        for (p, row) in values.chunks_exact(dim).enumerate() {
            let Some(row) = row[from..].first_chunk::<SIDE>() else { continue };
            for h in 0..H {
                let weight = weights[h][p];
                for i in 0..SIDE {
                    sums[h][i] = fma(weight, row[i], sums[h][i]);
                }
            }
        }
        for (h, sums) in sums.iter().enumerate() {
            output[h * dim + from..h * dim + from + SIDE].copy_from_slice(sums);
        }
    }
    for d in whole..dim {
        for (h, weights) in weights.iter().enumerate() {
            let products = weights.iter().zip(values[d..].iter().step_by(dim)).map(|(weight, value)| weight * value);
            output[h * dim + d] = products.sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::maths::dot_fma;

    fn by_definition(keys: &[Vec<f32>], values: &[Vec<f32>], query: &[f32], span: AttentionSpan) -> Vec<f32> {
        let mut scores: Vec<f32> = (span.from..=span.at).map(|p| dot_fma(&keys[p], query) * span.scale).collect();
        softmax(&mut scores);
        let mut output = vec![0f32; query.len()];
        for (score, value) in scores.iter().zip(&values[span.from..]) {
            output.iter_mut().zip(value).for_each(|(o, v)| *o += score * v);
        }
        output
    }

    #[test]
    fn answers_are_weighted_values() {
        for dim in [8, 6, 80] {
            let vector = |seed: usize| -> Vec<f32> { (0..dim).map(|i| ((seed * 31 + i * 7) as f32 * 0.3).sin()).collect() };
            let mut head = HeadCache::default();
            let (mut keys, mut values, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            for at in 0..300 {
                keys.push(vector(at));
                values.push(vector(at + 1000));
                head.grow(at + 1, dim);
                head.keep(at, &keys[at], &values[at]);
                for from in [0, at.saturating_sub(5), at / 2] {
                    let span = AttentionSpan { from, at, scale: 0.5, cap: None };
                    let queries: Vec<f32> = (0..7).flat_map(|i| vector(at + i)).collect();
                    let mut output = vec![0f32; 7 * dim];
                    attend(&head, &queries, dim, span, &mut scores, &mut output);
                    for (query, got) in queries.chunks(dim).zip(output.chunks(dim)) {
                        let want = by_definition(&keys, &values, query, span);
                        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-5), "{dim} {from} {at}");
                    }
                }
            }
        }
    }
}
