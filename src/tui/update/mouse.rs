//! The mouse: the wheel scrolls what is under it, a click focuses and selects.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui_textarea::CursorMove;

use super::scroll::ScrollStep;
use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay};

const WHEEL_ROWS: isize = 3;

impl App {
    pub(super) fn on_mouse(&mut self, mouse: MouseEvent) {
        let at = Position::new(mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollUp => self.wheel(at, ScrollStep::Rows(-WHEEL_ROWS)),
            MouseEventKind::ScrollDown => self.wheel(at, ScrollStep::Rows(WHEEL_ROWS)),
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(at),
            MouseEventKind::Up(MouseButton::Left) => self.layout.dragged = None,
            _ => {}
        }
    }

    fn pane_at(&self, at: Position) -> Option<(Pane, Rect)> {
        Pane::ALL.into_iter().map(|pane| (pane, self.layout.frame.panes[pane.index()])).find(|(_, area)| area.contains(at))
    }

    fn wheel(&mut self, at: Position, step: ScrollStep) {
        self.dirty = true;
        if self.sheets.form.is_some() || self.sheets.confirm.is_some() {
        } else if self.sheets.overlay.is_some() || self.shows_first_screen() || self.is_side_by_side() {
            self.scroll_focused(step);
        } else if let Some((pane, _)) = self.pane_at(at) {
            self.scroll_pane(pane, step);
        }
    }

    fn drag(&mut self, to: Position) {
        if let Some(divider) = self.layout.dragged {
            self.layout.splits.drag(&divider, to);
            self.dirty = true;
        }
    }

    fn click(&mut self, at: Position) {
        self.dirty = true;
        self.input.pending.clear();
        // What is being typed, or asked, is not lost to a click beside it.
        if self.sheets.form.is_some() || self.sheets.confirm.is_some() {
            return;
        }
        let item = self.layout.frame.picks.iter().find(|(row, _)| row.contains(at)).map(|(_, item)| *item);
        match (&self.sheets.overlay, item) {
            (Some(Overlay::Review), Some(item)) => {
                self.teaching.review.at.selected = item;
                return;
            }
            (Some(Overlay::Passages(_)), Some(item)) => {
                if let Some(Overlay::Passages(sheet)) = &mut self.sheets.overlay {
                    sheet.at.selected = item;
                }
                return;
            }
            (Some(Overlay::Case(_)), Some(item)) => {
                if let Some(Overlay::Case(sheet)) = &mut self.sheets.overlay {
                    sheet.at.selected = item;
                }
                return;
            }
            (Some(Overlay::Learned), Some(item)) => {
                self.teaching.learned.at.selected = item;
                return;
            }
            _ => {}
        }
        if matches!(self.sheets.overlay, Some(Overlay::Picker(_))) {
            match item {
                Some(item) => self.click_pick(item),
                None => {
                    let closed = self.sheets.overlay.take();
                    self.close_sheet(closed);
                }
            }
            return;
        }
        if self.sheets.overlay.take().is_some() {
            return;
        }
        if self.is_side_by_side() {
            if let Some(side) = item {
                self.open_side(side);
            }
            return;
        }
        if self.shows_first_screen()
            && let Some(item) = item
        {
            self.take_from_first_screen(item);
            return;
        }
        self.layout.dragged =
            self.layout.frame.dividers.iter().find(|divider| divider.cells.contains(at)).copied().filter(|_| !self.shows_first_screen());
        if self.layout.dragged.is_some() {
            return;
        }
        if let Some((_, pane)) = self.layout.frame.tabs.iter().find(|(area, _)| area.contains(at)) {
            let pane = *pane;
            if self.is_demo() {
                self.show_stage(pane);
            } else {
                self.layout.focus = pane;
            }
            return;
        }
        if self.layout.frame.alarm.contains(at) {
            self.layout.focus = Pane::Answer;
            self.select_alarm();
            return;
        }
        let Some((pane, area)) = self.pane_at(at) else { return };
        self.layout.focus = pane;
        let row = usize::from(at.y - area.y);
        match pane {
            Pane::Question => {
                let (top, left) = self.input.editor.area.scroll_offset();
                let cursor = self.input.editor.area.screen_to_data(row + usize::from(top), usize::from(at.x - area.x) + usize::from(left));
                let narrow = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
                self.input.editor.area.move_cursor(CursorMove::Jump(narrow(cursor.0), narrow(cursor.1)));
            }
            Pane::Anchors => self.selection.anchors.selected = self.selection.anchors.offset + row,
            Pane::Chains => self.select_row(self.selection.chains.offset + row, true),
            Pane::Kept => {
                let place = self.selection.kept.offset + row / self.layout.frame.kept_rows.max(1);
                if let Some(at) = self.kept_rows().get(place) {
                    self.select_kept(*at);
                }
            }
            Pane::Answer => {
                if let Some(item) = self.layout.frame.answer.last().get(self.selection.answer.offset + row).and_then(|row| row.item) {
                    self.select_answer_line(item);
                }
            }
            Pane::Graph => {
                let entity = self.layout.frame.graph_nodes.iter().find(|(cells, _)| cells.contains(at)).map(|(_, entity)| *entity);
                if let Some(entity) = entity {
                    self.select_kept_through(entity);
                }
            }
            Pane::Hypothesis | Pane::Why => {}
        }
    }
}
