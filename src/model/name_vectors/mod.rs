//! Vectors of all names and aliases of a graph, and the search for those nearest to the vector of a text.
//!
//! For a small graph they are computed when it is opened and kept as floats ([`NameVectors::in_memory`]). For a large graph they are computed once and
//! stored next to its snapshot, quantised to bytes (`.vectors`). With more than [`EXACT_UP_TO`] names there is also an index (`.ann`): inverted lists by
//! k-means centroids (IVF), with a SimHash sketch of each row. Both files are mapped into memory, so opening takes milliseconds. Without an index, the
//! search compares every row.
//!
//! `build` makes the files, `exhaustive` and `index_search` search them; `quantise` and `rotate` turn floats into bytes.

mod assign;
mod build;
mod centroids;
mod error;
mod exhaustive;
mod growing;
mod header;
mod index_search;
mod inverted_lists;
mod key;
mod mmap;
mod partial_file;
mod quantise;
mod quantised_rows;
mod rotate;
mod simhash;

use std::borrow::Cow;
use std::path::Path;

pub use build::{BuildPhase, BuildProgress};
pub use error::{Rebuild, VectorsError};
pub use growing::GrowingVectors;
pub use key::{VectorKey, fingerprint};

use super::{EncoderHandle, Matrix, ModelError, VectorIndex};
use inverted_lists::InvertedLists;
use quantised_rows::QuantisedRows;

/// Up to this many names the search compares every row: it takes no longer than searching the index of a million names.
pub const EXACT_UP_TO: usize = 20_000;
/// The largest difference between a cosine with a stored vector (of 64 components or more) and the cosine with the encoder's own vector.
pub const TOLERANCE: f32 = 0.005;

/// Names of a graph, row by row.
pub trait NameRows: Sync {
    /// The number of names.
    fn len(&self) -> usize;

    /// Whether there are no names.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a row below [`NameRows::len`].
    fn name(&self, row: usize) -> Cow<'_, str>;
}

impl NameRows for &[String] {
    fn len(&self) -> usize {
        <[String]>::len(self)
    }

    fn name(&self, row: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self[row])
    }
}

impl NameRows for Vec<String> {
    fn len(&self) -> usize {
        self.len()
    }

    fn name(&self, row: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self[row])
    }
}

/// The result of opening stored vectors.
#[derive(Debug)]
pub enum OpenedVectors {
    /// The vectors, ready to be searched.
    Ready(NameVectors),
    /// The vectors must be built first; the reason.
    Rebuild(Rebuild),
}

/// How the search finds the nearest names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchedBy {
    /// By comparing every row.
    EveryRow,
    /// By the index.
    Index {
        /// The number of its lists.
        lists: usize,
    },
    /// By comparing every row, because the index must be built first; the reason.
    EveryRowUntilBuilt(Rebuild),
}

/// Vectors of a graph's names.
#[derive(Debug)]
pub struct NameVectors(Storage);

#[derive(Debug)]
enum Storage {
    /// As the encoder computed them; `full` marks the rows that are not all zeros.
    InMemory {
        dim: usize,
        full: Vec<bool>,
        index: VectorIndex,
        encoder: String,
    },
    OnDisk(Box<StoredVectors>),
}

#[derive(Debug)]
struct StoredVectors {
    rows: QuantisedRows,
    /// The index, or why there is none.
    lists: Result<InvertedLists, Rebuild>,
}

impl NameVectors {
    /// Embeds all names and keeps their vectors as floats.
    ///
    /// # Errors
    /// If the encoder or candle fails.
    pub fn in_memory(names: &dyn NameRows, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let texts = (0..names.len()).map(|row| names.name(row).into_owned()).collect();
        let vectors = encoder.encode(texts)?.normalised();
        let full = (0..vectors.rows()).map(|row| vectors.row(row).iter().any(|x| *x != 0.0)).collect();
        let failed = |error: candle_core::Error| ModelError::Compute { name: encoder.name().to_owned(), problem: error.to_string() };
        let index = VectorIndex::new(&vectors).map_err(failed)?;
        Ok(Self(Storage::InMemory { dim: encoder.dim()?, full, index, encoder: encoder.name().to_owned() }))
    }

    /// Opens the vectors stored at `stem` with `.vectors` and `.ann` added to it, if they have this key.
    ///
    /// The first time, a file is read and checked from end to end; a note next to it (`.verified`) avoids that until the file changes.
    ///
    /// # Errors
    /// If a file exists but cannot be read. Whatever a build repairs is not an error but [`OpenedVectors::Rebuild`].
    pub fn open(stem: &Path, key: &VectorKey) -> Result<OpenedVectors, VectorsError> {
        let rows = match QuantisedRows::open(stem, key)? {
            Ok(rows) => rows,
            Err(why) => return Ok(OpenedVectors::Rebuild(why)),
        };
        let lists = if rows.len() > EXACT_UP_TO { InvertedLists::open(stem, &rows)? } else { Err(Rebuild::Missing) };
        Ok(OpenedVectors::Ready(Self(Storage::OnDisk(Box::new(StoredVectors { rows, lists })))))
    }

