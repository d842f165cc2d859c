//! A fixed rotation of vectors before they are quantised. It keeps cosines and evens out the components.
//!
//! A row of bytes is as fine as its largest component allows. Components of text encoders differ widely: the largest of the built-in
//! one's is seven times their root mean square, after a rotation three times, which halves what rounding does to a cosine.

use std::ops::{Add, Sub};

use crate::model::Matrix;
use crate::text::SplitMix64;

/// The rows after the rotation, which keeps lengths and cosines but for the rounding of `f32`. The same on every machine.
pub(super) fn rotated(matrix: &Matrix) -> Matrix {
    let dim = matrix.dim();
    let mut data = matrix.data().to_vec();
    if dim > 0 {
        let rotation = Rotation::new(dim);
        data.chunks_exact_mut(dim).for_each(|row| rotation.apply(row));
    }
    Matrix::new(dim, data)
}

/// Random signs, then a Hadamard transform, several times: close to a random rotation (Ailon & Chazelle, "The fast
/// Johnson–Lindenstrauss transform and approximate nearest neighbors", 2009). Where the number of components is no power of two, the transform is that of
/// the first and of the last components by turns, as many as the largest power of two below it.
struct Rotation {
    width: usize,
    scale: f32,
    /// For each round a sign for each component.
    signs: Vec<Vec<f32>>,
}

impl Rotation {
    fn new(dim: usize) -> Self {
        let width = (dim / 2 + 1).next_power_of_two();
        let rounds: u64 = if width == dim { 2 } else { 4 };
        let sign = |round: u64, place: u64| if bit(round, place) { -1.0 } else { 1.0 };
        let signs = (0..rounds).map(|round| (0..dim as u64).map(|place| sign(round, place)).collect()).collect();
        Self { width, scale: 1.0 / (width as f32).sqrt(), signs }
    }

    fn apply(&self, row: &mut [f32]) {
        for (round, signs) in self.signs.iter().enumerate() {
            for (value, sign) in row.iter_mut().zip(signs) {
                *value *= sign;
            }
            let begin = if round % 2 == 0 { 0 } else { row.len() - self.width };
            let part = &mut row[begin..begin + self.width];
            hadamard(part);
            part.iter_mut().for_each(|value| *value *= self.scale);
        }
    }
}

/// The Hadamard transform without scaling, of as many values as a power of two.
pub(super) fn hadamard<T: Copy + Add<Output = T> + Sub<Output = T>>(values: &mut [T]) {
    let mut width = 1;
    while width < values.len() {
        for block in values.chunks_exact_mut(2 * width) {
            let (left, right) = block.split_at_mut(width);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        width *= 2;
    }
}

/// Whether the sign of a component changes in a round. The format of the files fixes these bits for good.
pub(super) fn bit(round: u64, place: u64) -> bool {
    (SplitMix64::at((round << 32) | (place / 64)) >> (place % 64)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::dot;

    /// Two rows of which a single component stands out.
    fn uneven(dim: usize) -> Matrix {
        let small = |place: usize| (SplitMix64::at(place as u64) % 200) as f32 / 100.0 - 1.0;
        let row = |first: usize| (0..dim).map(move |place| if place == first { 12.0 } else { small(place * 7 + first) });
        Matrix::new(dim, row(0).chain(row(dim / 3)).collect()).normalised()
    }

    /// Files written by earlier versions were rotated with these.
    #[test]
    fn the_signs_of_the_rotation_never_change() {
        let word = |round: u64, block: u64| (0..64).fold(0u64, |word, at| word | u64::from(bit(round, block * 64 + at)) << at);
        let words = [word(0, 0), word(0, 1), word(1, 0), word(2, 3)];
        assert_eq!(words, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x4609_3cf9_861e_c2e4, 0x6acd_d61c_53c7_6ecb]);
    }

    #[test]
    fn lengths_and_cosines_stay_what_they_are() {
        for dim in [1, 2, 3, 64, 100, 256, 300, 384, 768, 1024] {
            let (before, after) = (uneven(dim), rotated(&uneven(dim)));
            for (a, b) in [(0, 0), (0, 1), (1, 1)] {
                let (was, is) = (dot(before.row(a), before.row(b)), dot(after.row(a), after.row(b)));
                assert!((was - is).abs() < 1e-5, "{dim}: {was} {is}");
            }
        }
        assert_eq!(rotated(&Matrix::new(3, vec![0.0; 6])), Matrix::new(3, vec![0.0; 6]));
        assert_eq!(rotated(&Matrix::default()), Matrix::default());
    }

    #[test]
    fn no_component_stands_out() {
        for dim in [100, 256, 300, 384, 768] {
            let largest = |matrix: &Matrix| matrix.row(0).iter().fold(0f32, |most, x| most.max(x.abs())) * (dim as f32).sqrt();
            assert!(largest(&uneven(dim)) > 6.0, "{dim}");
            assert!(largest(&rotated(&uneven(dim))) < 4.0, "{dim}: {}", largest(&rotated(&uneven(dim))));
        }
    }

    #[test]
    fn the_rotation_never_changes() {
        // Files hold rotated vectors: another rotation would be another format.
        let hash = |dim: usize| {
            let bytes: Vec<u8> = rotated(&uneven(dim)).data().iter().flat_map(|x| x.to_le_bytes()).collect();
            xxhash_rust::xxh3::xxh3_64(&bytes)
        };
        assert_eq!([hash(256), hash(300)], [0x61b9_9b02_1b0d_5dfe, 0x630f_10f4_f664_34ed]);
    }
}
