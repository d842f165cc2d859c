//! The question: an editor while it has the keys, and the question as it was understood when it has not.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::{hypothesis, paint, pane};
use crate::run::MentionOrigin;
use crate::tui::action::Action;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::styled_text::Ink;

/// In a longer text, finding each cell's place would take longer than a frame may.
const LONGEST_COLOURED: usize = 8 << 10;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let typing = (app.focus == Pane::Question || app.first_screen) && app.overlay.is_none();
    let more = if typing {
        vec![(
            format!(
                "{} asks · {} new line",
                app.keymap.key_of(Action::Ask, Context::Question),
                app.keymap.key_of(Action::NewLine, Context::Question)
            ),
            Ink::Dim,
        )]
    } else {
        Vec::new()
    };
    let inner = pane::frame(frame.buffer_mut(), app, Pane::Question, area, &more);
    if inner.is_empty() {
        return;
    }
    if typing {
        (&app.editor.area).render(inner, frame.buffer_mut());
        colour_mentions(frame.buffer_mut(), app, inner);
        if app.editor.text().is_empty() {
            let hint = "Describe the patient, or ask about a condition, test or drug.";
            paint::pieces(frame.buffer_mut(), &app.theme, (inner.x, inner.y), inner.width, [(hint, Ink::Dim)]);
        }
        if let Some(cursor) = app.editor.cursor_in(inner) {
            frame.set_cursor_position(cursor);
        }
    } else {
        understood(frame.buffer_mut(), app, inner);
    }
}

/// The question with its mentions marked.
fn understood(buf: &mut Buffer, app: &mut App, inner: Rect) {
    let App { memory, trace, marks, editor, theme, version, .. } = app;
    let rows = memory.question.rows(*version, inner.width, || {
        let text = if trace.question.is_empty() { editor.text() } else { trace.question.clone() };
        hypothesis::marked(&text, trace, marks, MentionOrigin::Question)
    });
    paint::rows(buf, theme, inner, rows, 0, |_, _, style| style);
}

/// Colours what was understood in the editor itself, as long as its text is still the question that was
/// asked. A sign cannot be put into a text that is being edited, so mentions are underlined too.
fn colour_mentions(buf: &mut Buffer, app: &App, inner: Rect) {
    if app.trace.mentions.is_empty() || app.trace.question.len() > LONGEST_COLOURED || app.editor.text() != app.trace.question {
        return;
    }
    let spans = hypothesis::spans(&app.trace.question, &app.trace, &app.marks, MentionOrigin::Question);
    let lines = app.editor.area.lines();
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in lines {
        starts.push(at);
        at += line.len() + 1;
    }
    let (top, left) = app.editor.area.scroll_offset();
    for y in inner.top()..inner.bottom() {
        for x in inner.left()..inner.right() {
            let cursor = app.editor.area.screen_to_data(usize::from(y - inner.y + top), usize::from(x - inner.x + left));
            let Some(line) = lines.get(cursor.0) else { continue };
            let Some((byte, _)) = line.char_indices().nth(cursor.1) else { continue };
            let byte = starts[cursor.0] + byte;
            if let Some((_, mark)) = spans.iter().find(|(range, _)| range.contains(&byte)) {
                let style = mark.map_or(app.theme.styles.unlinked, |mark| app.theme.mark(mark).underlined());
                buf[(x, y)].set_style(style);
            }
        }
    }
}
