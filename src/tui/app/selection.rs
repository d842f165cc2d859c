//! What is selected, scrolled to, searched and filtered. One chain is selected at a time, and all panes show it.

use crate::tui::chain_list::ChainList;
use crate::tui::line_input::LineInput;

/// What is selected, scrolled to, searched and filtered.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// The selected chain's number in the table: one selection for all panes.
    pub(crate) chain: Option<u32>,
    /// Where the selection of several chains began: a row of the list.
    pub(crate) range: Option<usize>,
    /// The order of the chains, and the words they are filtered by.
    pub(crate) list: ChainList,
    pub(crate) chains: ListPosition,
    pub(crate) anchors: ListPosition,
    /// Words that the anchors are filtered by.
    pub(crate) anchor_filter: String,
    pub(crate) kept: ListPosition,
    /// Words that the kept chains are filtered by.
    pub(crate) kept_filter: String,
    /// `selected` is a line of the answer, `offset` a row.
    pub(crate) answer: ListPosition,
    /// The line that says how urgent the case is was selected last, not a chain.
    pub(crate) alarm: bool,
    /// A line of the answer that no chain states was selected last, not a chain.
    pub(crate) uncited: bool,
    /// The selected chain is one of those behind the line that says how urgent the case is, and was reached from there.
    pub(crate) of_alarm: bool,
    /// The answer that comes next is read from its beginning.
    pub(crate) from_start: bool,
    /// What else the evidence holds is shown, not only counted.
    pub(crate) unfolded: bool,
    pub(crate) hypothesis_offset: usize,
    pub(crate) why_offset: usize,
    /// What is being typed to search or filter.
    pub(crate) search: Option<TypedSearch>,
    /// What was searched for last.
    pub(crate) searched: String,
}

impl Selection {
    /// Forgets everything that depends on the run; the order of the chains and the last search stay.
    pub(crate) fn reset(&mut self) {
        self.list.forget();
        self.list.filter.clear();
        *self = Self { list: std::mem::take(&mut self.list), searched: std::mem::take(&mut self.searched), ..Self::default() };
    }
}

/// Where a list stands: the selected row, and the row at its top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ListPosition {
    pub(crate) selected: usize,
    pub(crate) offset: usize,
}

/// What is typed in the line below the panes.
#[derive(Debug)]
pub(crate) struct TypedSearch {
    pub(crate) line: LineInput,
    /// Whether rows without the words are hidden, rather than skipped.
    pub(crate) filters: bool,
    /// What was searched for before.
    before: String,
}

impl TypedSearch {
    pub(crate) fn new(filters: bool, before: &str) -> Self {
        Self { line: LineInput::new(if filters { before } else { "" }), filters, before: before.to_owned() }
    }

    pub(crate) fn before(&self) -> &str {
        &self.before
    }
}
