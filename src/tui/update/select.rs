//! Selecting: one chain is selected at a time, and all panes show it.

use crate::tui::action::Pane;
use crate::tui::app::App;

impl App {
    /// Selects a chain by its number in the table, and what belongs to it in the other panes.
    pub(crate) fn select_chain(&mut self, chain: u32) {
        if (chain as usize) >= self.trace.table.chains.len() {
            return;
        }
        if self.chain != Some(chain) {
            self.why_offset = 0;
        }
        self.chain = Some(chain);
        self.chains.selected = chain as usize;
        if let Some(id) = self.trace.kept_id(chain) {
            self.kept.selected = (id as usize).saturating_sub(1);
            let cites = |at: &usize| self.trace.answer.lines.get(*at).is_some_and(|line| line.citations.contains(&id));
            // The answer goes to the first line that cites the chain, unless the one it is on does.
            if !cites(&self.answer.selected)
                && let Some(line) = (0..self.trace.answer.lines.len()).find(cites)
            {
                self.answer.selected = line;
            }
        }
    }

    /// Selects the best kept chain, else the first chain there is.
    pub(super) fn select_best(&mut self) {
        let best = self.trace.pruning.kept.first().map_or(0, |scored| scored.chain);
        self.select_chain(best);
    }

    /// Selects a kept chain by its place, from 0.
    pub(crate) fn select_kept(&mut self, at: usize) {
        if let Some(scored) = self.trace.pruning.kept.get(at) {
            let chain = scored.chain;
            self.select_chain(chain);
        }
    }

    /// Selects a line of the answer, and the first chain that it cites.
    pub(crate) fn select_answer_line(&mut self, at: usize) {
        let Some(line) = self.trace.answer.lines.get(at) else { return };
        self.answer.selected = at;
        if let Some(kept) = line.citations.first().and_then(|id| (*id as usize).checked_sub(1)) {
            self.select_kept(kept);
        }
        self.answer.selected = at;
    }

    /// The kept chain `step` places on from the selected one.
    pub(super) fn step_kept(&mut self, step: isize) {
        let count = self.trace.pruning.kept.len();
        let Some(last) = count.checked_sub(1) else { return };
        let at = match self.selected_kept() {
            Some(_) => self.kept.selected.saturating_add_signed(step).min(last),
            // From a chain that was not kept, back to where the kept ones were left.
            None => self.kept.selected.min(last),
        };
        self.select_kept(at);
    }

    /// Ids of the kept chains that go with what is selected: those a line of the answer cites while the
    /// answer has the keys, else the selected one.
    pub(crate) fn is_cited(&self, id: u32) -> bool {
        match self.trace.answer.lines.get(self.answer.selected) {
            Some(line) if self.focus == Pane::Answer => line.citations.contains(&id),
            _ => self.selected_kept() == Some(id),
        }
    }
}
