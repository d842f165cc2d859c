//! Which column of a table is what: named by the user, or recognised by its heading.

use super::error::ImportError;
use super::records::Record;

/// A column as a user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its place, from 1.
    Number(usize),
    /// By its heading.
    Name(String),
}

impl Column {
    /// Reads a column as it is written on a command line: a number from 1, or a heading.
    pub fn parse(text: &str) -> Self {
        match text.trim().parse() {
            Ok(number) if number > 0 => Self::Number(number),
            _ => Self::Name(text.trim().to_owned()),
        }
    }
}

/// A heading as it is compared: letter case, marks around it and the sort of gap do not matter.
pub(super) fn heading(text: &str) -> String {
    text.trim().trim_matches(['"', ':', '#']).to_lowercase().replace([' ', '-'], "_")
}

/// The headings of a table.
pub(super) struct Header {
    pub(super) line: usize,
    headings: Vec<String>,
}

impl Header {
    pub(super) fn of(record: Record) -> Self {
        Self { line: record.line, headings: record.fields().map(heading).collect() }
    }

    /// The column with one of these headings; of several the heading that comes first in `names`.
    pub(super) fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.headings.iter().position(|h| h == name))
    }

    /// The column of this very heading.
    pub(super) fn need(&self, name: &str, file: &str) -> Result<usize, ImportError> {
        let wanted = heading(name);
        self.headings.iter().position(|h| *h == wanted).ok_or_else(|| {
            let there = self.headings.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
            ImportError::Column {
                file: file.to_owned(),
                line: self.line,
                field: name.to_owned(),
                hint: format!("the columns there are: {}", crate::text::sanitise_line(&there.chars().take(400).collect::<String>())),
            }
        })
    }

    /// The place of a column that a user named.
    pub(super) fn resolve(&self, column: &Column, file: &str) -> Result<usize, ImportError> {
        match column {
            Column::Number(number) => Ok(number.saturating_sub(1)),
            Column::Name(name) => self.need(name, file),
        }
    }
}
