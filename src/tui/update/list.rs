//! The list of chains: its order, and several of its rows at once.

use crate::run::SearchWords;
use crate::tui::action::Pane;
use crate::tui::app::{App, Severity};
use crate::tui::chain_list::{ListRow, Sort};

impl App {
    /// Sorts the chains again, and keeps the selected one in sight.
    pub(super) fn arrange_chains(&mut self) {
        self.selection.list.arrange(&self.run.trace.table, &self.run.trace.pruning);
        self.selection.range = None;
        self.selection.chains.selected = match self.selection.chain.and_then(|chain| self.selection.list.place(chain)) {
            Some(at) => at,
            None => self.selection.chains.selected.min(self.selection.list.len().saturating_sub(1)),
        };
        // Whoever filters the list works in it: what is selected is among what is listed.
        let is_gone = self.selection.chain.is_some_and(|chain| self.selection.list.place(chain).is_none());
        if is_gone && self.layout.focus == Pane::Chains {
            self.select_row(self.selection.chains.selected, true);
        }
        self.dirty = true;
    }

    pub(super) fn sort_by(&mut self, sort: Sort) {
        self.selection.list.sort = sort;
        self.arrange_chains();
    }

    pub(super) fn group_by_anchors(&mut self) {
        self.selection.list.grouped = !self.selection.list.grouped;
        self.arrange_chains();
    }

    /// Selects the chain at a row of the list, or the nearest below (or above).
    pub(crate) fn select_row(&mut self, at: usize, down: bool) {
        if let Some(chain) = self.selection.list.chain_near(at, down) {
            self.select_chain(chain);
        }
    }

    /// Begins the selection of several chains at the selected one, or ends it.
    pub(super) fn select_range(&mut self) {
        if self.layout.focus != Pane::Chains || self.selection.chain.is_none() {
            self.say(Severity::Note, "To select several chains, go to the list of chains and press this key on the first one.");
            return;
        }
        self.selection.range = match self.selection.range {
            Some(_) => None,
            None => Some(self.selection.chains.selected),
        };
    }

    /// The rows that are selected: from where the selection began to where it is.
    pub(crate) fn selected_rows(&self) -> std::ops::RangeInclusive<usize> {
        let at = self.selection.chains.selected;
        match self.selection.range.filter(|_| self.layout.focus == Pane::Chains) {
            Some(began) => began.min(at)..=began.max(at),
            None => at..=at,
        }
    }

    /// The chains that are selected: those of the range, else the one that all panes show.
    pub(super) fn selected_chains(&self) -> Vec<u32> {
        if self.selection.range.is_none() || self.layout.focus != Pane::Chains {
            return self.seen_chain().into_iter().collect();
        }
        let chains = self.selected_rows().filter_map(|at| match self.selection.list.row(at) {
            Some(ListRow::Chain(chain)) => Some(chain),
            _ => None,
        });
        chains.collect()
    }

    /// The selected chain, where the focused pane shows it as selected: a key acts on nothing that is filtered out or elsewhere.
    pub(super) fn seen_chain(&self) -> Option<u32> {
        let chain = self.selection.chain?;
        // What raised an alarm is shown there, not a chain.
        if self.selection.alarm && self.layout.focus == Pane::Why {
            return None;
        }
        // Nor is a chain shown beside a line that none states.
        if self.selected_uncited().is_some() && matches!(self.layout.focus, Pane::Answer | Pane::Why) {
            return None;
        }
        let is_seen = match self.layout.focus {
            Pane::Chains => self.selection.list.place(chain).is_some(),
            Pane::Kept => {
                let place = self.run.trace.kept_id(chain).map(|id| id as usize - 1);
                place.is_some_and(|place| self.kept_rows().contains(&place))
            }
            Pane::Answer => {
                let line = self.run.trace.answer.lines.get(self.selection.answer.selected);
                let is_cited = line.is_some_and(|line| line.citations.iter().any(|id| self.cited_chain(*id) == Some(chain)));
                // What the answer leaves out is its own line.
                let is_left_out = line.is_none() && self.run.left_out.as_ref().is_some_and(|left_out| left_out.chain == chain);
                is_cited || is_left_out || self.layout.frame.panes[Pane::Why.index()].height > 0
            }
            Pane::Why | Pane::Graph => true,
            Pane::Question | Pane::Hypothesis | Pane::Anchors => false,
        };
        is_seen.then_some(chain)
    }

    /// The kept chains that are listed, by place.
    pub(crate) fn kept_rows(&self) -> Vec<usize> {
        let words = SearchWords::of(&self.selection.kept_filter);
        let table = &self.run.trace.table;
        let kept = self.run.trace.pruning.kept.iter().enumerate();
        kept.filter(|(_, scored)| {
            words.is_empty() || table.chains.get(scored.chain as usize).is_some_and(|chain| words.are_in(&table.text(chain)))
        })
        .map(|(at, _)| at)
        .collect()
    }

    /// The listed anchors, then the unlinked mentions, by their place among both.
    pub(crate) fn anchor_rows(&self) -> Vec<usize> {
        let words = SearchWords::of(&self.selection.anchor_filter);
        let count = self.run.trace.anchors.len() + self.run.trace.unlinked.len();
        let mut rows: Vec<usize> = (0..count).filter(|at| words.is_empty() || words.are_in(&self.anchor_text(*at))).collect();
        // Those that no chain reaches stand behind the others.
        rows.sort_by_key(|at| match self.run.trace.anchors.get(*at) {
            Some(anchor) => u8::from(!self.run.is_connected(&anchor.entity)),
            None => 2,
        });
        rows
    }

    /// The words of an anchor, or of an unlinked mention.
    pub(crate) fn anchor_text(&self, at: usize) -> String {
        match self.run.trace.anchors.get(at) {
            Some(anchor) => format!("{} {} {}", anchor.entity, anchor.mention, anchor.kind),
            None => self.run.trace.unlinked.get(at - self.run.trace.anchors.len()).cloned().unwrap_or_default(),
        }
    }
}
