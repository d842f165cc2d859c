//! Exchange of learned triples with other teams: exports as TSV, N-Triples or JSON lines with their origins, and imports of such files with
//! the same checks as proposals.
//!
//! Exports leave out questions and answers unless asked for: they can contain patient data.

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
    /// The DKG cannot be read.
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
    /// The file is not an export.
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
