//! The question: an editor while it has the keys, and the question as it was understood when it has not.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

use super::{hypothesis, paint, pane};
use crate::run::MentionOrigin;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::action::Pane;
use crate::tui::app::{App, RunView};
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

/// In a longer text, finding each cell's place would take longer than a frame may.
const LONGEST_COLOURED: usize = 8 << 10;

/// The paragraph after a follow-up that says which case it continues; the answer says it, too.
const CONTINUES: usize = 1;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let typing = (app.is_in_editor() || app.shows_first_screen()) && app.sheets.overlay.is_none();
    let (follows, l) = (app.input.follows.is_some(), app.language);
    let more = if typing {
        let mut more = if follows { vec![(words!(l, "follow-up of this case · ").to_owned(), SpanStyle::Warning)] } else { Vec::new() };
        let key = |action, context| app.input.keymap.key_of(action, context);
        let mut text = words!(
            l,
            "{ask} asks · {line} new line",
            ask = key(Action::Ask, Context::Question),
            line = key(Action::NewLine, Context::Question)
        );
        if !app.input.editor.text().is_empty() {
            text.push_str(&words!(l, " · {key} empties", key = key(Action::Clear, Context::Anywhere)));
        }
        more.push((text, SpanStyle::Dim));
        more
    } else {
        Vec::new()
    };
    let inner = pane::frame(frame.buffer_mut(), app, Pane::Question, area, &more);
    if inner.is_empty() {
        return;
    }
    if typing {
        (&app.input.editor.area).render(inner, frame.buffer_mut());
        colour_mentions(frame.buffer_mut(), app, inner);
        if app.input.editor.text().is_empty() {
            let hint = match follows {
                true => words!(l, "What is new, or what else do you want to know about this patient?"),
                false => words!(l, "Describe the patient, or ask about a condition, test or drug."),
            };
            paint::pieces(frame.buffer_mut(), &app.look.theme, (inner.x, inner.y), inner.width, [(hint, SpanStyle::Dim)]);
        }
        if let Some(cursor) = app.input.editor.cursor_in(inner) {
            frame.set_cursor_position(cursor);
        }
    } else {
        understood(frame.buffer_mut(), app, inner);
    }
}

/// The question with its mentions marked.
fn understood(buf: &mut Buffer, app: &mut App, inner: Rect) {
    let App { layout, run, input, look, language, .. } = app;
    let RunView { trace, marks, version, .. } = run;
    let (editor, theme) = (&input.editor, &look.theme);
    let rows = layout.frame.question.rows(*version, inner.width, || {
        let text = if trace.question.is_empty() { editor.text() } else { trace.question.clone() };
        let mut blocks = hypothesis::marked(&text, trace, marks, MentionOrigin::Question, *language);
        // A follow-up is understood with the case before it.
        if let Some(case) = trace.follows.as_ref().filter(|case| !case.is_empty()) {
            let read = sanitise_line(&case.read_as(*language == Language::Chinese));
            blocks.push(Block::new().item(CONTINUES).with(&words!(*language, "continues: {case}", case = read), SpanStyle::Dim));
        }
        blocks
    });
    paint::rows(buf, theme, inner, rows, 0, |_, _, style| style);
    // If the question does not fit, an ellipsis says so.
    let of_question = rows.iter().filter(|row| row.item.is_none()).count();
    if of_question > usize::from(inner.height) && inner.height > 0 {
        let last = rows.get(usize::from(inner.height) - 1).map_or(0, |row| row.pieces.iter().map(|(text, _)| text.width()).sum::<usize>());
        let x = inner.x + u16::try_from(last).unwrap_or(u16::MAX).saturating_add(1).min(inner.width.saturating_sub(1));
        paint::pieces(buf, theme, (x, inner.bottom() - 1), 1, [("…", SpanStyle::Dim)]);
    }
}

/// Colours what was understood in the editor itself, as long as its text is still the question that was
/// asked. A sign cannot be put into a text that is being edited, so mentions are underlined too.
fn colour_mentions(buf: &mut Buffer, app: &App, inner: Rect) {
    if app.run.trace.mentions.is_empty()
        || app.run.trace.question.len() > LONGEST_COLOURED
        || app.input.editor.text() != app.run.trace.question
    {
        return;
    }
    let spans = hypothesis::spans(&app.run.trace.question, &app.run.trace, &app.run.marks, MentionOrigin::Question);
    let lines = app.input.editor.area.lines();
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in lines {
        starts.push(at);
        at += line.len() + 1;
    }
    let (top, left) = app.input.editor.area.scroll_offset();
    for y in inner.top()..inner.bottom() {
        for x in inner.left()..inner.right() {
            let cursor = app.input.editor.area.screen_to_data(usize::from(y - inner.y + top), usize::from(x - inner.x + left));
            let Some(line) = lines.get(cursor.0) else { continue };
            let Some((byte, _)) = line.char_indices().nth(cursor.1) else { continue };
            let byte = starts[cursor.0] + byte;
            // Cells behind the end of a wrapped line belong to no letter.
            let is_blank = buf[(x, y)].symbol().trim().is_empty();
            if is_blank && !line[byte - starts[cursor.0]..].starts_with(' ') {
                continue;
            }
            if let Some((_, mark)) = spans.iter().find(|(range, _)| range.contains(&byte)) {
                let style = mark.map_or(app.look.theme.styles.unlinked, |mark| app.look.theme.mark(mark).underlined());
                buf[(x, y)].set_style(style);
            }
        }
    }
}
