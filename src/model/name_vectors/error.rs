//! Errors of stored vectors, and the reasons for which they must be rebuilt.

use std::io;

use crate::model::ModelError;

/// Why vectors of names could not be built, opened or searched.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// A file could not be read or written.
    #[error("the vectors of the graph's names cannot be stored in {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The system's error.
        source: io::Error,
    },
    /// The encoder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The caller stopped the build; finished blocks remain and the next build continues from there.
    #[error("building the vectors was interrupted; the next build continues from here")]
    Interrupted,
    /// More names, or longer vectors, than the files can hold.
    #[error(
        "vectors of {dim} components for {names} names cannot be stored; the limits are {MOST_ROWS} names and {MOST_COMPONENTS} components"
    )]
    TooLarge {
        /// The number of names.
        names: usize,
        /// Components of a vector.
        dim: usize,
    },
    /// The name of the encoder does not fit into a header.
    #[error("the encoder's name {name:?} is longer than {LONGEST_NAME} bytes; give it a shorter one")]
    LongName {
        /// The name.
        name: String,
    },
    /// Queries come from another encoder than the stored vectors.
    #[error("the vector of the text has {found} components, those of the names have {expected}; both must come from the same encoder")]
    OtherDimension {
        /// Components of a query.
        found: usize,
        /// Components of a stored vector.
        expected: usize,
    },
    /// The names changed while they were read, or the encoder did not return one row for each name.
    #[error("the encoder {encoder} returned {found} vectors of {dim} components for {expected} names; the vectors were not built")]
    Unexpected {
        /// The encoder's name.
        encoder: String,
        /// Rows returned.
        found: usize,
        /// Their components.
        dim: usize,
        /// Rows requested.
        expected: usize,
    },
}

/// Why stored vectors, or their index, must be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rebuild {
    /// The file does not exist yet.
    #[error("they have not been built yet")]
    Missing,
    /// The file is of another kind.
    #[error("{file} is not a file of vectors")]
    Foreign {
        /// The file.
        file: String,
    },
    /// Another version of the program wrote it.
    #[error("{file} has format {found}, and this Catena reads format {known}")]
    OtherVersion {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The graph has changed.
    #[error("the graph has changed since they were built")]
    OtherGraph,
    /// Another encoder, or other weights under the same name.
    #[error("they were made by the encoder {stored}, but {wanted} is in use, or its weights have changed")]
    OtherEncoder {
        /// The encoder that made them.
        stored: String,
        /// The one in use.
        wanted: String,
    },
    /// The index belongs to other vectors.
    #[error("{file} belongs to other vectors")]
    OtherVectors {
        /// The file.
        file: String,
    },
    /// The file is too short or too long.
    #[error("{file} has {found} bytes instead of {expected}")]
    WrongLength {
        /// The file.
        file: String,
        /// Its length.
        found: u64,
        /// The length that its header implies.
        expected: u64,
    },
    /// A checksum does not match.
    #[error("{file} is damaged")]
    Damaged {
        /// The file.
        file: String,
    },
}

/// The most names: row numbers have 32 bits, and each row has two entries.
pub(super) const MOST_ROWS: usize = 1 << 30;
/// The most components of a vector: sums of products of bytes then stay well within 32 bits.
pub(super) const MOST_COMPONENTS: usize = 1 << 14;
/// Bytes for the encoder's name in a header.
pub(super) const LONGEST_NAME: usize = 96;
