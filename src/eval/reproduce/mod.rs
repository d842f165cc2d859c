//! The tables of the papers: what each compares (`assets/papers.toml`), and its reproduction beside the paper's own figures.

mod duels;
mod examine;
mod fill;
mod papers;
mod report;

pub use duels::{DuelRow, Judge, Judged, Shares};
pub use examine::{Examined, examine};
pub use fill::{Filled, NeedsOfSet, Source, needs, ours};
pub use papers::{Cell, Column, DataSet, Kind, Paper, PaperTable, Papers, PapersError, Row, papers};
pub use report::{CellReport, RowReport, TableReport, markdown, times};
