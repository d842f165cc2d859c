//! Searching and filtering: what is typed in the line below the panes.

use crossterm::event::KeyEvent;

use crate::run::SearchWords;
use crate::tui::action::Pane;
use crate::tui::app::{App, Severity, TypedSearch};
use crate::tui::chain_list::ListRow;
use crate::tui::styled_text::{TextRow, Wrapped};

impl App {
    /// Opens the line to type into.
    pub(super) fn begin_search(&mut self, filters: bool) {
        let before = match self.layout.focus {
            Pane::Chains => &self.selection.list.filter,
            Pane::Kept => &self.selection.kept_filter,
            Pane::Anchors => &self.selection.anchor_filter,
            _ if filters => {
                self.say(Severity::Note, "You can filter lists only: anchors, chains, kept chains. To search here, press /.");
                return;
            }
            _ => "",
        };
        let before = if filters { before } else { &self.selection.searched };
        self.selection.search = Some(TypedSearch::new(filters, before));
        self.sheets.overlay = None;
    }

    pub(super) fn type_search(&mut self, key: KeyEvent) {
        if self.selection.search.as_mut().is_some_and(|search| search.line.input(key)) {
            self.search_changed();
        }
    }

    /// A filter holds while it is typed.
    pub(super) fn search_changed(&mut self) {
        let Some(search) = self.selection.search.as_ref().filter(|search| search.filters) else { return };
        let text = search.line.text().to_owned();
        self.set_filter(text);
    }

    fn set_filter(&mut self, text: String) {
        match self.layout.focus {
            Pane::Chains => {
                self.selection.list.filter = text;
                self.arrange_chains();
            }
            Pane::Kept => self.selection.kept_filter = text,
            Pane::Anchors => self.selection.anchor_filter = text,
            _ => {}
        }
        self.dirty = true;
    }

    /// Takes what was typed: the search goes to its first match, a filter stays.
    pub(super) fn take_search(&mut self) {
        let Some(search) = self.selection.search.take() else { return };
        if search.filters {
            return;
        }
        search.line.text().trim().clone_into(&mut self.selection.searched);
        self.find_next(true);
    }

    /// Closes the line, and leaves everything as it was before.
    pub(super) fn give_up_search(&mut self) {
        let Some(search) = self.selection.search.take() else { return };
        if search.filters {
            self.set_filter(search.before().to_owned());
        }
    }

    /// Forgets filter and search of the focused pane; `false` when there was none.
    pub(super) fn forget_search(&mut self) -> bool {
        let filtered = match self.layout.focus {
            Pane::Chains => !self.selection.list.filter.is_empty(),
            Pane::Kept => !self.selection.kept_filter.is_empty(),
            Pane::Anchors => !self.selection.anchor_filter.is_empty(),
            _ => false,
        };
        if filtered {
            self.set_filter(String::new());
            return true;
        }
        !std::mem::take(&mut self.selection.searched).is_empty()
    }

    /// Goes to the next match in the focused pane, round the end.
    pub(super) fn find_next(&mut self, forward: bool) {
        let words = SearchWords::of(&self.selection.searched);
        if words.is_empty() {
            self.say(Severity::Note, "No search yet: press / and type some words.");
            return;
        }
        if !self.go_to_match(&words, forward) {
            let text = format!("“{}” is not in this pane.", self.selection.searched);
            self.say(Severity::Note, text);
        }
    }

    fn go_to_match(&mut self, words: &SearchWords, forward: bool) -> bool {
        match self.layout.focus {
            Pane::Anchors => {
                let rows = self.anchor_rows();
                let found = next(rows.len(), self.selection.anchors.selected, forward, |at| words.are_in(&self.anchor_text(rows[at])));
                self.selection.anchors.selected = found.unwrap_or(self.selection.anchors.selected);
                found.is_some()
            }
            Pane::Chains => {
                let has = self.selection.list.names(&self.run.trace.table).having(words);
                let list = &self.selection.list;
                let is_match = |at| match list.row(at) {
                    Some(ListRow::Chain(chain)) => self.run.trace.table.chains.get(chain as usize).is_some_and(&has),
                    _ => false,
                };
                let found = next(list.len(), self.selection.chains.selected, forward, is_match);
                if let Some(at) = found {
                    self.select_row(at, forward);
                }
                found.is_some()
            }
            Pane::Kept => {
                let kept = self.kept_rows();
                let table = &self.run.trace.table;
                let text =
                    |at: usize| self.run.trace.pruning.kept.get(at).and_then(|s| Some(table.text(table.chains.get(s.chain as usize)?)));
                let is_match = |at: usize| kept.get(at).and_then(|at| text(*at)).is_some_and(|text| words.are_in(&text));
                let place = kept.iter().position(|at| *at == self.selection.kept.selected).unwrap_or(0);
                let found = next(kept.len(), place, forward, is_match).and_then(|at| kept.get(at).copied());
                if let Some(at) = found {
                    self.select_kept(at);
                }
                found.is_some()
            }
            Pane::Hypothesis => {
                let found = next_row(&self.layout.frame.hypothesis, self.selection.hypothesis_offset, words, forward);
                self.selection.hypothesis_offset = found.unwrap_or(self.selection.hypothesis_offset);
                found.is_some()
            }
            Pane::Why => {
                let found = next_row(&self.layout.frame.why, self.selection.why_offset, words, forward);
                self.selection.why_offset = found.unwrap_or(self.selection.why_offset);
                found.is_some()
            }
            Pane::Answer => {
                let rows = self.layout.frame.answer.last();
                let at =
                    rows.iter().position(|row| row.item == Some(self.selection.answer.selected)).unwrap_or(self.selection.answer.offset);
                let Some(found) = next_row(&self.layout.frame.answer, at, words, forward) else { return false };
                match rows[found].item {
                    Some(item) => self.select_answer_line(item),
                    None => self.selection.answer.offset = found,
                }
                true
            }
            Pane::Question | Pane::Graph => false,
        }
    }
}

/// The first place after (or before) `from` that is a match, round the end; `from` itself last.
fn next(count: usize, from: usize, forward: bool, is_match: impl Fn(usize) -> bool) -> Option<usize> {
    (1..=count).map(|step| if forward { (from + step) % count } else { (from + count - step % count) % count }).find(|at| is_match(*at))
}

fn next_row(text: &Wrapped, from: usize, words: &SearchWords, forward: bool) -> Option<usize> {
    let rows = text.last();
    let text_of = |row: &TextRow| row.pieces.iter().map(|(text, _)| text.as_str()).collect::<String>();
    next(rows.len(), from, forward, |at| words.are_in(&text_of(&rows[at])))
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_search_goes_round_the_end() {
        let is_match = |at: usize| [1, 4].contains(&at);
        assert_eq!(next(6, 1, true, is_match), Some(4));
        assert_eq!(next(6, 4, true, is_match), Some(1));
        assert_eq!(next(6, 1, false, is_match), Some(4));
        assert_eq!(next(6, 0, false, is_match), Some(4));
        assert_eq!(next(2, 1, true, |at| at == 1), Some(1), "the only match is where one is");
        assert_eq!(next(0, 0, true, |_| true), None);
    }
}
