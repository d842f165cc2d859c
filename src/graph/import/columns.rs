//! Finds the columns of a table, as the user names them or by their headings.

use super::error::ImportError;
use super::records::TableRecord;

/// A column as a user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its position, from 1.
    Number(usize),
    /// By its heading.
    Name(String),
}

impl Column {
    /// Parses a column as written on the command line: a number from 1, or a heading.
    pub fn parse(text: &str) -> Self {
        match text.trim().parse() {
            Ok(number) if number > 0 => Self::Number(number),
            _ => Self::Name(text.trim().to_owned()),
        }
    }
}

/// A heading in the form used for comparison: without regard to letter case, surrounding marks and the type of gap.
pub(super) fn heading(text: &str) -> String {
    text.trim().trim_matches(['"', ':', '#']).to_lowercase().replace([' ', '-'], "_")
}

/// The headings of a table.
pub(super) struct TableHeader {
    pub(super) line: usize,
    headings: Vec<String>,
}

impl TableHeader {
    pub(super) fn of(record: TableRecord) -> Self {
        Self { line: record.line, headings: record.fields().map(heading).collect() }
    }

    /// The column with one of these headings; if several match, the heading that comes first in `names`.
    pub(super) fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.headings.iter().position(|h| h == name))
    }

    /// How many columns it names.
    pub(super) fn len(&self) -> usize {
        self.headings.len()
    }

    /// The column with exactly this heading.
    pub(super) fn need(&self, name: &str, file: &str) -> Result<usize, ImportError> {
        let wanted = heading(name);
        self.headings.iter().position(|h| *h == wanted).ok_or_else(|| {
            let there = self.headings.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
            ImportError::Column {
                file: file.to_owned(),
                line: self.line,
                field: name.to_owned(),
                hint: format!("the file has the columns {}", crate::text::sanitise_line(&there.chars().take(400).collect::<String>())),
            }
        })
    }

    /// The index of a column that the user named.
    pub(super) fn resolve(&self, column: &Column, file: &str) -> Result<usize, ImportError> {
        match column {
            Column::Number(number) => Ok(number.saturating_sub(1)),
            Column::Name(name) => self.need(name, file),
        }
    }
}
