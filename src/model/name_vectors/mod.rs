//! Vectors of all names and aliases of a graph, and the search for those nearest to a text's.
//!
//! A small graph's are made when it is opened and held as they are ([`NameVectors::in_memory`]). A large graph's are
//! made once, stored beside its snapshot as bytes (`.vectors`), with an index (`.ann`) where there are more than
//! [`EXACT_UP_TO`]; both are mapped into memory, so that opening them costs milliseconds. As long as there is no
//! index, every row is looked at.

mod build;
mod draft;
mod error;
mod file;
mod group;
mod growing;
mod header;
mod key;
mod lists;
mod map;
mod quantise;
mod rotate;
mod rows;
mod scan;
mod search;
mod sketch;

use std::borrow::Cow;
use std::path::Path;

pub use build::{BuildPhase, BuildProgress};
pub use error::{Rebuild, VectorsError};
pub use growing::GrowingVectors;
pub use key::{VectorKey, fingerprint};

use super::{EncoderHandle, Matrix, ModelError, VectorIndex};
use lists::Lists;
use rows::Rows;

/// Up to so many names every row is looked at: that takes no longer than a search by index of a million.
pub const EXACT_UP_TO: usize = 20_000;
/// The most by which a cosine with a stored vector of 64 components or more differs from that with the encoder's own.
pub const TOLERANCE: f32 = 0.005;

/// Names of a graph, row by row.
pub trait NameRows: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
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

/// What opening stored vectors comes to.
#[derive(Debug)]
pub enum Opened {
    /// They can be searched.
    Ready(NameVectors),
    /// They have to be built first, and why.
    Rebuild(Rebuild),
}

/// How the nearest names are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchedBy {
    /// Every row is looked at.
    EveryRow,
    /// By the index.
    Index {
        /// How many lists it has.
        lists: usize,
    },
    /// Every row is looked at, since the index has to be built first, and why.
    EveryRowUntilBuilt(Rebuild),
}

/// Vectors of a graph's names.
#[derive(Debug)]
pub struct NameVectors(Kept);

#[derive(Debug)]
enum Kept {
    /// As the encoder gave them; which rows are not zeros.
    InMemory {
        dim: usize,
        full: Vec<bool>,
        index: VectorIndex,
        encoder: String,
    },
    Stored(Box<Stored>),
}

#[derive(Debug)]
struct Stored {
    rows: Rows,
    /// The index, or why there is none.
    lists: Result<Lists, Rebuild>,
}

impl NameVectors {
    /// Embeds all names and holds their vectors as they are.
    ///
    /// # Errors
    /// If the encoder or candle fails.
    pub fn in_memory(names: &dyn NameRows, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let texts = (0..names.len()).map(|row| names.name(row).into_owned()).collect();
        let vectors = encoder.encode(texts)?.normalised();
        let full = (0..vectors.rows()).map(|row| vectors.row(row).iter().any(|x| *x != 0.0)).collect();
        let failed = |error: candle_core::Error| ModelError::Compute { name: encoder.name().to_owned(), problem: error.to_string() };
        let index = VectorIndex::new(&vectors).map_err(failed)?;
        Ok(Self(Kept::InMemory { dim: encoder.dim()?, full, index, encoder: encoder.name().to_owned() }))
    }

    /// Opens the vectors stored at `stem` with `.vectors` and `.ann` added to it, if they have this key.
    ///
    /// A file that is met for the first time is read and checked from end to end; a note beside it (`.verified`) spares
    /// that as long as the file does not change.
    ///
    /// # Errors
    /// If a file is there and cannot be read. Everything that building mends is no error but [`Opened::Rebuild`].
    pub fn open(stem: &Path, key: &VectorKey) -> Result<Opened, VectorsError> {
        let rows = match Rows::open(stem, key)? {
            Ok(rows) => rows,
            Err(why) => return Ok(Opened::Rebuild(why)),
        };
        let lists = if rows.len() > EXACT_UP_TO { Lists::open(stem, &rows)? } else { Err(Rebuild::Missing) };
        Ok(Opened::Ready(Self(Kept::Stored(Box::new(Stored { rows, lists })))))
    }

