//! A question that is asked again: what of the decisions about the run before holds in the new one, and what does not.

use crate::run::{Outcome, Triage};
use crate::tui::action::Action;
use crate::tui::app::{App, Severity};
use crate::tui::keymap::Context;
use crate::words::words;

impl App {
    /// Says, when the question is asked, which decisions about the run before do not hold in the new one; of the `same` question, its corrections do.
    pub(super) fn tell_left_behind(&mut self, decided: &Triage, same: bool) {
        if let Some(said) = self.left_behind(decided, same) {
            self.say(Severity::Note, said);
        }
        if same && !decided.case.is_empty() {
            self.say(
                Severity::Note,
                words!(self.language, "Your corrections of the reading are kept: they are applied when this run has ended."),
            );
        }
    }

    /// The run has ended: its reading is corrected as that of the same question was before, and the doctor is told.
    pub(super) fn carry_corrections(&mut self) {
        if !self.engine.is_ready() || matches!(self.run.trace.outcome, Some(Outcome::Cancelled | Outcome::Failed { .. })) {
            return;
        }
        let Some(decided) = self.run.decisions.carry() else { return };
        // As after a correction, the answer is read from its beginning.
        self.selection.from_start = true;
        let (undo, redo) = (self.key_in_panes(Action::Undo), self.key_in_panes(Action::Redo));
        let l = self.language;
        let said = match left(&decided, true).as_slice() {
            [] => words!(l, "Your corrections of the reading are kept; {undo} removes them.", undo = undo),
            what => {
                let what: Vec<String> = what.iter().map(|what| l.known(what).to_owned()).collect();
                words!(
                    l,
                    "Your corrections are kept ({undo} removes them); {what} are not ({redo} restores them).",
                    undo = undo,
                    what = l.listed(&what),
                    redo = redo
                )
            }
        };
        self.say(Severity::Note, said);
    }

    /// What is not carried over, and which key brings it back; `None` if nothing is left behind.
    fn left_behind(&self, decided: &Triage, same: bool) -> Option<String> {
        let l = self.language;
        let key = self.key_in_panes(Action::Redo);
        match left(decided, same).as_slice() {
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

/// The kinds of decisions that a new run does not have, in a doctor's words.
fn left(decided: &Triage, same: bool) -> Vec<&'static str> {
    let rejects = !(decided.rejected.is_empty() && decided.rejected_kinds.is_empty() && decided.rejected_through.is_empty());
    let passages = !(decided.pinned_passages.is_empty() && decided.rejected_passages.is_empty());
    let anchors = !(decided.added_anchors.is_empty() && decided.rejected_anchors.is_empty());
    let settings = decided.k.is_some() || decided.top_k.is_some() || decided.delta.is_some();
    let kinds = [
        (!same && !decided.case.is_empty(), "corrections of the reading"),
        (rejects, CHAINS),
        (!decided.pinned.is_empty() || !decided.restored.is_empty(), "pinned chains"),
        (passages, "decisions about passages"),
        (anchors, "changed anchors"),
        (settings, "changed settings"),
    ];
    kinds.into_iter().filter(|(is_left, _)| *is_left).map(|(_, what)| what).collect()
}
