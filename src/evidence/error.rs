//! Why a collection of documents cannot be used.

use std::io;

use crate::model::ModelError;

/// Why a collection cannot be opened, built or changed.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// Its file could not be read or written.
    #[error("the collection {file} cannot be read or written: {source}")]
    Io {
        /// The file.
        file: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is no collection.
    #[error("{file} is not a collection of documents; `catena docs import` makes one")]
    NotACollection {
        /// The file.
        file: String,
    },
    /// It was written by another version of Catena or on another kind of machine.
    #[error(
        "the collection {file} was written by another version of Catena, and this one reads version {known}; import the documents again"
    )]
    Foreign {
        /// The file.
        file: String,
        /// The version that this Catena reads.
        known: u32,
    },
    /// The content does not match its checksums.
    #[error("the collection {file} is damaged ({part}); import the documents again or copy the file again")]
    Damaged {
        /// The file.
        file: String,
        /// The damaged part.
        part: &'static str,
    },
    /// It is larger than a collection can be.
    #[error("the documents have too much text for one collection ({what}); import them into several")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
    },
    /// It has no document with this id.
    #[error("the collection {name} has no document {id:?}; `catena docs show` lists them")]
    NoDocument {
        /// The collection.
        name: String,
        /// The id.
        id: String,
    },
    /// No document is left.
    #[error("no document is left; `catena docs remove {name} --all` removes the collection")]
    Empty {
        /// The collection.
        name: String,
    },
    /// The encoder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The caller no longer wants the result.
    #[error("stopped; nothing was changed")]
    Stopped,
}
