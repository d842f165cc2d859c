//! Anchors and kept chains, drawn as a graph: lines of dots, names over them, the selected chain standing out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::{Canvas, Line};
use ratatui::widgets::{Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::{paint, pane};
use crate::graph::Chain;
use crate::report::{Drawing, Edge, Node};
use crate::tui::action::{Action, Pane};
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::tui::viewport::Viewport;
use crate::words::{counted_words, words};

/// The shortest name that is worth showing.
const SHORTEST: u16 = 5;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    if std::mem::take(&mut app.layout.drawing_stale) {
        app.layout.drawing = Drawing::of_kept(&app.run.trace);
    }
    let mut more = Vec::new();
    if !app.layout.drawing.nodes.is_empty() {
        let (l, drawing) = (app.language, &app.layout.drawing);
        more.push((counted_words!(l, drawing.nodes.len() as u64, "entity", "entities"), SpanStyle::Strong));
        more.push((format!(" · {}", counted_words!(l, drawing.edges.len() as u64, "relation", "relations")), SpanStyle::Dim));
        if drawing.chains_left_out > 0 {
            let count = counted_words!(l, drawing.chains_left_out as u64, "chain", "chains");
            more.push((words!(l, " · {count} left out", count = count), SpanStyle::Warning));
        }
    }
    let inner = pane::frame(buf, app, Pane::Graph, area, &more);
    if app.layout.drawing.nodes.is_empty() {
        pane::empty_text(buf, &app.look.theme, inner, app.language.known("Anchors and kept chains, drawn as a graph."));
        return;
    }
    if inner.width < 2 || inner.height < 2 {
        return;
    }
    let map = CellMap { inner, viewport: app.layout.viewport };
    let wrapped = |legend: &str| styled_text::wrap(&[Block::new().with(legend, SpanStyle::Dim)], inner.width.max(1));
    let height = (wrapped(&legend_of(&labels(&app.layout.drawing, &map))).len() as u16).min(inner.height * 2 / 5);
    let (inner, below) = (Rect { height: inner.height - height, ..inner }, Rect { y: inner.bottom() - height, height, ..inner });
    // Above the legend, names are nearer to each other.
    let map = CellMap { inner, ..map };
    let mut labels = labels(&app.layout.drawing, &map);
    let key = app.input.keymap.key_of(Action::Zoom, Context::Panes);
    let more = words!(app.language, " … {key} enlarges the graph", key = key);
    let more = Some(more.as_str()).filter(|more| more.width() <= usize::from(below.width));
    // A number that the legend has no room for would name nothing: the sign alone is drawn.
    let has_room = |legend: &str| wrapped(legend).len() <= usize::from(height);
    let is_cut = !has_room(&legend_of(&labels));
    // What is said of that takes the place of names, too.
    let said = more.filter(|_| is_cut).map_or_else(String::new, |more| format!(" {}", more.trim().replace(' ', "\u{a0}")));
    while is_cut && !has_room(&format!("{}{said}", legend_of(&labels))) && unnumber_last(&app.layout.drawing, &mut labels) {}
    let legend = wrapped(&legend_of(&labels));
    paint::rows(buf, &app.look.theme, below, &legend, 0, |_, _, style| style);
    if let Some(more) = more.filter(|_| is_cut && height > 0) {
        // What has no room is not simply missing.
        let width = more.width() as u16;
        paint::pieces(buf, &app.look.theme, (below.right().saturating_sub(width), below.bottom() - 1), width, [(more, SpanStyle::Key)]);
    }
    let selected = app.selection.chain;
    let is_selected = |edge: &Edge| selected.is_some_and(|chain| edge.chains.contains(&chain));
    let quiet = app.look.theme.styles.border.fg.unwrap_or(Color::Reset);
    let learned = app.look.theme.styles.learned.fg.unwrap_or(Color::Reset);
    let bright = app.look.theme.styles.border_focused.fg.unwrap_or(Color::Reset);
    let picture = &app.layout.drawing;
    let (left, right, top, bottom) = app.layout.viewport.seen();
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([left, right])
        .y_bounds([1.0 - bottom, 1.0 - top])
        .paint(|canvas| {
            // The selected chain last, over all others.
            for chosen in [false, true] {
                for edge in picture.edges.iter().filter(|edge| is_selected(edge) == chosen) {
                    let colour = if chosen {
                        bright
                    } else if edge.learned {
                        learned
                    } else {
                        quiet
                    };
                    for ((x1, y1), (x2, y2)) in segments(picture, edge) {
                        canvas.draw(&Line { x1, y1: 1.0 - y1, x2, y2: 1.0 - y2, color: colour });
                    }
                }
            }
        })
        .render(inner, buf);
    let chain = selected.and_then(|chain| app.run.trace.table.chains.get(chain as usize));
    let mut shown: Vec<(Rect, u32)> = Vec::new();
    let room = map.room(picture.columns);
    for (node, label) in picture.nodes.iter().zip(&labels) {
        let chosen = is_on(chain, node);
        if let Some(cells) = name(buf, app, &map, (node, &label.text), room, chosen) {
            shown.extend(node.entity.map(|entity| (cells, entity)));
        }
    }
    let mut taken: Vec<Rect> = shown.iter().map(|(cells, _)| *cells).collect();
    for edge in picture.edges.iter().filter(|edge| is_selected(edge)) {
        let tip = arrow(buf, &map, (picture, &labels), edge, (Style::new().fg(bright), &taken));
        taken.extend(tip);
        let relation = label(buf, app, &map, picture, edge, &taken);
        taken.extend(relation);
    }
    app.layout.frame.graph_nodes = shown;
}

