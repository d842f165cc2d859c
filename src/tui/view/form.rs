//! Forms that teach, over the panes; and yes-or-no questions.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{paint, pane};
use crate::dkg::Rating;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::editor::Editor;
use crate::tui::form::{Confirm, EditForm, TeachingForm};
use crate::tui::keymap::Context;
use crate::tui::line_input::LineInput;
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::tui::teach_form::TeachForm;
use crate::words::words;

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 100;
/// Rows of a mentor's answer.
const ANSWER: u16 = 10;
/// How a mentor's answer is written.
const HINT: &str = "Write under the headings, with semicolons between items. You can leave a heading empty, or write in your own words.";
/// What can be checked.
const CHECK_HINT: &str = "Paste or type any text, such as a note. Each claim is compared with the graph and with your documents.";
/// Cells before a field.
const LABEL: u16 = 11;

/// Keys on the lower border of a sheet, as many as there is room for.
pub(super) fn keys_below(buf: &mut Buffer, app: &App, area: Rect, keys: &[(String, &str)]) {
    let mut x = area.x + 2;
    for (key, what) in keys.iter().filter(|(key, _)| !key.is_empty()) {
        let pieces = [
            (" ", SpanStyle::Plain),
            (key.as_str(), SpanStyle::Key),
            (" ", SpanStyle::Plain),
            (app.language.known(what), SpanStyle::Dim),
            (" ", SpanStyle::Plain),
        ];
        let width = pieces.iter().map(|(text, _)| text.width() as u16).sum::<u16>();
        if area.height < 2 || x + width + 2 > area.right() {
            return;
        }
        paint::pieces(buf, &app.look.theme, (x, area.bottom() - 1), width, pieces);
        x += width;
    }
}

/// A place for a sheet of so many rows, at the lower end, so that what it is about is seen above.
fn place(body: Rect, rows: u16) -> Rect {
    let (width, height) = (body.width.min(WIDEST), body.height.min(rows + 2));
    Rect::new(body.x + (body.width - width) / 2, body.bottom() - height, width, height)
}

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(form) = app.sheets.form.take() else { return };
    match &form {
        TeachingForm::Rate { rating, comment, .. } => rate(frame, app, body, *rating, comment),
        TeachingForm::Gold { editor, .. } => writing(frame, app, body, editor, ("Gold answer: the correct answer", HINT, "records")),
        TeachingForm::Check(editor) => writing(frame, app, body, editor, ("Check the claims of a text", CHECK_HINT, "checks it")),
        TeachingForm::Edit(form) => edit(frame, app, body, form),
        TeachingForm::Teach(form) => teach(frame, app, body, form),
        TeachingForm::SaveAs { path, .. } => {
            let inner =
                pane::sheet(frame.buffer_mut(), &app.look.theme, place(body, 4), app.language.known("Write the report to this file"));
            let area = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height.min(1));
            field(frame, app, area, "File: ", path, true);
            let width = inner.width.saturating_sub(2);
            if inner.height > 2 && !path.text().trim().is_empty() {
                let head = words!(app.language, "Path: ");
                let file = sanitise_line(&app.report_path(path.text().trim()).display().to_string());
                let shown = shortened(&file, usize::from(width).saturating_sub(head.width()));
                let pieces = [(head, SpanStyle::Dim), (shown.as_str(), SpanStyle::Plain)];
                paint::pieces(frame.buffer_mut(), &app.look.theme, (inner.x + 1, inner.y + 1), width, pieces);
            }
            if inner.height > 3 {
                let key = app.input.keymap.key_of(Action::Clear, Context::Anywhere);
                let hint = words!(app.language, "{key} empties the line. Another folder: a path that begins with / or ~/.", key = key);
                paint::pieces(frame.buffer_mut(), &app.look.theme, (inner.x + 1, inner.y + 2), width, [(hint.as_str(), SpanStyle::Dim)]);
            }
            keys(frame.buffer_mut(), app, inner, Context::Entry, "writes it");
        }
    }
    app.sheets.form = Some(form);
}

