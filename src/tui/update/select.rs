//! Selecting: one chain is selected at a time, and all panes show it.

use crate::pipeline::answer::headlines::is_headline;
use crate::run::{AnswerLine, AnswerPart, ChainKey};
use crate::tui::action::Pane;
use crate::tui::alarm_chains::of_alarm;
use crate::tui::app::{App, ListPosition, Severity};
use crate::tui::effects::Effect;

impl App {
    /// Selects a chain by its number in the table, and what belongs to it in the other panes.
    pub(crate) fn select_chain(&mut self, chain: u32) {
        if (chain as usize) >= self.run.trace.table.chains.len() {
            return;
        }
        if self.selection.chain != Some(chain) || self.selection.alarm || self.selection.uncited {
            self.selection.why_offset = 0;
        }
        self.selection.alarm = false;
        self.selection.uncited = false;
        self.selection.of_alarm = false;
        self.selection.chain = Some(chain);
        if let Some(at) = self.selection.list.place(chain) {
            self.selection.chains.selected = at;
        }
        self.want_explanation();
        if let Some(id) = self.run.trace.kept_id(chain) {
            self.selection.kept.selected = (id as usize).saturating_sub(1);
        }
        if let Some(id) = self.cited_id(chain) {
            let cites = |at: &usize| self.run.trace.answer.lines.get(*at).is_some_and(|line| line.citations.contains(&id));
            // The answer goes to the first line that cites the chain, unless the one it is on does.
            if !cites(&self.selection.answer.selected)
                && let Some(line) = (0..self.run.trace.answer.lines.len()).find(cites)
            {
                self.selection.answer.selected = line;
            }
        }
    }

    /// Asks for all there is to say about the selected chain.
    fn want_explanation(&mut self) {
        let Some((chain, trace)) = self.selection.chain.zip(self.run.decisions.settled.clone()) else { return };
        let said = self.run.explanation.as_ref().is_some_and(|explained| explained.chain == chain);
        if said || !self.engine.is_ready() || self.is_running() || trace.id != self.run.trace.id {
            return;
        }
        self.run.explanation = None;
        self.effects.retain(|effect| !matches!(effect, Effect::Explain { .. }));
        self.effects.push_back(Effect::Explain { trace, chain });
    }

    /// Selects the best kept chain, else the first chain there is.
    pub(super) fn select_best(&mut self) {
        let best = self.run.trace.pruning.kept.first().map_or(0, |scored| scored.chain);
        self.select_chain(best);
    }

    /// Selects a kept chain by its place, from 0.
    pub(crate) fn select_kept(&mut self, at: usize) {
        if let Some(scored) = self.run.trace.pruning.kept.get(at) {
            let chain = scored.chain;
            self.select_chain(chain);
        }
    }

    /// The line above the answer that says how urgent the case is, by its number.
    fn alarm_line(&self) -> Option<usize> {
        self.run.trace.answer.lines.iter().position(|line| line.part == AnswerPart::Emergency)
    }

    /// Selects the line that says how urgent the case is; the selected chain stays, for the other panes.
    pub(super) fn select_alarm(&mut self) {
        let Some(at) = self.alarm_line() else { return };
        if !self.selection.alarm {
            self.selection.why_offset = 0;
        }
        // It stands above all lines.
        self.selection.answer = ListPosition { selected: at, offset: 0 };
        self.selection.alarm = true;
        self.selection.uncited = false;
        self.selection.of_alarm = false;
    }

    /// Goes to the lines above the answer: how urgent the case is, and how the question was read.
    pub(super) fn select_headlines(&mut self) {
        self.select_alarm();
        self.selection.answer.offset = 0;
    }

    /// Goes to the beginning of the answer. A new one is wanted from there, whatever chain is selected.
    pub(super) fn read_from_start(&mut self) {
        self.selection.alarm = false;
        self.selection.answer = ListPosition { selected: self.answer_lines().first().copied().unwrap_or(0), offset: 0 };
        self.selection.uncited = self.is_uncited(self.selection.answer.selected);
        self.select_alarm();
    }

