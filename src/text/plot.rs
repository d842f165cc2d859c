//! Plots made of characters, for terminals and text reports.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, LegendPosition, Widget};

/// Columns and rows of a line plot.
const PLOT: (u16, u16) = (76, 18);
/// Columns of a full bar.
const BAR: usize = 40;

/// A series of points, in the order of their first number.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Series {
    /// The name of the series, shown in the legend.
    pub(crate) name: String,
    /// The points, as (x, y).
    pub(crate) points: Vec<(f64, f64)>,
}

/// Draws a line through the points of each series; both axes begin at 0. `along` and `up` are the titles of the x and y axes.
pub(crate) fn line_plot(series: &[Series], along: &str, up: &str) -> String {
    // Series differ by their marks, because a plot in a file has no colours.
    const MARKERS: [Marker; 4] = [Marker::Braille, Marker::Dot, Marker::Block, Marker::Bar];
    let most = |value: fn(&(f64, f64)) -> f64| series.iter().flat_map(|s| &s.points).map(value).fold(0.0, f64::max);
    let (right, top) = (most(|point| point.0), most(|point| point.1));
    let (right, top) = (if right > 0.0 { right } else { 1.0 }, if top > 0.0 { top } else { 1.0 });
    let area = Rect::new(0, 0, PLOT.0, PLOT.1);
    let mut buffer = Buffer::empty(area);
    let number = |value: f64| if value >= 10.0 || value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    let labels = |end: f64| [Line::from("0"), Line::from(number(end / 2.0)), Line::from(number(end))];
    let data = series
        .iter()
        .zip(MARKERS.into_iter().cycle())
        .map(|(series, marker)| {
            let set = Dataset::default().marker(marker).graph_type(GraphType::Line).data(&series.points);
            if series.name.is_empty() { set } else { set.name(series.name.clone()) }
        })
        .collect();
    let chart = Chart::new(data)
        .legend_position(Some(LegendPosition::BottomRight))
        .x_axis(Axis::default().title(along.to_owned()).bounds([0.0, right]).labels(labels(right)))
        .y_axis(Axis::default().title(up.to_owned()).bounds([0.0, top]).labels(labels(top)));
    chart.render(area, &mut buffer);
    let row = |y: u16| (0..PLOT.0).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..PLOT.1).map(row).collect::<Vec<_>>().join("\n")
}

/// A bar: a value between 0 and 1 with its confidence interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PlotBar {
    /// The label.
    pub(crate) name: String,
    /// The value.
    pub(crate) value: f64,
    /// The interval's low and high ends.
    pub(crate) interval: (f64, f64),
}

/// Draws one bar on each line: solid up to the interval's low end, dark shade up to the value, light shade up to the high end.
pub(crate) fn bar_plot(bars: &[PlotBar]) -> String {
    let width = bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let columns = |value: f64| (value.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let line = |bar: &PlotBar| {
        let low = columns(bar.interval.0.min(bar.value));
        let value = columns(bar.value);
        let high = columns(bar.interval.1.max(bar.value));
        let drawn = format!("{}{}{}", "█".repeat(low), "▓".repeat(value - low), "░".repeat(high - value));
        let (from, to) = bar.interval;
        format!("{:width$} │{drawn:BAR$}│ {:.3}  [{from:.3}, {to:.3}]", bar.name, bar.value)
    };
    bars.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_value_and_interval() {
        let bar = |name: &str, value, low, high| PlotBar { name: name.into(), value, interval: (low, high) };
        let drawn = bar_plot(&[bar("hykge", 0.5, 0.25, 0.75), bar("é", 0.0, 0.0, 0.0)]);
        let lines: Vec<&str> = drawn.lines().collect();
        let expected = format!("hykge │{}{}{}{}│ 0.500  [0.250, 0.750]", "█".repeat(10), "▓".repeat(10), "░".repeat(10), " ".repeat(10));
        assert_eq!(lines[0], expected);
        assert_eq!(lines[1], format!("é     │{}│ 0.000  [0.000, 0.000]", " ".repeat(40)));
    }

    #[test]
    fn lines_rise_to_the_upper_right() {
        let series = Series { name: String::new(), points: vec![(0.0, 0.0), (5.0, 10.0)] };
        let drawn = line_plot(&[series], "k", "chains");
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows.len(), usize::from(PLOT.1));
        assert!(rows[0].contains("10") && rows[0].contains("chains"), "{drawn}");
        assert!(drawn.contains('5'), "{drawn}");
        // Something is drawn at the right end of the first row, and nothing at its left.
        let is_drawn = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
        assert!(rows[0].chars().skip(70).any(is_drawn) && !rows[0].chars().take(40).any(is_drawn), "{drawn}");
        assert!(!line_plot(&[], "", "").is_empty(), "an empty plot is no fault");
    }
}
