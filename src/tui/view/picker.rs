//! A list to choose from, over the panes: the typed text above, the matching items below.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::{chain, header, paint, pane};
use crate::text::sanitise_line;
use crate::tui::app::{App, Overlay};
use crate::tui::picker::PickerKind;
use crate::tui::styled_text::{self, Block, SpanStyle};

/// Lines longer than this are hard to read across.
const WIDEST: u16 = 110;
/// Rows of items at most.
const MOST_ROWS: u16 = 18;
/// Below this width what stands at the right end is left out.
const WITH_ASIDE: u16 = 60;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(Overlay::Picker(mut picker)) = app.sheets.overlay.take() else { return };
    let width = body.width.min(WIDEST);
    let height = body.height.min(MOST_ROWS + 4);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 3, width, height);
    let buf = frame.buffer_mut();
    let inner = pane::sheet(buf, &app.look.theme, area, app.language.known(picker.offer.title()));
    let styles = &app.look.theme.styles;
    if inner.height < 2 {
        app.sheets.overlay = Some(Overlay::Picker(picker));
        return;
    }
    let typed = picker.line.text();
    let line = [(" ▸ ", SpanStyle::Key), (typed, SpanStyle::Strong)];
    paint::pieces(buf, &app.look.theme, (inner.x, inner.y), inner.width, line);
    let cursor = inner.x + 3 + picker.line.cursor();
    let mut list = Rect::new(inner.x, inner.y + 2.min(inner.height - 1), inner.width, inner.height.saturating_sub(2));
    if let Some(refused) = &picker.refused {
        let text = Rect { x: list.x + 3, width: list.width.saturating_sub(4), ..list };
        let rows = styled_text::wrap(&[Block::new().with(refused, SpanStyle::Warning)], text.width);
        paint::rows(buf, &app.look.theme, text, &rows, 0, |_, _, style| style);
        let used = u16::try_from(rows.len() + 1).unwrap_or(list.height).min(list.height);
        list = Rect { y: list.y + used, height: list.height - used, ..list };
    }
    let total = picker.fitting().len();
    if picker.awaited {
        let spinner = header::spinner(app.now);
        paint::pieces(buf, &app.look.theme, (inner.right().saturating_sub(2), inner.y), 1, [(spinner, SpanStyle::Busy)]);
    }
    if total == 0 && !picker.awaited {
        let empty = app.language.known(picker.offer.empty(!typed.trim().is_empty()));
        paint::pieces(buf, &app.look.theme, (list.x + 3, list.y), list.width.saturating_sub(3), [(empty, SpanStyle::Dim)]);
    }
    picker.at.selected = picker.at.selected.min(total.saturating_sub(1));
    picker.at.offset = paint::reveal(picker.at.offset, picker.at.selected, usize::from(list.height), total);
    let asks = matches!(picker.offer, PickerKind::Sessions | PickerKind::Comparison);
    let sought = chain::sought(typed);
    let mut above: Vec<String> = Vec::new();
    for ((at, item), y) in picker.fitting().enumerate().skip(picker.at.offset).zip(list.top()..list.bottom()) {
        let row = Rect::new(list.x, y, list.width, 1);
        if at == picker.at.selected {
            buf.set_style(row, styles.selected);
            paint::gutter(buf, &app.look.theme, (row.x, y), true);
        }
        let aside = sanitise_line(&item.aside);
        let aside_width = if list.width >= WITH_ASIDE { aside.width() as u16 + 2 } else { 0 };
        let room = row.width.saturating_sub(3 + aside_width);
        let (label, detail) = (sanitise_line(&item.label), format!("   {}", sanitise_line(&item.detail)));
        // What is said about an item keeps its place beside a long name; beside a question, a smaller one: questions are told apart by their words.
        let detail_width = (detail.width() as u16).min(if asks { room * 2 / 5 } else { room / 2 });
        let label_room = usize::from(room - detail_width);
        let shown = if asks { telling(&label, &above, &sought, label_room) } else { label.clone() };
        above.push(label);
        let used = paint::pieces(buf, &app.look.theme, (row.x + 2, y), room - detail_width, [(shown.as_str(), SpanStyle::Plain)]);
        paint::pieces(buf, &app.look.theme, (row.x + 2 + used, y), room - used, [(detail.as_str(), SpanStyle::Dim)]);
        if aside_width > 0 {
            let x = row.right().saturating_sub(aside_width - 1);
            paint::pieces(buf, &app.look.theme, (x, y), aside_width - 1, [(aside.as_ref(), SpanStyle::Key)]);
        }
        app.layout.frame.picks.push((row, at));
    }
    if cursor < inner.right() {
        frame.set_cursor_position(Position::new(cursor, inner.y));
    }
    app.sheets.overlay = Some(Overlay::Picker(picker));
}

