//! The full list of chains. However many there are, only the rows on the screen are made.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chain::ChainRow;
use super::{chain, paint, pane};
use crate::graph::ChainKind;
use crate::run::{Stage, StageState};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::chain_list::ListRow;
use crate::tui::styled_text::SpanStyle;
use crate::tui::verdicts::ChainStatus;
use crate::words::words;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let (total, l) = (app.run.trace.table.chains.len(), app.language);
    let mut more = Vec::new();
    if app.run.trace.chains_found > 0 {
        // With those that prove a line of the answer, which the search need not have found.
        more.push((paint::count(app.run.trace.chains_found.max(total as u64)), SpanStyle::Strong));
        // What the doctor decided stands before what may be cut off.
        if !app.selection.list.filter.is_empty() {
            more.push((words!(l, " · filtered: {words}", words = sanitise_line(&app.selection.list.filter)), SpanStyle::Warning));
        }
        if app.run.verdicts.rejected > 0 {
            more.push((format!(" · ✗ {}", paint::count(app.run.verdicts.rejected as u64)), SpanStyle::Warning));
        }
        if app.run.verdicts.pinned > 0 {
            more.push((format!(" · ▲ {}", app.run.verdicts.pinned), SpanStyle::Good));
        }
        let signs = area.width >= 66;
        for (kind, count) in ChainKind::ALL.iter().filter_map(|kind| Some((*kind, *app.run.trace.by_kind.get(kind)?))) {
            let sign = if signs { format!("{} ", chain::sign(kind)) } else { String::new() };
            if count > 0 {
                more.push((format!(" · {sign}{} {}", app.language.known(kind.word()), paint::count(count)), SpanStyle::Dim));
            }
        }
    }
    let inner = pane::frame(buf, app, Pane::Chains, area, &more);
    if total == 0 {
        let text = match app.run.trace.stage(Stage::Search) {
            StageState::Running { .. } if app.is_running() => words!(l, "Searching…"),
            StageState::Running { .. } => words!(l, "The search was not finished."),
            StageState::Done { .. } if app.run.trace.anchors.is_empty() => {
                words!(l, "Nothing was linked, so the search had no starting point.")
            }
            StageState::Done { .. } => words!(l, "No chain connects the linked entities."),
            StageState::Waiting => words!(l, "Every chain of relations between the anchors."),
        };
        pane::empty_text(buf, &app.look.theme, inner, text);
        return;
    }
    let height = usize::from(inner.height);
    let (listed, all) = app.selection.list.counts();
    let rows = app.selection.list.len();
    if rows == 0 {
        pane::empty_text(buf, &app.look.theme, inner, words!(l, "No chain matches the filter. Press Esc to show all."));
        return;
    }
    app.selection.chains.selected = app.selection.chains.selected.min(rows - 1);
    app.selection.chains.offset = paint::reveal(app.selection.chains.offset, app.selection.chains.selected, height, rows);
    let focused = app.layout.focus == Pane::Chains;
    let look = if focused { app.look.theme.styles.selected } else { app.look.theme.styles.selected_unfocused };
    let range = app.selection.range.map(|_| app.selected_rows());
    let sought = chain::sought(&format!("{} {}", app.selection.searched, app.selection.list.filter_words()));
    let mut above = ChainRow::default();
    for (at, y) in (app.selection.chains.offset..rows).zip(inner.top()..inner.bottom()) {
        match app.selection.list.row(at) {
            Some(ListRow::Chain(number)) => {
                let in_range = range.as_ref().is_some_and(|range| range.contains(&at));
                if app.selection.chain == Some(number) || in_range {
                    buf.set_style(Rect::new(inner.x, y, inner.width, 1), look);
                    paint::gutter(buf, &app.look.theme, (inner.x, y), focused);
                }
                above = row(buf, app, number, Rect::new(inner.x, y, inner.width, 1), (&above, &sought));
            }
            Some(ListRow::Head(group)) => head(buf, app, group, Rect::new(inner.x, y, inner.width, 1)),
            None => {}
        }
    }
    let at = app.selection.chain.and_then(|chain| app.selection.list.place(chain)).map(|at| at as u64 + 1);
    let of = if listed < all {
        words!(l, "{listed} filtered from {all}", listed = paint::count(listed as u64), all = paint::count(all as u64))
    } else if (all as u64) < app.run.trace.chains_found {
        words!(l, "{all} listed", all = paint::count(all as u64))
    } else {
        paint::count(all as u64)
    };
    let order = match (l.known(app.selection.list.sort.word()), app.selection.list.grouped) {
        ("", false) => String::new(),
        ("", true) => words!(l, " · by anchors").to_owned(),
        (word, false) => format!(" · {word}"),
        (word, true) => words!(l, " · {word}, by anchors", word = word),
    };
    if let Some(range) = range {
        pane::note(buf, &app.look.theme, area, &words!(l, " {count} selected ", count = range.count()));
    } else if let Some(at) = at.filter(|_| !app.selection.list.grouped) {
        pane::note(buf, &app.look.theme, area, &words!(l, " row {at} of {of}{order} ", at = paint::count(at), of = of, order = order));
    } else {
        pane::note(buf, &app.look.theme, area, &format!(" {of}{order} "));
    }
    let offset = app.selection.chains.offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, rows);
}

/// One chain; the row above it and what is sought decide what of it is shown.
fn row(buf: &mut Buffer, app: &App, number: u32, area: Rect, (above, sought): (&ChainRow, &[String])) -> ChainRow {
    let Some(row) = app.run.trace.table.chains.get(number as usize) else { return ChainRow::default() };
    let id = app.run.trace.kept_id(number);
    let kept = id.map_or_else(|| "   ".to_owned(), |id| format!("{id:>2} "));
    let stand = app.run.verdicts.status(number);
    let sign = if app.run.verdicts.is_empty() { "" } else { stand.sign() };
    let span_style = if stand == ChainStatus::Pinned { SpanStyle::Good } else { SpanStyle::Warning };
    let head =
        [(sign, span_style), (chain::sign(row.kind()), SpanStyle::Dim), (kept.as_str(), SpanStyle::Citation(id.unwrap_or_default()))];
    let used = 1 + paint::pieces(buf, &app.look.theme, (area.x + 1, area.y), area.width.saturating_sub(1), head);
    let pieces = chain::pieces(&app.run.trace.table, &app.run.marks, row);
    let room = area.width.saturating_sub(used);
    let (fitted, row) = above.below(pieces, room, sought);
    // What was rejected is still there, and recedes.
    let shown =
        fitted.iter().map(|(text, span_style)| (text.as_str(), if stand == ChainStatus::Rejected { SpanStyle::Dim } else { *span_style }));
    paint::pieces(buf, &app.look.theme, (area.x + used, area.y), room, shown);
    row
}

/// The heading of a group: the two entities that its chains connect.
fn head(buf: &mut Buffer, app: &App, group: u32, area: Rect) {
    let Some(group) = app.selection.list.group_at(group) else { return };
    let name = |node: u32| app.run.trace.table.entities.get(node as usize).map(|e| sanitise_line(&e.name)).unwrap_or_default();
    let text = format!("{} ↔ {}", name(group.ends.0), name(group.ends.1));
    let count = format!("  {}", paint::count(u64::from(group.chains)));
    paint::pieces(
        buf,
        &app.look.theme,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        [(text.as_str(), SpanStyle::Heading), (count.as_str(), SpanStyle::Dim)],
    );
}
