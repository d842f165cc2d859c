//! Unit vectors as bytes, and their dot products. A component becomes an integer from −127 to 127; a factor for each row makes
//! its length 1, so that a cosine is `factor · Σ qᵢ · yᵢ`.
//!
//! Rounding moves a cosine by about `√dim / 2.5` ten-thousandths (one standard deviation 0.0007 at 256 components);
//! tests hold the difference below [`super::TOLERANCE`].

use pulp::Arch;

use crate::model::Matrix;

/// The largest quantised value.
const LARGEST: f32 = 127.0;

/// Rows of bytes, one after another, and for each the factor that scales it to length 1. A row of zeros has the factor 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Quantised {
    pub(super) dim: usize,
    pub(super) bytes: Vec<i8>,
    pub(super) factors: Vec<f32>,
}

impl Quantised {
    /// Quantises every row of a matrix. Rows that are not finite become rows of zeros.
    pub(super) fn of(matrix: &Matrix) -> Self {
        let (dim, rows) = (matrix.dim(), matrix.rows());
        let mut quantised = Self { dim, bytes: Vec::with_capacity(rows * dim), factors: Vec::with_capacity(rows) };
        for row in 0..rows {
            quantised.push(matrix.row(row));
        }
        quantised
    }

    /// Appends a row, which need not have length 1.
    pub(super) fn push(&mut self, row: &[f32]) {
        let largest = row.iter().fold(0f32, |most, x| most.max(x.abs()));
        if !(largest > 0.0 && largest.is_finite() && row.iter().all(|x| x.is_finite())) {
            self.bytes.resize(self.bytes.len() + row.len(), 0);
            self.factors.push(0.0);
            return;
        }
        let begin = self.bytes.len();
        // Within −127 to 127 by construction; `as` would saturate anyway.
        self.bytes.extend(row.iter().map(|x| (x / largest * LARGEST).round() as i8));
        self.factors.push(factor_of(&self.bytes[begin..]));
    }

    pub(super) fn rows(&self) -> usize {
        self.factors.len()
    }

    pub(super) fn row(&self, row: usize) -> (&[i8], f32) {
        (&self.bytes[row * self.dim..(row + 1) * self.dim], self.factors[row])
    }
}

/// The factor that scales a row of bytes to length 1; 0 for a row of zeros.
pub(super) fn factor_of(bytes: &[i8]) -> f32 {
    let squares = product(bytes, bytes);
    if squares == 0 { 0.0 } else { 1.0 / (squares as f32).sqrt() }
}

/// Sum of products. Exact: at most `MOST_COMPONENTS` · 127² is well within 32 bits.
#[inline(always)]
pub(super) fn product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
}

/// Dot products of each row with each query, row by row, with the widest vector instructions of this processor.
pub(super) fn products(rows: &[i8], queries: &[i8], dim: usize, out: &mut Vec<i32>) {
    out.clear();
    add_products(rows, &wide(queries), dim, out);
}

/// Components for [`add_products`]. Widened once, not once a row: a quarter of the time.
pub(super) fn wide(queries: &[i8]) -> Vec<i16> {
    queries.iter().map(|x| i16::from(*x)).collect()
}

/// Dot products of each row with each query, row by row, appended to `out`.
pub(super) fn add_products(rows: &[i8], queries: &[i16], dim: usize, out: &mut Vec<i32>) {
    let many = queries.len().checked_div(dim).unwrap_or(0);
    if many == 0 {
        return;
    }
    let begin = out.len();
    out.resize(begin + rows.len() / dim * many, 0);
    let out = &mut out[begin..];
    // Plain loops, since only what is inlined here gets this processor's instructions; that relies on the release profile's
    // optimisation across crates (4 times slower without).
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (row, out) in rows.chunks_exact(dim).zip(out.chunks_exact_mut(many)) {
                for (query, out) in queries.chunks_exact(dim).zip(out) {
                    let mut sum = 0;
                    for (x, y) in row.iter().zip(query) {
                        sum += i32::from(i16::from(*x)) * i32::from(*y);
                    }
                    *out = sum;
                }
            }
        },
    );
}

/// The cosine of a row of bytes with an exact vector of length 1.
pub(super) fn cosine(bytes: &[i8], factor: f32, unit: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    for (bytes, unit) in bytes.chunks(8).zip(unit.chunks(8)) {
        for (sum, (byte, component)) in sums.iter_mut().zip(bytes.iter().zip(unit)) {
            *sum += f32::from(*byte) * component;
        }
    }
    sums.iter().sum::<f32>() * factor
}

/// The bytes of a file as signed components, without copying.
pub(super) fn signed(bytes: &[u8]) -> &[i8] {
    bytemuck::cast_slice(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::dot;

    fn rows(count: usize, dim: usize) -> Matrix {
        let mut state = 7u64;
        let data = (0..count * dim)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
            })
            .collect();
        Matrix::new(dim, data).normalised()
    }

    #[test]
    fn a_cosine_of_bytes_is_within_the_tolerance() {
        for dim in [64, 256, 300, 1024] {
            let matrix = rows(20, dim);
            let quantised = Quantised::of(&matrix);
            for a in 0..20 {
                for b in 0..20 {
                    let exact = dot(matrix.row(a), matrix.row(b));
                    let (bytes, factor) = quantised.row(a);
                    assert!((cosine(bytes, factor, matrix.row(b)) - exact).abs() < crate::model::name_vectors::TOLERANCE, "{dim}");
                    let (other, other_factor) = quantised.row(b);
                    let both = product(bytes, other) as f32 * factor * other_factor;
                    assert!((both - exact).abs() < crate::model::name_vectors::TOLERANCE, "{dim}");
                }
            }
        }
    }

    #[test]
    fn products_are_those_of_whole_numbers() {
        let quantised = Quantised::of(&rows(9, 21));
        let mut out = Vec::new();
        products(&quantised.bytes, &quantised.bytes[..42], 21, &mut out);
        let plain = |a: usize, b: usize| (0..21).map(|i| i32::from(quantised.row(a).0[i]) * i32::from(quantised.row(b).0[i])).sum::<i32>();
        assert_eq!(out, (0..9).flat_map(|a| [plain(a, 0), plain(a, 1)]).collect::<Vec<_>>());
    }

    #[test]
    fn rows_that_say_nothing_become_zeros() {
        let quantised = Quantised::of(&Matrix::new(2, vec![0.0, 0.0, f32::NAN, 1.0, f32::INFINITY, 1.0, 0.0, -2.0]));
        assert_eq!(quantised.factors, [0.0, 0.0, 0.0, 1.0 / 127.0]);
        assert_eq!(quantised.bytes, [0, 0, 0, 0, 0, 0, 0, -127]);
    }
}
