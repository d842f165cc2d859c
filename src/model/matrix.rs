//! Matrices of row vectors, and their dot products by candle.

use candle_core::{Device, Tensor};

use super::infer::dot;

/// A matrix of `f32`, row by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    dim: usize,
    data: Vec<f32>,
}

impl Matrix {
    /// A matrix from its rows, one after another. An incomplete last row is dropped.
    pub fn new(dim: usize, mut data: Vec<f32>) -> Self {
        let whole = data.len().checked_div(dim).map_or(0, |rows| rows * dim);
        data.truncate(whole);
        Self { dim, data }
    }

    /// Components of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.len().checked_div(self.dim).unwrap_or(0)
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.dim..(row + 1) * self.dim]
    }

    /// The rows, one after another.
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// The rows scaled to length 1; rows of zeros stay zero.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        if self.dim > 0 {
            for row in self.data.chunks_exact_mut(self.dim) {
                normalise(row);
            }
        }
        self
    }
}

/// Rows for repeated comparisons, as a candle tensor.
#[derive(Debug, Clone)]
pub struct VectorIndex {
    rows: Tensor,
}

impl VectorIndex {
    /// Copies the rows of a matrix.
    ///
    /// # Errors
    /// If candle fails.
    pub fn new(matrix: &Matrix) -> candle_core::Result<Self> {
        Ok(Self { rows: Tensor::from_slice(&matrix.data, (matrix.rows(), matrix.dim), &Device::Cpu)? })
    }

    /// Dot products of every row of `queries` with every stored row, `[queries.rows(), rows]`.
    ///
    /// # Errors
    /// If candle fails (different dimensions).
    pub fn products(&self, queries: &Matrix) -> candle_core::Result<Matrix> {
        let rows = self.rows.dim(0)?;
        if queries.rows() == 0 || rows == 0 {
            return Ok(Matrix::default());
        }
        products(queries, &self.rows)
    }

    /// [`Self::products`] with the given rows only, in the given order.
    ///
    /// # Errors
    /// If candle fails (different dimensions, a row that does not exist).
    pub fn products_with(&self, rows: &[u32], queries: &Matrix) -> candle_core::Result<Matrix> {
        if queries.rows() == 0 || rows.is_empty() {
            return Ok(Matrix::default());
        }
        products(queries, &self.rows.index_select(&Tensor::from_slice(rows, rows.len(), &Device::Cpu)?, 0)?)
    }
}

/// Dot products of the rows of a matrix with those of a tensor.
fn products(queries: &Matrix, rows: &Tensor) -> candle_core::Result<Matrix> {
    let queries = Tensor::from_slice(&queries.data, (queries.rows(), queries.dim), &Device::Cpu)?;
    Ok(Matrix::new(rows.dim(0)?, queries.matmul(&rows.t()?)?.flatten_all()?.to_vec1()?))
}

/// Scales a vector to length 1; a vector of zeros stays zero.
fn normalise(vector: &mut [f32]) {
    let norm = dot(vector, vector).sqrt();
    if norm > 0.0 {
        for component in vector {
            *component /= norm;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_unit_rows_are_cosines() {
        let a = Matrix::new(2, vec![3.0, 4.0, 0.0, 0.0]).normalised();
        let b = Matrix::new(2, vec![1.0, 0.0, 6.0, 8.0, 0.0, 1.0]).normalised();
        let cosines = VectorIndex::new(&b).and_then(|b| b.products(&a)).expect("same dimension");
        assert_eq!((cosines.rows(), cosines.dim()), (2, 3));
        for (got, want) in cosines.data().iter().zip([0.6, 1.0, 0.8, 0.0, 0.0, 0.0]) {
            assert!((got - want).abs() < 1e-6);
        }
    }
}
