//! The tables of the papers as data: columns, rows, the paper's own figures, and what a cell is filled by.

use serde::{Deserialize, Serialize};

use crate::evidence::{SearchMethod, UnknownSearchMethod};
use crate::run::{MethodName, UnknownMethod};

/// All papers, and where their data is published.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Papers {
    /// The sets of questions.
    pub set: Vec<DataSet>,
    /// The papers.
    pub paper: Vec<Paper>,
}

/// A set of questions that a table is about.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// The address where it is published.
    pub published: String,
}

/// A paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Its name on the command line.
    pub name: String,
    /// What reports call it.
    pub title: String,
    /// Its tables.
    pub table: Vec<PaperTable>,
}

/// What fills a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Questions answered by methods.
    Answers,
    /// Retrieved passages, compared by a language model.
    Duels,
    /// Counts of the data.
    Sets,
}

/// A table of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// Its number.
    pub number: u32,
    /// What it compares.
    pub of: String,
    /// What fills it; `None`: nothing here.
    pub kind: Option<Kind>,
    /// What is missing here.
    pub missing: Option<String>,
    /// A command that gives its figures by hand.
    pub command: Option<String>,
    /// Its shares are percentages.
    #[serde(default)]
    pub percent: bool,
    /// The method that the paper proposes; the others are compared with it.
    pub own: Option<String>,
    /// The language model of the paper.
    pub generator: Option<String>,
    /// What differs here in any case.
    #[serde(default)]
    pub differs: Vec<String>,
    /// The columns.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// The rows.
    #[serde(default)]
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its title.
    pub of: String,
    /// The set that it is about.
    pub set: Option<String>,
    /// The measure.
    pub by: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The longest chain.
    pub k: Option<usize>,
}

/// A row, with the paper's figures as printed, one for each column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its title.
    pub name: String,
    /// The method.
    pub method: Option<String>,
    /// The set that it is about.
    pub set: Option<String>,
    /// The measure.
    pub by: Option<String>,
    /// In a table of duels, whose passages IdepRAG's are compared with (VectorRAG's, if it is not named).
    pub against: Option<String>,
    /// The paper's figures.
    pub paper: Vec<String>,
}

/// What a cell is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The set.
    pub set: &'a str,
    /// The measure.
    pub by: &'a str,
    /// The method; `None` where none is needed.
    pub method: Option<MethodName>,
    /// The longest chain; `None`: the usual one.
    pub k: Option<usize>,
    /// Whose passages IdepRAG's are compared with.
    pub against: SearchMethod,
}

/// A fault of the list of papers.
#[derive(Debug, thiserror::Error)]
pub enum PapersError {
    /// It is no TOML of this form.
    #[error("the list of papers cannot be read: {0}")]
    Form(#[from] toml::de::Error),
    /// It names a method that there is not.
    #[error("the list of papers names a method that there is not: {0}")]
    Method(#[from] UnknownMethod),
    /// It names a way of searching passages that there is not.
    #[error("the list of papers names a search that there is not: {0}")]
    Search(#[from] UnknownSearchMethod),
}

/// The built-in list.
///
/// # Errors
/// If it is faulty.
pub fn papers() -> Result<Papers, PapersError> {
    Ok(toml::from_str(include_str!("../../../assets/papers.toml"))?)
}

impl Row {
    /// Whose passages IdepRAG's are compared with.
    ///
    /// # Errors
    /// If it names a search that there is not.
    pub fn rival(&self) -> Result<SearchMethod, PapersError> {
        Ok(self.against.as_deref().map(str::parse::<SearchMethod>).transpose()?.unwrap_or(SearchMethod::Vector))
    }
}

impl PaperTable {
    /// The duels that it needs of a set: whose passages IdepRAG's are compared with, each once.
    ///
    /// # Errors
    /// If it names a search that there is not.
    pub fn rivals(&self, set: &str) -> Result<Vec<SearchMethod>, PapersError> {
        let mut rivals = Vec::new();
        for row in self.rows.iter().filter(|row| row.set.as_deref() == Some(set)) {
            let rival = row.rival()?;
            if !rivals.contains(&rival) {
                rivals.push(rival);
            }
        }
        Ok(rivals)
    }

    /// Whether it can be filled here.
    pub fn state(&self) -> &'static str {
        match (self.kind.is_some() || self.command.is_some(), &self.missing) {
            (true, None) => "can be filled",
            (true, Some(_)) => "can be filled in part",
            (false, _) => "cannot be filled yet",
        }
    }

    /// What the cell of a row and a column is about; `None` where nothing here fills it.
    ///
    /// # Errors
    /// If it names a method that there is not.
    pub fn cell<'a>(&'a self, row: &'a Row, column: &'a Column) -> Result<Option<Cell<'a>>, PapersError> {
        let method = row.method.as_deref().or(column.method.as_deref()).map(str::parse::<MethodName>).transpose()?;
        let (set, by) = (row.set.as_deref().or(column.set.as_deref()), column.by.as_deref().or(row.by.as_deref()));
        Ok(match (set, by, self.kind) {
            (Some(_), Some(_), Some(Kind::Answers)) if method.is_none() => None,
            (Some(set), Some(by), Some(_)) => Some(Cell { set, by, method, k: column.k, against: row.rival()? }),
            _ => None,
        })
    }

    /// The sets that it is about, in its order.
    pub fn sets(&self) -> Vec<&str> {
        let mut sets = Vec::new();
        let of_rows = self.rows.iter().filter_map(|row| row.set.as_deref());
        for set in self.columns.iter().filter_map(|column| column.set.as_deref()).chain(of_rows) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::reproduce::fill::Source;

    #[test]
    fn every_table_has_figures_for_each_cell_and_every_cell_is_of_something_known() {
        let papers = papers().expect("TOML");
        let counts: Vec<(&str, usize)> = papers.paper.iter().map(|paper| (paper.name.as_str(), paper.table.len())).collect();
        assert_eq!(counts, [("hykge", 4), ("rok", 4), ("wts", 8), ("ebmkg", 4)]);
        let mut filled = 0;
        for (paper, table) in papers.paper.iter().flat_map(|paper| paper.table.iter().map(move |table| (paper, table))) {
            let place = format!("{} {}", paper.name, table.number);
            assert!(table.kind.is_some() || table.command.is_some() || table.missing.is_some(), "{place}");
            assert!(!table.rows.is_empty() && table.rows.iter().all(|row| row.paper.len() == table.columns.len()), "{place}");
            assert!(table.sets().iter().all(|set| papers.set.iter().any(|known| known.name == *set)), "{place}");
            for row in &table.rows {
                for column in &table.columns {
                    if let Some(cell) = table.cell(row, column).expect("known methods") {
                        filled += 1;
                        assert!(Source::of(cell.by).is_some(), "{place}: {}", cell.by);
                    }
                }
            }
        }
        assert!(filled > 250, "{filled} cells");
        let duels = papers.paper.iter().flat_map(|paper| &paper.table).find(|table| table.kind == Some(Kind::Duels)).expect("one");
        assert!(duels.sets().iter().all(|set| duels.rivals(set).expect("known") == [SearchMethod::Vector, SearchMethod::GraphRag]));
        assert!(papers.paper.iter().all(|paper| paper.table.iter().map(|table| table.number).eq(1..=paper.table.len() as u32)));
    }
}
