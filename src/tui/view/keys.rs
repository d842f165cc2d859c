//! The keys that can follow the first key of a sequence.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{paint, pane};
use crate::tui::app::App;
use crate::tui::styled_text::SpanStyle;

pub(super) fn draw(buf: &mut Buffer, app: &App, body: Rect) {
    if app.input.pending.is_empty() || body.height < 4 {
        return;
    }
    let contexts = app.contexts();
    let hints: Vec<(String, &str)> = app
        .input
        .keymap
        .continuations(&app.input.pending, &contexts)
        .map(|(rest, binding)| (rest, app.language.known(binding.help.as_str())))
        .collect();
    let keys = hints.iter().map(|(keys, _)| keys.width()).max().unwrap_or(0);
    let widest = hints.iter().map(|(_, help)| keys + help.width() + 6).max().unwrap_or(0);
    let width = u16::try_from(widest).unwrap_or(u16::MAX).min(body.width);
    let height = u16::try_from(hints.len() + 2).unwrap_or(u16::MAX).min(body.height);
    let area = Rect::new(body.right() - width, body.bottom() - height, width, height);
    let pressed: Vec<String> = app.input.pending.iter().map(ToString::to_string).collect();
    let inner = pane::sheet(buf, &app.look.theme, area, &format!("{} …", pressed.join(" ")));
    for ((key, help), y) in hints.iter().zip(inner.top()..inner.bottom()) {
        let key = format!(" {key:<keys$}  ");
        paint::pieces(buf, &app.look.theme, (inner.x, y), inner.width, [(key.as_str(), SpanStyle::Key), (help, SpanStyle::Plain)]);
    }
}