/// Whether the selected chain goes through a node.
fn is_on(chain: Option<&Chain>, node: &Node) -> bool {
    chain.zip(node.entity).is_some_and(|(chain, entity)| chain.nodes().contains(&entity))
}

/// The straight pieces of an edge.
fn segments<'a>(picture: &'a Drawing, edge: &'a Edge) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + 'a {
    let place = |node: usize| picture.nodes.get(node).map(|node| (node.x, node.y));
    let points: Vec<_> = place(edge.from).into_iter().chain(edge.bends.iter().copied()).chain(place(edge.to)).collect();
    (1..points.len()).map(move |at| (points[at - 1], points[at]))
}

/// From places in the drawing to cells.
struct CellMap {
    inner: Rect,
    viewport: Viewport,
}

impl CellMap {
    /// The cell of a place, also where it lies outside.
    fn cell(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let (left, right, top, bottom) = self.viewport.seen();
        let column = (x - left) / (right - left) * f64::from(self.inner.width);
        let row = (y - top) / (bottom - top) * f64::from(self.inner.height);
        (i32::from(self.inner.x) + column.floor() as i32, i32::from(self.inner.y) + row.floor() as i32)
    }

    /// The cells of a name of a node, with a blank on either side, as far as they are inside.
    fn cells(&self, node: &Node, width: u16) -> Option<Rect> {
        let (x, y) = self.cell((node.x, node.y));
        self.clip(x - i32::from(width / 2) - 1, y, width + 2)
    }

    /// Cells for a name, where there are so many columns of names.
    fn room(&self, columns: u32) -> u16 {
        let each = f64::from(self.inner.width) * self.viewport.zoom / f64::from(columns.max(1));
        (each * 0.8).clamp(f64::from(SHORTEST), 40.0) as u16
    }

    /// Cells from `x` on as far as they are inside; `None` where none is.
    fn clip(&self, x: i32, y: i32, width: u16) -> Option<Rect> {
        let (left, right) = (x.max(i32::from(self.inner.left())), (x + i32::from(width)).min(i32::from(self.inner.right())));
        let inside = y >= i32::from(self.inner.top()) && y < i32::from(self.inner.bottom()) && left < right;
        inside.then(|| Rect::new(left as u16, y as u16, (right - left) as u16, 1))
    }
}

