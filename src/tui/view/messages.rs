//! All messages, and the sheet on which they and the help are shown.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::{footer, paint, pane};
use crate::run::{Stage, StageState};
use crate::tui::app::{App, Overlay, StatusMessage};
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::words::words;

/// Text wider than this is hard to read.
const WIDEST: u16 = 150;

/// From this width on, there are two columns.
const TWO_COLUMNS: u16 = 120;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let line = |message: &StatusMessage| {
        let (sign, span_style) = footer::sign(message.severity);
        Block::new().indented(0, 2).with(&format!("{sign}\u{a0}"), span_style).with(app.language.known(&message.text), SpanStyle::Plain)
    };
    let mut blocks: Vec<Block> = app.sheets.messages.iter().rev().map(line).collect();
    if let Some(reason) = &app.run.trace.truncated {
        blocks.push(
            Block::new()
                .indented(0, 2)
                .with("⚠\u{a0}", SpanStyle::Warning)
                .with(&words!(app.language, "The search stopped early: {reason}", reason = reason), SpanStyle::Plain),
        );
    }
    if blocks.is_empty() {
        blocks.push(Block::new().with(words!(app.language, "There are no messages."), SpanStyle::Dim));
    }
    if !app.sheets.earlier.is_empty() {
        blocks.push(Block::new());
        blocks.push(Block::new().with(words!(app.language, "Before this question"), SpanStyle::Heading));
        blocks.extend(app.sheets.earlier.iter().rev().map(line));
    }
    let times: Vec<String> = Stage::ALL
        .into_iter()
        .filter_map(|stage| match app.run.trace.stage(stage) {
            StageState::Done { elapsed_ms } => Some(format!("{} {}", app.language.known(stage.as_str()), paint::duration(elapsed_ms))),
            _ => None,
        })
        .collect();
    if !times.is_empty() {
        blocks.push(Block::new());
        blocks.push(
            Block::new()
                .indented(0, 2)
                .with(&words!(app.language, "Time of each stage: {times}", times = times.join(" · ")), SpanStyle::Dim),
        );
    }
    sheet(frame, app, body, words!(app.language, "Messages, newest first"), &[blocks]);
}

/// Text that someone else made.
pub(super) fn text(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    if let Some(Overlay::Text(text)) = app.sheets.overlay.take() {
        if body.width >= TWO_COLUMNS || text.columns.len() == 1 {
            sheet(frame, app, body, &text.title, &text.columns);
        } else {
            sheet(frame, app, body, &text.title, &[text.columns.concat()]);
        }
        app.sheets.overlay = Some(Overlay::Text(text));
    }
}

/// A sheet over the panes, with its text in columns, scrolled together.
pub(super) fn sheet(frame: &mut Frame<'_>, app: &mut App, body: Rect, title: &str, columns: &[Vec<Block>]) {
    let width = body.width.min(if columns.len() > 1 { WIDEST } else { WIDEST / 2 + 15 });
    let inside = width.saturating_sub(4);
    let each = (inside / columns.len().max(1) as u16).saturating_sub(1).max(1);
    let wrapped: Vec<_> = columns.iter().map(|blocks| styled_text::wrap(blocks, each)).collect();
    let rows = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let height = body.height.min(u16::try_from(rows + 2).unwrap_or(u16::MAX));
    let area = Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 2, width, height);
    if area.is_empty() {
        return;
    }
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, title);
    app.layout.frame.sheet_height = usize::from(inner.height);
    app.layout.frame.sheet_rows = rows;
    app.sheets.offset = app.sheets.offset.min(rows.saturating_sub(usize::from(inner.height)));
    let areas = Layout::horizontal(vec![Constraint::Fill(1); columns.len()]).split(inner);
    for (rows, area) in wrapped.iter().zip(areas.iter()) {
        let area = Rect::new(area.x + u16::from(area.width > 2), area.y, area.width.saturating_sub(2), area.height);
        paint::rows(buf, &app.look.theme, area, rows, app.sheets.offset, |_, _, style| style);
    }
    let offset = app.sheets.offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, rows);
}
