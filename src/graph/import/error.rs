//! Why a graph could not be imported at all. What is wrong with single lines is in the report instead.

use crate::graph::BuildReport;

/// Why a graph could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened or read.
    #[error("{file} could not be read: {source}")]
    Io {
        /// The file, as the user named it.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A compressed file ends in the middle.
    #[error("{file} is cut off: its gzip data ends before its end mark, so a part of the graph is missing; copy or download it again")]
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
    /// Not one line of it is a triple.
    #[error("{file} holds no triple (head<TAB>relation<TAB>tail): {}", report.summary().unwrap_or_else(|| "it is empty".into()))]
    NoTriples {
        /// The file, as the user named it.
        file: String,
        /// What was wrong with its lines.
        report: Box<BuildReport>,
    },
    /// Not one entity was found.
    #[error("{file} holds no entity of a graph in this format: {}", report.summary().unwrap_or_else(|| "there is nothing in it".into()))]
    NoEntities {
        /// The file, as the user named it.
        file: String,
        /// What was wrong with its lines.
        report: Box<BuildReport>,
    },
    /// A column that is needed is not there.
    #[error("{file}, line {line}: there is no column {field}; {hint}")]
    Column {
        /// The file, as the user named it.
        file: String,
        /// The line of the header.
        line: usize,
        /// The column's name.
        field: String,
        /// What would help.
        hint: String,
    },
    /// So much of a file is malformed that it cannot be what it is said to be.
    #[error("{file}, line {line}: {problem}, for the {count}th time; the file is not in this format, or badly damaged")]
    Malformed {
        /// The file, as the user named it.
        file: String,
        /// The line at which reading was given up.
        line: usize,
        /// What is wrong there.
        problem: String,
        /// How often something was wrong.
        count: usize,
    },
    /// Options that do not go together.
    #[error("the import cannot be done as asked: {0}")]
    Options(String),
    /// Whoever follows the progress asked to stop. Nothing was written.
    #[error("the import was interrupted; nothing was kept of it")]
    Interrupted,
}
