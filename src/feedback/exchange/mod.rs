//! What was learned, exchanged with other teams: written as TSV, N-Triples or JSON lines with where it comes from, and taken over from
//! such files with the checks that proposals go through.
//!
//! Questions and answers stay here unless they are asked for: they can hold patient data.

mod export;
mod import;
mod jsonl;
mod ntriples;
mod provenance;
mod read;
mod tsv;

use std::io;
use std::path::PathBuf;

pub use export::export;
pub use import::{ImportReport, NotImported, import};
pub use read::{Imported, ReadFile, Rejected, read_exchange};

use crate::dkg::error::DkgError;

/// How exchanged triples are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeForm {
    /// A header, then a triple a line, fields separated by tabs.
    Tsv,
    /// RDF 1.1 N-Triples.
    NTriples,
    /// A JSON object a line.
    JsonLines,
}

impl ExchangeForm {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsv => "TSV",
            Self::NTriples => "N-Triples",
            Self::JsonLines => "JSON lines",
        }
    }
}

/// Why an exchange failed as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// What was learned cannot be read.
    #[error(transparent)]
    Dkg(#[from] DkgError),
    /// The export cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[source] io::Error),
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no export.
    #[error(
        "{}, line {line}, {field}: {reason}. Nothing was taken over; the file should be one that `catena dkg export` wrote",
        file.display()
    )]
    Broken {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The field.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
}
