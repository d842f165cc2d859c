//! Painting text into cells: clipped by cell width, with an ellipsis where something is left out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::tui::styled_text::{SpanStyle, TextRow};
use crate::tui::theme::Theme;

/// Paints pieces from `(x, y)` on, at most `width` cells; returns how many were used.
pub(super) fn pieces<'a>(
    buf: &mut Buffer,
    theme: &Theme,
    (x, y): (u16, u16),
    width: u16,
    pieces: impl IntoIterator<Item = (&'a str, SpanStyle)>,
) -> u16 {
    styled(buf, (x, y), width, pieces.into_iter().map(|(text, span_style)| (text, theme.span_style(span_style))))
}

/// The same with styles.
pub(super) fn styled<'a>(buf: &mut Buffer, (x, y): (u16, u16), width: u16, pieces: impl IntoIterator<Item = (&'a str, Style)>) -> u16 {
    let width = width.min(buf.area.right().saturating_sub(x));
    if y >= buf.area.bottom() || width == 0 {
        return 0;
    }
    let mut used = 0;
    let mut last = 0;
    for (text, style) in pieces {
        for grapheme in text.graphemes(true) {
            // Blanks that do not break have done their work once lines are wrapped; copied text is to be plain.
            let grapheme = if grapheme == "\u{a0}" { " " } else { grapheme };
            let cells = grapheme.width() as u16;
            if cells == 0 || grapheme.contains(char::is_control) {
                continue;
            }
            if used + cells > width {
                let at = if used < width { used } else { last };
                buf.set_stringn(x + at, y, "…", 1, style);
                for blank in at + 1..width {
                    buf.set_stringn(x + blank, y, " ", 1, style);
                }
                return width;
            }
            buf.set_stringn(x + used, y, grapheme, usize::from(cells), style);
            last = used;
            used += cells;
        }
    }
    used
}

/// Paints wrapped rows from `offset` on into an area. `look` may change the style of a piece.
pub(super) fn rows(
    buf: &mut Buffer,
    theme: &Theme,
    area: Rect,
    rows: &[TextRow],
    offset: usize,
    look: impl Fn(&TextRow, SpanStyle, Style) -> Style,
) {
    for (row, y) in rows.iter().skip(offset).zip(area.top()..area.bottom()) {
        let indent = row.indent.min(area.width);
        let pieces = row.pieces.iter().map(|(text, span_style)| (text.as_str(), look(row, *span_style, theme.span_style(*span_style))));
        styled(buf, (area.x + indent, y), area.width - indent, pieces);
    }
}

/// The offset at which row `selected` is on the screen, as near to `offset` as can be.
pub(super) fn reveal(offset: usize, selected: usize, height: usize, count: usize) -> usize {
    let height = height.max(1);
    let lowest = selected.saturating_sub(height - 1);
    offset.clamp(lowest, selected.max(lowest)).min(count.saturating_sub(height).max(lowest))
}

/// The bar before the selected row; it marks the row where colours do not.
pub(super) fn gutter(buf: &mut Buffer, theme: &Theme, (x, y): (u16, u16), focused: bool) {
    let span_style = if focused { SpanStyle::Key } else { SpanStyle::Dim };
    pieces(buf, theme, (x, y), 1, [("▌", span_style)]);
}

/// Makes every word that is searched for stand out, across pieces and whatever the case.
pub(super) fn highlight(buf: &mut Buffer, area: Rect, sought: &str, style: Style) {
    let words: Vec<String> = sought.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return;
    }
    for y in area.top()..area.bottom() {
        let mut text = String::new();
        // The cell in which each byte of the text stands.
        let mut cells: Vec<u16> = Vec::new();
        let mut skip = 0;
        for x in area.left()..area.right() {
            let symbol = buf[(x, y)].symbol();
            if skip == 0 {
                let folded = symbol.to_lowercase();
                cells.extend(std::iter::repeat_n(x, folded.len()));
                text.push_str(&folded);
            }
            skip = symbol.width().max(skip).saturating_sub(1);
        }
        for word in &words {
            for (at, found) in text.match_indices(word.as_str()) {
                for x in cells[at]..=cells[at + found.len() - 1] {
                    buf[(x, y)].set_style(style.add_modifier(Modifier::UNDERLINED));
                }
            }
        }
    }
}

/// Milliseconds as people read them.
pub(super) fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 0.95 => format!("{ms:.1} ms"),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 99_950.0 => format!("{:.1} s", ms / 1000.0),
        ms => format!("{:.0} min", ms / 60_000.0),
    }
}

pub(super) use crate::text::grouped as count;

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(text: &str, width: u16) -> String {
        let mut buf = Buffer::empty(Rect::new(0, 0, 20, 1));
        styled(&mut buf, (0, 0), width, [(text, Style::new())]);
        (0..20).map(|x| buf[(x, 0)].symbol().to_owned()).collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(painted("reflux", 6), "reflux");
        assert_eq!(painted("reflux", 5), "refl…");
        assert_eq!(painted("reflux", 1), "…");
        assert_eq!(painted("reflux", 0), "");
        assert_eq!(painted("头痛", 3), "头 …", "half a character is never shown; the blank is its second cell");
        assert_eq!(painted("a\u{1b}[1mb", 9), "a[1mb");
    }

    #[test]
    fn what_is_searched_for_stands_out_whatever_its_case() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 2));
        styled(&mut buf, (0, 0), 12, [("Re", Style::new()), ("FLUX 头痛", Style::new().bold())]);
        let area = buf.area;
        highlight(&mut buf, area, "reflux 痛", Style::new());
        let lit: String = (0..12).map(|x| if buf[(x, 0)].modifier.contains(Modifier::UNDERLINED) { '^' } else { '.' }).collect();
        assert_eq!(lit, "^^^^^^...^..", "the first cell of a wide character stands for it");
        highlight(&mut buf, area, "  ", Style::new());
    }

    #[test]
    fn the_selected_row_is_always_on_the_screen() {
        assert_eq!(reveal(0, 5, 10, 20), 0);
        assert_eq!(reveal(0, 15, 10, 20), 6);
        assert_eq!(reveal(12, 3, 10, 20), 3);
        assert_eq!(reveal(18, 19, 10, 20), 10);
        assert_eq!(reveal(5, 0, 10, 3), 0);
        assert_eq!(reveal(0, 0, 0, 0), 0);
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([count(7), count(125), count(73_550), count(1_000_000)], ["7", "125", "73,550", "1,000,000"]);
        assert_eq!([duration(0.42), duration(4.2), duration(1234.0)], ["0.4 ms", "4 ms", "1.2 s"]);
    }
}