/// A question, shortened to `room` cells: its beginning, and, if needed, the first sought word after it, or the words in which it differs from the
/// questions `above`.
fn telling(question: &str, above: &[String], sought: &[String], room: usize) -> String {
    if question.width() <= room {
        return question.to_owned();
    }
    let head = chain::shortened(question, room);
    let kept = head.trim_end_matches('…').len();
    // Small letters of other length would shift the places.
    let small = question.to_lowercase();
    let is_same_length = small.len() == question.len();
    let hidden =
        sought.iter().filter(|_| is_same_length).filter_map(|word| small.find(word.as_str()).filter(|at| at + word.len() > kept)).min();
    let common_with =
        |above: &String| question.char_indices().zip(above.chars()).find(|((_, one), other)| one != other).map(|((at, _), _)| at);
    let common = above.iter().filter_map(common_with).max().unwrap_or(0);
    let Some(from) = hidden.or(Some(common).filter(|common| *common > kept / 2)) else { return head };
    // The word in which it begins, and its like before it.
    let from = question.get(..from).and_then(|before| before.rfind(' ')).map_or(from, |blank| blank + 1);
    let first = chain::shortened(question, room / 3);
    let left = room.saturating_sub(first.width() + 1);
    // Where there is room behind it, what stands before it is shown, too.
    let starts = question.match_indices(' ').map(|(blank, _)| blank + 1).filter(|start| *start < from);
    let fits = |start: &usize| question.get(*start..).is_some_and(|rest| rest.width() <= left);
    let from = starts.filter(fits).min().unwrap_or(from);
    let rest = question.get(from..).unwrap_or_default();
    if rest.is_empty() || left < room / 3 {
        return head;
    }
    format!("{first} {}", chain::shortened(rest, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_begin_alike_show_what_tells_them_apart() {
        let one = "78-year-old woman on simvastatin and clarithromycin, new muscle pain, diagnosed with myopathy. Which treatment?";
        let two = "78-year-old woman on simvastatin and clarithromycin, new muscle pain and dark urine, no fever. What is the cause?";
        assert_eq!(telling("Muscle pain?", &[two.to_owned()], &[], 40), "Muscle pain?");
        let shown = |question: &str, above: &str, sought: &str| {
            telling(question, &[above.to_owned(), "Muscle pain?".to_owned()], &chain::sought(sought), 50)
        };
        assert!(shown(one, "", "").starts_with("78-year-old woman on simvastatin and"), "{}", shown(one, "", ""));
        assert!(shown(two, one, "").contains("pain and dark urine, no"), "{}", shown(two, one, ""));
        assert!(shown(two, "", "cause").contains("no fever. What is the cause?"), "{}", shown(two, "", "cause"));
        assert!(shown("发热、咳嗽、咳黄痰三天，可能是什么病？应该做什么检查？最后还有头痛与皮疹", "", "皮疹").contains("皮疹"));
        for (question, above) in [(one, two), (two, one), (two, two)] {
            assert!((10..120).all(|room| telling(question, &[above.to_owned()], &[], room).width() <= room), "{question}");
        }
    }
}
