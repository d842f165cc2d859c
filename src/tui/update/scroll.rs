//! Scrolling and moving the selection.

use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay};

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Rows(isize),
    Pages(isize),
    First,
    Last,
}

impl Step {
    /// Where it leads from `at`, among `count` places with `page` of them on the screen.
    fn from(self, at: usize, count: usize, page: usize) -> usize {
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
    pub(super) fn scroll_focused(&mut self, step: Step) {
        let page = self.memory.picks.len().max(1);
        if let Some(Overlay::Picker(picker)) = &mut self.overlay {
            let total = picker.fitting().len();
            picker.at.selected = step.from(picker.at.selected, total, page);
        } else if matches!(self.overlay, Some(Overlay::Review)) {
            self.review.at.selected = step.from(self.review.at.selected, self.review.items().len(), page);
        } else if matches!(self.overlay, Some(Overlay::Lessons)) {
            let total = self.lessons.lessons.records.len();
            self.lessons.at.selected = step.from(self.lessons.at.selected, total, page);
        } else if self.overlay.is_none() && self.is_beside() {
            self.scroll_beside(step);
        } else if self.overlay.is_some() || self.first_screen {
            self.sheet_offset = step.scrolled(self.sheet_offset, self.memory.sheet_rows, self.memory.sheet_height);
        } else {
            self.scroll_pane(self.focus, step);
        }
    }

    pub(super) fn scroll_pane(&mut self, pane: Pane, step: Step) {
        self.dirty = true;
        let page = usize::from(self.memory.panes[pane.index()].height).max(1);
        match pane {
            Pane::Question => {
                if let Step::Rows(rows) = step {
                    self.editor.area.scroll((rows.clamp(-100, 100) as i16, 0));
                }
            }
            Pane::Hypothesis => {
                let rows = self.memory.hypothesis.last().len();
                self.hypothesis_offset = step.scrolled(self.hypothesis_offset, rows, page);
            }
            Pane::Anchors => {
                let count = self.anchor_rows().len();
                self.anchors.selected = step.from(self.anchors.selected, count, page);
            }
            Pane::Chains => {
                let at = step.from(self.chains.selected, self.list.len(), page);
                self.select_row(at, at > self.chains.selected);
            }
            Pane::Kept => {
                let items = page / self.memory.kept_rows.max(1);
                let rows = self.kept_rows();
                let place = rows.iter().position(|at| *at == self.kept.selected).unwrap_or(0);
                if let Some(at) = rows.get(step.from(place, rows.len(), items)) {
                    self.select_kept(*at);
                }
            }
            Pane::Answer if !self.trace.answer.lines.is_empty() => {
                self.select_answer_line(step.from(self.answer.selected, self.trace.answer.lines.len(), page));
            }
            Pane::Answer => {
                let rows = self.memory.answer.last().len();
                self.answer.offset = step.scrolled(self.answer.offset, rows, page);
            }
            Pane::Why => {
                let rows = self.memory.why.last().len();
                self.why_offset = step.scrolled(self.why_offset, rows, page);
            }
            Pane::Graph => match step {
                Step::Rows(rows) if rows < 0 => self.camera.closer(),
                Step::Rows(_) => self.camera.farther(),
                _ => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn steps_stay_within_the_list() {
        assert_eq!(Step::Rows(-1).from(0, 5, 3), 0);
        assert_eq!(Step::Rows(1).from(4, 5, 3), 4);
        assert_eq!(Step::Pages(1).from(0, 100, 10), 9);
        assert_eq!(Step::Last.from(0, 0, 10), 0);
        assert_eq!(Step::Rows(1).from(99, 5, 0), 4);
        assert_eq!(Step::Last.scrolled(0, 20, 8), 12);
        assert_eq!(Step::Last.scrolled(0, 5, 8), 0);
    }
}