/// What stands for a node in the drawing.
struct NodeLabel {
    /// Empty where there is no room even for the sign.
    text: String,
    /// What the legend says of it, if it has a number.
    legend: Option<String>,
}

/// What stands for each node: its name; a number where that has no room or would cover another; where a number would, too, its sign alone, or nothing.
fn labels(picture: &Drawing, map: &CellMap) -> Vec<NodeLabel> {
    let room = usize::from(map.room(picture.columns));
    let mut numbers = 0;
    let mut taken: Vec<Rect> = Vec::new();
    let label = |node: &Node| {
        let mut has_room = |text: &str| {
            let cells = map.cells(node, text.width() as u16);
            // What lies outside takes no room, and needs no number.
            let is_free = cells.is_none_or(|cells| text.width() <= room && !taken.iter().any(|other| other.intersects(cells)));
            if is_free {
                taken.extend(cells);
            }
            is_free
        };
        let sign = node.mark.sign();
        let (name, number) = (format!("{sign} {}", node.name), format!("{sign} {}", numbers + 1));
        if has_room(&name) {
            return NodeLabel { text: name, legend: None };
        }
        if has_room(&number) {
            numbers += 1;
            return NodeLabel { text: number, legend: Some(format!("{numbers}\u{a0}{}", node.name.replace(' ', "\u{a0}"))) };
        }
        NodeLabel { text: if has_room(sign) { sign.to_owned() } else { String::new() }, legend: None }
    };
    picture.nodes.iter().map(label).collect()
}

/// Which name each number means.
fn legend_of(labels: &[NodeLabel]) -> String {
    labels.iter().filter_map(|label| label.legend.as_deref()).collect::<Vec<_>>().join(" · ")
}

/// Takes away the highest number, whose place its sign alone takes; `false` if there is none.
fn unnumber_last(picture: &Drawing, labels: &mut [NodeLabel]) -> bool {
    let last = labels.iter_mut().zip(&picture.nodes).rev().find(|(label, _)| label.legend.is_some());
    let is_there = last.is_some();
    if let Some((label, node)) = last {
        *label = NodeLabel { text: node.mark.sign().to_owned(), legend: None };
    }
    is_there
}

/// A node's label; returns the cells that it takes.
fn name(buf: &mut Buffer, app: &App, map: &CellMap, (node, text): (&Node, &str), room: u16, chosen: bool) -> Option<Rect> {
    if text.is_empty() {
        return None;
    }
    let width = (text.width() as u16).min(room);
    let (x, y) = map.cell((node.x, node.y));
    let start = x - i32::from(width / 2);
    // A blank on either side, so that lines do not run into the name.
    if let Some(around) = map.clip(start - 1, y, width + 2) {
        Clear.render(around, buf);
        buf.set_style(around, app.look.theme.styles.screen);
    }
    let cells = map.clip(start, y, width)?;
    buf.set_style(cells, if chosen { app.look.theme.styles.selected } else { app.look.theme.styles.screen });
    let style = app.look.theme.mark(node.mark);
    let style = if node.is_anchor || chosen { style.add_modifier(ratatui::style::Modifier::BOLD) } else { style };
    paint::styled(buf, (cells.x, cells.y), cells.width, [(text, style)]);
    Some(cells)
}

