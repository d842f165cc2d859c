//! Cosines of a vector with stored ones, which are rounded to 8 bits.

/// The cosine of a unit vector with every row.
pub(super) fn cosines(vector: &[f32], scales: &[f32], rows: &[i8]) -> Vec<f32> {
    if vector.is_empty() {
        return vec![0.0; scales.len()];
    }
    rows.chunks_exact(vector.len()).zip(scales).map(|(row, scale)| cosine(vector, *scale, row)).collect()
}

/// The cosine with one row.
pub(super) fn cosine(vector: &[f32], scale: f32, row: &[i8]) -> f32 {
    let dot: f32 = vector.iter().zip(row).map(|(a, b)| a * f32::from(*b)).sum();
    if scale.is_finite() { scale * dot } else { 0.0 }
}

/// The cosine of two unit vectors.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The rows with the highest cosines, the highest first; of equal ones the first.
pub(super) fn nearest(cosines: &[f32], most: usize) -> Vec<(u32, f32)> {
    let mut best: Vec<(u32, f32)> = (0..).zip(cosines.iter().copied()).collect();
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if best.len() > most && most > 0 {
        best.select_nth_unstable_by(most - 1, order);
    }
    best.truncate(most);
    best.sort_by(order);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let rows: Vec<i8> = vec![127, 0, 0, 127, 90, 90];
        let scales = [1.0 / 127.0; 3];
        let found = nearest(&cosines(&[1.0, 0.0], &scales, &rows), 2);
        assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [0, 2]);
        assert!((found[0].1 - 1.0).abs() < 1e-6);
        assert!(nearest(&[], 3).is_empty() && nearest(&[1.0], 0).is_empty());
    }
}
