//! A curve as blocks, for a terminal or a file.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Sparkline, Widget};

use crate::learn::Growth;

/// The plot's size, in characters.
const WIDTH: usize = 60;
const HEIGHT: u16 = 8;

/// How many triples were learned, over the records, as lines of block characters with the numbers beside them; none where there is nothing
/// to see.
pub(super) fn growth(growth: &[Growth], records: u64) -> Vec<String> {
    let most = growth.iter().map(|point| point.learned).max().unwrap_or(0);
    if most == 0 || records == 0 {
        return Vec::new();
    }
    let values = columns(growth, records);
    let area = Rect::new(0, 0, WIDTH as u16, HEIGHT);
    let mut buffer = Buffer::empty(area);
    Sparkline::default().data(values).max(most).render(area, &mut buffer);
    let edge = most.to_string().len();
    let mut lines: Vec<String> = (0..HEIGHT)
        .map(|y| {
            let row: String = (0..area.width).map(|x| buffer[(x, y)].symbol()).collect();
            let number = if y == 0 { most.to_string() } else { String::new() };
            format!("{number:>edge$} |{}", row.trim_end())
        })
        .collect();
    lines.push(format!("{:>edge$} +{}", 0, "-".repeat(WIDTH)));
    lines.push(format!("{:>edge$}  record 1{:>width$}", "", records, width = WIDTH - "record 1".len()));
    lines
}

/// What was learned at the end of each column's share of the records.
fn columns(growth: &[Growth], records: u64) -> Vec<u64> {
    let mut points = growth.iter().peekable();
    let mut learned = 0;
    (1..=WIDTH as u64)
        .map(|column| {
            let end = (records * column).div_ceil(WIDTH as u64);
            while let Some(point) = points.next_if(|point| point.record <= end) {
                learned = point.learned;
            }
            learned
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_where_triples_were_learned_and_ends_where_they_are() {
        let point = |record, learned| Growth { record, at_ms: 0, learned };
        let lines = growth(&[point(30, 4), point(60, 8)], 60);
        assert_eq!(lines.len(), usize::from(HEIGHT) + 2);
        assert!(
            lines[0].starts_with("8 |") && lines[0].ends_with('█') && lines[0].chars().filter(|c| *c == '█').count() == 1,
            "{lines:#?}"
        );
        let full = |line: &str| line.chars().filter(|c| *c == '█').count();
        assert_eq!((full(&lines[3]), full(&lines[4])), (1, 31), "{lines:#?}");
        assert_eq!(columns(&[point(1, 1)], 1), [1; WIDTH]);
        assert!(growth(&[], 5).is_empty());
    }
}