    /// Whether a line of the answer that can be selected rests on no chain.
    fn is_uncited(&self, at: usize) -> bool {
        self.run.trace.answer.lines.get(at).is_some_and(|line| line.citations.is_empty() && !is_headline(line.part))
    }

    /// The selected line of the answer, if no chain states it and no chain was selected since: a chain that was selected before says nothing of it.
    pub(crate) fn selected_uncited(&self) -> Option<&AnswerLine> {
        let line = self.run.trace.answer.lines.get(self.selection.answer.selected)?;
        Some(line).filter(|_| self.selection.uncited && self.is_uncited(self.selection.answer.selected))
    }

    /// Goes back to the place in the answer where its reader was, after another chain became the selected one.
    pub(super) fn read_on_at(&mut self, place: ListPosition) {
        if self.layout.focus == Pane::Answer && !self.run.trace.answer.lines.is_empty() {
            self.selection.answer = place;
            self.selection.uncited = self.is_uncited(place.selected);
        }
    }

    /// The lines of the answer that can be selected, by their numbers: the one that says how urgent the case is, and those that are listed.
    pub(crate) fn answer_lines(&self) -> Vec<usize> {
        self.alarm_line().into_iter().chain(self.listed_lines()).collect()
    }

    /// The lines of the answer that are listed below its headlines, by their numbers; without those that are folded.
    pub(crate) fn listed_lines(&self) -> Vec<usize> {
        let is_listed = |part: AnswerPart| !is_headline(part) && (!part.is_folded() || self.selection.unfolded);
        let lines = self.run.trace.answer.lines.iter().enumerate();
        let listed = lines.filter(|(_, line)| is_listed(line.part)).map(|(at, _)| at);
        // Below them stands what the answer leaves out.
        let left_out = self.run.left_out.as_ref().map(|_| self.run.trace.answer.lines.len());
        listed.chain(left_out).collect()
    }

    /// How many lines of the answer can be folded.
    pub(crate) fn folded_lines(&self) -> usize {
        self.run.trace.answer.lines.iter().filter(|line| line.part.is_folded()).count()
    }

    /// Selects a line of the answer, and the first chain that it cites.
    pub(crate) fn select_answer_line(&mut self, at: usize) {
        if let Some(left_out) = self.run.left_out.as_ref().filter(|_| at == self.run.trace.answer.lines.len()) {
            let chain = left_out.chain;
            self.select_chain(chain);
            self.selection.answer.selected = at;
            return;
        }
        let Some(line) = self.run.trace.answer.lines.get(at) else { return };
        if line.part == AnswerPart::Emergency {
            self.select_alarm();
            return;
        }
        self.selection.alarm = false;
        let cited = line.citations.first().copied();
        if self.selection.answer.selected != at {
            self.selection.why_offset = 0;
        }
        self.selection.answer.selected = at;
        if let Some(chain) = cited.and_then(|id| self.cited_chain(id)) {
            self.select_chain(chain);
        }
        self.selection.answer.selected = at;
        self.selection.uncited = self.is_uncited(at);
        if self.selection.uncited {
            self.selection.of_alarm = false;
        }
    }

    /// The id by which the answer cites a chain.
    fn cited_id(&self, chain: u32) -> Option<u32> {
        self.run.cited.iter().position(|cited| *cited == Some(chain)).map(|at| at as u32 + 1)
    }

    /// The number in the table of the chain that the answer cites by an id: what it was read from may be kept no longer.
    pub(crate) fn cited_chain(&self, id: u32) -> Option<u32> {
        self.run.cited.get((id as usize).checked_sub(1)?).copied().flatten()
    }

