//! A question that is asked again: which decisions about the previous run apply to the new one, and which do not.

use crate::run::{Outcome, Triage};
use crate::tui::action::Action;
use crate::tui::app::{App, Severity};
use crate::tui::keymap::Context;
use crate::words::words;

impl App {
    /// When the question is asked, tells the doctor which decisions about the previous run do not apply to the new one. For the `same` question, the
    /// corrections of its case still apply.
    pub(super) fn tell_left_behind(&mut self, decided: &Triage, same: bool) {
        if let Some(said) = self.left_behind(decided, same) {
            self.say(Severity::Note, said);
        }
        if same && !decided.case.is_empty() {
            self.say(Severity::Note, words!(self.language, "Your corrections are kept: Catena applies them when this run has finished."));
        }
    }

    /// When the run has ended, corrects its case as in the previous run of the same question, and tells the doctor.
    pub(super) fn carry_corrections(&mut self) {
        if !self.engine.is_ready() || matches!(self.run.trace.outcome, Some(Outcome::Cancelled | Outcome::Failed { .. })) {
            return;
        }
        let Some(decided) = self.run.decisions.carry() else { return };
        // As after a correction, the answer is read from its beginning.
        self.selection.from_start = true;
        let (undo, redo) = (self.key_in_panes(Action::Undo), self.key_in_panes(Action::Redo));
        let l = self.language;
        let said = match kinds_of_decisions(&decided, true).as_slice() {
            [] => words!(l, "Your corrections apply again; {undo} removes them.", undo = undo),
            what => {
                let what: Vec<String> = what.iter().map(|what| l.known(what).to_owned()).collect();
                words!(
                    l,
                    "Your corrections apply again; {undo} removes them. Not carried over: {what}; {redo} restores them.",
                    undo = undo,
                    what = l.listed(&what),
                    redo = redo
                )
            }
        };
        self.say(Severity::Note, said);
    }

    /// Says what is not carried over, and which key restores it; `None` if everything is carried over.
    fn left_behind(&self, decided: &Triage, same: bool) -> Option<String> {
        let l = self.language;
        let key = self.key_in_panes(Action::Redo);
        match kinds_of_decisions(decided, same).as_slice() {
            [] => None,
            [CHAINS] => Some(words!(l, "Rejected chains are not carried over; {key} rejects them again.", key = key)),
            what => {
                let what: Vec<String> = what.iter().map(|what| l.known(what).to_owned()).collect();
                Some(words!(l, "Not carried over: {what}; {key} restores them.", what = l.listed(&what), key = key))
            }
        }
    }

    fn key_in_panes(&self, action: Action) -> String {
        self.input.keymap.key_of(action, Context::Panes)
    }
}

const CHAINS: &str = "rejected chains";

/// The kinds of decisions, in a doctor's words; for the `same` question without those that apply to its new run.
pub(crate) fn kinds_of_decisions(decided: &Triage, same: bool) -> Vec<&'static str> {
    let rejects = !(decided.rejected.is_empty() && decided.rejected_kinds.is_empty() && decided.rejected_through.is_empty());
    let passages = !(decided.pinned_passages.is_empty() && decided.rejected_passages.is_empty());
    let anchors = !(decided.added_anchors.is_empty() && decided.rejected_anchors.is_empty());
    let settings = decided.k.is_some() || decided.top_k.is_some() || decided.delta.is_some();
    let kinds = [
        (!same && !decided.case.is_empty(), "corrections to the case"),
        (rejects, CHAINS),
        (!decided.pinned.is_empty() || !decided.restored.is_empty(), "pinned chains"),
        (passages, "decisions about passages"),
        (anchors, "changed anchors"),
        (settings, "changed settings"),
    ];
    kinds.into_iter().filter(|(is_left, _)| *is_left).map(|(_, what)| what).collect()
}