    /// Builds what is missing or does not match the key, and opens it. Continues an earlier, interrupted build.
    ///
    /// `progress` is called about every thousand names and returns `false` to stop the build.
    ///
    /// # Errors
    /// If the encoder fails, a file cannot be written, there are too many names, or `progress` returned `false`.
    pub fn build(
        stem: &Path,
        key: &VectorKey,
        names: &dyn NameRows,
        encoder: &EncoderHandle,
        progress: &mut dyn FnMut(BuildProgress) -> bool,
    ) -> Result<Self, VectorsError> {
        build::build(stem, key, names, encoder, progress)?;
        match Self::open(stem, key)? {
            OpenedVectors::Ready(vectors) => Ok(vectors),
            OpenedVectors::Rebuild(why) => Err(VectorsError::Io { file: shown(stem), source: std::io::Error::other(why.to_string()) }),
        }
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        match &self.0 {
            Storage::InMemory { full, .. } => full.len(),
            Storage::OnDisk(stored) => stored.rows.len(),
        }
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        match &self.0 {
            Storage::InMemory { dim, .. } => *dim,
            Storage::OnDisk(stored) => stored.rows.dim(),
        }
    }

    /// How the nearest names are found.
    pub fn searched_by(&self) -> SearchedBy {
        match &self.0 {
            Storage::InMemory { .. } => SearchedBy::EveryRow,
            Storage::OnDisk(stored) => match &stored.lists {
                Ok(lists) => SearchedBy::Index { lists: lists.len() },
                Err(_) if stored.rows.len() <= EXACT_UP_TO => SearchedBy::EveryRow,
                Err(why) => SearchedBy::EveryRowUntilBuilt(why.clone()),
            },
        }
    }

    /// For each query at most `count` rows whose cosine with it is greater than `above`: best first, ties by row. Rows
    /// and queries of zeros match nothing. Queries have length 1 ([`Matrix::normalised`]).
    ///
    /// In memory, the cosines are exact and all rows are compared. On disk, the cosines are within [`TOLERANCE`] of those, and an index finds the
    /// nearest row in at least 99 of 100 searches.
    ///
    /// # Errors
    /// If the queries have another number of components than the names, or candle fails.
    pub fn nearest(&self, queries: &Matrix, count: usize, above: f64) -> Result<Vec<Vec<(u32, f32)>>, VectorsError> {
        self.check(queries)?;
        if count == 0 || queries.rows() == 0 || self.is_empty() {
            return Ok(vec![Vec::new(); queries.rows()]);
        }
        Ok(match &self.0 {
            Storage::InMemory { full, .. } => {
                let cosines = self.products(queries)?;
                let nearest = |query: usize| {
                    let rows = cosines.row(query).iter().copied().zip(0u32..).zip(full);
                    let mut near: Vec<(u32, f32)> =
                        rows.filter(|((c, _), full)| **full && f64::from(*c) > above).map(|((c, row), _)| (row, c)).collect();
                    near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
                    near.truncate(count);
                    near
                };
                (0..queries.rows()).map(|query| if zeros(queries.row(query)) { Vec::new() } else { nearest(query) }).collect()
            }
            Storage::OnDisk(stored) => {
                let queries = rotate::rotated(queries);
                match &stored.lists {
                    Ok(lists) => lists.nearest(&stored.rows, &queries, count, above),
                    Err(_) => exhaustive::nearest(&stored.rows, &queries, count, above),
                }
            }
        })
    }

    /// For each of the rows its best cosine with any query, exact within [`TOLERANCE`]; 0 for rows of zeros, rows that
    /// do not exist, and where there is no query.
    ///
    /// # Errors
    /// If the queries have another number of components than the names, or candle fails.
    pub fn similarities(&self, rows: &[u32], queries: &Matrix) -> Result<Vec<f32>, VectorsError> {
        self.check(queries)?;
        if queries.rows() == 0 || self.is_empty() {
            return Ok(vec![0.0; rows.len()]);
        }
        match &self.0 {
            Storage::InMemory { .. } => {
                let cosines = self.products(queries)?;
                let mut best = vec![f32::NEG_INFINITY; self.len()];
                for query in 0..cosines.rows() {
                    for (best, cosine) in best.iter_mut().zip(cosines.row(query)) {
                        *best = best.max(*cosine);
                    }
                }
                Ok(rows.iter().map(|row| best.get(*row as usize).copied().unwrap_or(0.0)).collect())
            }
            Storage::OnDisk(stored) => Ok(exhaustive::similarities(&stored.rows, rows, &rotate::rotated(queries))),
        }
    }

    fn check(&self, queries: &Matrix) -> Result<(), VectorsError> {
        let (found, expected) = (queries.dim(), self.dim());
        if queries.rows() == 0 || found == expected { Ok(()) } else { Err(VectorsError::OtherDimension { found, expected }) }
    }

    fn products(&self, queries: &Matrix) -> Result<Matrix, ModelError> {
        match &self.0 {
            Storage::InMemory { index, encoder, .. } => {
                index.products(queries).map_err(|error| ModelError::Compute { name: encoder.clone(), problem: error.to_string() })
            }
            Storage::OnDisk(_) => Ok(Matrix::default()),
        }
    }
}

fn zeros(row: &[f32]) -> bool {
    row.iter().all(|x| *x == 0.0)
}

/// A path for a message.
fn shown(path: &Path) -> String {
    crate::text::sanitise_line(&path.display().to_string())
}