    /// Looks up what the answer cites, after answer or chains have changed.
    pub(super) fn look_up_citations(&mut self) {
        let pruning = self.run.trace.evidence.as_ref().map_or(&self.run.trace.pruning, |evidence| &evidence.pruning);
        let other_table =
            self.run.trace.evidence.as_ref().filter(|evidence| !std::sync::Arc::ptr_eq(&evidence.table, &self.run.trace.table));
        let place = |chain: u32| match other_table {
            None => Some(chain),
            Some(evidence) => self.find_chain(&ChainKey::of(&evidence.table, evidence.table.chains.get(chain as usize)?)),
        };
        self.run.cited = pruning.kept.iter().map(|scored| place(scored.chain)).collect();
    }

    /// The number in the table of the chain of a key.
    pub(super) fn find_chain(&self, key: &ChainKey) -> Option<u32> {
        let table = &self.run.trace.table;
        let first = table.entities.iter().position(|e| Some(&e.name) == key.entities.first())? as u32;
        let is_it = |chain: &crate::graph::Chain| {
            chain.len() == key.relations.len() && chain.nodes()[0] == first && ChainKey::of(table, chain) == *key
        };
        table.chains.iter().position(is_it).map(|at| at as u32)
    }

    /// The chains that the selected line of the answer cites, in its order, if the selected chain is one of them: by their numbers in the
    /// table and the ids by which it cites them.
    pub(crate) fn cited_by_line(&self) -> Vec<(u32, u32)> {
        let line = self.run.trace.answer.lines.get(self.selection.answer.selected);
        let cited = line.map(|line| line.citations.iter().filter_map(|id| Some((self.cited_chain(*id)?, *id))).collect::<Vec<_>>());
        let cited = cited.unwrap_or_default();
        if cited.iter().any(|(chain, _)| Some(*chain) == self.selection.chain) && !self.selection.alarm { cited } else { Vec::new() }
    }

    /// The selected line, while the answer is followed, if it tells what to do for a condition: no chain states that, but the condition's entry.
    pub(crate) fn selected_entry(&self) -> Option<&AnswerLine> {
        let line = self.run.trace.answer.lines.get(self.selection.answer.selected);
        line.filter(|line| line.part == AnswerPart::Care && self.follows_answer() && !self.cited_by_line().is_empty())
    }

    /// Whether steps from chain to chain follow the answer's lines: from the answer, and from what was opened there.
    pub(crate) fn follows_answer(&self) -> bool {
        match self.layout.focus {
            Pane::Answer => true,
            Pane::Why => self.layout.back == Some(Pane::Answer),
            _ => false,
        }
    }

    /// The chain that is cited next, or before: of the selected line, then of the lines after it. `false` if there is none.
    fn step_cited(&mut self, step: isize) -> bool {
        let cited = self.cited_by_line();
        let at = cited.iter().position(|(chain, _)| Some(*chain) == self.selection.chain);
        // From a line that no chain states, the chains of the lines after it, or before it, follow.
        if at.is_none() && self.selected_uncited().is_none() {
            return false;
        }
        if let Some((chain, _)) = at.and_then(|at| at.checked_add_signed(step)).and_then(|at| cited.get(at)) {
            let (chain, line) = (*chain, self.selection.answer.selected);
            self.select_chain(chain);
            self.selection.answer.selected = line;
            return true;
        }
        let mut lines = self.listed_lines();
        if step < 0 {
            lines.reverse();
        }
        let cites = |line: &usize| self.run.trace.answer.lines.get(*line).is_some_and(|line| !line.citations.is_empty());
        let next = lines.iter().skip_while(|line| **line != self.selection.answer.selected).skip(1).find(|line| cites(line)).copied();
        let Some(line) = next else { return true };
        self.select_answer_line(line);
        if let Some((chain, _)) = self.cited_by_line().last().copied().filter(|_| step < 0) {
            self.select_chain(chain);
            self.selection.answer.selected = line;
        }
        true
    }

