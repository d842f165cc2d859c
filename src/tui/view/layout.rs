//! Where everything goes at a given size.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::tui::action::Pane;
use crate::tui::splits::{Divider, Split, Splits};

/// From this width on, the graph has its own place next to everything else.
const WIDEST: u16 = 200;
/// From this width on, everything else stands side by side.
const WIDE: u16 = 140;
/// From this width on there are two columns; below, panes are tabs.
const MEDIUM: u16 = 100;
const WIDE_HEIGHT: u16 = 30;
const MEDIUM_HEIGHT: u16 = 27;
/// A tab of chains is this high or higher to share its room with “why this chain?”.
const SHARED_HEIGHT: u16 = 14;
/// Ten kept chains, a line each, and the frame.
const KEPT_HEIGHT: u16 = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) header: Rect,
    pub(super) tabs: Rect,
    pub(super) body: Rect,
    pub(super) panes: Vec<(Pane, Rect)>,
    /// Borders that can be dragged.
    pub(super) dividers: Vec<Divider>,
    pub(super) message: Rect,
    pub(super) legend: Rect,
}

fn rows<const N: usize>(area: Rect, constraints: [Constraint; N]) -> [Rect; N] {
    Layout::vertical(constraints).areas(area)
}

fn columns<const N: usize>(area: Rect, constraints: [Constraint; N]) -> [Rect; N] {
    Layout::horizontal(constraints).areas(area)
}

/// Plans the screen.
pub(super) fn plan(area: Rect, focus: Pane, zoomed: bool, splits: &Splits) -> Plan {
    use Constraint::{Fill, Length};
    // The lower the screen, the more of the frame gives way to the contents.
    let extra = |from: u16| Length(u16::from(area.height >= from));
    let [header, body, message, legend] = rows(area, [extra(6), Fill(1), extra(10), extra(8)]);
    let is_wide = area.width >= WIDE && area.height >= WIDE_HEIGHT;
    let is_medium = area.width >= MEDIUM && area.height >= MEDIUM_HEIGHT;
    let mut plan = Plan { header, tabs: Rect::ZERO, body, panes: Vec::new(), dividers: Vec::new(), message, legend };
    if zoomed && (is_wide || is_medium) {
        plan.panes.push((focus, body));
    } else if is_wide && area.width >= WIDEST {
        widest(&mut plan, splits);
    } else if is_wide {
        wide(&mut plan, focus, splits);
    } else if is_medium {
        medium(&mut plan, focus, splits);
    } else {
        let [head, inside] = rows(body, [Length(u16::from(body.height >= 5)), Fill(1)]);
        plan.tabs = head;
        plan.panes = tab(inside, focus, zoomed);
    }
    plan
}

impl Plan {
    /// Divides an area from left to right, and notes the border.
    fn side_by_side(&mut self, split: Split, within: Rect, percent: u16) -> [Rect; 2] {
        let [left, right] = columns(within, [Constraint::Percentage(percent), Constraint::Fill(1)]);
        let cells = Rect::new(right.x.saturating_sub(1), within.y, 2, within.height);
        self.dividers.push(Divider { split, cells, within, is_column: true });
        [left, right]
    }

    /// Divides an area from top to bottom, and notes the border.
    fn below(&mut self, split: Split, within: Rect, constraints: [Constraint; 2]) -> [Rect; 2] {
        let [upper, lower] = rows(within, constraints);
        let cells = Rect::new(within.x, lower.y.saturating_sub(1), within.width, 2);
        self.dividers.push(Divider { split, cells, within, is_column: false });
        [upper, lower]
    }

    /// The chains above the kept ones, or in their place the graph.
    fn chains(&mut self, focus: Pane, area: Rect, splits: &Splits, usual: [Constraint; 2]) {
        if focus == Pane::Graph {
            self.panes.push((Pane::Graph, area));
            return;
        }
        let sizes = splits.moved(Split::Kept).map_or(usual, |percent| [Constraint::Percentage(percent), Constraint::Fill(1)]);
        let [chains, kept] = self.below(Split::Kept, area, sizes);
        self.panes.extend([(Pane::Chains, chains), (Pane::Kept, kept)]);
    }

    /// The answer, and next to it why a chain was kept.
    fn answer(&mut self, area: Rect, splits: &Splits, usual: u16) {
        let [answer, why] = self.side_by_side(Split::Lower, area, splits.get(Split::Lower, usual));
        self.panes.extend([(Pane::Answer, answer), (Pane::Why, why)]);
    }

    /// The two rows of panes.
    fn rows(&mut self, splits: &Splits, usual: u16, least: u16) -> [Rect; 2] {
        let lower = if splits.moved(Split::Rows).is_some() { Constraint::Fill(1) } else { Constraint::Min(least) };
        self.below(Split::Rows, self.body, [Constraint::Percentage(splits.get(Split::Rows, usual)), lower])
    }
}

