//! Triage: what the doctor decides about chains, anchors and settings. Each decision carries the run on from the first stage
//! that it changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::MAX_HOPS;
use crate::run::triage::MOST_KEPT;
use crate::run::{ChainKey, Settings, Triage};
use crate::tui::action::Pane;
use crate::tui::app::{App, Engine, Overlay, Weight};
use crate::tui::command::Command;
use crate::tui::picker::{Choice, Item, Offer, Picker};
use crate::tui::verdicts::Stand;

/// The settings, by row.
pub(crate) const SETTINGS: usize = 3;
const K: usize = 0;
const TOP_K: usize = 1;
pub(super) const DELTA: usize = 2;
/// What one step changes of the linking threshold.
const DELTA_STEP: f64 = 0.02;

impl App {
    /// Decides something about the run on the screen, and carries it on.
    fn decide(&mut self, said: impl Into<String>, change: impl FnOnce(&mut Triage)) {
        if !self.can_decide() {
            return;
        }
        if self.decisions.decide(change) {
            self.say(Weight::Note, said);
            self.carry_on();
        }
    }

    /// Whether there is a run to decide about; if not, the doctor is told why.
    fn can_decide(&mut self) -> bool {
        let why = match self.engine {
            _ if self.playing.is_some() => "A recording is being played. Esc ends that; then its evidence can be triaged.",
            Engine::Recording if self.beside.is_some() => {
                "This is a recorded run, and no graph is open: nothing can be changed. Ask its question in Catena to triage the evidence."
            }
            Engine::Recording => "This is a recording without a graph. Open it from the earlier runs to change anything.",
            Engine::Failed(_) => "Nothing can be changed without a graph.",
            Engine::Opening => "The graph is still being opened.",
            Engine::Ready if self.decisions.settled.is_none() => "The run is not over yet. Its evidence can be triaged as soon as it is.",
            Engine::Ready => return true,
        };
        self.say(Weight::Note, why);
        false
    }

    /// Carries the run on with everything that was decided.
    pub(super) fn carry_on(&mut self) {
        let Some(settled) = self.decisions.settled.clone() else { return };
        // A revision under way starts anew from where the run last stood.
        if let Some(run) = self.run.as_ref().filter(|_| self.is_revising()) {
            run.cancel.cancel();
            self.tape.truncate(self.settled_tape);
            self.show_trace(&settled);
        }
        self.commands.retain(|command| !matches!(command, Command::Revise { .. }));
        let Some(from) = self.decisions.due() else { return };
        let triage = Arc::clone(&self.decisions.wanted);
        self.commands.push_back(Command::Revise { trace: settled, triage, from });
    }

    /// Whether what goes on is a revision of a run that was over before.
    pub(super) fn is_revising(&self) -> bool {
        self.is_running() && self.decisions.settled.is_some()
    }

    pub(super) fn undo(&mut self) {
        if self.can_decide() {
            if self.decisions.undo() {
                self.say(Weight::Note, "Taken back.");
                self.carry_on();
            } else {
                self.say(Weight::Note, "There is nothing to take back.");
            }
        }
    }

    pub(super) fn redo(&mut self) {
        if self.can_decide() {
            if self.decisions.redo() {
                self.say(Weight::Note, "Decided again.");
                self.carry_on();
            } else {
                self.say(Weight::Note, "Nothing was taken back that could be decided again.");
            }
        }
    }

    /// Reads the answer anew.
    pub(super) fn reread(&mut self) {
        if self.can_decide() {
            self.decisions.reread = true;
            self.carry_on();
        }
    }

    fn keys_of(&self, chains: &[u32]) -> Vec<ChainKey> {
        let table = &self.trace.table;
        chains.iter().filter_map(|chain| table.chains.get(*chain as usize)).map(|chain| ChainKey::of(table, chain)).collect()
    }

    /// The selected chains; where there are none, the doctor is told how to select some.
    fn chains_to_decide(&mut self) -> Option<Vec<u32>> {
        let chains = self.selected_chains();
        if chains.is_empty() {
            self.say(Weight::Note, "No chain is selected. Select one in the list of chains or among the kept ones.");
            return None;
        }
        Some(chains)
    }

    pub(super) fn pin(&mut self) {
        let Some(chains) = self.chains_to_decide() else { return };
        let all = chains.iter().all(|chain| self.verdicts.stand(*chain) == Stand::Pinned);
        let keys = self.keys_of(&chains);
        let said = if all { counted(&chains, "no longer pinned") } else { counted(&chains, "pinned: kept whatever the score") };
        self.decide(said, |triage| {
            for key in keys {
                if all {
                    triage.forget(&key);
                } else {
                    triage.pin(key);
                }
            }
        });
        self.range = None;
    }

    pub(super) fn reject(&mut self) {
        if self.focus == Pane::Anchors {
            self.reject_anchor();
            return;
        }
        let Some(chains) = self.chains_to_decide() else { return };
        let all = chains.iter().all(|chain| self.verdicts.stand(*chain) == Stand::Rejected);
        let keys = self.keys_of(&chains);
        let said = if all { counted(&chains, "let in again") } else { counted(&chains, "rejected") };
        self.decide(said, |triage| {
            for key in keys {
                if all {
                    triage.let_in(key);
                } else {
                    triage.reject(key);
                }
            }
        });
        self.range = None;
    }

    /// Forgets what was decided about the selected chains or the selected anchor.
    pub(super) fn restore(&mut self) {
        if self.focus == Pane::Anchors {
            let Some(name) = self.selected_anchor() else { return };
            self.decide(format!("Nothing is decided about {name} any more."), |triage| triage.forget_anchor(&name));
            return;
        }
        let Some(chains) = self.chains_to_decide() else { return };
        let keys = self.keys_of(&chains);
        self.decide(counted(&chains, "as if nothing had been decided"), |triage| {
            keys.iter().for_each(|key| triage.forget(key));
        });
        self.range = None;
    }

