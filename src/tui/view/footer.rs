//! The lower lines: the newest message, the legend, and the keys that matter most here.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::layout::Plan;
use super::{header, hints, paint};
use crate::run::Mark;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::{App, Severity, TypedSearch};
use crate::tui::keymap::Context;
use crate::tui::styled_text::SpanStyle;
use crate::words::words;

/// Keys that are shown before anything of the legend; from a width on that has room for the legend, fewer.
const MOST_USEFUL: usize = 5;
const FEWEST: usize = 3;
const WITH_LEGEND: u16 = 100;

pub(super) fn draw(buf: &mut Buffer, app: &App, plan: &Plan) {
    let free = message(buf, app, plan.message);
    let rest = legend(buf, app, plan.legend);
    further(buf, app, free, &rest);
}

pub(super) fn sign(weight: Severity) -> (&'static str, SpanStyle) {
    match weight {
        Severity::Note => ("•", SpanStyle::Dim),
        Severity::Warning => ("⚠", SpanStyle::Warning),
        Severity::Error => ("✗", SpanStyle::Error),
    }
}

/// Shown before the text of a search or filter.
fn search_head(app: &App) -> Option<&'static str> {
    let head = |search: &TypedSearch| if search.filters { words!(app.language, " Filter: ") } else { words!(app.language, " Search: ") };
    app.selection.search.as_ref().map(head)
}

/// Puts the cursor after the text of a search.
pub(super) fn cursor(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if let (Some(head), Some(search)) = (search_head(app), &app.selection.search) {
        let x = area.x + head.width() as u16 + search.line.cursor();
        if x < area.right() && !area.is_empty() {
            frame.set_cursor_position(Position::new(x, area.y));
        }
    }
}

/// The newest message; returns the cells that it leaves free.
fn message(buf: &mut Buffer, app: &App, area: Rect) -> Rect {
    if let (Some(head), Some(search)) = (search_head(app), &app.selection.search) {
        let pieces = [(head, SpanStyle::Key), (search.line.text(), SpanStyle::Strong)];
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces);
        return Rect::ZERO;
    }
    if let Some(text) = &app.sheets.passing {
        let pieces = [(" • ", SpanStyle::Dim), (text.as_str(), SpanStyle::Plain)];
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces.map(|(text, style)| (text, style)));
        return Rect::ZERO;
    }
    if !app.teaching.ratings.is_empty() {
        let text = words!(app.language, " Recording the rating and working out what to propose…");
        let pieces = [(" ", SpanStyle::Plain), (header::spinner(app.now), SpanStyle::Busy), (text, SpanStyle::Busy)];
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces);
        return Rect::ZERO;
    }
    let Some(newest) = app.sheets.messages.last().filter(|_| !area.is_empty()) else { return area };
    // A warning is not pushed off the line by a note that came later.
    let shown = app
        .sheets
        .messages
        .iter()
        .rev()
        .find(|m| m.severity != Severity::Note)
        .filter(|_| newest.severity != Severity::Note)
        .unwrap_or(newest);
    let (sign, span_style) = sign(shown.severity);
    let mut pieces = vec![
        (format!(" {sign} "), span_style),
        (sanitise_line(app.language.known(&shown.text)), if span_style == SpanStyle::Dim { SpanStyle::Dim } else { SpanStyle::Plain }),
    ];
    let grave = app.sheets.messages.iter().filter(|m| m.severity != Severity::Note).count();
    let mut room = area.width;
    // The key that works where one is: in the editor a letter would be typed, in the review it does nothing.
    let contexts = app.contexts();
    let contexts = if contexts.contains(&Context::Question) { vec![Context::Question] } else { contexts };
    let mut keys = contexts.into_iter().map(|context| app.input.keymap.key_of(Action::Messages, context));
    let key = keys.find(|key| !key.is_empty()).filter(|_| app.sheets.form.is_none());
    if let Some(key) = key.filter(|_| app.sheets.messages.len() > 1 && area.width > 40) {
        let (count, l) = (app.sheets.messages.len(), app.language);
        let what =
            if grave > 1 { words!(l, "all {count} warnings ", count = grave) } else { words!(l, "all {count} messages ", count = count) };
        let more = [(format!(" {key} "), SpanStyle::Key), (what, SpanStyle::Dim)];
        let width = more.iter().map(|(text, _)| text.width() as u16).sum::<u16>();
        room = area.width - width;
        paint::pieces(buf, &app.look.theme, (area.x + room, area.y), width, more.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    }
    pieces.truncate(2);
    let used = paint::pieces(buf, &app.look.theme, (area.x, area.y), room, pieces.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    Rect { x: area.x + used, width: room.saturating_sub(used), ..area }
}

/// Keys that have no room beside the legend, where the message leaves some.
fn further(buf: &mut Buffer, app: &App, free: Rect, hints: &[(String, String)]) {
    let cells = |(key, text): &(String, String)| (key.width() + text.width() + 3) as u16;
    let mut room = free.width.saturating_sub(4);
    let shown = hints.iter().take_while(|hint| {
        let fits = cells(hint) <= room;
        room = room.saturating_sub(cells(hint));
        fits
    });
    let shown: Vec<&(String, String)> = shown.collect();
    let width: u16 = shown.iter().map(|hint| cells(hint)).sum();
    paint_hints(buf, app, (free.right().saturating_sub(width), free.y), width, shown.into_iter());
}

fn paint_hints<'a>(buf: &mut Buffer, app: &App, at: (u16, u16), room: u16, hints: impl Iterator<Item = &'a (String, String)>) {
    let pieces = hints.flat_map(|(key, text)| {
        [(key.as_str(), SpanStyle::Key), (" ", SpanStyle::Plain), (text.as_str(), SpanStyle::Dim), ("  ", SpanStyle::Plain)]
    });
    paint::pieces(buf, &app.look.theme, at, room, pieces);
}

