//! The anchors: what question and hypothesis mention, as the graph knows it; and what it does not know.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{paint, pane};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::Ink;
use crate::tui::verdicts::Stand;

/// Room for a score at the right end.
const SCORE: u16 = 5;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let (linked, unlinked) = (app.trace.anchors.len(), app.trace.unlinked.len());
    let mut more = Vec::new();
    if linked + unlinked > 0 {
        more.push((linked.to_string(), Ink::Strong));
    }
    if unlinked > 0 {
        more.push((format!(" · {unlinked} not linked"), Ink::Warning));
    }
    if !app.anchor_filter.is_empty() {
        more.push((format!(" · filtered: {}", sanitise_line(&app.anchor_filter)), Ink::Warning));
    }
    let out = app.decisions.wanted.rejected_anchors.len();
    if out > 0 {
        more.push((format!(" · ✗ {out}"), Ink::Warning));
    }
    let inner = pane::frame(buf, app, Pane::Anchors, area, &more);
    let total = linked + unlinked;
    if total == 0 {
        pane::empty_text(buf, app, inner, "The medical entities of question and hypothesis, as the graph knows them.");
        return;
    }
    let rows = app.anchor_rows();
    let total = rows.len();
    if total == 0 {
        pane::empty_text(buf, app, inner, "No anchor has the words of the filter. Esc shows all of them again.");
        return;
    }
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(1));
    let height = usize::from(inner.height);
    app.anchors.selected = app.anchors.selected.min(total - 1);
    app.anchors.offset = paint::reveal(app.anchors.offset, app.anchors.selected, height, total);
    for ((place, at), y) in rows.iter().copied().enumerate().skip(app.anchors.offset).zip(inner.top()..inner.bottom()) {
        if place == app.anchors.selected && app.focus == Pane::Anchors {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), app.theme.styles.selected);
            paint::gutter(buf, &app.theme, (inner.x, y), true);
        }
        match app.trace.anchors.get(at) {
            Some(anchor) => {
                let mark = app.marks.of_name(&anchor.entity);
                // What was taken out is still there, to be let in again.
                let out = app.decisions.wanted.rejected_anchors.contains(&anchor.entity);
                let ink = if out { Ink::Dim } else { Ink::Entity(mark) };
                let sign = if out { Stand::Rejected.sign() } else { mark.sign() };
                let name = format!("{sign} {}", sanitise_line(&anchor.entity));
                let room = if width > 16 { width - SCORE } else { width };
                let used = paint::pieces(buf, &app.theme, (x, y), room, [(name.as_str(), ink)]);
                // What it was called in the text, where that is not its name.
                let mention = sanitise_line(&anchor.mention);
                if !mention.is_empty() && crate::text::fold(&mention) != crate::text::fold(&anchor.entity) && room > used + 6 {
                    let text = format!("  “{mention}”");
                    paint::pieces(buf, &app.theme, (x + used, y), room - used, [(text.as_str(), Ink::Dim)]);
                }
                if room < width {
                    let score = format!("{:>5.2}", anchor.score);
                    paint::pieces(buf, &app.theme, (x + room, y), SCORE, [(score.as_str(), Ink::Dim)]);
                }
            }
            None => {
                let text = app.trace.unlinked.get(at - linked).map(|t| format!("✗ “{}” not linked", sanitise_line(t))).unwrap_or_default();
                paint::pieces(buf, &app.theme, (x, y), width, [(text.as_str(), Ink::Unlinked)]);
            }
        }
    }
    let offset = app.anchors.offset;
    pane::scrollbar(buf, app, area, offset, total);
}
