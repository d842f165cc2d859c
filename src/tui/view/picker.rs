//! A list to choose from, over the panes: the typed text above, the matching items below.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::{header, paint, pane};
use crate::text::sanitise_line;
use crate::tui::app::{App, Overlay};
use crate::tui::styled_text::{self, Block, SpanStyle};

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 110;
/// Rows of items at most.
const MOST_ROWS: u16 = 18;
/// Below this width what stands at the right end is left out.
const WITH_ASIDE: u16 = 60;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(Overlay::Picker(mut picker)) = app.sheets.overlay.take() else { return };
    let width = body.width.min(WIDEST);
    let height = body.height.min(MOST_ROWS + 4);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 3, width, height);
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, app.language.known(picker.offer.title()));
    let styles = &app.look.theme.styles;
    if inner.height < 2 {
        app.sheets.overlay = Some(Overlay::Picker(picker));
        return;
    }
    let typed = picker.line.text();
    let line = [(" ▸ ", SpanStyle::Key), (typed, SpanStyle::Strong)];
    paint::pieces(buf, &app.look.theme, (inner.x, inner.y), inner.width, line);
    let cursor = inner.x + 3 + picker.line.cursor();
    let mut list = Rect::new(inner.x, inner.y + 2.min(inner.height - 1), inner.width, inner.height.saturating_sub(2));
    if let Some(refused) = &picker.refused {
        let text = Rect { x: list.x + 3, width: list.width.saturating_sub(4), ..list };
        let rows = styled_text::wrap(&[Block::new().with(refused, SpanStyle::Warning)], text.width);
        paint::rows(buf, &app.look.theme, text, &rows, 0, |_, _, style| style);
        let used = u16::try_from(rows.len() + 1).unwrap_or(list.height).min(list.height);
        list = Rect { y: list.y + used, height: list.height - used, ..list };
    }
    let total = picker.fitting().len();
    if picker.awaited {
        let spinner = header::spinner(app.now);
        paint::pieces(buf, &app.look.theme, (inner.right().saturating_sub(2), inner.y), 1, [(spinner, SpanStyle::Busy)]);
    }
    if total == 0 && !picker.awaited {
        let empty = app.language.known(picker.offer.empty(!typed.trim().is_empty()));
        paint::pieces(buf, &app.look.theme, (list.x + 3, list.y), list.width.saturating_sub(3), [(empty, SpanStyle::Dim)]);
    }
    picker.at.selected = picker.at.selected.min(total.saturating_sub(1));
    picker.at.offset = paint::reveal(picker.at.offset, picker.at.selected, usize::from(list.height), total);
    for ((at, item), y) in picker.fitting().enumerate().skip(picker.at.offset).zip(list.top()..list.bottom()) {
        let row = Rect::new(list.x, y, list.width, 1);
        if at == picker.at.selected {
            buf.set_style(row, styles.selected);
            paint::gutter(buf, &app.look.theme, (row.x, y), true);
        }
        let aside = sanitise_line(&item.aside);
        let aside_width = if list.width >= WITH_ASIDE { aside.width() as u16 + 2 } else { 0 };
        let room = row.width.saturating_sub(3 + aside_width);
        let (label, detail) = (sanitise_line(&item.label), format!("   {}", sanitise_line(&item.detail)));
        // What is said about an item keeps its place beside a long name, such as a question.
        let detail_width = (detail.width() as u16).min(room / 2);
        let used = paint::pieces(buf, &app.look.theme, (row.x + 2, y), room - detail_width, [(label.as_ref(), SpanStyle::Plain)]);
        paint::pieces(buf, &app.look.theme, (row.x + 2 + used, y), room - used, [(detail.as_str(), SpanStyle::Dim)]);
        if aside_width > 0 {
            let x = row.right().saturating_sub(aside_width - 1);
            paint::pieces(buf, &app.look.theme, (x, y), aside_width - 1, [(aside.as_ref(), SpanStyle::Key)]);
        }
        app.layout.frame.picks.push((row, at));
    }
    if cursor < inner.right() {
        frame.set_cursor_position(Position::new(cursor, inner.y));
    }
    app.sheets.overlay = Some(Overlay::Picker(picker));
}
