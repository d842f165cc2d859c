//! Where everything goes at a given size.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::tui::action::Pane;
use crate::tui::screen_layout::ScreenLayout;
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
/// “Why this chain?” below the lists of chains, where there is little room.
const WHY_HEIGHT: u16 = 9;
/// The least room for the layouts of clinic and demo; below, panes are tabs.
const CLINIC: u16 = 60;
const CLINIC_HEIGHT: u16 = 18;
const DEMO_HEIGHT: u16 = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) header: Rect,
    pub(super) tabs: Rect,
    pub(super) body: Rect,
    pub(super) panes: Vec<(Pane, Rect)>,
    /// Borders that can be dragged.
    pub(super) dividers: Vec<Divider>,
    /// In the demo: the names of the stages, and what the one that is shown does.
    pub(super) strip: Rect,
    pub(super) caption: Rect,
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
pub(super) fn plan(area: Rect, focus: Pane, zoomed: bool, splits: &Splits, arrangement: ScreenLayout) -> Plan {
    use Constraint::{Fill, Length};
    // The lower the screen, the more of the frame gives way to the contents.
    let extra = |from: u16| Length(u16::from(area.height >= from));
    let [header, body, message, legend] = rows(area, [extra(6), Fill(1), extra(10), extra(8)]);
    let is_wide = area.width >= WIDE && area.height >= WIDE_HEIGHT;
    let is_medium = area.width >= MEDIUM && area.height >= MEDIUM_HEIGHT;
    let mut plan = Plan {
        header,
        tabs: Rect::ZERO,
        body,
        panes: Vec::new(),
        dividers: Vec::new(),
        strip: Rect::ZERO,
        caption: Rect::ZERO,
        message,
        legend,
    };
    match arrangement {
        _ if zoomed && (is_wide || is_medium || arrangement != ScreenLayout::SideBySide) => plan.panes.push((focus, body)),
        ScreenLayout::Clinic if area.width >= CLINIC && area.height >= CLINIC_HEIGHT => clinic(&mut plan, focus, splits),
        ScreenLayout::Demo if area.height >= DEMO_HEIGHT => demo(&mut plan, focus),
        _ if is_wide && area.width >= WIDEST => widest(&mut plan, splits),
        _ if is_wide => wide(&mut plan, focus, splits),
        _ if is_medium => medium(&mut plan, focus, splits),
        _ => {
            let [head, inside] = rows(body, [Length(u16::from(body.height >= 5)), Fill(1)]);
            plan.tabs = head;
            plan.panes = tab(inside, focus, zoomed);
        }
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

    /// On the left the question, the answer below it where the eye starts, and what the search began with; returns what is on the right.
    fn answer_first(&mut self, splits: &Splits, usual: u16, question: u16, below: Constraint) -> Rect {
        use Constraint::{Fill, Length, Percentage};
        let [left, right] = self.side_by_side(Split::First, self.body, splits.get(Split::First, usual));
        let [question, rest] = rows(left, [Length(question), Fill(1)]);
        let sizes = splits.moved(Split::Rows).map_or([Fill(1), below], |percent| [Percentage(percent), Fill(1)]);
        let [answer, start] = self.below(Split::Rows, rest, sizes);
        let [hypothesis, anchors] = if self.body.width >= WIDE {
            self.side_by_side(Split::Lower, start, splits.get(Split::Lower, 52))
        } else {
            rows(start, [Length(4), Fill(1)])
        };
        self.panes = vec![(Pane::Question, question), (Pane::Hypothesis, hypothesis), (Pane::Anchors, anchors), (Pane::Answer, answer)];
        right
    }

    /// The chains, the kept ones, and below them why the selected one is there.
    fn chains_and_why(&mut self, focus: Pane, area: Rect, splits: &Splits, usual: [Constraint; 2], why: Constraint) {
        use Constraint::{Fill, Percentage};
        let sizes = splits.moved(Split::Second).map_or([Fill(1), why], |percent| [Percentage(percent), Fill(1)]);
        let [lists, why] = self.below(Split::Second, area, sizes);
        self.chains(focus, lists, splits, usual);
        self.panes.push((Pane::Why, why));
    }
}

fn widest(plan: &mut Plan, splits: &Splits) {
    use Constraint::{Fill, Length};
    let right = plan.answer_first(splits, 36, 6, Length(15));
    let [middle, last] = plan.side_by_side(Split::Second, right, splits.get(Split::Second, 58));
    plan.chains(Pane::Chains, middle, splits, [Fill(1), Length(KEPT_HEIGHT)]);
    let [graph, why] = rows(last, [Fill(1), Fill(1)]);
    plan.panes.extend([(Pane::Graph, graph), (Pane::Why, why)]);
}

fn wide(plan: &mut Plan, focus: Pane, splits: &Splits) {
    use Constraint::{Fill, Length};
    // Chains are long: above each other they can be read, beside each other they would be cut off.
    let low = plan.body.height < 40;
    let right = plan.answer_first(splits, 45, 5, Length(if low { 8 } else { 13 }));
    let kept = if low { Fill(1) } else { Length(KEPT_HEIGHT) };
    let why = if low { why_rows(focus, right) } else { 16 };
    plan.chains_and_why(focus, right, splits, [Fill(1), kept], Length(why));
}

/// Rows of “why this chain?” on a small screen: it gets most of them when it has the focus.
fn why_rows(focus: Pane, within: Rect) -> u16 {
    if focus == Pane::Why { WHY_HEIGHT.max(within.height.saturating_mul(2) / 3) } else { WHY_HEIGHT }
}

fn medium(plan: &mut Plan, focus: Pane, splits: &Splits) {
    use Constraint::{Fill, Length};
    let right = plan.answer_first(splits, 50, 4, Length(10));
    plan.chains_and_why(focus, right, splits, [Fill(1), Fill(1)], Length(why_rows(focus, right)));
}

/// The answer first, why beside it, and the evidence as a list. Any other pane takes the place of the list.
fn clinic(plan: &mut Plan, focus: Pane, splits: &Splits) {
    use Constraint::{Fill, Length, Percentage};
    let [question, rest] = rows(plan.body, [Length(if focus == Pane::Question { 5 } else { 3 }), Fill(1)]);
    let third = match focus {
        Pane::Question | Pane::Answer | Pane::Why => Pane::Kept,
        other => other,
    };
    plan.panes.push((Pane::Question, question));
    let sizes = |usual: [Constraint; 2]| splits.moved(Split::Rows).map_or(usual, |percent| [Percentage(percent), Fill(1)]);
    if plan.body.width >= MEDIUM {
        let [answer, right] = plan.side_by_side(Split::First, rest, splits.get(Split::First, 60));
        let [why, list] = plan.below(Split::Rows, right, sizes([Fill(1), Percentage(45)]));
        plan.panes.extend([(Pane::Answer, answer), (Pane::Why, why), (third, list)]);
    } else {
        let lower = if matches!(third, Pane::Kept) && focus != Pane::Kept { Pane::Why } else { third };
        let [answer, below] = plan.below(Split::Rows, rest, sizes([Fill(1), Percentage(38)]));
        plan.panes.extend([(Pane::Answer, answer), (lower, below)]);
    }
}

/// A strip of all stages, a caption for the one that is shown, and that one as large as can be.
fn demo(plan: &mut Plan, focus: Pane) {
    use Constraint::{Fill, Length};
    // The caption, what the signs mean, and the counts.
    let words = match plan.body.height {
        26.. => 8,
        22..=25 => 7,
        20..=21 => 4,
        _ => 3,
    };
    let [strip, caption, stage] = rows(plan.body, [Length(1), Length(words), Fill(1)]);
    (plan.strip, plan.caption) = (strip, caption);
    plan.panes.push((focus, stage));
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
        let plan = |width, height, focus, zoomed| {
            super::plan(Rect::new(0, 0, width, height), focus, zoomed, &Splits::default(), ScreenLayout::SideBySide)
        };
        for (width, height, count) in [(240, 60, 8), (200, 60, 8), (160, 48, 7), (140, 30, 7), (100, 30, 7), (80, 24, 1), (139, 20, 1)] {
            assert_eq!(plan(width, height, Pane::Answer, false).panes.len(), count, "{width}x{height}");
        }
        assert_eq!(plan(80, 24, Pane::Kept, false).panes.len(), 2);
        assert_eq!(plan(160, 48, Pane::Kept, true).panes.len(), 1);
        assert_eq!(plan(160, 48, Pane::Graph, false).panes.len(), 6, "the graph takes the place of the chains");
        let why = |focus| {
            let panes = plan(100, 30, focus, false).panes;
            panes.iter().find(|(pane, _)| *pane == Pane::Why).map_or(0, |(_, area)| area.height)
        };
        assert!(why(Pane::Answer) == 9 && why(Pane::Why) > 14, "whoever opens it sees it: {}", why(Pane::Why));
        for (width, count) in [(80, 3), (100, 4), (160, 4), (240, 4)] {
            let plan = |layout, focus| super::plan(Rect::new(0, 0, width, 40), focus, false, &Splits::default(), layout).panes;
            assert_eq!(plan(ScreenLayout::Clinic, Pane::Answer).len(), count, "{width}");
            assert_eq!(plan(ScreenLayout::Demo, Pane::Kept).iter().map(|(pane, _)| *pane).collect::<Vec<_>>(), [Pane::Kept]);
        }
    }

    proptest! {
        #[test]
        fn panes_lie_within_the_screen_and_never_overlap(width in 1u16..300, height in 1u16..120, focus in 0usize..8, zoomed: bool, x in 0u16..300, y in 0u16..120, layout in 0usize..3) {
            let layout = [ScreenLayout::SideBySide, ScreenLayout::Clinic, ScreenLayout::Demo][layout];
            let area = Rect::new(0, 0, width, height);
            let mut splits = Splits::default();
            for divider in plan(area, Pane::ALL[focus], zoomed, &splits, layout).dividers {
                splits.drag(&divider, ratatui::layout::Position::new(x, y));
            }
            let plan = plan(area, Pane::ALL[focus], zoomed, &splits, layout);
            prop_assert!(plan.panes.iter().any(|(pane, _)| *pane == Pane::ALL[focus]), "the focused pane is there");
            let mut all: Vec<Rect> = plan.panes.iter().map(|(_, area)| *area).collect();
            all.extend([plan.header, plan.tabs, plan.strip, plan.caption, plan.message, plan.legend]);
            for (at, one) in all.iter().enumerate() {
                prop_assert!(one.is_empty() || area.intersection(*one) == *one);
                for other in &all[at + 1..] {
                    prop_assert!(one.is_empty() || other.is_empty() || !one.intersects(*other), "{one:?} {other:?}");
                }
            }
        }
    }
}