    pub(super) fn reject_kind(&mut self) {
        let Some(chain) = self.chain.and_then(|chain| self.trace.table.chains.get(chain as usize)) else {
            self.say(Weight::Note, "Select a chain of the kind that is to be rejected.");
            return;
        };
        let kind = chain.kind();
        let word = kind.as_str().replace('_', "-");
        let back = self.decisions.wanted.rejected_kinds.contains(&kind);
        let said = if back { format!("Chains of the kind {word} are let in again.") } else { format!("Every {word} chain is rejected.") };
        self.decide(said, |triage| {
            if back {
                triage.rejected_kinds.remove(&kind);
            } else {
                triage.rejected_kinds.insert(kind);
            }
        });
    }

    /// Offers the entities of the selected chain.
    pub(super) fn choose_entity_to_reject(&mut self) {
        let table = &self.trace.table;
        let Some(chain) = self.chain.and_then(|chain| table.chains.get(chain as usize)) else {
            self.say(Weight::Note, "Select a chain through the entity that is to be rejected.");
            return;
        };
        let out = &self.decisions.wanted.rejected_through;
        let distinct: BTreeSet<u32> = chain.nodes().iter().copied().collect();
        let mut items: Vec<Item> = Vec::new();
        for node in chain.nodes().iter().filter(|node| distinct.contains(node)) {
            let Some(entity) = table.entities.get(*node as usize) else { continue };
            if items.iter().any(|item| item.label == entity.name) {
                continue;
            }
            let through = table.chains.iter().filter(|chain| chain.nodes().contains(node)).count();
            let aside = if out.contains(&entity.name) { "rejected; take to let in again".to_owned() } else { format!("{through} chains") };
            let detail = entity.kind.replace('_', " ");
            items.push(Item { label: entity.name.clone(), detail, aside, choice: Choice::Entity(entity.name.clone()) });
        }
        self.overlay = Some(Overlay::Picker(Box::new(Picker::new(Offer::Through, items))));
    }

    pub(super) fn reject_through(&mut self, entity: &str) {
        let back = self.decisions.wanted.rejected_through.contains(entity);
        let said =
            if back { format!("Chains through {entity} are let in again.") } else { format!("Every chain through {entity} is rejected.") };
        self.decide(said, |triage| {
            if !triage.rejected_through.remove(entity) {
                triage.rejected_through.insert(entity.to_owned());
            }
        });
    }

    /// The entity of the selected anchor; what is not linked has none.
    fn selected_anchor(&mut self) -> Option<String> {
        let at = self.anchor_rows().get(self.anchors.selected).copied();
        let name = at.and_then(|at| self.trace.anchors.get(at)).map(|anchor| anchor.entity.clone());
        if name.is_none() {
            self.say(Weight::Note, "No anchor is selected. What could not be linked has no entity; add the one that is meant.");
        }
        name
    }

    fn reject_anchor(&mut self) {
        let Some(name) = self.selected_anchor() else { return };
        let out = self.decisions.wanted.rejected_anchors.contains(&name);
        let said = if out { format!("{name} is an anchor again.") } else { format!("{name} is no anchor any more.") };
        self.decide(said, |triage| {
            if out {
                triage.add_anchor(&name);
            } else {
                triage.drop_anchor(&name);
            }
        });
    }

    pub(super) fn choose_anchor(&mut self) {
        if self.can_decide() {
            self.overlay = Some(Overlay::Picker(Box::new(Picker::new(Offer::Anchors, Vec::new()))));
        }
    }

    pub(super) fn add_anchor(&mut self, name: &str) {
        let out = self.decisions.wanted.rejected_anchors.contains(name);
        if !out && self.trace.anchors.iter().any(|anchor| anchor.entity == name) {
            self.say(Weight::Note, format!("{name} is an anchor already."));
            return;
        }
        self.decide(format!("{name} is an anchor now."), |triage| triage.add_anchor(name));
    }

    pub(super) fn open_settings(&mut self) {
        if self.can_decide() {
            self.overlay = Some(Overlay::Settings(K));
        }
    }

    /// The settings that the run was started with, and those that are wanted now.
    pub(crate) fn settings(&self) -> Option<(Settings, Settings)> {
        let started = self.decisions.settled.as_ref()?.started_with.clone()?;
        let wanted = self.decisions.wanted.settings(&started);
        Some((started, wanted))
    }

    pub(super) fn change_setting(&mut self, row: usize, by: isize) {
        if !self.can_decide() {
            return;
        }
        let Some((started, now)) = self.settings() else { return };
        let mut wanted = now;
        let said = match row {
            K => {
                wanted.k = wanted.k.saturating_add_signed(by).clamp(1, MAX_HOPS);
                format!("Chains of at most {} relations.", wanted.k)
            }
            TOP_K => {
                wanted.top_k = wanted.top_k.saturating_add_signed(by).clamp(1, MOST_KEPT);
                format!("The best {} chains are kept.", wanted.top_k)
            }
            _ => {
                let delta = (wanted.delta + by as f64 * DELTA_STEP).clamp(0.0, 1.0);
                wanted.delta = (delta * 1000.0).round() / 1000.0;
                format!("What is like a name by more than {:.2} is linked.", wanted.delta)
            }
        };
        self.decide(said, |triage| triage.set(&started, &wanted));
    }
}

/// `Chain rejected.`, `12 chains rejected.`
fn counted(chains: &[u32], what: &str) -> String {
    match chains.len() {
        1 => format!("Chain {what}."),
        n => format!("{n} chains {what}."),
    }
}
