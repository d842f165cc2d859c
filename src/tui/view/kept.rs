//! The kept chains: what the answer rests on, best first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chain::ChainRow;
use super::{chain, paint, pane};
use crate::run::{Stage, StageState, proving_steps};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::{self, SpanStyle};
use crate::tui::verdicts::ChainStatus;
use crate::words::words;

/// Rows that a chain gets at most.
const MOST_ROWS: usize = 3;
/// Cells before a chain: its id, its score, its kind.
const HEAD: u16 = 11;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let (total, l) = (app.run.trace.pruning.kept.len(), app.language);
    let more = if total > 0 {
        vec![
            (total.to_string(), SpanStyle::Strong),
            (
                words!(l, " of {total}", total = paint::count(app.run.trace.chains_found.max(app.run.trace.table.chains.len() as u64))),
                SpanStyle::Dim,
            ),
        ]
    } else {
        Vec::new()
    };
    let mut more = more;
    // Another took the place of each that was rejected: their number stays the same.
    if app.run.verdicts.rejected > 0 {
        more.push((words!(l, " · ✗ {count} rejected", count = paint::count(app.run.verdicts.rejected as u64)), SpanStyle::Warning));
    }
    // More are kept than the setting says: the others prove lines of the answer.
    let chosen = app.run.trace.settings.as_ref().map_or(total, |settings| settings.top_k);
    if total > chosen && !app.is_clinic() {
        let proofs = words!(l, " · {chosen} chosen, {rest} prove the answer", chosen = chosen, rest = total - chosen);
        more.push((proofs, SpanStyle::Dim));
    }
    if !app.selection.kept_filter.is_empty() {
        more.push((words!(l, " · filtered: {words}", words = sanitise_line(&app.selection.kept_filter)), SpanStyle::Warning));
    }
    let inner = pane::frame(buf, app, Pane::Kept, area, &more);
    if total == 0 {
        let text = match app.run.trace.stage(Stage::Prune) {
            StageState::Done { .. } => words!(l, "No chain was kept."),
            StageState::Running { .. } if app.is_running() => words!(l, "Ranking the chains…"),
            StageState::Running { .. } => words!(l, "The ranking was not finished."),
            StageState::Waiting => words!(l, "The chains that fit the question best; the answer rests on them."),
        };
        pane::empty_text(buf, &app.look.theme, inner, text);
        return;
    }
    let height = usize::from(inner.height);
    let rows = app.kept_rows();
    if rows.is_empty() {
        pane::empty_text(buf, &app.look.theme, inner, words!(l, "No kept chain matches the filter. Press Esc to show all."));
        return;
    }
    let total = rows.len();
    let each = (height / total).clamp(1, MOST_ROWS);
    app.layout.frame.kept_rows = each;
    app.selection.kept.selected = app.selection.kept.selected.min(app.run.trace.pruning.kept.len() - 1);
    let shown = (height / each).max(1);
    let place = rows.iter().position(|at| *at == app.selection.kept.selected).unwrap_or(0);
    app.selection.kept.offset = paint::reveal(app.selection.kept.offset, place, shown, total);
    let focused = app.layout.focus == Pane::Kept;
    let kept: Vec<_> = app.run.trace.kept().collect();
    let listed = rows.iter().filter_map(|at| kept.get(*at)).skip(app.selection.kept.offset);
    let sought = chain::sought(&format!("{} {}", app.selection.searched, app.selection.kept_filter));
    let mut above = ChainRow::default();
    // A score that all have says nothing.
    let scores: Vec<String> = app.run.trace.pruning.kept.iter().map(|kept| format!("{:>4.2} ", kept.score)).collect();
    let clinic = app.is_clinic();
    let differ = !clinic && scores.iter().any(|score| Some(score) != scores.first());
    let head_cells = if differ { HEAD } else { HEAD - 5 };
    for ((id, number, row), at) in listed.copied().zip(0..shown) {
        let y = inner.y + (at * each) as u16;
        let area = Rect::new(inner.x, y, inner.width, each as u16).intersection(inner);
        if app.selection.chain == Some(number) {
            buf.set_style(area, if focused { app.look.theme.styles.selected } else { app.look.theme.styles.selected_unfocused });
        } else if app.is_cited(id) {
            buf.set_style(area, app.look.theme.styles.cited);
        }
        let id_text = format!("{id:>2} ");
        let score = scores.get(id as usize - 1).filter(|_| differ).map_or("", String::as_str);
        if app.selection.chain == Some(number) || app.is_cited(id) {
            paint::gutter(buf, &app.look.theme, (area.x, y), focused && app.selection.chain == Some(number));
        }
        let pin = if app.run.verdicts.status(number) == ChainStatus::Pinned { ChainStatus::Pinned.sign() } else { "" };
        let head = [
            (id_text.as_str(), SpanStyle::Citation(id)),
            (score, SpanStyle::Dim),
            (if clinic { "" } else { chain::sign(row.kind()) }, SpanStyle::Dim),
            (pin, SpanStyle::Good),
        ];
        let used = 1 + paint::pieces(buf, &app.look.theme, (area.x + 1, y), area.width.saturating_sub(1), head);
        let left = if inner.width > 30 { head_cells } else { used.min(inner.width) };
        let body = Rect::new(area.x + left, y, area.width - left.min(area.width), area.height);
        let steps = if clinic && !app.run.outdated { proving_steps(&app.run.trace, id) } else { Vec::new() };
        if each == 1 {
            let mut pieces = chain::pieces(&app.run.trace.table, &app.run.marks, row);
            chain::emphasise(&mut pieces, &steps);
            let (fitted, row) = above.below(pieces, body.width, &sought);
            above = row;
            paint::pieces(buf, &app.look.theme, (body.x, y), body.width, fitted.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
        } else {
            let mut rows = styled_text::wrap(&[chain::block(&app.run.trace.table, &app.run.marks, row, &steps)], body.width.max(1));
            // What does not fit into its rows flows on in the last one and is clipped there.
            let rest: Vec<_> = rows.split_off(rows.len().min(each)).into_iter().flat_map(|row| row.pieces).collect();
            if let Some(last) = rows.last_mut().filter(|_| !rest.is_empty()) {
                last.pieces.push((" ".into(), SpanStyle::Plain));
                last.pieces.extend(rest);
            }
            paint::rows(buf, &app.look.theme, body, &rows, 0, |_, _, style| style);
        }
    }
    let (offset, rows) = (app.selection.kept.offset * each, total * each);
    pane::scrollbar(buf, &app.look.theme, area, offset, rows);
}
