//! Scrolling and moving the selection.

use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay};

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScrollStep {
    Rows(isize),
    Pages(isize),
    First,
    Last,
}

impl ScrollStep {
    /// Where it leads from `at`, among `count` places with `page` of them on the screen.
    pub(super) fn from(self, at: usize, count: usize, page: usize) -> usize {
        let last = count.saturating_sub(1);
        let page = page.saturating_sub(1).max(1) as isize;
        match self {
            Self::Rows(rows) => at.min(last).saturating_add_signed(rows).min(last),
            Self::Pages(pages) => at.min(last).saturating_add_signed(pages.saturating_mul(page)).min(last),
            Self::First => 0,
            Self::Last => last,
        }
    }

    /// The same for the top row of a text of `rows` rows, which never scrolls past its last page.
    pub(super) fn scrolled(self, offset: usize, rows: usize, page: usize) -> usize {
        self.from(offset, (rows + 1).saturating_sub(page).max(1), page)
    }
}

impl App {
    pub(super) fn scroll_focused(&mut self, step: ScrollStep) {
        if self.scroll_passages(step) {
            return;
        }
        let page = self.layout.frame.picks.len().max(1);
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            let total = picker.fitting().len();
            picker.at.selected = step.from(picker.at.selected, total, page);
        } else if let Some(Overlay::Case(sheet)) = &mut self.sheets.overlay {
            sheet.at.selected = step.from(sheet.at.selected, sheet.len(), page);
        } else if matches!(self.sheets.overlay, Some(Overlay::Review)) {
            self.teaching.review.at.selected = step.from(self.teaching.review.at.selected, self.teaching.review.items().len(), page);
        } else if matches!(self.sheets.overlay, Some(Overlay::Learned)) {
            let total = self.teaching.learned.overview.records.len();
            self.teaching.learned.at.selected = step.from(self.teaching.learned.at.selected, total, page);
        } else if self.sheets.overlay.is_none() && self.is_side_by_side() {
            self.scroll_side_by_side(step);
        } else if self.sheets.overlay.is_some() || self.shows_first_screen() {
            self.sheets.offset = step.scrolled(self.sheets.offset, self.layout.frame.sheet_rows, self.layout.frame.sheet_height);
        } else {
            self.scroll_pane(self.layout.focus, step);
        }
    }

    pub(super) fn scroll_pane(&mut self, pane: Pane, step: ScrollStep) {
        self.dirty = true;
        let page = usize::from(self.layout.frame.panes[pane.index()].height).max(1);
        match pane {
            Pane::Question => {
                if let ScrollStep::Rows(rows) = step {
                    self.input.editor.area.scroll((rows.clamp(-100, 100) as i16, 0));
                }
            }
            Pane::Hypothesis => {
                let rows = self.layout.frame.hypothesis.last().len();
                self.selection.hypothesis_offset = step.scrolled(self.selection.hypothesis_offset, rows, page);
            }
            Pane::Anchors => {
                let count = self.anchor_rows().len();
                self.selection.anchors.selected = step.from(self.selection.anchors.selected, count, page);
            }
            Pane::Chains => {
                let at = step.from(self.selection.chains.selected, self.selection.list.len(), page);
                self.select_row(at, at > self.selection.chains.selected);
            }
            Pane::Kept => {
                let items = page / self.layout.frame.kept_rows.max(1);
                let rows = self.kept_rows();
                let place = rows.iter().position(|at| *at == self.selection.kept.selected).unwrap_or(0);
                if let Some(at) = rows.get(step.from(place, rows.len(), items)) {
                    self.select_kept(*at);
                }
            }
            Pane::Answer if !self.run.trace.answer.lines.is_empty() => {
                if let ScrollStep::Pages(pages) = step {
                    self.page_answer(pages, page);
                    return;
                }
                let lines = self.answer_lines();
                let place = lines.iter().position(|at| *at >= self.selection.answer.selected).unwrap_or(0);
                if let Some(at) = lines.get(step.from(place, lines.len(), page)) {
                    self.select_answer_line(*at);
                }
            }
            Pane::Answer => {
                let rows = self.layout.frame.answer.last().len();
                self.selection.answer.offset = step.scrolled(self.selection.answer.offset, rows, page);
            }
            Pane::Why => {
                let rows = self.layout.frame.why.last().len();
                self.selection.why_offset = step.scrolled(self.selection.why_offset, rows, page);
            }
            Pane::Graph => match step {
                ScrollStep::Rows(rows) if rows < 0 => self.layout.viewport.closer(),
                ScrollStep::Rows(_) => self.layout.viewport.farther(),
                _ => {}
            },
        }
    }
}

impl App {
    /// Turns the answer by pages of rows, so that every row is seen once: a line may have several, and headings have no line. The first line that
    /// begins on the page is selected.
    fn page_answer(&mut self, pages: isize, page: usize) {
        let rows = self.layout.frame.answer.last();
        let before = self.selection.answer.offset;
        let offset = ScrollStep::Pages(pages).scrolled(before, rows.len(), page);
        let lines = self.answer_lines();
        let place = |item: usize| lines.iter().position(|line| *line == item);
        let begins = |at: usize| rows[at].item.filter(|_| at == 0 || rows[at - 1].item != rows[at].item).and_then(place);
        let on_page = (offset..rows.len().min(offset + page)).find_map(begins);
        let now = place(self.selection.answer.selected).unwrap_or(0);
        let last = lines.len().saturating_sub(1);
        let (beside, end) = if pages > 0 { ((now + 1).min(last), last) } else { (now.saturating_sub(1), 0) };
        let place = match on_page {
            _ if offset == before => end,
            // A line that is longer than the page does not hold it fast.
            Some(place) if pages > 0 => place.max(beside),
            Some(place) => place.min(beside),
            None => beside,
        };
        if let Some(line) = lines.get(place) {
            self.select_answer_line(*line);
        }
        if !self.selection.alarm {
            self.selection.answer.offset = offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ScrollStep;

    #[test]
    fn steps_stay_within_the_list() {
        assert_eq!(ScrollStep::Rows(-1).from(0, 5, 3), 0);
        assert_eq!(ScrollStep::Rows(1).from(4, 5, 3), 4);
        assert_eq!(ScrollStep::Pages(1).from(0, 100, 10), 9);
        assert_eq!(ScrollStep::Last.from(0, 0, 10), 0);
        assert_eq!(ScrollStep::Rows(1).from(99, 5, 0), 4);
        assert_eq!(ScrollStep::Last.scrolled(0, 20, 8), 12);
        assert_eq!(ScrollStep::Last.scrolled(0, 5, 8), 0);
    }
}
