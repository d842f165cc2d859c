//! The drawing in pixels, for a page: boxes, curves and the positions of their labels.

use std::collections::HashMap;

use serde::Serialize;
use unicode_width::UnicodeWidthChar;

use super::drawing::{Drawing, Edge};
use crate::run::Trace;

const BOX_WIDTH: f64 = 186.0;
const BOX_HEIGHT: f64 = 34.0;
/// From column to column: a box, and room for the relations.
const COLUMN: f64 = 336.0;
/// Height of a row: what the drawing counts as 1.
const ROW: f64 = 38.0;
const MARGIN: f64 = 8.0;
/// The smallest scale to which a page shrinks a drawing.
const LEAST_SCALE: f64 = 0.75;
/// Cells of a name that fit into a line of a box, and of a relation beside its edge.
const CELLS: usize = 22;
const LABEL_CELLS: usize = 20;
/// From one label to the next beside the same box.
const LABEL_STEP: f64 = 16.0;
/// The most chains named at an edge.
const CHAINS_NAMED: usize = 3;

/// A drawing in pixels.
#[derive(Debug, Serialize)]
pub(super) struct Picture {
    width: String,
    height: String,
    /// A narrower page scrolls, so that the text stays legible.
    least_width: String,
    boxes: Vec<Frame>,
    curves: Vec<Curve>,
    chains_left_out: usize,
    anchors_left_out: usize,
}

#[derive(Debug, Serialize)]
struct Frame {
    x: String,
    y: String,
    width: String,
    height: String,
    text_x: String,
    /// The name, on one line or two, with the height of each.
    lines: Vec<(String, String)>,
    name: String,
    kind: String,
    sign: &'static str,
    mark: &'static str,
    anchor: bool,
}

