//! Triage: what the doctor decides about chains, anchors and settings. Each decision continues the run from the first stage
//! that it changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::MAX_HOPS;
use crate::run::triage::MOST_KEPT;
use crate::run::{ChainKey, Settings, Stage, Trace, Triage};
use crate::text::sanitise_line;
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, EngineState, Overlay, Severity};
use crate::tui::effects::Effect;
use crate::tui::keymap::Context;
use crate::tui::picker::{Picker, PickerChoice, PickerItem, PickerKind};
use crate::tui::update::rejected::REJECTED;
use crate::tui::update::tour::NOTHING_CHANGES;
use crate::tui::verdicts::ChainStatus;

/// The settings, by row.
pub(crate) const SETTINGS: usize = 3;
const K: usize = 0;
const TOP_K: usize = 1;
pub(super) const DELTA: usize = 2;
/// What one step changes of the linking threshold.
const DELTA_STEP: f64 = 0.02;

/// Why nothing can be decided during a replay; it is said no longer than that lasts.
pub(super) const REPLAY_PLAYS: &str = "A recording is playing. Press Esc to end the replay; then you can pin and reject its chains.";

impl App {
    /// Decides something about the run on the screen, and carries it on.
    pub(super) fn decide(&mut self, said: impl Into<String>, change: impl FnOnce(&mut Triage)) {
        if !self.can_decide() {
            return;
        }
        if self.run.decisions.decide(change) {
            self.run.stepped_back = false;
            self.say(Severity::Note, said);
            self.carry_on();
        }
    }

    /// Whether there is a run to decide about; says why not.
    pub(super) fn can_decide(&mut self) -> bool {
        let why = match &self.engine {
            _ if self.before_tour.is_some() => NOTHING_CHANGES,
            _ if self.run.playback().is_some() => REPLAY_PLAYS,
            EngineState::Recording if self.side_by_side.is_some() => {
                "This is a recorded run and no graph is open, so you cannot change it. Ask its question in Catena to pin and reject chains."
            }
            EngineState::Recording => {
                "This is a recording without a graph. To change anything, open the run from the list of earlier runs."
            }
            EngineState::Failed(_) => "You cannot change anything without a graph.",
            EngineState::Opening => "The graph is still opening.",
            EngineState::Ready(_) if self.run.decisions.settled.is_none() => {
                "The run is not finished yet. You can pin and reject its chains when it is."
            }
            EngineState::Ready(_) => return true,
        };
        self.say(Severity::Note, why);
        false
    }

    /// Carries the run on with everything that was decided.
    pub(super) fn carry_on(&mut self) {
        let Some(settled) = self.run.decisions.settled.clone() else { return };
        // A revision under way starts again from the last settled state.
        if let Some(run) = self.run.active().filter(|_| self.is_revising()) {
            run.cancel.cancel();
            self.run.recorded.truncate(self.run.settled_events);
            self.show_trace(&settled);
        }
        self.effects.retain(|effect| !matches!(effect, Effect::Revise { .. }));
        let Some(from) = self.run.decisions.due() else { return };
        let from = if reads_at_once(&settled) { Stage::Read } else { from };
        let triage = Arc::clone(&self.run.decisions.wanted);
        self.effects.push_back(Effect::Revise { trace: settled, triage, from });
    }

    /// Facts are no longer learned. An answer that rests on learned ones is outdated; the built-in reader regenerates it at once.
    pub(super) fn facts_withdrawn(&mut self) {
        // If the fact is no longer learned, nothing is left out.
        self.run.unlearned = true;
        if self.run.left_out.take_if(|left_out| left_out.is_learned).is_some() {
            self.run.version += 1;
        }
        let Some(settled) = self.run.decisions.settled.clone() else { return };
        if !self.run.rests_on_learned() {
            return;
        }
        self.run.withdrawn = true;
        self.run.version += 1;
        self.evidence_changed();
        if self.engine.is_ready() && self.run.playback().is_none() && reads_at_once(&settled) {
            self.run.decisions.reread = true;
            self.carry_on();
        }
    }

    /// Whether what goes on is a revision of a run that was over before.
    pub(super) fn is_revising(&self) -> bool {
        self.is_running() && self.run.decisions.settled.is_some()
    }

    pub(super) fn undo(&mut self) {
        if self.can_decide() {
            let case = self.run.decisions.wanted.case.clone();
            if self.run.decisions.undo() {
                self.run.stepped_back = true;
                // As after the correction itself, the answer is read from its start.
                self.selection.from_start |= self.run.decisions.wanted.case != case;
                let key = self.input.keymap.key_of(Action::Redo, Context::Panes);
                self.say(Severity::Note, format!("Undone ({key} redoes it): as before your last decision."));
                self.carry_on();
            } else {
                self.say(Severity::Note, "Nothing to undo.");
            }
        }
    }

