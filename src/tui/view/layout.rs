//! Where everything goes at a given size.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::tui::action::Pane;

/// From this width on, everything stands side by side.
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
pub(super) fn plan(area: Rect, focus: Pane, zoomed: bool) -> Plan {
    use Constraint::{Fill, Length};
    // The lower the screen, the more of the frame gives way to the contents.
    let extra = |from: u16| Length(u16::from(area.height >= from));
    let [header, body, message, legend] = rows(area, [extra(6), Fill(1), extra(10), extra(8)]);
    let is_wide = area.width >= WIDE && area.height >= WIDE_HEIGHT;
    let is_medium = area.width >= MEDIUM && area.height >= MEDIUM_HEIGHT;
    let mut tabs = Rect::ZERO;
    let panes = if zoomed && (is_wide || is_medium) {
        vec![(focus, body)]
    } else if is_wide {
        wide(body)
    } else if is_medium {
        medium(body)
    } else {
        let [head, inside] = rows(body, [Length(u16::from(body.height >= 5)), Fill(1)]);
        tabs = head;
        tab(inside, focus, zoomed)
    };
    Plan { header, tabs, body, panes, message, legend }
}

fn wide(body: Rect) -> Vec<(Pane, Rect)> {
    use Constraint::{Fill, Length, Min, Percentage};
    let [top, bottom] = rows(body, [Percentage(56), Min(10)]);
    // Chains are long: above each other they can be read, beside each other they would be cut off.
    let [left, anchors, right] = columns(top, [Percentage(25), Percentage(19), Fill(1)]);
    let [question, hypothesis] = rows(left, [Length(6), Fill(1)]);
    let kept = if top.height >= 22 { Length(KEPT_HEIGHT) } else { Fill(1) };
    let [chains, kept] = rows(right, [Fill(1), kept]);
    let [answer, why] = columns(bottom, [Fill(3), Fill(2)]);
    vec![
        (Pane::Question, question),
        (Pane::Hypothesis, hypothesis),
        (Pane::Anchors, anchors),
        (Pane::Chains, chains),
        (Pane::Kept, kept),
        (Pane::Answer, answer),
        (Pane::Why, why),
    ]
}

fn medium(body: Rect) -> Vec<(Pane, Rect)> {
    use Constraint::{Fill, Length, Min, Percentage};
    let [top, bottom] = rows(body, [Percentage(55), Min(9)]);
    let [left, right] = columns(top, [Percentage(42), Fill(1)]);
    let [question, hypothesis, anchors] = rows(left, [Length(4), Fill(1), Fill(1)]);
    let [chains, kept] = rows(right, [Fill(1), Fill(1)]);
    let [answer, why] = columns(bottom, [Percentage(58), Fill(1)]);
    vec![
        (Pane::Question, question),
        (Pane::Hypothesis, hypothesis),
        (Pane::Anchors, anchors),
        (Pane::Chains, chains),
        (Pane::Kept, kept),
        (Pane::Answer, answer),
        (Pane::Why, why),
    ]
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
        for (width, height, count) in [(160, 48, 7), (200, 60, 7), (140, 30, 7), (100, 30, 7), (80, 24, 1), (139, 20, 1)] {
            assert_eq!(plan(Rect::new(0, 0, width, height), Pane::Answer, false).panes.len(), count, "{width}x{height}");
        }
        assert_eq!(plan(Rect::new(0, 0, 80, 24), Pane::Kept, false).panes.len(), 2);
        assert_eq!(plan(Rect::new(0, 0, 160, 48), Pane::Kept, true).panes.len(), 1);
    }

    proptest! {
        #[test]
        fn panes_lie_within_the_screen_and_never_overlap(width in 1u16..300, height in 1u16..120, focus in 0usize..7, zoomed: bool) {
            let area = Rect::new(0, 0, width, height);
            let plan = plan(area, Pane::ALL[focus], zoomed);
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
