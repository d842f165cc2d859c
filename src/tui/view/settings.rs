//! The settings of the run on the screen; a change carries the run on at once.

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{paint, pane};
use crate::tui::app::{App, Overlay};
use crate::tui::styled_text::SpanStyle;
use crate::words::words;

const WIDTH: u16 = 74;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let (Some(Overlay::Settings(selected)), Some((started, wanted))) = (&app.sheets.overlay, app.settings()) else { return };
    let l = app.language;
    let rows = [
        ("k", words!(l, "longest chain, in relations"), wanted.k.to_string(), started.k.to_string()),
        ("topK", words!(l, "chains to choose, besides proofs of lines"), wanted.top_k.to_string(), started.top_k.to_string()),
        ("δ", words!(l, "similarity needed to link a mention"), format!("{:.2}", wanted.delta), format!("{:.2}", started.delta)),
    ];
    let (width, height) = (body.width.min(WIDTH), body.height.min(rows.len() as u16 + 4));
    // At the lower end, so that anchors and chains are seen changing above.
    let area = Rect::new(body.x + (body.width - width) / 2, body.bottom().saturating_sub(height + 1).max(body.y), width, height);
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, words!(l, "Settings of this run"));
    let styles = &app.look.theme.styles;
    for ((at, (name, what, now, before)), y) in rows.iter().enumerate().zip(inner.top() + 1..inner.bottom()) {
        if at == *selected {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), styles.selected);
            paint::gutter(buf, &app.look.theme, (inner.x, y), true);
        }
        let (name, what) = (format!("{name:<6}"), format!("{what}{}", " ".repeat(42usize.saturating_sub(what.width()))));
        let value = if at == *selected { format!("◂ {now:>4} ▸") } else { format!("  {now:>4}  ") };
        let was = if now == before { String::new() } else { words!(l, " was {before}", before = before) };
        let pieces = [
            (name.as_str(), SpanStyle::Strong),
            (what.as_str(), SpanStyle::Plain),
            (value.as_str(), SpanStyle::Key),
            (was.as_str(), SpanStyle::Dim),
        ];
        paint::pieces(buf, &app.look.theme, (inner.x + 2, y), inner.width.saturating_sub(3), pieces);
    }
}