#[derive(Debug, Serialize)]
struct Curve {
    path: String,
    label: String,
    chains: String,
    x: String,
    y: String,
    /// The end of the label that stands at x: `start` or `end`.
    anchor: &'static str,
    learned: bool,
    title: String,
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

impl Picture {
    /// Lays out a drawing. `kept` holds the numbers of the kept chains, best first, so that edges carry the ids that the answer cites. `None` if
    /// there is nothing to draw.
    pub(super) fn of(drawing: &Drawing, kept: &[u32], trace: &Trace) -> Option<Self> {
        if drawing.edges.is_empty() && trace.anchors.is_empty() {
            return None;
        }
        let width = f64::from(drawing.columns.saturating_sub(1)) * COLUMN + BOX_WIDTH + 2.0 * MARGIN;
        let height = drawing.rows * ROW + 2.0 * MARGIN;
        let boxes = drawing.nodes.iter().map(|node| {
            let (x, y) = place(drawing, (node.x, node.y));
            let lines = two_lines(&node.name);
            let first = if lines.len() > 1 { y - 2.5 } else { y + 4.0 };
            Frame {
                x: number(x - BOX_WIDTH / 2.0),
                y: number(y - BOX_HEIGHT / 2.0),
                width: number(BOX_WIDTH),
                height: number(BOX_HEIGHT),
                text_x: number(x - BOX_WIDTH / 2.0 + 22.0),
                lines: lines.into_iter().enumerate().map(|(at, line)| (number(first + 13.0 * at as f64), line)).collect(),
                name: node.name.clone(),
                kind: node.kind.replace('_', " "),
                sign: node.mark.sign(),
                mark: node.mark.word(),
                anchor: node.is_anchor,
            }
        });
        let mut beside = HashMap::new();
        Some(Self {
            width: number(width),
            height: number(height),
            least_width: number(width * LEAST_SCALE),
            boxes: boxes.collect(),
            curves: drawing.edges.iter().map(|edge| curve(drawing, edge, kept, &mut beside)).collect(),
            chains_left_out: drawing.chains_left_out,
            anchors_left_out: drawing.anchors_left_out,
        })
    }
}

/// A place in the drawing's square, in pixels.
fn place(drawing: &Drawing, (x, y): (f64, f64)) -> (f64, f64) {
    (MARGIN + BOX_WIDTH / 2.0 + (x * f64::from(drawing.columns.max(1)) - 0.5) * COLUMN, MARGIN + y * drawing.rows * ROW)
}

fn curve(drawing: &Drawing, edge: &Edge, kept: &[u32], beside: &mut HashMap<(usize, bool), usize>) -> Curve {
    let (from, to) = (&drawing.nodes[edge.from], &drawing.nodes[edge.to]);
    // From the side of the box that looks towards the other one.
    let side = if from.x <= to.x { BOX_WIDTH / 2.0 } else { -BOX_WIDTH / 2.0 };
    let (begin, end) = (place(drawing, (from.x, from.y)), place(drawing, (to.x, to.y)));
    let mut points = vec![(begin.0 + side, begin.1)];
    points.extend(edge.bends.iter().map(|bend| place(drawing, *bend)));
    points.push((end.0 - side, end.1));
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let half = (x1 - x0) / 2.0;
        path.push_str(&format!(" C{:.1} {y0:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}", x0 + half, x1 - half));
    }
    // Beside the box that fewer edges share, so that labels of a hub stand apart; several of one box stand above and below each other.
    let degree = |node: usize| drawing.edges.iter().filter(|e| e.from == node || e.to == node).count();
    let near_begin = degree(edge.from) <= degree(edge.to);
    let (near, next) = if near_begin { (points[0], points[1]) } else { (points[points.len() - 1], points[points.len() - 2]) };
    let to_the_right = next.0 > near.0;
    let nth = beside.entry((if near_begin { edge.from } else { edge.to }, to_the_right)).or_insert(0usize);
    let step = nth.div_ceil(2) as f64 * LABEL_STEP;
    let above = if *nth % 2 == 1 { step } else { -step };
    *nth += 1;
    // Labels must not cover the tip of an arrow.
    let room = if near_begin { 5.0 } else { 12.0 };
    let ids: Vec<u32> = edge.chains.iter().filter_map(|number| kept.iter().position(|k| k == number)).map(|at| at as u32 + 1).collect();
    let named: String = ids.iter().take(CHAINS_NAMED).map(|id| format!("[{id}]")).collect();
    let chains = if ids.len() > CHAINS_NAMED { format!("{named}…") } else { named };
    let all = ids.iter().map(|id| format!("[{id}]")).collect::<Vec<_>>().join(" ");
    Curve {
        path,
        label: shortened(&edge.label, LABEL_CELLS),
        chains,
        x: number(if to_the_right { near.0 + room } else { near.0 - room }),
        y: number(near.1 - 4.0 + above),
        anchor: if to_the_right { "start" } else { "end" },
        learned: edge.learned,
        title: format!("{} → {} → {}  {all}", from.name, edge.label, to.name),
    }
}

fn cells(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// A text cut to `most` cells.
fn shortened(text: &str, most: usize) -> String {
    if cells(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= most {
            break;
        }
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

/// A name on one or two lines; the title of the box shows the whole name.
fn two_lines(name: &str) -> Vec<String> {
    let mut lines: Vec<String> = textwrap::wrap(name, CELLS).into_iter().map(|line| line.trim_end().to_owned()).collect();
    if lines.len() > 2 {
        lines.truncate(2);
        lines[1] = shortened(&format!("{}………", lines[1]), CELLS - 1).trim_end_matches('…').to_owned() + "…";
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_take_two_lines_and_no_more() {
        assert_eq!(two_lines("Heartburn"), ["Heartburn"]);
        assert_eq!(two_lines("Gastro-oesophageal reflux disease").len(), 2);
        let long = two_lines(&"very long name ".repeat(20));
        assert_eq!(long.len(), 2);
        assert!(long[1].ends_with('…') && cells(&long[1]) <= CELLS, "{long:?}");
        assert!(two_lines(&"胃".repeat(100)).iter().all(|line| cells(line) <= CELLS));
    }
}
