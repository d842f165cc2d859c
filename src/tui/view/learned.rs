//! The learned triples: in numbers, as a curve, and record by record.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Sparkline, Widget};
use unicode_width::UnicodeWidthStr;

use super::hints::ratings_named;
use super::{header, paint, pane};
use crate::dkg::Statistics;
use crate::run::Mark;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::words::words;

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 150;
/// Rows of the curve, where the sheet has more than so many.
const CURVE: u16 = 3;
const WITH_CURVE: u16 = 14;
/// From this width on, the time of a record is shown.
const WITH_TIME: u16 = 90;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, body: Rect) {
    let width = body.width.min(WIDEST);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y, width, body.height);
    let inner = pane::sheet(buf, &app.look.theme, area, app.language.known("Learned triples"));
    if inner.is_empty() {
        return;
    }
    let keys = [(Action::Undo, "undo this record"), (Action::Review, "review")]
        .map(|(action, what)| (app.input.keymap.key_of(action, Context::Learned), what));
    super::form::keys_below(buf, app, area, &keys);
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    if app.teaching.learned.awaited && app.teaching.learned.overview.records.is_empty() {
        paint::pieces(buf, &app.look.theme, (inner.x, inner.y), 1, [(header::spinner(app.now), SpanStyle::Busy)]);
        return;
    }
    let rows = styled_text::wrap(&[numbers(&app.teaching.learned.overview.statistics)], inner.width.max(1));
    paint::rows(buf, &app.look.theme, inner, &rows, 0, |_, _, style| style);
    let mut y = inner.y.saturating_add(u16::try_from(rows.len()).unwrap_or(u16::MAX)).min(inner.bottom());
    let growth = &app.teaching.learned.overview.growth;
    if inner.height >= WITH_CURVE && y + CURVE + 3 < inner.bottom() && growth.len() > 1 {
        let curve = Rect::new(inner.x, y + 1, inner.width, CURVE);
        Sparkline::default().data(spread(growth, inner.width)).style(app.look.theme.mark(Mark::Learned)).render(curve, buf);
        let text = format!("learned triples after each record; at most {}", paint::count(growth.iter().copied().max().unwrap_or(0)));
        paint::pieces(buf, &app.look.theme, (inner.x, y + 1 + CURVE), inner.width, [(text.as_str(), SpanStyle::Dim)]);
        y += CURVE + 2;
    }
    let list = Rect::new(inner.x, y + 1, inner.width, inner.bottom().saturating_sub(y + 1));
    if list.is_empty() {
        return;
    }
    if app.teaching.learned.overview.records.is_empty() {
        let text =
            words!(app.language, "Nothing is recorded yet. To begin, press in the answer (pane 6): {keys}.", keys = ratings_named(app));
        pane::empty_text(buf, &app.look.theme, list, &text);
        return;
    }
    records(buf, app, list);
}

fn records(buf: &mut Buffer, app: &mut App, list: Rect) {
    let total = app.teaching.learned.overview.records.len();
    app.teaching.learned.at.selected = app.teaching.learned.at.selected.min(total.saturating_sub(1));
    let at = app.teaching.learned.at;
    let list = whole_record(buf, app, list);
    app.teaching.learned.at.offset = paint::reveal(at.offset, at.selected, usize::from(list.height), total);
    let mut picks = Vec::new();
    for ((place, record), y) in
        app.teaching.learned.overview.records.iter().enumerate().skip(app.teaching.learned.at.offset).zip(list.top()..list.bottom())
    {
        let area = Rect::new(list.x, y, list.width, 1);
        if place == at.selected {
            buf.set_style(area, app.look.theme.styles.selected);
            paint::gutter(buf, &app.look.theme, (area.x, y), true);
        }
        let number = format!("{:>5}  ", record.record);
        let when = if list.width >= WITH_TIME { format!("{}  ", sanitise_line(&record.when)) } else { String::new() };
        let text = sanitise_line(&record.text);
        let (void, span_style) = if record.void { ("undone: ", SpanStyle::Dim) } else { ("", SpanStyle::Plain) };
        let pieces = [
            (number.as_str(), SpanStyle::Citation(0)),
            (when.as_str(), SpanStyle::Dim),
            (void, SpanStyle::Warning),
            (text.as_ref(), span_style),
        ];
        paint::pieces(buf, &app.look.theme, (area.x + 1, y), area.width.saturating_sub(1), pieces);
        picks.push((area, place));
    }
    app.layout.frame.picks = picks;
}

/// Writes the selected record in full below the list, if its row cannot hold it, and returns what is left for the list.
fn whole_record(buf: &mut Buffer, app: &App, list: Rect) -> Rect {
    let Some(record) = app.teaching.learned.overview.records.get(app.teaching.learned.at.selected) else { return list };
    let text = sanitise_line(&record.text);
    let before = if list.width >= WITH_TIME { record.when.width() + 2 } else { 0 } + if record.void { 8 } else { 0 } + 8;
    if text.width() + before <= usize::from(list.width) {
        return list;
    }
    let rows = styled_text::wrap(&[Block::new().with(&text, SpanStyle::Plain)], list.width.saturating_sub(1).max(1));
    // The list keeps half of the rows; what does not fit there either stands in the question before an undo.
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(list.height.saturating_sub(1) / 2);
    let below = Rect { y: list.bottom() - height, height, x: list.x + 1, width: list.width.saturating_sub(1) };
    paint::rows(buf, &app.look.theme, below, &rows, 0, |_, _, style| style);
    Rect { height: list.height.saturating_sub(height + 1), ..list }
}

/// The numbers in one paragraph.
fn numbers(statistics: &Statistics) -> Block {
    let count = |number: u64| paint::count(number);
    let mut block = Block::new();
    block.push(&format!("★\u{a0}{}\u{a0}learned", count(statistics.learned)), SpanStyle::Entity(Mark::Learned));
    block.push(&format!("   {}\u{a0}to\u{a0}review", count(statistics.pending)), SpanStyle::Strong);
    let by_type = &statistics.by_type;
    for (number, what) in [
        (statistics.conflicting, "held\u{a0}back"),
        (statistics.redundant, "redundant"),
        (by_type.feedback, "ratings\u{a0}or\u{a0}taught\u{a0}facts"),
        (by_type.undo, "undone"),
        (statistics.records, "records"),
    ] {
        block.push(&format!("   {}\u{a0}{what}", count(number)), SpanStyle::Plain);
    }
    block
}

/// The curve over a width: values repeated where there are few, left out evenly where there are many.
fn spread(values: &[u64], width: u16) -> Vec<u64> {
    let width = usize::from(width).max(1);
    (0..width).filter_map(|x| values.get(x * values.len() / width).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn a_curve_fills_the_width() {
        assert_eq!(spread(&[1, 3], 6), [1, 1, 1, 3, 3, 3]);
        assert_eq!(spread(&[1, 2, 3, 4], 2), [1, 3]);
        assert!(spread(&[], 5).is_empty());
    }
}
