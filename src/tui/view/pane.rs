//! The frame of a pane: border, title, and a bar on the right that shows where one is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

use super::paint;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::SpanStyle;
use crate::tui::theme::{Colours, Theme};

/// Draws a pane's frame and returns its inside. `more` follows the name in the title.
pub(super) fn frame(buf: &mut Buffer, app: &mut App, pane: Pane, area: Rect, more: &[(String, SpanStyle)]) -> Rect {
    let focused = (app.layout.focus == pane || app.shows_first_screen()) && app.sheets.overlay.is_none();
    let styles = &app.look.theme.styles;
    let (border, title) = if focused { (styles.border_focused, styles.title_focused) } else { (styles.border, styles.title) };
    // Without colours the lines themselves say which pane has the keys.
    let lines = if focused && app.look.colours == Colours::None { BorderType::Double } else { app.look.theme.border_type };
    let block = Block::new().borders(Borders::ALL).border_type(lines).border_style(border);
    let inner = block.inner(area);
    block.render(area, buf);
    if area.width > 4 && area.height > 0 {
        // On the first screen numbers ask the examples.
        let number = if app.shows_first_screen() { " ".to_owned() } else { format!(" {} ", pane.index() + 1) };
        let name = format!("{} ", app.language.known(pane.title()));
        let head = [(number.as_str(), if focused { styles.key } else { styles.dim }), (name.as_str(), title)];
        let tail = more.iter().map(|(text, span_style)| (text.as_str(), app.look.theme.span_style(*span_style)));
        let end = if more.is_empty() { "" } else { " " };
        paint::styled(buf, (area.x + 1, area.y), area.width - 2, head.into_iter().chain(tail).chain([(end, title)]));
    }
    app.layout.frame.panes[pane.index()] = inner;
    inner
}

/// An empty sheet with a border and a title; returns its inside.
pub(super) fn sheet(buf: &mut Buffer, theme: &Theme, area: Rect, title: &str) -> Rect {
    if area.is_empty() {
        return area;
    }
    Clear.render(area, buf);
    buf.set_style(area, theme.styles.screen);
    let styles = &theme.styles;
    let border = Block::new().borders(Borders::ALL).border_type(theme.border_type).border_style(styles.border_focused);
    let inner = border.inner(area);
    border.render(area, buf);
    let title = format!(" {title} ");
    paint::styled(buf, (area.x + 2, area.y), area.width.saturating_sub(4), [(title.as_str(), styles.title_focused)]);
    inner
}

/// A note at the right end of the lower border, where it does not hide anything.
pub(super) fn note(buf: &mut Buffer, theme: &Theme, area: Rect, text: &str) {
    let width = text.chars().count() as u16;
    if area.height >= 2 && area.width > width + 4 {
        paint::styled(buf, (area.right() - width - 2, area.bottom() - 1), width, [(text, theme.styles.dim)]);
    }
}

/// A bar on the right border: which part of `total` rows is on the screen.
pub(super) fn scrollbar(buf: &mut Buffer, theme: &Theme, area: Rect, offset: usize, total: usize) {
    let track = usize::from(area.height.saturating_sub(2));
    if total <= track || track < 2 || area.width < 2 {
        return;
    }
    let length = (track * track / total).clamp(1, track);
    let start = offset * (track - length) / (total - track).max(1);
    for at in start..(start + length).min(track) {
        paint::styled(buf, (area.right() - 1, area.y + 1 + at as u16), 1, [("┃", theme.styles.border_focused)]);
    }
}

/// Text in the middle of an empty pane: what will be here, or why there is nothing.
pub(super) fn empty_text(buf: &mut Buffer, theme: &Theme, inner: Rect, text: &str) {
    let rows = crate::tui::styled_text::wrap(&[crate::tui::styled_text::Block::new().with(text, SpanStyle::Dim)], inner.width.max(1));
    paint::rows(buf, theme, inner, &rows, 0, |_, _, style| style);
}
