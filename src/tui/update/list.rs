//! The list of chains: its order, and several of its rows at once.

use crate::run::SearchWords;
use crate::tui::action::Pane;
use crate::tui::app::{App, Weight};
use crate::tui::chain_list::{ListRow, Sort};

impl App {
    /// Puts the chains in order anew, and keeps the selected one in sight.
    pub(super) fn arrange_chains(&mut self) {
        self.list.arrange(&self.trace.table, &self.trace.pruning);
        self.range = None;
        self.chains.selected = match self.chain.and_then(|chain| self.list.place(chain)) {
            Some(at) => at,
            None => self.chains.selected.min(self.list.len().saturating_sub(1)),
        };
        self.dirty = true;
    }

    pub(super) fn sort_by(&mut self, sort: Sort) {
        self.list.sort = sort;
        self.arrange_chains();
    }

    pub(super) fn group_by_anchors(&mut self) {
        self.list.grouped = !self.list.grouped;
        self.arrange_chains();
    }

    /// Selects the chain at a row of the list, or the nearest below (or above).
    pub(crate) fn select_row(&mut self, at: usize, down: bool) {
        if let Some(chain) = self.list.chain_near(at, down) {
            self.select_chain(chain);
        }
    }

    /// Begins the selection of several chains at the selected one, or ends it.
    pub(super) fn select_range(&mut self) {
        if self.focus != Pane::Chains || self.chain.is_none() {
            self.say(Weight::Note, "Several chains are selected in the list of chains: go there, and press this key at the first of them.");
            return;
        }
        self.range = match self.range {
            Some(_) => None,
            None => Some(self.chains.selected),
        };
    }

    /// The rows that are selected: from where the selection began to where it is.
    pub(crate) fn selected_rows(&self) -> std::ops::RangeInclusive<usize> {
        let at = self.chains.selected;
        match self.range.filter(|_| self.focus == Pane::Chains) {
            Some(began) => began.min(at)..=began.max(at),
            None => at..=at,
        }
    }

    /// The chains that are selected: those of the range, else the one that all panes show.
    pub(super) fn selected_chains(&self) -> Vec<u32> {
        if self.range.is_none() || self.focus != Pane::Chains {
            return self.chain.into_iter().collect();
        }
        let chains = self.selected_rows().filter_map(|at| match self.list.row(at) {
            Some(ListRow::Chain(chain)) => Some(chain),
            _ => None,
        });
        chains.collect()
    }

    /// The kept chains that are listed, by place.
    pub(crate) fn kept_rows(&self) -> Vec<usize> {
        let words = SearchWords::of(&self.kept_filter);
        let table = &self.trace.table;
        let kept = self.trace.pruning.kept.iter().enumerate();
        kept.filter(|(_, scored)| {
            words.is_empty() || table.chains.get(scored.chain as usize).is_some_and(|chain| words.are_in(&table.text(chain)))
        })
        .map(|(at, _)| at)
        .collect()
    }

    /// The anchors that are listed, then what is not linked, by place among both.
    pub(crate) fn anchor_rows(&self) -> Vec<usize> {
        let words = SearchWords::of(&self.anchor_filter);
        let count = self.trace.anchors.len() + self.trace.unlinked.len();
        (0..count).filter(|at| words.is_empty() || words.are_in(&self.anchor_text(*at))).collect()
    }

    /// The words of an anchor, or of what is not linked.
    pub(crate) fn anchor_text(&self, at: usize) -> String {
        match self.trace.anchors.get(at) {
            Some(anchor) => format!("{} {} {}", anchor.entity, anchor.mention, anchor.kind),
            None => self.trace.unlinked.get(at - self.trace.anchors.len()).cloned().unwrap_or_default(),
        }
    }
}
