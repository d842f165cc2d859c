//! Attention over remembered keys and values, one query position at a time.

use super::arithmetic::{cap, fma, softmax};

/// Positions by which the memory grows.
const STEP: usize = 256;
/// Positions whose keys stand side by side, so that 16 scores are computed at once.
const SIDE: usize = 16;

/// Keys and values of one head in one layer.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// `[positions / 16][head_dim][16]`
    keys: Vec<f32>,
    /// `[positions][head_dim]`
    values: Vec<f32>,
}

impl Head {
    /// Makes room for so many positions.
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

    /// Remembers the key and the value of a position.
    pub(super) fn keep(&mut self, position: usize, key: &[f32], value: &[f32]) {
        let dim = key.len();
        let tile = &mut self.keys[position / SIDE * SIDE * dim..][..SIDE * dim];
        for (side, key) in tile.chunks_exact_mut(SIDE).zip(key) {
            side[position % SIDE] = *key;
        }
        self.values[position * dim..][..dim].copy_from_slice(value);
    }
}

/// What a query may see and how its scores are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// The first position seen.
    pub(super) from: usize,
    /// The query's own position, the last that is seen.
    pub(super) at: usize,
    pub(super) scale: f32,
    pub(super) cap: Option<f32>,
}

/// Answers of some query heads (`dim` components each, one after another) that share keys and values.
pub(super) fn attend(head: &Head, queries: &[f32], dim: usize, view: View, scores: &mut Vec<f32>, output: &mut [f32]) {
    let first = view.from / SIDE * SIDE;
    let count = view.at + 1 - first;
    scores.resize(count.next_multiple_of(SIDE), 0.0);
    for (query, output) in queries.chunks_exact(dim).zip(output.chunks_exact_mut(dim)) {
        let tiles = head.keys[first * dim..].chunks_exact(SIDE * dim);
        for (tile, scores) in tiles.zip(scores.chunks_exact_mut(SIDE)) {
            let mut sums = [[0f32; SIDE]; 4];
            for (sides, query) in tile.chunks_exact(SIDE * 4).zip(query.chunks_exact(4)) {
                for ((side, sums), query) in sides.chunks_exact(SIDE).zip(&mut sums).zip(query) {
                    for i in 0..SIDE {
                        sums[i] = fma(side[i], *query, sums[i]);
                    }
                }
            }
            for (side, query) in tile.chunks_exact(SIDE).zip(query).skip(dim / 4 * 4) {
                for i in 0..SIDE {
                    sums[0][i] = fma(side[i], *query, sums[0][i]);
                }
            }
            for i in 0..SIDE {
                scores[i] = (sums[0][i] + sums[1][i] + sums[2][i] + sums[3][i]) * view.scale;
            }
        }
        let seen = &mut scores[view.from - first..count];
        if let Some(most) = view.cap {
            cap(seen, most);
        }
        softmax(seen);
        weigh(&head.values[view.from * dim..(view.at + 1) * dim], seen, output);
    }
}

/// The sum of `values` rows, each times its weight.
fn weigh(values: &[f32], weights: &[f32], output: &mut [f32]) {
    let dim = output.len();
    output.fill(0.0);
    let (fours, rest) = weights.as_chunks::<4>();
    for (weights, rows) in fours.iter().zip(values.chunks_exact(4 * dim)) {
        let (a, others) = rows.split_at(dim);
        let (b, others) = others.split_at(dim);
        let (c, d) = others.split_at(dim);
        for i in 0..dim {
            let sum = fma(weights[0], a[i], fma(weights[1], b[i], output[i]));
            output[i] = fma(weights[2], c[i], fma(weights[3], d[i], sum));
        }
    }
    for (weight, row) in rest.iter().zip(values[fours.len() * 4 * dim..].chunks_exact(dim)) {
        for (output, value) in output.iter_mut().zip(row) {
            *output = fma(*weight, *value, *output);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::dot;
    use super::*;

    fn by_definition(keys: &[Vec<f32>], values: &[Vec<f32>], query: &[f32], view: View) -> Vec<f32> {
        let mut scores: Vec<f32> = (view.from..=view.at).map(|p| dot(&keys[p], query) * view.scale).collect();
        softmax(&mut scores);
        let mut output = vec![0f32; query.len()];
        for (score, value) in scores.iter().zip(&values[view.from..]) {
            output.iter_mut().zip(value).for_each(|(o, v)| *o += score * v);
        }
        output
    }

    #[test]
    fn answers_are_weighted_values() {
        for dim in [8, 6, 80] {
            let vector = |seed: usize| -> Vec<f32> { (0..dim).map(|i| ((seed * 31 + i * 7) as f32 * 0.3).sin()).collect() };
            let mut head = Head::default();
            let (mut keys, mut values, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            for at in 0..300 {
                keys.push(vector(at));
                values.push(vector(at + 1000));
                head.grow(at + 1, dim);
                head.keep(at, &keys[at], &values[at]);
                for from in [0, at.saturating_sub(5), at / 2] {
                    let view = View { from, at, scale: 0.5, cap: None };
                    let queries: Vec<f32> = [vector(at + 7), vector(at + 9)].concat();
                    let mut output = vec![0f32; 2 * dim];
                    attend(&head, &queries, dim, view, &mut scores, &mut output);
                    for (query, got) in queries.chunks(dim).zip(output.chunks(dim)) {
                        let want = by_definition(&keys, &values, query, view);
                        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-5), "{dim} {from} {at}");
                    }
                }
            }
        }
    }
}
