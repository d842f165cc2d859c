//! What can be wrong with stored vectors, in words for the person who meets it.

use std::io;

use crate::model::ModelError;

/// Why vectors of names could not be built, opened or searched.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// A file could not be read or written.
    #[error("the vectors of the graph's names could not be kept in {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The encoder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The caller asked to stop; what is finished stays and the next build goes on from there.
    #[error("building the vectors was interrupted; what is done is kept, and the next time it goes on from there")]
    Interrupted,
    /// More names, or longer vectors, than the files can hold.
    #[error(
        "vectors of {names} names with {dim} components cannot be stored; at most {MOST_ROWS} names and {MOST_COMPONENTS} components can"
    )]
    TooLarge {
        /// How many names there are.
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
    #[error("the text to be linked has {found} components and the names have {expected}; both must come from one encoder")]
    OtherDimension {
        /// Components of a query.
        found: usize,
        /// Components of a stored vector.
        expected: usize,
    },
    /// The names changed while they were read, or the encoder returned something else than one row a name.
    #[error("the encoder {encoder} gave {found} vectors of {dim} components for {expected} names; the vectors were not built")]
    Unexpected {
        /// The encoder's name.
        encoder: String,
        /// Rows that came.
        found: usize,
        /// Their components.
        dim: usize,
        /// Rows that were asked for.
        expected: usize,
    },
}

/// Why stored vectors, or their index, cannot be used as they are and have to be built anew.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rebuild {
    /// There is no file yet.
    #[error("they have not been built yet")]
    Missing,
    /// The file is of something else.
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
        /// What can be read.
        known: u32,
    },
    /// The graph has changed.
    #[error("the graph has changed since they were built")]
    OtherGraph,
    /// Another encoder, or other weights under the same name.
    #[error("they were made by the encoder {stored}, and {wanted} is in use, or its weights have changed")]
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
    /// Its end is missing, or something follows it.
    #[error("{file} has {found} bytes instead of {expected}")]
    WrongLength {
        /// The file.
        file: String,
        /// Its length.
        found: u64,
        /// What its header calls for.
        expected: u64,
    },
    /// A checksum does not fit.
    #[error("{file} is damaged")]
    Damaged {
        /// The file.
        file: String,
    },
}

/// The most names; rows are numbered by 32 bits, and both lists of a row must fit as well.
pub(super) const MOST_ROWS: usize = 1 << 30;
/// The most components of a vector: what keeps sums of products of bytes within 32 bits, with room to spare.
pub(super) const MOST_COMPONENTS: usize = 1 << 14;
/// Bytes that a header has for the encoder's name.
pub(super) const LONGEST_NAME: usize = 96;
