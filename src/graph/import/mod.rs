//! Reading graphs from files, one format a file.

mod tsv;

pub use tsv::{ImportError, read_tsv};
