//! The full list of chains. However many there are, only the rows on the screen are made.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane};
use crate::graph::ChainKind;
use crate::run::{Stage, StageState};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::chain_list::ListRow;
use crate::tui::styled_text::Ink;
use crate::tui::verdicts::Stand;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let total = app.trace.table.chains.len();
    let mut more = Vec::new();
    if app.trace.chains_found > 0 {
        more.push((paint::count(app.trace.chains_found), Ink::Strong));
        let signs = area.width >= 66;
        for (kind, count) in ChainKind::ALL.iter().filter_map(|kind| Some((*kind, *app.trace.by_kind.get(kind)?))) {
            let sign = if signs { format!("{} ", chain::sign(kind)) } else { String::new() };
            if count > 0 {
                more.push((format!(" · {sign}{} {}", chain::short(kind), paint::count(count)), Ink::Dim));
            }
        }
    }
    if app.verdicts.rejected > 0 {
        more.push((format!(" · ✗ {}", paint::count(app.verdicts.rejected as u64)), Ink::Warning));
    }
    if app.verdicts.pinned > 0 {
        more.push((format!(" · ▲ {}", app.verdicts.pinned), Ink::Good));
    }
    let inner = pane::frame(buf, app, Pane::Chains, area, &more);
    if total == 0 {
        let text = match app.trace.stage(Stage::Search) {
            StageState::Running { .. } if app.is_running() => "Searching…",
            StageState::Running { .. } => "The search did not end.",
            StageState::Done { .. } if app.trace.anchors.is_empty() => "Nothing was linked, so there was nothing to search from.",
            StageState::Done { .. } => "No chain connects what was linked.",
            StageState::Waiting => "Every chain of relations between the anchors.",
        };
        pane::empty_text(buf, app, inner, text);
        return;
    }
    let height = usize::from(inner.height);
    let (listed, all) = app.list.counts();
    let rows = app.list.len();
    if rows == 0 {
        pane::empty_text(buf, app, inner, "No chain has the words of the filter. Esc shows all chains again.");
        return;
    }
    app.chains.selected = app.chains.selected.min(rows - 1);
    app.chains.offset = paint::reveal(app.chains.offset, app.chains.selected, height, rows);
    let focused = app.focus == Pane::Chains;
    let look = if focused { app.theme.styles.selected } else { app.theme.styles.selected_unfocused };
    let range = app.range.map(|_| app.selected_rows());
    for (at, y) in (app.chains.offset..rows).zip(inner.top()..inner.bottom()) {
        match app.list.row(at) {
            Some(ListRow::Chain(number)) => {
                let in_range = range.as_ref().is_some_and(|range| range.contains(&at));
                if app.chain == Some(number) || in_range {
                    buf.set_style(Rect::new(inner.x, y, inner.width, 1), look);
                    paint::gutter(buf, &app.theme, (inner.x, y), focused);
                }
                row(buf, app, number, Rect::new(inner.x, y, inner.width, 1));
            }
            Some(ListRow::Head(group)) => head(buf, app, group, Rect::new(inner.x, y, inner.width, 1)),
            None => {}
        }
    }
    let at = app.chain.and_then(|chain| app.list.place(chain)).map(|at| at as u64 + 1);
    let of = if listed < all {
        format!("{} filtered from {}", paint::count(listed as u64), paint::count(all as u64))
    } else if (all as u64) < app.trace.chains_found {
        format!("{} listed", paint::count(all as u64))
    } else {
        paint::count(all as u64)
    };
    let order = match (app.list.sort.word(), app.list.grouped) {
        ("", false) => String::new(),
        ("", true) => " · by anchors".to_owned(),
        (word, false) => format!(" · {word}"),
        (word, true) => format!(" · {word}, by anchors"),
    };
    if let Some(range) = range {
        pane::note(buf, app, area, &format!(" {} selected ", range.count()));
    } else if let Some(at) = at.filter(|_| !app.list.grouped) {
        pane::note(buf, app, area, &format!(" {} of {of}{order} ", paint::count(at)));
    } else {
        pane::note(buf, app, area, &format!(" {of}{order} "));
    }
    let offset = app.chains.offset;
    pane::scrollbar(buf, app, area, offset, rows);
}

/// One chain.
fn row(buf: &mut Buffer, app: &App, number: u32, area: Rect) {
    let Some(row) = app.trace.table.chains.get(number as usize) else { return };
    let id = app.trace.kept_id(number);
    let kept = id.map_or_else(|| "   ".to_owned(), |id| format!("{id:>2} "));
    let stand = app.verdicts.stand(number);
    let sign = if app.verdicts.is_empty() { "" } else { stand.sign() };
    let ink = if stand == Stand::Pinned { Ink::Good } else { Ink::Warning };
    let head = [(sign, ink), (chain::sign(row.kind()), Ink::Dim), (kept.as_str(), Ink::Citation(id.unwrap_or_default()))];
    let used = 1 + paint::pieces(buf, &app.theme, (area.x + 1, area.y), area.width.saturating_sub(1), head);
    let pieces = chain::pieces(&app.trace.table, &app.marks, row);
    // What was rejected is still there, and recedes.
    let pieces = pieces.iter().map(|(text, ink)| (text.as_str(), if stand == Stand::Rejected { Ink::Dim } else { *ink }));
    paint::pieces(buf, &app.theme, (area.x + used, area.y), area.width.saturating_sub(used), pieces);
}

/// The heading of a group: the two entities that its chains connect.
fn head(buf: &mut Buffer, app: &App, group: u32, area: Rect) {
    let Some(group) = app.list.group_at(group) else { return };
    let name = |node: u32| app.trace.table.entities.get(node as usize).map(|e| sanitise_line(&e.name)).unwrap_or_default();
    let text = format!("{} ↔ {}", name(group.ends.0), name(group.ends.1));
    let count = format!("  {}", paint::count(u64::from(group.chains)));
    paint::pieces(
        buf,
        &app.theme,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        [(text.as_str(), Ink::Heading), (count.as_str(), Ink::Dim)],
    );
}