    pub(super) fn redo(&mut self) {
        if self.can_decide() {
            let case = self.run.decisions.wanted.case.clone();
            if self.run.decisions.redo() {
                self.run.stepped_back = true;
                self.selection.from_start |= self.run.decisions.wanted.case != case;
                let key = self.input.keymap.key_of(Action::Undo, Context::Panes);
                self.say(Severity::Note, format!("Redone ({key} undoes it): your decision holds again."));
                self.carry_on();
            } else {
                self.say(Severity::Note, "Nothing to redo.");
            }
        }
    }

    /// Regenerates the answer.
    pub(super) fn reread(&mut self) {
        if self.can_decide() {
            self.run.decisions.reread = true;
            self.carry_on();
        }
    }

    fn keys_of(&self, chains: &[u32]) -> Vec<ChainKey> {
        let table = &self.run.trace.table;
        chains.iter().filter_map(|chain| table.chains.get(*chain as usize)).map(|chain| ChainKey::of(table, chain)).collect()
    }

    /// The selected chains; if there are none, a message says how to select some.
    fn chains_to_decide(&mut self) -> Option<Vec<u32>> {
        let chains = self.selected_chains();
        if chains.is_empty() {
            let key = |pane| self.input.keymap.key_of(Action::Focus(pane), Context::Panes);
            let text = format!(
                "No chain is selected here. Select one among all chains ({}) or the kept ones ({}).",
                key(Pane::Chains),
                key(Pane::Kept)
            );
            self.say(Severity::Note, text);
            return None;
        }
        Some(chains)
    }

    pub(super) fn pin(&mut self) {
        let Some(chains) = self.chains_to_decide() else { return };
        let all = chains.iter().all(|chain| self.run.verdicts.status(*chain) == ChainStatus::Pinned);
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
        self.selection.range = None;
    }

    pub(super) fn reject(&mut self) {
        if self.layout.focus == Pane::Anchors {
            self.reject_anchor();
            return;
        }
        let Some(chains) = self.chains_to_decide() else { return };
        let all = chains.iter().all(|chain| self.run.verdicts.status(*chain) == ChainStatus::Rejected);
        let keys = self.keys_of(&chains);
        let said = if all { counted(&chains, "accepted again") } else { self.rejected(&chains) };
        self.decide(said, |triage| {
            for key in keys {
                if all {
                    triage.let_in(key);
                } else {
                    triage.reject(key);
                }
            }
        });
        self.selection.range = None;
    }

    /// What was rejected, how to undo it, and what follows: another chain may stand in the same row, and read much the same.
    fn rejected(&self, chains: &[u32]) -> String {
        let undo = self.input.keymap.key_of(Action::Undo, Context::Panes);
        let table = &self.run.trace.table;
        let [chain] = chains else { return format!("{} chains rejected; {undo} undoes it.", chains.len()) };
        // Short, so that the keys beside it stay in sight.
        match self.run.trace.kept_id(*chain) {
            Some(id) => format!("{REJECTED}{id}]; {undo} undoes it. The evidence is chosen again."),
            None => {
                let text = table.chains.get(*chain as usize).map(|chain| sanitise_line(&table.text(chain))).unwrap_or_default();
                format!("Chain rejected; {undo} undoes it: {text}")
            }
        }
    }

    /// Forgets what was decided about the selected chains or the selected anchor.
    pub(super) fn restore(&mut self) {
        if self.layout.focus == Pane::Anchors {
            let Some(name) = self.selected_anchor() else { return };
            self.decide(format!("Your decision about {name} is cleared."), |triage| triage.forget_anchor(&name));
            return;
        }
        let Some(chains) = self.chains_to_decide() else { return };
        let keys = self.keys_of(&chains);
        self.decide(counted(&chains, "back to undecided"), |triage| {
            keys.iter().for_each(|key| triage.forget(key));
        });
        self.selection.range = None;
    }