/// The legend, and the keys that matter most; returns the keys for which there is no room.
fn legend(buf: &mut Buffer, app: &App, area: Rect) -> Vec<(String, String)> {
    if area.is_empty() {
        return Vec::new();
    }
    let mut hints: Vec<(String, String)> = hints::of(app).into_iter().filter(|(key, _)| !key.is_empty()).collect();
    let width = |hints: &[(String, String)]| hints.iter().map(|(k, t)| k.width() + t.width() + 3).sum::<usize>();
    // The keys come first: the legend takes what the most useful of them leave.
    let most_useful = if area.width >= WITH_LEGEND { FEWEST } else { MOST_USEFUL };
    let least = width(&hints[..hints.len().min(most_useful)]);
    let mut left = usize::from(area.width).saturating_sub(least + 2);
    let mut legend = vec![(" ".to_owned(), SpanStyle::Plain)];
    // A sign is explained where it can be seen.
    for mark in Mark::ALL.into_iter().filter(|mark| app.is_side_by_side() && *mark != Mark::Model || app.run.marks.has(*mark)) {
        let text = format!("{} {}", mark.sign(), app.language.known(mark.word()));
        let cells = text.width() + 2;
        if cells > left {
            break;
        }
        left -= cells;
        legend.push((text, SpanStyle::Entity(mark)));
        legend.push(("  ".to_owned(), SpanStyle::Plain));
    }
    let used =
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, legend.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    // Hints from the right, as many as there is room for.
    let room = area.width.saturating_sub(used + 1);
    let mut rest = Vec::new();
    while width(&hints) > usize::from(room) {
        rest.extend(hints.pop());
    }
    let x = area.right() - u16::try_from(width(&hints)).unwrap_or(0).min(area.width);
    paint_hints(buf, app, (x, area.y), room, hints.iter());
    rest.reverse();
    rest
}
