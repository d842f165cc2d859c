//! A list to choose from, over the panes: what is typed above, what fits below.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::{header, paint, pane};
use crate::text::sanitise_line;
use crate::tui::app::{App, Overlay};
use crate::tui::styled_text::Ink;

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 110;
/// Rows of items at most.
const MOST_ROWS: u16 = 18;
/// Below this width what stands at the right end is left out.
const WITH_ASIDE: u16 = 60;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(Overlay::Picker(mut picker)) = app.overlay.take() else { return };
    let width = body.width.min(WIDEST);
    let height = body.height.min(MOST_ROWS + 4);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 3, width, height);
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, app, area, picker.offer.title());
    let styles = &app.theme.styles;
    if inner.height < 2 {
        app.overlay = Some(Overlay::Picker(picker));
        return;
    }
    let typed = picker.line.text();
    let line = [(" ▸ ", Ink::Key), (typed, Ink::Strong)];
    paint::pieces(buf, &app.theme, (inner.x, inner.y), inner.width, line);
    let cursor = inner.x + 3 + picker.line.cursor();
    let list = Rect::new(inner.x, inner.y + 2.min(inner.height - 1), inner.width, inner.height.saturating_sub(2));
    let total = picker.fitting().len();
    if picker.awaited {
        let spinner = header::spinner(app);
        paint::pieces(buf, &app.theme, (inner.right().saturating_sub(2), inner.y), 1, [(spinner, Ink::Busy)]);
    }
    if total == 0 && !picker.awaited {
        let empty = picker.offer.empty(!typed.trim().is_empty());
        paint::pieces(buf, &app.theme, (list.x + 3, list.y), list.width.saturating_sub(3), [(empty, Ink::Dim)]);
    }
    picker.at.selected = picker.at.selected.min(total.saturating_sub(1));
    picker.at.offset = paint::reveal(picker.at.offset, picker.at.selected, usize::from(list.height), total);
    for ((at, item), y) in picker.fitting().enumerate().skip(picker.at.offset).zip(list.top()..list.bottom()) {
        let row = Rect::new(list.x, y, list.width, 1);
        if at == picker.at.selected {
            buf.set_style(row, styles.selected);
            paint::gutter(buf, &app.theme, (row.x, y), true);
        }
        let aside = sanitise_line(&item.aside);
        let aside_width = if list.width >= WITH_ASIDE { aside.width() as u16 + 2 } else { 0 };
        let room = row.width.saturating_sub(3 + aside_width);
        let (label, detail) = (sanitise_line(&item.label), format!("   {}", sanitise_line(&item.detail)));
        // What is said about an item keeps its place beside a long name, such as a question.
        let detail_width = (detail.width() as u16).min(room / 2);
        let used = paint::pieces(buf, &app.theme, (row.x + 2, y), room - detail_width, [(label.as_ref(), Ink::Plain)]);
        paint::pieces(buf, &app.theme, (row.x + 2 + used, y), room - used, [(detail.as_str(), Ink::Dim)]);
        if aside_width > 0 {
            let x = row.right().saturating_sub(aside_width - 1);
            paint::pieces(buf, &app.theme, (x, y), aside_width - 1, [(aside.as_ref(), Ink::Key)]);
        }
        app.memory.picks.push((row, at));
    }
    if cursor < inner.right() {
        frame.set_cursor_position(Position::new(cursor, inner.y));
    }
    app.overlay = Some(Overlay::Picker(picker));
}