    pub(super) fn reject_kind(&mut self) {
        let Some(chain) = self.seen_chain().and_then(|chain| self.run.trace.table.chains.get(chain as usize)) else {
            self.say(Severity::Note, "Select a chain of the kind that you want to reject.");
            return;
        };
        let kind = chain.kind();
        let word = kind.word();
        let back = self.run.decisions.wanted.rejected_kinds.contains(&kind);
        let said = if back {
            format!("Chains of the kind “{word}” are accepted again.")
        } else {
            format!("Every chain of the kind “{word}” is rejected.")
        };
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
        let table = &self.run.trace.table;
        let Some(chain) = self.seen_chain().and_then(|chain| table.chains.get(chain as usize)) else {
            self.say(Severity::Note, "Select a chain through the entity that you want to reject.");
            return;
        };
        let out = &self.run.decisions.wanted.rejected_through;
        let distinct: BTreeSet<u32> = chain.nodes().iter().copied().collect();
        let mut items: Vec<PickerItem> = Vec::new();
        for node in chain.nodes().iter().filter(|node| distinct.contains(node)) {
            let Some(entity) = table.entities.get(*node as usize) else { continue };
            if items.iter().any(|item| item.label == entity.name) {
                continue;
            }
            let through = table.chains.iter().filter(|chain| chain.nodes().contains(node)).count();
            let aside = if out.contains(&entity.name) {
                "rejected; choose to accept again".to_owned()
            } else {
                crate::text::counted(through as u64, "chain", "chains")
            };
            let detail = entity.kind.replace('_', " ");
            items.push(PickerItem { label: entity.name.clone(), detail, aside, choice: PickerChoice::Entity(entity.name.clone()) });
        }
        self.sheets.overlay = Some(Overlay::Picker(Box::new(Picker::new(PickerKind::Through, items))));
    }

    pub(super) fn reject_through(&mut self, entity: &str) {
        let back = self.run.decisions.wanted.rejected_through.contains(entity);
        let said = if back {
            format!("Chains through {entity} are accepted again.")
        } else {
            format!("Every chain through {entity} is rejected.")
        };
        self.decide(said, |triage| {
            if !triage.rejected_through.remove(entity) {
                triage.rejected_through.insert(entity.to_owned());
            }
        });
    }

    /// The entity of the selected anchor; an unlinked mention has none.
    fn selected_anchor(&mut self) -> Option<String> {
        let at = self.anchor_rows().get(self.selection.anchors.selected).copied();
        let name = at.and_then(|at| self.run.trace.anchors.get(at)).map(|anchor| anchor.entity.clone());
        if name.is_none() {
            self.say(Severity::Note, "No anchor is selected. An unlinked mention has no entity; add the entity that you mean.");
        }
        name
    }

    fn reject_anchor(&mut self) {
        let Some(name) = self.selected_anchor() else { return };
        let out = self.run.decisions.wanted.rejected_anchors.contains(&name);
        let key = self.input.keymap.key_of(Action::RejectThrough, Context::Panes);
        let said = if out {
            format!("{name} is an anchor again.")
        } else {
            format!("{name} is no longer an anchor. To keep it out of the answer as well, press {key}.")
        };
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
            self.sheets.overlay = Some(Overlay::Picker(Box::new(Picker::new(PickerKind::Anchors, Vec::new()))));
        }
    }

    pub(super) fn add_anchor(&mut self, name: &str) {
        let out = self.run.decisions.wanted.rejected_anchors.contains(name);
        if !out && self.run.trace.anchors.iter().any(|anchor| anchor.entity == name) {
            self.say(Severity::Note, format!("{name} is already an anchor."));
            return;
        }
        self.decide(format!("{name} is now an anchor."), |triage| triage.add_anchor(name));
    }

    pub(super) fn open_settings(&mut self) {
        if self.can_decide() {
            self.sheets.overlay = Some(Overlay::Settings(K));
        }
    }

    /// The settings that the run was started with, and those that are wanted now.
    pub(crate) fn settings(&self) -> Option<(Settings, Settings)> {
        let started = self.run.decisions.settled.as_ref()?.started_with.clone()?;
        let wanted = self.run.decisions.wanted.settings(&started);
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
                format!("Longest chain: {} relations.", wanted.k)
            }
            TOP_K => {
                wanted.top_k = wanted.top_k.saturating_add_signed(by).clamp(1, MOST_KEPT);
                format!("Catena keeps the best {} chains.", wanted.top_k)
            }
            _ => {
                let delta = (wanted.delta + by as f64 * DELTA_STEP).clamp(0.0, 1.0);
                wanted.delta = (delta * 1000.0).round() / 1000.0;
                format!("Mentions are linked above a similarity of {:.2}.", wanted.delta)
            }
        };
        self.decide(said, |triage| triage.set(&started, &wanted));
    }
}

/// Whether the built-in reader writes the answer. It takes a tenth of a millisecond: with it, no citation is ever older than its chains.
fn reads_at_once(trace: &Trace) -> bool {
    trace.models.as_ref().is_some_and(|models| models.generator.kind == "graph")
}

/// `Chain pinned.`, `12 chains pinned.`
fn counted(chains: &[u32], what: &str) -> String {
    match chains.len() {
        1 => format!("Chain {what}."),
        n => format!("{n} chains {what}."),
    }
}
