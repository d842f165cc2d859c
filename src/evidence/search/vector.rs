//! Cosines of vectors with stored ones, which are rounded to 8 bits.

use rayon::prelude::*;

use crate::evidence::collection::Collection;
use crate::evidence::layers::Layer;
use crate::model::Matrix;
pub(super) use crate::model::dot;

/// Sums side by side, which the compiler turns into vector instructions.
const LANES: usize = 16;
/// Rows that one core takes at a time.
const BLOCK: usize = 4096;

/// The cosine of a unit vector with every row.
pub(super) fn cosines(vector: &[f32], scales: &[f32], rows: &[i8]) -> Vec<f32> {
    if vector.is_empty() {
        return vec![0.0; scales.len()];
    }
    let rows = rows.par_chunks_exact(vector.len()).with_min_len(BLOCK);
    rows.zip(scales).map(|(row, scale)| cosine(vector, *scale, row)).collect()
}

/// The cosine of a unit vector with every unit of a collection.
pub(super) fn of_units(collection: &Collection, vector: &[f32]) -> Vec<f32> {
    let of = |layer: &Layer| {
        let (scales, rows) = layer.unit_vectors();
        cosines(vector, scales, rows)
    };
    let of_base = of(&collection.base);
    match collection.added.as_deref() {
        Some(added) => added.units.merged(&of_base, &of(&added.layer)),
        None => of_base,
    }
}

/// For each unit vector, the entities of a collection whose names resemble it; as [`resembling`].
pub(super) fn entities_like(collection: &Collection, vectors: &Matrix, least: f32, most: usize) -> Vec<Vec<(u32, f32)>> {
    let Some(added) = collection.added.as_deref() else { return resembling(vectors, collection.base.entity_vectors(), least, most) };
    // Those that are gone take no place.
    let of_base = resembling(vectors, collection.base.entity_vectors(), least, most.saturating_add(added.entities.removed().len()));
    let of_added = resembling(vectors, added.layer.entity_vectors(), least, added.layer.meta.entities);
    let joined = |base: Vec<(u32, f32)>, own: Vec<(u32, f32)>| {
        let left = base.into_iter().filter_map(|(row, cosine)| Some((added.entities.of_base(row)?, cosine)));
        let own = own.into_iter().filter_map(|(row, cosine)| Some((added.entities.of_added(row)?, cosine)));
        let new = own.filter(|(entity, _)| added.entities.in_base(*entity).is_none());
        let mut all: Vec<(u32, f32)> = left.chain(new).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(most);
        all
    };
    of_base.into_iter().zip(of_added).map(|(base, own)| joined(base, own)).collect()
}

/// The cosine with one row.
pub(super) fn cosine(vector: &[f32], scale: f32, row: &[i8]) -> f32 {
    let mut sums = [0f32; LANES];
    let (chunks, chunks_of_row) = (vector.chunks_exact(LANES), row.chunks_exact(LANES));
    let rest: f32 = chunks.remainder().iter().zip(chunks_of_row.remainder()).map(|(a, b)| a * f32::from(*b)).sum();
    for (a, b) in chunks.zip(chunks_of_row) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * f32::from(*b);
        }
    }
    if scale.is_finite() { scale * (sums.iter().sum::<f32>() + rest) } else { 0.0 }
}

/// For each unit vector, the rows whose cosine with it is `least` or more: the highest first, of equal ones the first, at most `most`. The rows, which
/// may be many, are read once for all vectors.
pub(super) fn resembling(vectors: &Matrix, (scales, rows): (&[f32], &[i8]), least: f32, most: usize) -> Vec<Vec<(u32, f32)>> {
    let dim = vectors.dim();
    let mut found = vec![Vec::new(); vectors.rows()];
    if dim == 0 {
        return found;
    }
    let blocks = rows.par_chunks(BLOCK * dim).zip(scales.par_chunks(BLOCK)).enumerate();
    let of_block = |(block, (rows, scales)): (usize, (&[i8], &[f32]))| {
        let mut near: Vec<(usize, u32, f32)> = Vec::new();
        for (at, (row, scale)) in rows.chunks_exact(dim).zip(scales).enumerate() {
            for vector in 0..vectors.rows() {
                let cosine = cosine(vectors.row(vector), *scale, row);
                if cosine >= least {
                    near.push((vector, u32::try_from(block * BLOCK + at).unwrap_or(u32::MAX), cosine));
                }
            }
        }
        near
    };
    for (vector, row, cosine) in blocks.map(of_block).collect::<Vec<_>>().into_iter().flatten() {
        if let Some(own) = found.get_mut(vector) {
            own.push((row, cosine));
        }
    }
    for own in &mut found {
        own.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        own.truncate(most);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_come_first_and_those_that_are_too_far_not_at_all() {
        let rows: Vec<i8> = vec![127, 0, 0, 127, 90, 90];
        let scales = [1.0 / 127.0; 3];
        let vectors = Matrix::new(2, vec![1.0, 0.0, 0.0, 1.0]);
        let of = |least, most| -> Vec<Vec<u32>> {
            let found = resembling(&vectors, (&scales, &rows), least, most);
            found.into_iter().map(|own| own.into_iter().map(|(row, _)| row).collect()).collect()
        };
        assert_eq!(of(0.5, 9), [[0, 2], [1, 2]]);
        assert_eq!(of(0.9, 9), [[0], [1]]);
        assert_eq!(of(0.0, 0), [[0u32; 0]; 2]);
        assert_eq!(resembling(&Matrix::default(), (&scales, &rows), 0.0, 9), Vec::<Vec<(u32, f32)>>::new());
    }

    proptest! {
        #[test]
        fn cosines_are_the_sums_of_products(vector in prop::collection::vec(-1.0f32..1.0, 1..40), seed in any::<i8>()) {
            let row: Vec<i8> = (0..vector.len()).map(|at| seed.wrapping_mul(31).wrapping_add(at as i8)).collect();
            let expected: f64 = vector.iter().zip(&row).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() * 0.01;
            prop_assert!((f64::from(cosine(&vector, 0.01, &row)) - expected).abs() < 1e-3);
            prop_assert_eq!(cosine(&vector, f32::NAN, &row), 0.0);
        }

        #[test]
        fn blocks_of_rows_find_what_one_pass_finds(count in 1usize..(3 * BLOCK), least in 0.0f32..1.0, most in 1usize..6) {
            let rows: Vec<i8> = (0..2 * count).map(|at| (at * 37 % 251) as u8 as i8).collect();
            let scales: Vec<f32> = (0..count).map(|at| 1.0 / (120.0 + (at % 7) as f32)).collect();
            let vectors = Matrix::new(2, vec![1.0, 0.0, 0.6, 0.8]);
            let found = resembling(&vectors, (&scales, &rows), least, most);
            for (vector, found) in found.iter().enumerate() {
                let all = cosines(vectors.row(vector), &scales, &rows);
                let mut expected: Vec<(u32, f32)> = (0..).zip(all).filter(|(_, cosine)| *cosine >= least).collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                expected.truncate(most);
                prop_assert_eq!(found, &expected);
            }
        }
    }
}