/// The end of a path that has no room: its name matters most.
fn shortened(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in path.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(c);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

/// A text of several lines, with a hint above it. `what`: the title, the hint, and what the key that sends it off does.
fn writing(frame: &mut Frame<'_>, app: &App, body: Rect, editor: &Editor, (title, hint, what): (&str, &str, &str)) {
    let area = place(body, ANSWER + 4);
    let inner = pane::sheet(frame.buffer_mut(), &app.look.theme, area, app.language.known(title));
    let hint = styled_text::wrap(&[Block::new().with(app.language.known(hint), SpanStyle::Dim)], inner.width.saturating_sub(2).max(1));
    let above = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    // On a low screen what is written comes before what is to be said about it.
    let used = u16::try_from(hint.len() + 1).unwrap_or(u16::MAX);
    let used = if inner.height > used + 4 { used } else { 0 };
    if used > 0 {
        paint::rows(frame.buffer_mut(), &app.look.theme, above, &hint, 0, |_, _, style| style);
    }
    let text = Rect::new(inner.x + 1, inner.y + used, inner.width.saturating_sub(2), inner.height.saturating_sub(used + 1));
    (&editor.area).render(text, frame.buffer_mut());
    keys(frame.buffer_mut(), app, inner, Context::Writing, what);
    if let Some(cursor) = editor.cursor_in(text) {
        frame.set_cursor_position(cursor);
    }
}

/// The keys that send a form off and give it up, in its last row.
fn keys(buf: &mut Buffer, app: &App, inner: Rect, context: Context, what: &str) {
    if inner.height == 0 {
        return;
    }
    let (accept, stop) = (app.input.keymap.key_of(Action::Accept, context), app.input.keymap.key_of(Action::Stop, Context::Anywhere));
    let (what, cancels) = (format!(" {}   ", app.language.known(what)), app.language.known(" cancels"));
    let pieces =
        [(accept.as_str(), SpanStyle::Key), (what.as_str(), SpanStyle::Dim), (stop.as_str(), SpanStyle::Key), (cancels, SpanStyle::Dim)];
    paint::pieces(buf, &app.look.theme, (inner.x + 1, inner.bottom() - 1), inner.width.saturating_sub(2), pieces);
}

fn rate(frame: &mut Frame<'_>, app: &App, body: Rect, rating: Rating, comment: &LineInput) {
    let title = app.language.known(if rating == Rating::Good { "Good answer" } else { "Bad answer" });
    let inner = pane::sheet(frame.buffer_mut(), &app.look.theme, place(body, 4), title);
    let head = app.language.known("Comment (optional): ");
    let width = inner.width.saturating_sub(2);
    field(frame, app, Rect::new(inner.x + 1, inner.y, width, inner.height.min(1)), head, comment, true);
    if inner.height > 3 {
        let gold = app.input.keymap.key_of(Action::RateGold, Context::Answer);
        let hint = words!(app.language, "Saved with the rating. To write the correct answer instead, cancel and press {key}.", key = gold);
        paint::pieces(frame.buffer_mut(), &app.look.theme, (inner.x + 1, inner.y + 1), width, [(hint.as_str(), SpanStyle::Dim)]);
    }
    keys(frame.buffer_mut(), app, inner, Context::Entry, "records");
}

/// A line with what stands before it; its end is shown where it is too long.
fn field(frame: &mut Frame<'_>, app: &App, area: Rect, head: &str, line: &LineInput, has_cursor: bool) {
    if area.is_empty() {
        return;
    }
    let span_style = if has_cursor { SpanStyle::Key } else { SpanStyle::Dim };
    let buf = frame.buffer_mut();
    let used = paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, [(head, span_style)]);
    let room = area.width.saturating_sub(used).saturating_sub(1);
    // What lies before the cursor and has no room is left out from the left.
    let text = line.text();
    let mut skipped = 0;
    let mut start = 0;
    if has_cursor {
        for (at, c) in text.char_indices() {
            if line.cursor().saturating_sub(skipped) <= room {
                start = at;
                break;
            }
            skipped += c.to_string().width() as u16;
            start = at + c.len_utf8();
        }
    }
    paint::pieces(buf, &app.look.theme, (area.x + used, area.y), room + 1, [(&text[start..], SpanStyle::Strong)]);
    if has_cursor {
        frame.set_cursor_position(Position::new(area.x + used + line.cursor().saturating_sub(skipped).min(room), area.y));
    }
}

fn edit(frame: &mut Frame<'_>, app: &App, body: Rect, form: &EditForm) {
    let inner = pane::sheet(frame.buffer_mut(), &app.look.theme, place(body, 7), app.language.known("Edit this proposal"));
    for (at, (name, y)) in EditForm::FIELDS.iter().zip(inner.top()..inner.bottom()).enumerate() {
        let area = Rect::new(inner.x + 1, y, inner.width.saturating_sub(2), 1);
        let here = at == form.at;
        let name = app.language.known(name);
        let head = format!("{name}{}", " ".repeat(usize::from(LABEL).saturating_sub(name.width())));
        match at {
            0 => field(frame, app, area, &head, &form.head, here),
            2 => field(frame, app, area, &head, &form.relation, here),
            3 => field(frame, app, area, &head, &form.tail, here),
            _ => {
                let kind = if at == 1 { &form.head_kind } else { &form.tail_kind };
                let kind = if kind.is_empty() { "unknown".to_owned() } else { sanitise_line(kind).replace('_', " ") };
                let kind = if here { format!("◂ {kind} ▸") } else { kind };
                let span_style = if here { SpanStyle::Key } else { SpanStyle::Dim };
                paint::pieces(
                    frame.buffer_mut(),
                    &app.look.theme,
                    (area.x, y),
                    area.width,
                    [(head.as_str(), span_style), (kind.as_str(), SpanStyle::Plain)],
                );
            }
        }
    }
    if inner.height > 6 {
        let text = app.language.known("↑ ↓ another field   ← → another kind   Catena checks the triple again.");
        paint::pieces(
            frame.buffer_mut(),
            &app.look.theme,
            (inner.x + 1, inner.bottom() - 2),
            inner.width.saturating_sub(2),
            [(text, SpanStyle::Dim)],
        );
    }
    keys(frame.buffer_mut(), app, inner, Context::Entry, "checks and records");
}