    /// From the alarm, its chains come first, then those of the lines below it; before its first one comes the alarm itself. `false` if neither the
    /// alarm nor one of its chains is selected.
    fn step_of_alarm(&mut self, step: isize) -> bool {
        let Some(line) = self.alarm_line().filter(|_| self.selection.alarm || self.selection.of_alarm) else { return false };
        let chains = of_alarm(&self.run.trace);
        let at = chains.iter().position(|chain| self.selection.of_alarm && Some(*chain) == self.selection.chain);
        let next = match (at, step < 0) {
            (None, true) => return true,
            (Some(0), true) => {
                self.select_alarm();
                return true;
            }
            (None, false) => 0,
            (Some(at), _) => at.saturating_add_signed(step),
        };
        if let Some(chain) = chains.get(next) {
            self.select_chain(*chain);
            self.selection.answer.selected = line;
            self.selection.of_alarm = true;
            return true;
        }
        let cites = |line: &usize| self.run.trace.answer.lines.get(*line).is_some_and(|line| !line.citations.is_empty());
        if let Some(line) = self.listed_lines().into_iter().find(cites) {
            self.select_answer_line(line);
        }
        true
    }

    /// Goes back from what was opened; from a chain of the alarm, to the alarm.
    pub(super) fn go_back_to(&mut self, pane: Pane) {
        self.layout.focus = pane;
        if self.selection.of_alarm && pane == Pane::Answer {
            self.select_alarm();
        }
    }

    /// The kept chain `step` places on from the selected one; in the answer, the chain that is cited next.
    pub(super) fn step_kept(&mut self, step: isize) {
        if self.follows_answer() && (self.step_of_alarm(step) || self.step_cited(step)) {
            return;
        }
        let rows = self.kept_rows();
        let Some(last) = rows.len().checked_sub(1) else { return };
        let place = rows.iter().position(|at| *at == self.selection.kept.selected).unwrap_or(0);
        let place = match self.selected_kept() {
            Some(_) => place.saturating_add_signed(step).min(last),
            // From a chain that was not kept, back to where the kept ones were left.
            None => place,
        };
        self.select_kept(rows[place]);
    }

    /// The next kept chain through an entity, by its number in the table.
    pub(super) fn select_kept_through(&mut self, entity: u32) {
        let kept: Vec<(u32, bool)> = self.run.trace.kept().map(|(_, number, chain)| (number, chain.nodes().contains(&entity))).collect();
        let after = kept.iter().position(|(number, _)| Some(*number) == self.selection.chain).map_or(0, |at| at + 1);
        let next = (0..kept.len()).map(|step| kept[(after + step) % kept.len()]).find(|(_, through)| *through);
        if let Some((number, _)) = next {
            self.select_chain(number);
        }
    }

    /// Whether a kept chain belongs to the selection: the selected line of the answer cites it while the
    /// answer has the keys, else the selected one.
    pub(crate) fn is_cited(&self, id: u32) -> bool {
        match self.run.trace.answer.lines.get(self.selection.answer.selected) {
            Some(line) if self.layout.focus == Pane::Answer => {
                let chain = self.run.trace.pruning.kept.get((id as usize).saturating_sub(1)).map(|scored| scored.chain);
                line.citations.iter().any(|cited| self.cited_chain(*cited) == chain)
            }
            _ => self.selected_kept() == Some(id),
        }
    }

    /// Draws the selected chain as large as there is room.
    pub(super) fn fit_selection(&mut self) {
        let nodes =
            self.selection.chain.and_then(|chain| self.run.trace.table.chains.get(chain as usize)).map(|chain| chain.nodes().to_vec());
        let nodes = nodes.unwrap_or_default();
        let is_on = |entity: Option<u32>| entity.is_some_and(|entity| nodes.contains(&entity));
        let drawn = self.layout.drawing.nodes.iter().filter(|node| is_on(node.entity)).map(|node| (node.x, node.y));
        let is_kept = self.selection.chain.is_some_and(|chain| self.run.trace.kept_id(chain).is_some());
        if !is_kept || !self.layout.viewport.show(drawn) {
            self.say(Severity::Note, "The graph draws the kept chains only; select one of them first.");
        }
    }
}
