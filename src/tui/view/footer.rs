//! The lower lines: the newest message, the legend, and the keys that matter most here.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::layout::Plan;
use super::{header, paint};
use crate::run::Mark;
use crate::text::sanitise_line;
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Severity};
use crate::tui::keymap::Context;
use crate::tui::styled_text::SpanStyle;

pub(super) fn draw(buf: &mut Buffer, app: &App, plan: &Plan) {
    message(buf, app, plan.message);
    legend(buf, app, plan.legend);
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
    app.selection.search.as_ref().map(|search| if search.filters { " Filter: " } else { " Search: " })
}

/// Puts the cursor after the text of a search.
pub(super) fn cursor(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if let (Some(head), Some(search)) = (search_head(app), &app.selection.search) {
        let x = area.x + head.len() as u16 + search.line.cursor();
        if x < area.right() && !area.is_empty() {
            frame.set_cursor_position(Position::new(x, area.y));
        }
    }
}

fn message(buf: &mut Buffer, app: &App, area: Rect) {
    if let (Some(head), Some(search)) = (search_head(app), &app.selection.search) {
        let pieces = [(head, SpanStyle::Key), (search.line.text(), SpanStyle::Strong)];
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces);
        return;
    }
    if !app.teaching.ratings.is_empty() {
        let text = " Recording the rating and working out what to propose…";
        let pieces = [(" ", SpanStyle::Plain), (header::spinner(app.now), SpanStyle::Busy), (text, SpanStyle::Busy)];
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces);
        return;
    }
    let Some(newest) = app.sheets.messages.last().filter(|_| !area.is_empty()) else { return };
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
        (sanitise_line(&shown.text), if span_style == SpanStyle::Dim { SpanStyle::Dim } else { SpanStyle::Plain }),
    ];
    let grave = app.sheets.messages.iter().filter(|m| m.severity != Severity::Note).count();
    let mut room = area.width;
    if app.sheets.messages.len() > 1 && area.width > 40 {
        let what = if grave > 1 { format!("{grave} warnings") } else { format!("{} messages", app.sheets.messages.len()) };
        let key = app.input.keymap.key_of(Action::Messages, Context::Panes);
        let more = [(format!(" {key} "), SpanStyle::Key), (format!("all {what} "), SpanStyle::Dim)];
        let width = more.iter().map(|(text, _)| text.chars().count() as u16).sum::<u16>();
        room = area.width - width;
        paint::pieces(buf, &app.look.theme, (area.x + room, area.y), width, more.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    }
    pieces.truncate(2);
    paint::pieces(buf, &app.look.theme, (area.x, area.y), room, pieces.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
}

fn legend(buf: &mut Buffer, app: &App, area: Rect) {
    if area.is_empty() {
        return;
    }
    let mut legend = vec![(" ".to_owned(), SpanStyle::Plain)];
    let by_model = app.run.trace.anchors.iter().any(|anchor| anchor.by_model);
    // A sign is explained where it can be seen.
    for mark in Mark::ALL.into_iter().filter(|mark| by_model || *mark != Mark::Model) {
        legend.push((format!("{} {}", mark.sign(), mark.word()), SpanStyle::Entity(mark)));
        legend.push(("  ".to_owned(), SpanStyle::Plain));
    }
    let used =
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, legend.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    // Hints from the right, as many as there is room for.
    let room = area.width.saturating_sub(used + 1);
    let mut hints: Vec<(String, String)> = hints(app).into_iter().filter(|(key, _)| !key.is_empty()).collect();
    let width = |hints: &[(String, String)]| hints.iter().map(|(k, t)| k.chars().count() + t.chars().count() + 3).sum::<usize>();
    while width(&hints) > usize::from(room) && hints.pop().is_some() {}
    let x = area.right() - u16::try_from(width(&hints)).unwrap_or(0).min(area.width);
    let pieces = hints.iter().flat_map(|(key, text)| {
        [(key.as_str(), SpanStyle::Key), (" ", SpanStyle::Plain), (text.as_str(), SpanStyle::Dim), ("  ", SpanStyle::Plain)]
    });
    paint::pieces(buf, &app.look.theme, (x, area.y), room, pieces);
}

/// The most useful keys of the moment, the most useful first.
fn hints(app: &App) -> Vec<(String, String)> {
    let hint = |action: Action, context: Context, text: &str| (app.input.keymap.key_of(action, context), text.to_owned());
    let mut hints = Vec::new();
    match app.contexts().first() {
        Some(Context::Entry) => {
            return vec![hint(Action::Accept, Context::Entry, "choose"), hint(Action::Stop, Context::Anywhere, "cancel")];
        }
        Some(Context::Overlay) => {
            return vec![hint(Action::Stop, Context::Anywhere, "close"), hint(Action::Down, Context::Overlay, "scroll")];
        }
        Some(Context::SideBySide) => {
            return vec![hint(Action::Help, Context::SideBySide, "help"), hint(Action::Quit, Context::SideBySide, "quit")];
        }
        // Their keys stand on their own lower borders.
        Some(Context::Review | Context::Learned) => return vec![hint(Action::Stop, Context::Anywhere, "close")],
        Some(Context::Writing) => {
            return vec![hint(Action::Accept, Context::Writing, "record"), hint(Action::Stop, Context::Anywhere, "cancel")];
        }
        Some(Context::Confirm) => return vec![hint(Action::Accept, Context::Confirm, "yes"), ("other keys".into(), "no".into())],
        // Its keys stand on its own lower border.
        Some(Context::Case) => return vec![hint(Action::Stop, Context::Anywhere, "close")],
        Some(Context::Settings) => {
            let change = format!(
                "{} {}",
                app.input.keymap.key_of(Action::Left, Context::Settings),
                app.input.keymap.key_of(Action::Right, Context::Settings)
            );
            return vec![(change, "change".into()), hint(Action::Stop, Context::Anywhere, "close")];
        }
        Some(Context::Replay) => {
            return vec![
                hint(Action::PlayPause, Context::Replay, if app.run.playback().is_some_and(|p| p.paused) { "resume" } else { "pause" }),
                hint(Action::PlayStep, Context::Replay, "step"),
                hint(Action::PlayFaster, Context::Replay, "faster"),
                hint(Action::PlaySlower, Context::Replay, "slower"),
                hint(Action::Stop, Context::Anywhere, "end"),
            ];
        }
        _ => {}
    }
    let typing = app.shows_first_screen() || app.layout.focus == Pane::Question;
    let here = match typing {
        true if app.shows_first_screen() && app.input.editor.text().is_empty() => Context::FirstScreen,
        true => Context::Anywhere,
        false => Context::Panes,
    };
    hints.push(hint(Action::Help, here, "help"));
    if app.is_running() {
        hints.push(hint(Action::Stop, Context::Anywhere, "stop"));
    }
    if typing {
        hints.push(hint(Action::Ask, Context::Question, "ask"));
    } else {
        if app.side_by_side.is_some() {
            hints.insert(0, hint(Action::SideBySide, Context::RunPair, "both"));
            hints.push(hint(Action::OtherRun, Context::RunPair, "other run"));
        }
        if app.run.outdated {
            hints.push(hint(Action::Reread, Context::Panes, "regenerate"));
        }
        hints.push(hint(Action::Focus(Pane::Question), Context::Panes, "type"));
        match app.layout.focus {
            Pane::Chains | Pane::Kept => {
                hints.push(hint(Action::Pin, Context::Panes, "pin"));
                hints.push(hint(Action::Reject, Context::Panes, "reject"));
                hints.push(hint(Action::Find, Context::Panes, "search"));
            }
            Pane::Anchors => {
                hints.push(hint(Action::AddAnchor, Context::Panes, "add"));
                hints.push(hint(Action::Reject, Context::Panes, "reject"));
            }
            Pane::Graph => {
                hints.push(hint(Action::Closer, Context::Graph, "zoom in"));
                hints.push(hint(Action::Fit, Context::Graph, "all"));
            }
            _ => hints.push(hint(Action::NextKept, Context::Panes, "next kept")),
        }
        if !app.run.trace.case.is_empty() && app.run.decisions.settled.is_some() {
            hints.push(hint(Action::Case, Context::Panes, "correct"));
            hints.push(hint(Action::FollowUp, Context::Panes, "follow up"));
        }
        if app.teaching.can_record() && app.run.decisions.settled.is_some() {
            hints.push(hint(Action::RateGood, Context::Panes, "good"));
            hints.push(hint(Action::RateBad, Context::Panes, "bad"));
            hints.push(hint(Action::RateGold, Context::Panes, "gold"));
        }
        if app.teaching.status.as_ref().is_some_and(|learning| learning.pending > 0) {
            hints.push(hint(Action::Review, Context::Panes, "review"));
        }
        hints.push(hint(Action::Palette, Context::Panes, "actions"));
    }
    if !app.shows_first_screen() {
        hints.push(hint(Action::FocusNext, Context::Anywhere, "pane"));
    }
    hints.push(hint(Action::Quit, if typing { Context::Anywhere } else { here }, "quit"));
    hints
}
