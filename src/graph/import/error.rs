//! Errors that end an import. Problems of single lines are in the report instead.

use crate::graph::BuildReport;

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened or read.
    #[error("{file} could not be read: {source}")]
    Io {
        /// The file, as the user named it.
        file: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A compressed file is cut off.
    #[error("{file} is cut off: its gzip data ends too early, so part of the graph is missing; copy or download it again")]
    CutOff {
        /// The file, as the user named it.
        file: String,
    },
    /// A compressed file is damaged.
    #[error("{file} is damaged: its gzip data cannot be unpacked ({source}); copy or download it again")]
    Damaged {
        /// The file, as the user named it.
        file: String,
        /// What is wrong with the data.
        source: std::io::Error,
    },
    /// No line of the file is a triple.
    #[error("{file} contains no triple (head<TAB>relation<TAB>tail): {}", report.summary().unwrap_or_else(|| "it is empty".into()))]
    NoTriples {
        /// The file, as the user named it.
        file: String,
        /// The report, with the problems of its lines.
        report: Box<BuildReport>,
    },
    /// No entity was found.
    #[error("{file} contains no entity in this format: {}", report.summary().unwrap_or_else(|| "it is empty".into()))]
    NoEntities {
        /// The file, as the user named it.
        file: String,
        /// The report, with the problems of its lines.
        report: Box<BuildReport>,
    },
    /// A required column is missing.
    #[error("{file}, line {line}: the column {field} is missing; {hint}")]
    Column {
        /// The file, as the user named it.
        file: String,
        /// The line of the header.
        line: usize,
        /// The column's name.
        field: String,
        /// What the user can do.
        hint: String,
    },
    /// So much of a file is malformed that it cannot be of the stated format.
    #[error(
        "{file}, line {line}: {problem}. The import stopped after {count} such errors; the file is not in this format, or badly damaged"
    )]
    Malformed {
        /// The file, as the user named it.
        file: String,
        /// The line at which the import stopped.
        line: usize,
        /// What is wrong at that line.
        problem: String,
        /// How many such errors there were.
        count: usize,
    },
    /// The options are invalid or contradict each other.
    #[error("the import options cannot be used: {0}")]
    Options(String),
    /// The progress callback stopped the import. Nothing was written.
    #[error("the import was interrupted; nothing was saved")]
    Interrupted,
}