/// A fact that is being taught: its fields, and below the one that is typed into what would complete it.
fn teach(frame: &mut Frame<'_>, app: &App, body: Rect, form: &TeachForm) {
    let width = body.width.min(WIDEST).saturating_sub(4).max(1);
    let problem = form
        .problem
        .iter()
        .map(|problem| Block::new().with(&sanitise_line(app.language.known(problem)), SpanStyle::Warning))
        .collect::<Vec<_>>();
    let problem = styled_text::wrap(&problem, width);
    // A list of relations is shown whole.
    let offers_relations = problem.is_empty() && !form.offered.is_empty() && !form.completes();
    let relations = Block::new()
        .with(app.language.known("Relations (other words often work too; if one does not, you are told at the end): "), SpanStyle::Key)
        .with(&form.offered.iter().map(|word| word.replace(' ', "\u{a0}")).collect::<Vec<_>>().join(" · "), SpanStyle::Dim);
    let relations = if offers_relations { styled_text::wrap(&[relations], width) } else { Vec::new() };
    let more = u16::try_from(problem.len().max(relations.len()).saturating_sub(1)).unwrap_or(u16::MAX);
    let area = place(body, 8_u16.saturating_add(more));
    let inner = pane::sheet(frame.buffer_mut(), &app.look.theme, area, app.language.known("Teach a fact"));
    for ((at, name), y) in TeachForm::FIELDS.iter().enumerate().zip(inner.top()..inner.bottom()) {
        let area = Rect::new(inner.x + 1, y, inner.width.saturating_sub(2), 1);
        let name = app.language.known(name);
        let head = format!("{name}{}", " ".repeat(usize::from(LABEL).saturating_sub(name.width())));
        if let Some(line) = form.line(at) {
            field(frame, app, area, &head, line, at == form.at);
        }
    }
    if inner.height > 6 && !(problem.is_empty() && relations.is_empty()) {
        let text = Rect::new(inner.x + 1, inner.y + 5, inner.width.saturating_sub(2), inner.height.saturating_sub(6));
        let rows = if problem.is_empty() { &relations } else { &problem };
        paint::rows(frame.buffer_mut(), &app.look.theme, text, rows, 0, |_, _, style| style);
    } else if inner.height > 6 {
        let tab = app.input.keymap.key_of(Action::FocusNext, Context::Anywhere);
        let offered = form.offered.join(" · ");
        let (first, rest) = match form.offered.is_empty() {
            true => {
                let such_as = if form.is_at_last() {
                    "Why it holds, or nothing: a source, a guideline. It is kept with the fact."
                } else {
                    "Such as: Gaviscon · relieves · acid reflux. It is checked, and waits for your review."
                };
                (String::new(), app.language.known(such_as).to_owned())
            }
            false => (words!(app.language, "{tab} completes: ", tab = tab), offered),
        };
        let pieces = [(first.as_str(), SpanStyle::Key), (rest.as_str(), SpanStyle::Dim)];
        let at = (inner.x + 1, inner.y + 5);
        paint::pieces(frame.buffer_mut(), &app.look.theme, at, inner.width.saturating_sub(2), pieces);
    }
    keys(frame.buffer_mut(), app, inner, Context::Entry, if form.is_at_last() { "records" } else { "goes on to the next field" });
}

/// A question to be answered with yes or no.
pub(super) fn question(buf: &mut Buffer, app: &App, body: Rect) {
    let Some(Confirm { title, text, .. }) = &app.sheets.confirm else { return };
    let width = body.width.min(WIDEST).saturating_sub(4).max(1);
    let blocks: Vec<Block> = text.iter().map(|text| Block::new().indented(0, 2).with(text, SpanStyle::Plain)).collect();
    let rows = styled_text::wrap(&blocks, width);
    let area = place(body, u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2));
    let inner = pane::sheet(buf, &app.look.theme, area, title);
    let text = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height.saturating_sub(1));
    paint::rows(buf, &app.look.theme, text, &rows, 0, |_, _, style| style);
    if inner.height > 0 {
        let (yes, l) = (app.input.keymap.key_of(Action::Accept, Context::Confirm), app.language);
        let pieces = [
            (yes.as_str(), SpanStyle::Key),
            (words!(l, " yes   "), SpanStyle::Dim),
            (words!(l, "any other key"), SpanStyle::Key),
            (words!(l, " no"), SpanStyle::Dim),
        ];
        paint::pieces(buf, &app.look.theme, (inner.x + 1, inner.bottom() - 1), inner.width.saturating_sub(2), pieces);
    }
}
