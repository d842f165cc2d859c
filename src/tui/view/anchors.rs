//! The anchors: what question and hypothesis mention, as the graph knows it; and what it does not know.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{paint, pane};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::SpanStyle;
use crate::tui::verdicts::ChainStatus;
use crate::words::words;

/// Room for a score at the right end.
const SCORE: u16 = 5;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let (linked, unlinked) = (app.run.trace.anchors.len(), app.run.trace.unlinked.len());
    let mut more = Vec::new();
    if linked + unlinked > 0 {
        more.push((linked.to_string(), SpanStyle::Strong));
    }
    if unlinked > 0 {
        more.push((words!(app.language, " · {unlinked} not linked", unlinked = unlinked), SpanStyle::Warning));
    }
    if !app.selection.anchor_filter.is_empty() {
        more.push((words!(app.language, " · filtered: {words}", words = sanitise_line(&app.selection.anchor_filter)), SpanStyle::Warning));
    }
    let out = app.run.decisions.wanted.rejected_anchors.len();
    if out > 0 {
        more.push((format!(" · ✗ {out}"), SpanStyle::Warning));
    }
    let inner = pane::frame(buf, app, Pane::Anchors, area, &more);
    let total = linked + unlinked;
    if total == 0 {
        pane::empty_text(
            buf,
            &app.look.theme,
            inner,
            words!(app.language, "The medical entities in question and hypothesis that the graph knows."),
        );
        return;
    }
    let rows = app.anchor_rows();
    let total = rows.len();
    if total == 0 {
        pane::empty_text(buf, &app.look.theme, inner, words!(app.language, "No anchor matches the filter. Press Esc to show all."));
        return;
    }
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(1));
    let height = usize::from(inner.height);
    app.selection.anchors.selected = app.selection.anchors.selected.min(total - 1);
    app.selection.anchors.offset = paint::reveal(app.selection.anchors.offset, app.selection.anchors.selected, height, total);
    for ((place, at), y) in rows.iter().copied().enumerate().skip(app.selection.anchors.offset).zip(inner.top()..inner.bottom()) {
        if place == app.selection.anchors.selected && app.layout.focus == Pane::Anchors {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), app.look.theme.styles.selected);
            paint::gutter(buf, &app.look.theme, (inner.x, y), true);
        }
        match app.run.trace.anchors.get(at) {
            Some(anchor) => {
                let mark = app.run.marks.of_name(&anchor.entity);
                // What was taken out is still there, to be let in again.
                let out = app.run.decisions.wanted.rejected_anchors.contains(&anchor.entity);
                let span_style = if out { SpanStyle::Dim } else { SpanStyle::Entity(mark) };
                let sign = if out { ChainStatus::Rejected.sign() } else { mark.sign() };
                let lone = if app.run.is_connected(&anchor.entity) { "" } else { words!(app.language, " · no chain") };
                let span_style = if lone.is_empty() { span_style } else { SpanStyle::Dim };
                let name = format!("{sign} {}{lone}", sanitise_line(&anchor.entity));
                let room = if width > 16 { width - SCORE } else { width };
                let used = paint::pieces(buf, &app.look.theme, (x, y), room, [(name.as_str(), span_style)]);
                // What it was called in the text, where that is not its name.
                let mention = sanitise_line(&anchor.mention);
                if !mention.is_empty() && crate::text::fold(&mention) != crate::text::fold(&anchor.entity) && room > used + 6 {
                    let text = format!("  “{mention}”");
                    paint::pieces(buf, &app.look.theme, (x + used, y), room - used, [(text.as_str(), SpanStyle::Dim)]);
                }
                if room < width {
                    // An exact name needs no number.
                    let score = if anchor.score < 0.995 { format!("{:>5.2}", anchor.score) } else { String::new() };
                    paint::pieces(buf, &app.look.theme, (x + room, y), SCORE, [(score.as_str(), SpanStyle::Dim)]);
                }
            }
            None => {
                let text = app
                    .run
                    .trace
                    .unlinked
                    .get(at - linked)
                    .map(|t| words!(app.language, "✗ “{term}” not linked", term = sanitise_line(t)))
                    .unwrap_or_default();
                paint::pieces(buf, &app.look.theme, (x, y), width, [(text.as_str(), SpanStyle::Unlinked)]);
            }
        }
    }
    let offset = app.selection.anchors.offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, total);
}
