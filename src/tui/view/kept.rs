//! The kept chains: what the answer rests on, best first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane};
use crate::run::{Stage, StageState};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::{self, Ink};
use crate::tui::verdicts::Stand;

/// Rows that a chain gets at most.
const MOST_ROWS: usize = 3;
/// Cells before a chain: its id, its score, its kind.
const HEAD: u16 = 11;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let total = app.trace.pruning.kept.len();
    let more = if total > 0 {
        vec![(total.to_string(), Ink::Strong), (format!(" of {}", paint::count(app.trace.chains_found)), Ink::Dim)]
    } else {
        Vec::new()
    };
    let mut more = more;
    if !app.kept_filter.is_empty() {
        more.push((format!(" · filtered: {}", sanitise_line(&app.kept_filter)), Ink::Warning));
    }
    let inner = pane::frame(buf, app, Pane::Kept, area, &more);
    if total == 0 {
        let text = match app.trace.stage(Stage::Prune) {
            StageState::Done { .. } => "None was kept.",
            StageState::Running { .. } if app.is_running() => "Weighing the chains…",
            StageState::Running { .. } => "The choice was not made.",
            StageState::Waiting => "The chains that fit the question best; the answer cites them.",
        };
        pane::empty_text(buf, app, inner, text);
        return;
    }
    let height = usize::from(inner.height);
    let rows = app.kept_rows();
    if rows.is_empty() {
        pane::empty_text(buf, app, inner, "No kept chain has the words of the filter. Esc shows all of them again.");
        return;
    }
    let total = rows.len();
    let each = (height / total).clamp(1, MOST_ROWS);
    app.memory.kept_rows = each;
    app.kept.selected = app.kept.selected.min(app.trace.pruning.kept.len() - 1);
    let shown = (height / each).max(1);
    let place = rows.iter().position(|at| *at == app.kept.selected).unwrap_or(0);
    app.kept.offset = paint::reveal(app.kept.offset, place, shown, total);
    let focused = app.focus == Pane::Kept;
    let kept: Vec<_> = app.trace.kept().collect();
    let listed = rows.iter().filter_map(|at| kept.get(*at)).skip(app.kept.offset);
    for ((id, number, row), at) in listed.copied().zip(0..shown) {
        let y = inner.y + (at * each) as u16;
        let area = Rect::new(inner.x, y, inner.width, each as u16).intersection(inner);
        if app.chain == Some(number) {
            buf.set_style(area, if focused { app.theme.styles.selected } else { app.theme.styles.selected_unfocused });
        } else if app.is_cited(id) {
            buf.set_style(area, app.theme.styles.cited);
        }
        let score = app.trace.pruning.kept.get(id as usize - 1).map_or(0.0, |s| s.score);
        let (id_text, score) = (format!("{id:>2} "), format!("{score:>4.2} "));
        if app.chain == Some(number) || app.is_cited(id) {
            paint::gutter(buf, &app.theme, (area.x, y), focused && app.chain == Some(number));
        }
        let pin = if app.verdicts.stand(number) == Stand::Pinned { Stand::Pinned.sign() } else { "" };
        let head =
            [(id_text.as_str(), Ink::Citation(id)), (score.as_str(), Ink::Dim), (chain::sign(row.kind()), Ink::Dim), (pin, Ink::Good)];
        let used = 1 + paint::pieces(buf, &app.theme, (area.x + 1, y), area.width.saturating_sub(1), head);
        let left = if inner.width > 30 { HEAD } else { used.min(inner.width) };
        let body = Rect::new(area.x + left, y, area.width - left.min(area.width), area.height);
        let pieces = chain::pieces(&app.trace.table, &app.marks, row);
        if each == 1 {
            paint::pieces(buf, &app.theme, (body.x, y), body.width, pieces.iter().map(|(t, ink)| (t.as_str(), *ink)));
        } else {
            let mut rows = styled_text::wrap(&[chain::block(&app.trace.table, &app.marks, row)], body.width.max(1));
            // What does not fit into its rows flows on in the last one and is clipped there.
            let rest: Vec<_> = rows.split_off(rows.len().min(each)).into_iter().flat_map(|row| row.pieces).collect();
            if let Some(last) = rows.last_mut().filter(|_| !rest.is_empty()) {
                last.pieces.push((" ".into(), Ink::Plain));
                last.pieces.extend(rest);
            }
            paint::rows(buf, &app.theme, body, &rows, 0, |_, _, style| style);
        }
    }
    let (offset, rows) = (app.kept.offset * each, total * each);
    pane::scrollbar(buf, app, area, offset, rows);
}
