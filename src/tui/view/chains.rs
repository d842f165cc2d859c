//! The full list of chains. However many there are, only the rows on the screen are made.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane};
use crate::graph::ChainKind;
use crate::pipeline::{Stage, StageState};
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::ink::Ink;

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
    app.chains.selected = app.chains.selected.min(total - 1);
    app.chains.offset = paint::reveal(app.chains.offset, app.chains.selected, height, total);
    let selected = app.chain.map(|chain| chain as usize);
    let look = if app.focus == Pane::Chains { app.theme.styles.selected } else { app.theme.styles.selected_unfocused };
    for (at, y) in (app.chains.offset..total).zip(inner.top()..inner.bottom()) {
        if selected == Some(at) {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), look);
            paint::gutter(buf, &app.theme, (inner.x, y), app.focus == Pane::Chains);
        }
        let row = &app.trace.table.chains[at];
        let id = app.trace.kept_id(u32::try_from(at).unwrap_or(u32::MAX));
        let kept = id.map_or_else(|| "   ".to_owned(), |id| format!("{id:>2} "));
        let head = [(chain::sign(row.kind()), Ink::Dim), (kept.as_str(), Ink::Citation(id.unwrap_or_default()))];
        let used = 1 + paint::pieces(buf, &app.theme, (inner.x + 1, y), inner.width.saturating_sub(1), head);
        let pieces = chain::pieces(&app.trace.table, &app.marks, row);
        paint::pieces(
            buf,
            &app.theme,
            (inner.x + used, y),
            inner.width.saturating_sub(used),
            pieces.iter().map(|(text, ink)| (text.as_str(), *ink)),
        );
    }
    let at = selected.map_or(0, |at| at + 1) as u64;
    let shown = total as u64;
    let note = if shown < app.trace.chains_found {
        format!(" {} of {} listed ", paint::count(at), paint::count(shown))
    } else {
        format!(" {} of {} ", paint::count(at), paint::count(shown))
    };
    if selected.is_some() {
        pane::note(buf, app, area, &note);
    }
    let offset = app.chains.offset;
    pane::scrollbar(buf, app, area, offset, total);
}
