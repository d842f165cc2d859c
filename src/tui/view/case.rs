//! How the question was read, as a list to correct, over the panes.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{form, paint, pane};
use crate::run::{AskKind, CaseItemKind, ConditionStatus, DrugStatus, FindingStatus};
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay};
use crate::tui::case_sheet::{CaseSheet, RowState};
use crate::tui::keymap::Context;
use crate::tui::styled_text::SpanStyle;
use crate::words::{Language, words};

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 90;

/// A line of the list.
enum Line {
    Heading(&'static str),
    /// A line that can be selected, by its number.
    Row(usize),
}

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(Overlay::Case(mut sheet)) = app.sheets.overlay.take() else { return };
    let lines = lines(&sheet, app.language);
    let (width, height) = (body.width.min(WIDEST), body.height.min(u16::try_from(lines.len() + 2).unwrap_or(u16::MAX)));
    let area = Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 3, width, height);
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, words!(app.language, "How the question was read: correct it"));
    let selected = lines.iter().position(|line| matches!(line, Line::Row(at) if *at == sheet.at.selected)).unwrap_or(0);
    // With the first row of a group, its heading is seen too.
    let from = if matches!(selected.checked_sub(1).and_then(|at| lines.get(at)), Some(Line::Heading(_))) { selected - 1 } else { selected };
    let shown = usize::from(inner.height);
    let offset = paint::reveal(sheet.at.offset, selected, shown, lines.len());
    sheet.at.offset = if shown > 1 { paint::reveal(offset, from, shown, lines.len()) } else { offset };
    for (line, y) in lines.iter().skip(sheet.at.offset).zip(inner.top()..inner.bottom()) {
        let at = match line {
            Line::Heading(title) => {
                paint::pieces(buf, &app.look.theme, (inner.x + 1, y), inner.width.saturating_sub(1), [(*title, SpanStyle::Heading)]);
                continue;
            }
            Line::Row(at) => *at,
        };
        let row = Rect::new(inner.x, y, inner.width, 1);
        if at == sheet.at.selected {
            buf.set_style(row, app.look.theme.styles.selected);
            paint::gutter(buf, &app.look.theme, (row.x, y), true);
        }
        let pieces = pieces(&sheet, at, app.language);
        let pieces = pieces.iter().map(|(text, span_style)| (text.as_str(), *span_style));
        paint::pieces(buf, &app.look.theme, (row.x + 2, y), row.width.saturating_sub(3), pieces);
        app.layout.frame.picks.push((row, at));
    }
    app.layout.frame.sheet_height = shown;
    pane::scrollbar(buf, &app.look.theme, area, sheet.at.offset, lines.len());
    let key = |action| app.input.keymap.key_of(action, Context::Case);
    let keys = [
        (key(Action::Accept), "applies"),
        (key(Action::Mark), "changes"),
        (key(Action::AddFinding), "adds"),
        (key(Action::Edit), "corrects value"),
        (key(Action::Reject), "removes"),
        (app.input.keymap.key_of(Action::Stop, Context::Anywhere), "cancels"),
        (key(Action::Absent), "absent"),
        (key(Action::Present), "present"),
    ];
    form::keys_below(buf, app, area, &keys);
    app.sheets.overlay = Some(Overlay::Case(sheet));
}

fn lines(sheet: &CaseSheet, l: Language) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut title = "";
    for (at, row) in sheet.rows.iter().enumerate() {
        if row.item.kind.title() != title {
            title = row.item.kind.title();
            lines.push(Line::Heading(l.known(title)));
        }
        lines.push(Line::Row(at));
    }
    lines.push(Line::Heading(words!(l, "Asks, in this order")));
    lines.extend((sheet.rows.len()..sheet.len()).map(Line::Row));
    lines
}

/// What a line says: a sign and a word for each state, so that it needs no colour.
fn pieces(sheet: &CaseSheet, at: usize, l: Language) -> Vec<(String, SpanStyle)> {
    let Some(row) = sheet.rows.get(at) else {
        let Some(kind) = AskKind::ALL.get(at.saturating_sub(sheet.rows.len())) else { return Vec::new() };
        let place = sheet.asks.iter().position(|asked| asked == kind);
        let (sign, style) = place.map_or((" ·  ".to_owned(), SpanStyle::Dim), |place| (format!("{:>2}  ", place + 1), SpanStyle::Key));
        let name = if place.is_some() { SpanStyle::Strong } else { SpanStyle::Dim };
        return vec![(sign, style), (kind.title(sheet.chinese).to_owned(), name)];
    };
    let (sign, style) = match row.now {
        // It is listed to be removed, not because it was read.
        RowState::Kept if row.item.kind == CaseItemKind::NotUnderstood => ("?", SpanStyle::Dim),
        RowState::Status(FindingStatus::Present) | RowState::Kept => ("✓", SpanStyle::Good),
        RowState::Drug(DrugStatus::Taken | DrugStatus::New | DrugStatus::Proposed) => ("✓", SpanStyle::Good),
        RowState::Condition(ConditionStatus::Known) => ("✓", SpanStyle::Good),
        RowState::Status(FindingStatus::Absent) | RowState::Condition(ConditionStatus::Excluded) => ("✗", SpanStyle::Warning),
        RowState::Drug(DrugStatus::Stopped) => ("✗", SpanStyle::Warning),
        RowState::Drug(DrugStatus::Allergic) => ("!", SpanStyle::Warning),
        RowState::Status(_) | RowState::Condition(_) => ("?", SpanStyle::Dim),
        RowState::Removed => ("–", SpanStyle::Warning),
    };
    let name = if row.now == RowState::Removed { SpanStyle::Dim } else { SpanStyle::Strong };
    let mut pieces = vec![(format!(" {sign}  "), style), (sanitise_line(&row.item.text).clone(), name)];
    if !row.now.word().is_empty() {
        pieces.push((format!("   {}", l.known(row.now.word())), style));
    }
    if sheet.may_be_corrected(row) {
        pieces.push((words!(l, "   your corrections below take precedence").to_owned(), SpanStyle::Dim));
    } else if row.is_new {
        pieces.push((words!(l, "   added").to_owned(), SpanStyle::Dim));
    } else if row.now != row.before {
        let before = if row.before.word().is_empty() { "part of the case" } else { row.before.word() };
        pieces.push((words!(l, "   was: {before}", before = l.known(before)), SpanStyle::Dim));
    }
    pieces
}