/// Where an edge arrives, a tip, where it hides no name; returns its cell.
fn arrow(
    buf: &mut Buffer,
    map: &CellMap,
    (picture, labels): (&Drawing, &[NodeLabel]),
    edge: &Edge,
    (style, taken): (Style, &[Rect]),
) -> Option<Rect> {
    let ((x1, y1), (x2, y2)) = segments(picture, edge).last()?;
    // Just before the name at its end.
    let label = labels.get(edge.to)?;
    let half = i32::from((label.text.width() as u16).min(map.room(picture.columns)) / 2);
    let (from, to) = (map.cell((x1, y1)), map.cell((x2, y2)));
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y, tip) = if dx.abs() > dy.abs() || dy == 0 {
        let width = (label.text.width() as u16).min(map.room(picture.columns));
        if dx >= 0 { (to.0 - half - 1, to.1, "▸") } else { (to.0 - half + i32::from(width), to.1, "◂") }
    } else if dy > 0 {
        (to.0, to.1 - 1, "▾")
    } else {
        (to.0, to.1 + 1, "▴")
    };
    let cells = map.clip(x, y, 1).filter(|tip| !taken.iter().any(|name| name.intersects(*tip)))?;
    paint::styled(buf, (cells.x, cells.y), 1, [(tip, style)]);
    Some(cells)
}

/// The relation of an edge in its middle, where it hides no name and no other relation; returns the cells that it takes.
fn label(buf: &mut Buffer, app: &App, map: &CellMap, picture: &Drawing, edge: &Edge, taken: &[Rect]) -> Option<Rect> {
    let pieces: Vec<_> = segments(picture, edge).collect();
    let ((x1, y1), (x2, y2)) = pieces.get(pieces.len() / 2)?;
    let width = (edge.label.width() as u16).min(map.room(picture.columns));
    let (x, y) = map.cell(((x1 + x2) / 2.0, (y1 + y2) / 2.0));
    // A blank on either side: without it, the relation reads as the end of a name or of an arrow.
    let cells = map.clip(x - i32::from(width / 2) - 1, y, width + 2)?;
    let has_room = cells.width == width + 2 && !taken.iter().any(|name| name.intersects(cells));
    has_room.then(|| {
        Clear.render(cells, buf);
        buf.set_style(cells, app.look.theme.styles.screen);
        paint::pieces(buf, &app.look.theme, (cells.x + 1, cells.y), width, [(edge.label.as_str(), SpanStyle::Relation)]);
        cells
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Mark;

    /// Long names in rows, nearer to each other than a number is wide.
    fn crowded(nodes: usize) -> Drawing {
        let node = |at: usize| Node {
            name: format!("Septic shock of kind {at}"),
            kind: String::new(),
            mark: Mark::Hypothesis,
            is_anchor: false,
            entity: Some(at as u32),
            x: (at % 12) as f64 / 12.0,
            y: (at / 12) as f64 / 3.0 + 0.05,
        };
        Drawing { nodes: (0..nodes).map(node).collect(), columns: 4, ..Drawing::default() }
    }

    #[test]
    fn no_label_covers_another_and_a_number_is_drawn_only_if_it_stands_in_the_legend() {
        let picture = crowded(30);
        for width in [8, 20, 40, 90, 200] {
            let map = CellMap { inner: Rect::new(3, 2, width, 12), viewport: Viewport::default() };
            let mut labels = labels(&picture, &map);
            let places = picture.nodes.iter().zip(&labels).filter(|(_, label)| !label.text.is_empty());
            let cells: Vec<Rect> = places.filter_map(|(node, label)| map.cells(node, label.text.width() as u16)).collect();
            for (at, one) in cells.iter().enumerate() {
                assert!(cells.iter().skip(at + 1).all(|other| !one.intersects(*other)), "{width}");
            }
            let is_number = |label: &NodeLabel| label.text.ends_with(|c: char| c.is_ascii_digit()) && !label.text.contains("kind");
            loop {
                let legend = legend_of(&labels);
                let named = labels.iter().filter(|label| is_number(label)).count();
                assert_eq!(legend.matches("Septic").count(), named, "{width}: {legend}");
                if !unnumber_last(&picture, &mut labels) {
                    assert_eq!(named, 0);
                    break;
                }
            }
        }
    }
}
