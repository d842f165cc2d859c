//! Searching and filtering: what is typed in the line below the panes.

use crossterm::event::KeyEvent;

use crate::pipeline::answer::headlines::Headlines;
use crate::run::SearchWords;
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Overlay, Severity, TypedSearch};
use crate::tui::chain_list::ListRow;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{TextRow, Wrapped};

impl App {
    /// Opens the line to type into.
    pub(super) fn begin_search(&mut self, filters: bool) {
        if self.is_review_open() {
            self.selection.search = Some(TypedSearch::new(false, &self.selection.searched));
            return;
        }
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
        self.find(Search::New);
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
        self.find(if forward { Search::Forward } else { Search::Back });
    }

    fn find(&mut self, search: Search) {
        let words = SearchWords::of(&self.selection.searched);
        if words.is_empty() {
            self.say(Severity::Note, "No search yet: press / and type some words.");
            return;
        }
        self.sheets.passing = Some(match self.go_to_match(&words, search) {
            Some(Found { nth, of }) => {
                let context = if self.is_review_open() { Context::Review } else { Context::Panes };
                let key = |action| self.input.keymap.key_of(action, context);
                let (next, previous) = (key(Action::FindNext), key(Action::FindPrevious));
                format!("“{}”: {} of {} · {next} next · {previous} previous", self.selection.searched, count(nth), count(of))
            }
            None if self.is_review_open() => format!("“{}” is in none of these proposals.", self.selection.searched),
            None => format!("“{}” is not in this pane.", self.selection.searched),
        });
    }

    /// Whether the review lies over the panes: then it is searched, not what is below it.
    pub(crate) fn is_review_open(&self) -> bool {
        matches!(self.sheets.overlay, Some(Overlay::Review))
    }

    fn go_to_match(&mut self, words: &SearchWords, search: Search) -> Option<Found> {
        if self.is_review_open() {
            let review = &mut self.teaching.review;
            let is_match = |at: &usize| review.items().get(*at).is_some_and(|item| words.are_in(&item.proposal.triple.text()));
            let places = (0..review.items().len()).filter(is_match).collect();
            let (at, found) = next(places, review.at.selected, search)?;
            review.select(at);
            return Some(found);
        }
        match self.layout.focus {
            Pane::Anchors => {
                let rows = self.anchor_rows();
                let places = (0..rows.len()).filter(|at| words.are_in(&self.anchor_text(rows[*at]))).collect();
                let (at, found) = next(places, self.selection.anchors.selected, search)?;
                self.selection.anchors.selected = at;
                Some(found)
            }
            Pane::Chains => {
                let has = self.selection.list.names(&self.run.trace.table).having(words);
                let list = &self.selection.list;
                let is_match = |at: &usize| match list.row(*at) {
                    Some(ListRow::Chain(chain)) => self.run.trace.table.chains.get(chain as usize).is_some_and(&has),
                    _ => false,
                };
                let places = (0..list.len()).filter(is_match).collect();
                let (at, found) = next(places, self.selection.chains.selected, search)?;
                self.select_row(at, search != Search::Back);
                Some(found)
            }
            Pane::Kept => {
                let kept = self.kept_rows();
                let table = &self.run.trace.table;
                let text = |at: usize| {
                    let chain = self.run.trace.pruning.kept.get(at)?.chain;
                    Some(table.text(table.chains.get(chain as usize)?))
                };
                let places = (0..kept.len()).filter(|at| text(kept[*at]).is_some_and(|text| words.are_in(&text))).collect();
                let place = kept.iter().position(|at| *at == self.selection.kept.selected).unwrap_or(0);
                let (at, found) = next(places, place, search)?;
                self.select_kept(kept[at]);
                Some(found)
            }
            Pane::Hypothesis => {
                let (at, found) = next_row(&self.layout.frame.hypothesis, self.selection.hypothesis_offset, words, search)?;
                self.selection.hypothesis_offset = at;
                Some(found)
            }
            Pane::Why => {
                let (at, found) = next_row(&self.layout.frame.why, self.selection.why_offset, words, search)?;
                self.selection.why_offset = at;
                Some(found)
            }
            Pane::Answer => {
                let rows = self.layout.frame.answer.last();
                let at =
                    rows.iter().position(|row| row.item == Some(self.selection.answer.selected)).unwrap_or(self.selection.answer.offset);
                // A line of several rows is one match, wherever the words stand in it: otherwise the search would never leave it.
                let first_of = |at: usize| rows[at].item.and_then(|item| rows.iter().position(|row| row.item == Some(item))).unwrap_or(at);
                let mut places: Vec<usize> = matching(&self.layout.frame.answer, words).into_iter().map(first_of).collect();
                places.dedup();
                // The lines above them, which stay while they scroll, are place 0. If none of them can be selected, a search that stopped there would not
                // go on, so it stops there only if there is nothing else.
                let Headlines { urgency, read_as } = Headlines::of(&self.run.trace);
                let stops = urgency.is_some() || places.is_empty();
                let texts = urgency.map(|(_, text)| text).into_iter().chain(read_as);
                let is_above = stops && texts.into_iter().any(|text| words.are_in(&text));
                let places = is_above.then_some(0).into_iter().chain(places.into_iter().map(|at| at + 1)).collect();
                let (at, found) = next(places, if self.selection.alarm { 0 } else { at + 1 }, search)?;
                match at.checked_sub(1).map(|at| (at, rows[at].item)) {
                    None => self.select_headlines(),
                    Some((_, Some(item))) => self.select_answer_line(item),
                    Some((at, None)) => self.selection.answer.offset = at,
                }
                Some(found)
            }
            Pane::Question | Pane::Graph => None,
        }
    }
}

