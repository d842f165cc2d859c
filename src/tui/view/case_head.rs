//! The lines above the answer: how urgent the case is, and how the question was read. They stay while the answer scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{chain, paint};
use crate::pipeline::answer::headlines::Headlines;
use crate::run::UrgencyLevel;
use crate::tui::action::{Action, Pane};
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{self, Block, SpanStyle, TextRow};
use crate::words::words;

/// Rows that the answer keeps, however much is to be said above it.
const LEAST_BELOW: u16 = 4;
/// Rows of the "Read as" line, at most.
const MOST_READ_AS: usize = 4;
/// From this width on, a reading that is cut names the key that shows all of it.
const WITH_KEY: u16 = 44;

/// Draws the lines at the top of an area, and returns what is left of it.
pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) -> Rect {
    let Headlines { urgency, read_as } = Headlines::of(&app.run.trace);
    if area.is_empty() || (urgency.is_none() && read_as.is_none()) {
        return area;
    }
    let (mut rows, mut loud, mut alarm, mut is_cut) = (Vec::new(), 0, 0, false);
    if let Some((level, text)) = &urgency {
        let block = Block::new().indented(0, 2).with(&format!("{}\u{a0}{text}", sign(*level)), span_style(*level));
        rows.extend(styled_text::wrap(&[block], area.width));
        alarm = rows.len();
        loud = if *level == UrgencyLevel::Emergency { alarm } else { 0 };
    }
    if let Some(text) = &read_as {
        let read = styled_text::wrap(&[Block::new().indented(0, 2).with(text, SpanStyle::Dim)], area.width);
        is_cut = read.len() > MOST_READ_AS;
        rows.extend(shortened(read, MOST_READ_AS));
    }
    let most = area.height.saturating_sub(LEAST_BELOW).max(1).min(area.height);
    let is_cut = read_as.is_some() && (is_cut || rows.len() > usize::from(most));
    let mut rows = shortened(rows, usize::from(most));
    if let Some(last) = rows.last_mut().filter(|_| is_cut && area.width >= WITH_KEY) {
        let zoom = if app.layout.zoomed { Action::Case } else { Action::Zoom };
        name_key(last, area.width, &app.input.keymap.key_of(zoom, Context::Panes), words!(app.language, " shows all"));
    }
    let height = u16::try_from(rows.len()).unwrap_or(area.height).min(area.height);
    for y in (area.top()..area.top() + height).take(loud) {
        buf.set_style(Rect::new(area.x, y, area.width, 1), app.look.theme.span_style(SpanStyle::Emergency));
    }
    let alarm = Rect { height: u16::try_from(alarm).unwrap_or(height).min(height), ..area };
    app.layout.frame.alarm = alarm;
    let is_selected = app.selection.alarm && app.layout.focus == Pane::Answer && app.sheets.overlay.is_none();
    if is_selected && loud == 0 {
        buf.set_style(alarm, app.look.theme.styles.selected);
    }
    paint::rows(buf, &app.look.theme, Rect { height, ..area }, &rows, 0, |_, _, style| style);
    if is_selected {
        // The first row begins with its sign.
        (alarm.top() + 1..alarm.bottom()).for_each(|y| paint::gutter(buf, &app.look.theme, (alarm.x, y), true));
        if alarm.height <= 1 || loud > 0 {
            paint::pieces(buf, &app.look.theme, (alarm.x + 1, alarm.y), 1, [("▌", SpanStyle::Key)]);
        }
    }
    // A blank row sets them apart, where there is room.
    let used = if area.height > height + LEAST_BELOW { height + 1 } else { height };
    Rect::new(area.x, area.y + used, area.width, area.height - used)
}

/// One row for where the answer is not seen: the alarm in brief, and as much of the reading as fits. Returns what is left.
pub(super) fn strip(buf: &mut Buffer, app: &App, area: Rect) -> Rect {
    let Headlines { read_as, .. } = Headlines::of(&app.run.trace);
    let alarm = Headlines::alarm_in_brief(&app.run.trace);
    let level = alarm.as_ref().map(|(level, _)| *level);
    if area.height < LEAST_BELOW || (level.is_none() && read_as.is_none()) {
        return area;
    }
    // The reading keeps half of the row.
    let most = usize::from(area.width / 2);
    let urgent = alarm.map_or_else(String::new, |(level, text)| format!(" {}\u{a0}{} ", sign(level), chain::shortened(&text, most)));
    let style = span_style(level.unwrap_or(UrgencyLevel::Routine));
    let mut read_as = read_as.unwrap_or_default();
    // The answer has room for more of it.
    let key = app.input.keymap.key_of(Action::Focus(Pane::Answer), Context::Panes);
    let said = words!(app.language, " shows all");
    let room = usize::from(area.width).saturating_sub(urgent.width() + 1);
    let mut more = (String::new(), "");
    if area.width >= WITH_KEY && read_as.width() > room && !key.is_empty() {
        read_as = chain::shortened(&read_as, room.saturating_sub(key.width() + said.width() + 1));
        more = (format!(" {key}"), said);
    }
    let pieces = [
        (urgent.as_str(), style),
        (" ", SpanStyle::Plain),
        (read_as.as_str(), SpanStyle::Dim),
        (more.0.as_str(), SpanStyle::Key),
        (more.1, SpanStyle::Dim),
    ];
    paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, pieces);
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

fn sign(level: UrgencyLevel) -> &'static str {
    if level == UrgencyLevel::Emergency { "⚠" } else { "!" }
}

fn span_style(level: UrgencyLevel) -> SpanStyle {
    match level {
        UrgencyLevel::Emergency => SpanStyle::Emergency,
        UrgencyLevel::Urgent => SpanStyle::Warning,
        UrgencyLevel::Routine => SpanStyle::Plain,
    }
}

/// Puts a key with what it does at the end of a row that is cut.
fn name_key(row: &mut TextRow, width: u16, key: &str, said: &str) {
    let [(text, _)] = row.pieces.as_mut_slice() else { return };
    let room = usize::from(width).saturating_sub(usize::from(row.indent) + key.width() + said.width() + 1);
    if key.is_empty() || room < usize::from(WITH_KEY) / 2 {
        return;
    }
    *text = chain::shortened(text, room);
    row.pieces.push((format!(" {key}"), SpanStyle::Key));
    row.pieces.push((said.to_owned(), SpanStyle::Dim));
}

/// At most so many rows; an ellipsis says that there are more.
fn shortened(mut rows: Vec<TextRow>, most: usize) -> Vec<TextRow> {
    if rows.len() > most {
        rows.truncate(most);
        if let Some((text, _)) = rows.last_mut().and_then(|row| row.pieces.last_mut()) {
            // The last letter makes room, so that the row is no wider than before.
            text.pop();
            text.push('…');
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_that_is_cut_names_the_key_that_shows_all_of_it() {
        let text = "Read as: man, 72 · takes warfarin · has atrial fibrillation, sudden breathlessness, no chest pain, no fever";
        let mut row = TextRow { indent: 0, pieces: vec![(text.to_owned(), SpanStyle::Dim)], item: None };
        name_key(&mut row, 60, "z", " shows all");
        let shown: String = row.pieces.iter().map(|(text, _)| text.as_str()).collect();
        assert!(shown.ends_with("… z shows all") && shown.width() <= 60, "{shown}");
    }
}