    /// Builds what is missing or does not fit the key, and opens it. An earlier build that was interrupted is taken up
    /// where it stopped.
    ///
    /// `progress` is called after every thousand names or so; `false` stops the build.
    ///
    /// # Errors
    /// If the encoder fails, a file cannot be written, there are too many names, or `progress` gave `false`.
    pub fn build(
        stem: &Path,
        key: &VectorKey,
        names: &dyn NameRows,
        encoder: &EncoderHandle,
        progress: &mut dyn FnMut(BuildProgress) -> bool,
    ) -> Result<Self, VectorsError> {
        build::build(stem, key, names, encoder, progress)?;
        match Self::open(stem, key)? {
            Opened::Ready(vectors) => Ok(vectors),
            Opened::Rebuild(why) => Err(VectorsError::Io { file: shown(stem), source: std::io::Error::other(why.to_string()) }),
        }
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::InMemory { full, .. } => full.len(),
            Kept::Stored(stored) => stored.rows.len(),
        }
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        match &self.0 {
            Kept::InMemory { dim, .. } => *dim,
            Kept::Stored(stored) => stored.rows.dim(),
        }
    }

    /// How the nearest names are found.
    pub fn searched_by(&self) -> SearchedBy {
        match &self.0 {
            Kept::InMemory { .. } => SearchedBy::EveryRow,
            Kept::Stored(stored) => match &stored.lists {
                Ok(lists) => SearchedBy::Index { lists: lists.len() },
                Err(_) if stored.rows.len() <= EXACT_UP_TO => SearchedBy::EveryRow,
                Err(why) => SearchedBy::EveryRowUntilBuilt(why.clone()),
            },
        }
    }

    /// For each query at most `count` rows whose cosine with it is greater than `above`: best first, ties by row. Rows
    /// and queries of zeros match nothing. Queries have length 1 ([`Matrix::normalised`]).
    ///
    /// In memory, cosines are candle's, and all rows are looked at. Stored, they are within [`TOLERANCE`] of those, and
    /// with an index the nearest row is found in at least 99 of 100 searches.
    ///
    /// # Errors
    /// If the queries have another number of components than the names, or candle fails.
    pub fn nearest(&self, queries: &Matrix, count: usize, above: f64) -> Result<Vec<Vec<(u32, f32)>>, VectorsError> {
        self.check(queries)?;
        if count == 0 || queries.rows() == 0 || self.is_empty() {
            return Ok(vec![Vec::new(); queries.rows()]);
        }
        Ok(match &self.0 {
            Kept::InMemory { full, .. } => {
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
            Kept::Stored(stored) => {
                let queries = rotate::rotated(queries);
                match &stored.lists {
                    Ok(lists) => lists.nearest(&stored.rows, &queries, count, above),
                    Err(_) => scan::nearest(&stored.rows, &queries, count, above),
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
            Kept::InMemory { .. } => {
                let cosines = self.products(queries)?;
                let mut best = vec![f32::NEG_INFINITY; self.len()];
                for query in 0..cosines.rows() {
                    for (best, cosine) in best.iter_mut().zip(cosines.row(query)) {
                        *best = best.max(*cosine);
                    }
                }
                Ok(rows.iter().map(|row| best.get(*row as usize).copied().unwrap_or(0.0)).collect())
            }
            Kept::Stored(stored) => Ok(scan::similarities(&stored.rows, rows, &rotate::rotated(queries))),
        }
    }

    fn check(&self, queries: &Matrix) -> Result<(), VectorsError> {
        let (found, expected) = (queries.dim(), self.dim());
        if queries.rows() == 0 || found == expected { Ok(()) } else { Err(VectorsError::OtherDimension { found, expected }) }
    }

    fn products(&self, queries: &Matrix) -> Result<Matrix, ModelError> {
        match &self.0 {
            Kept::InMemory { index, encoder, .. } => {
                index.products(queries).map_err(|error| ModelError::Compute { name: encoder.clone(), problem: error.to_string() })
            }
            Kept::Stored(_) => Ok(Matrix::default()),
        }
    }
}

fn zeros(row: &[f32]) -> bool {
    row.iter().all(|x| *x == 0.0)
}

/// A path as it is shown in a message.
fn shown(path: &Path) -> String {
    crate::text::sanitise_line(&path.display().to_string())
}