/// Where a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    /// To the first match from what is selected on.
    New,
    /// To the next match after it.
    Forward,
    /// To the one before it.
    Back,
}

/// Which match was found, from 1, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    nth: usize,
    of: usize,
}

/// The first of the places (in order) after or before `from`, round the end; `from` itself first for a new search, else last.
fn next(places: Vec<usize>, from: usize, search: Search) -> Option<(usize, Found)> {
    let last = places.len().checked_sub(1)?;
    let at = match search {
        Search::New => places.iter().position(|place| *place >= from).unwrap_or(0),
        Search::Forward => places.iter().position(|place| *place > from).unwrap_or(0),
        Search::Back => places.iter().rposition(|place| *place < from).unwrap_or(last),
    };
    Some((places[at], Found { nth: at + 1, of: places.len() }))
}

fn next_row(text: &Wrapped, from: usize, words: &SearchWords, search: Search) -> Option<(usize, Found)> {
    next(matching(text, words), from, search)
}

/// The rows that have the words.
fn matching(text: &Wrapped, words: &SearchWords) -> Vec<usize> {
    let text_of = |row: &TextRow| row.pieces.iter().map(|(text, _)| text.as_str()).collect::<String>();
    text.last().iter().enumerate().filter(|(_, row)| words.are_in(&text_of(row))).map(|(at, _)| at).collect()
}

/// A number as people read it.
fn count(number: usize) -> String {
    crate::text::grouped(number as u64)
}

#[cfg(test)]
mod tests {
    use super::Search::{Back, Forward, New};
    use super::{Found, next};

    #[test]
    fn the_search_goes_round_the_end_and_counts() {
        let go = |from, search| next(vec![1, 4], from, search);
        let (first, second) = (Some((1, Found { nth: 1, of: 2 })), Some((4, Found { nth: 2, of: 2 })));
        assert_eq!(go(1, Forward), second);
        assert_eq!(go(4, Forward), first);
        assert_eq!(go(1, Back), second);
        assert_eq!(go(0, Back), second);
        assert_eq!((go(1, New), go(2, New), go(5, New)), (first, second, first), "what is selected counts");
        assert_eq!(next(vec![1], 1, Forward), Some((1, Found { nth: 1, of: 1 })), "the only match is where one is");
        assert_eq!(next(Vec::new(), 0, New), None);
    }
}
