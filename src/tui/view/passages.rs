//! Passages of documents: their ids behind the lines of an answer, the list of them over the panes, and a stored document open at one.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{form, paint, pane};
use crate::run::AnswerLine;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay};
use crate::tui::keymap::Context;
use crate::tui::passage_sheet::{OpenDocument, PassageSheet};
use crate::tui::styled_text::{Block, SpanStyle, wrap};

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 120;
/// Rows of text that are shown above an opened passage.
const ABOVE: usize = 3;

/// An empty paragraph for a line of the answer: quotations stand below the line that they belong to.
pub(super) fn block_of(line: &AnswerLine) -> Block {
    match (line.is_quote(), line.part.has_heading()) {
        (true, _) => Block::new().indented(4, 6),
        (false, true) => Block::new().indented(2, 4),
        // The bar beside what is selected has its place before sentences, too.
        (false, false) => Block::new().indented(2, 2),
    }
}

/// Pushes the ids of the passages that a line cites, behind its chains.
pub(super) fn push_ids(block: &mut Block, line: &AnswerLine) {
    for (nth, id) in line.passages.iter().enumerate() {
        block.push(if nth == 0 && line.citations.is_empty() { "\u{a0}" } else { "" }, SpanStyle::Plain);
        block.push(&format!("[{id}]"), SpanStyle::Passage(*id));
    }
}

/// Draws the list, or the document that is open.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(Overlay::Passages(mut sheet)) = app.sheets.overlay.take() else { return };
    let width = body.width.min(WIDEST);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y, width, body.height);
    let mut is_open = false;
    match &mut sheet.open {
        Some(open) => {
            is_open = true;
            document(frame, app, area, open);
        }
        None => list(frame, app, area, &mut sheet),
    }
    let key = |action| app.input.keymap.key_of(action, Context::Passages);
    let close = app.input.keymap.key_of(Action::Stop, Context::Anywhere);
    let keys = if is_open {
        vec![(key(Action::OpenDocument), "back to the list"), (key(Action::Copy), "copies the address"), (close, "closes")]
    } else {
        vec![
            (key(Action::OpenDocument), "opens the document"),
            (key(Action::Pin), "pins"),
            (key(Action::Reject), "rejects"),
            (key(Action::Copy), "copies the address"),
            (close, "closes"),
        ]
    };
    form::keys_below(frame.buffer_mut(), app, area, &keys);
    app.sheets.overlay = Some(Overlay::Passages(sheet));
}

fn list(frame: &mut Frame<'_>, app: &mut App, area: Rect, sheet: &mut PassageSheet) {
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, app.language.known("Passages of documents"));
    if inner.is_empty() {
        return;
    }
    let rows = wrap(&PassageSheet::blocks(&app.run.trace, &app.run.decisions.wanted), inner.width.saturating_sub(1).max(1));
    sheet.at.selected = sheet.at.selected.min(app.run.trace.passages.len().saturating_sub(1));
    let is_selected = |item: Option<usize>| item == Some(sheet.at.selected);
    let height = usize::from(inner.height);
    if let (Some(first), Some(last)) =
        (rows.iter().position(|row| is_selected(row.item)), rows.iter().rposition(|row| is_selected(row.item)))
    {
        let offset = paint::reveal(sheet.at.offset, last, height, rows.len());
        sheet.at.offset = paint::reveal(offset, first, height, rows.len());
    }
    for (row, y) in rows.iter().skip(sheet.at.offset).zip(inner.top()..inner.bottom()) {
        let line = Rect::new(inner.x, y, inner.width, 1);
        if is_selected(row.item) {
            buf.set_style(line, app.look.theme.styles.selected);
            paint::gutter(buf, &app.look.theme, (inner.x, y), true);
        }
        app.layout.frame.picks.extend(row.item.map(|item| (line, item)));
    }
    paint::rows(buf, &app.look.theme, inner, &rows, sheet.at.offset, |_, _, style| style);
    (app.layout.frame.sheet_rows, app.layout.frame.sheet_height) = (rows.len(), height);
    pane::scrollbar(buf, &app.look.theme, area, sheet.at.offset, rows.len());
}

fn document(frame: &mut Frame<'_>, app: &mut App, area: Rect, open: &mut OpenDocument) {
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, &open.title);
    if inner.is_empty() {
        return;
    }
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    let rows = wrap(&open.blocks, inner.width.max(1));
    let passage = rows.iter().position(|row| row.item.is_some()).unwrap_or(0);
    let height = usize::from(inner.height);
    let offset = open.offset.unwrap_or_else(|| passage.saturating_sub(ABOVE)).min(rows.len().saturating_sub(height));
    open.offset = Some(offset);
    paint::rows(buf, &app.look.theme, inner, &rows, offset, |_, _, style| style);
    (app.layout.frame.sheet_rows, app.layout.frame.sheet_height) = (rows.len(), height);
    pane::scrollbar(buf, &app.look.theme, area, offset, rows.len());
}