fn widest(plan: &mut Plan, splits: &Splits) {
    use Constraint::{Fill, Length, Percentage};
    let [left, rest] = plan.side_by_side(Split::First, plan.body, splits.get(Split::First, 22));
    let [middle, right] = plan.side_by_side(Split::Second, rest, splits.get(Split::Second, 46));
    let [question, hypothesis, anchors] = rows(left, [Length(6), Fill(1), Fill(1)]);
    plan.panes = vec![(Pane::Question, question), (Pane::Hypothesis, hypothesis), (Pane::Anchors, anchors)];
    plan.chains(Pane::Chains, middle, splits, [Fill(1), Fill(1)]);
    let [answer, below] = plan.below(Split::Rows, right, [Percentage(splits.get(Split::Rows, 46)), Fill(1)]);
    let [why, graph] = plan.side_by_side(Split::Lower, below, splits.get(Split::Lower, 45));
    plan.panes.extend([(Pane::Answer, answer), (Pane::Why, why), (Pane::Graph, graph)]);
}

fn wide(plan: &mut Plan, focus: Pane, splits: &Splits) {
    use Constraint::{Fill, Length};
    let [top, bottom] = plan.rows(splits, 56, 10);
    // Chains are long: above each other they can be read, beside each other they would be cut off.
    let [left, rest] = plan.side_by_side(Split::First, top, splits.get(Split::First, 25));
    let [anchors, right] = plan.side_by_side(Split::Second, rest, splits.get(Split::Second, 25));
    let [question, hypothesis] = rows(left, [Length(6), Fill(1)]);
    plan.panes = vec![(Pane::Question, question), (Pane::Hypothesis, hypothesis), (Pane::Anchors, anchors)];
    let kept = if top.height >= 22 { Length(KEPT_HEIGHT) } else { Fill(1) };
    plan.chains(focus, right, splits, [Fill(1), kept]);
    plan.answer(bottom, splits, 60);
}

fn medium(plan: &mut Plan, focus: Pane, splits: &Splits) {
    use Constraint::{Fill, Length};
    let [top, bottom] = plan.rows(splits, 55, 9);
    let [left, right] = plan.side_by_side(Split::First, top, splits.get(Split::First, 42));
    let [question, hypothesis, anchors] = rows(left, [Length(4), Fill(1), Fill(1)]);
    plan.panes = vec![(Pane::Question, question), (Pane::Hypothesis, hypothesis), (Pane::Anchors, anchors)];
    plan.chains(focus, right, splits, [Fill(1), Fill(1)]);
    plan.answer(bottom, splits, 58);
}

fn tab(inside: Rect, focus: Pane, zoomed: bool) -> Vec<(Pane, Rect)> {
    use Constraint::{Fill, Length};
    let shares = matches!(focus, Pane::Chains | Pane::Kept) && inside.height >= SHARED_HEIGHT && !zoomed;
    if shares {
        let [list, why] = rows(inside, [Fill(1), Length(7)]);
        vec![(focus, list), (Pane::Why, why)]
    } else {
        vec![(focus, inside)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_panes_stand_side_by_side_where_there_is_room() {
        let plan = |width, height, focus, zoomed| plan(Rect::new(0, 0, width, height), focus, zoomed, &Splits::default());
        for (width, height, count) in [(240, 60, 8), (200, 60, 8), (160, 48, 7), (140, 30, 7), (100, 30, 7), (80, 24, 1), (139, 20, 1)] {
            assert_eq!(plan(width, height, Pane::Answer, false).panes.len(), count, "{width}x{height}");
        }
        assert_eq!(plan(80, 24, Pane::Kept, false).panes.len(), 2);
        assert_eq!(plan(160, 48, Pane::Kept, true).panes.len(), 1);
        assert_eq!(plan(160, 48, Pane::Graph, false).panes.len(), 6, "the graph takes the place of the chains");
    }

    proptest! {
        #[test]
        fn panes_lie_within_the_screen_and_never_overlap(width in 1u16..300, height in 1u16..120, focus in 0usize..8, zoomed: bool, x in 0u16..300, y in 0u16..120) {
            let area = Rect::new(0, 0, width, height);
            let mut splits = Splits::default();
            for divider in plan(area, Pane::ALL[focus], zoomed, &splits).dividers {
                splits.drag(&divider, ratatui::layout::Position::new(x, y));
            }
            let plan = plan(area, Pane::ALL[focus], zoomed, &splits);
            prop_assert!(plan.panes.iter().any(|(pane, _)| *pane == Pane::ALL[focus]), "the focused pane is there");
            let mut all: Vec<Rect> = plan.panes.iter().map(|(_, area)| *area).collect();
            all.extend([plan.header, plan.tabs, plan.message, plan.legend]);
            for (at, one) in all.iter().enumerate() {
                prop_assert!(one.is_empty() || area.intersection(*one) == *one);
                for other in &all[at + 1..] {
                    prop_assert!(one.is_empty() || other.is_empty() || !one.intersects(*other), "{one:?} {other:?}");
                }
            }
        }
    }
}
