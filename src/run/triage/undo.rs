//! The decisions of the doctor about a run, with undo and redo.

use std::sync::Arc;

use crate::run::{Stage, Trace, Triage};

/// The most decisions that can be undone.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Decisions {
    /// The run when it last ended; the next revision starts from it.
    pub(crate) settled: Option<Arc<Trace>>,
    /// All decisions, whether the run has been continued with them or not.
    pub(crate) wanted: Arc<Triage>,
    undo: Vec<Arc<Triage>>,
    redo: Vec<Arc<Triage>>,
    /// Whether to regenerate the answer as soon as the evidence is final.
    pub(crate) reread: bool,
    /// The decisions about the run before, of a question that was asked again, until this run has ended; and whether its corrections of the
    /// reading hold again then.
    offered: Option<(Arc<Triage>, bool)>,
}

impl Decisions {
    /// Another run, or none, is on the screen.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Another run is on the screen, of a question that was asked again: redo makes the decisions about the run before once more. If the question
    /// is the `same`, its reading is corrected as before without being asked for, by [`carry`](Self::carry).
    pub(crate) fn offer(&mut self, before: Arc<Triage>, same: bool) {
        let carries = same && !before.case.is_empty();
        let is_all = carries && Triage { case: Vec::new(), ..Triage::clone(&before) }.is_empty();
        let redo = if is_all { Vec::new() } else { vec![Arc::clone(&before)] };
        *self = Self { redo, offered: Some((before, carries)), ..Self::default() };
    }

    /// The decisions that the same question would be asked again without.
    pub(crate) fn to_offer(&self) -> Arc<Triage> {
        match &self.offered {
            Some((before, _)) if self.wanted.is_empty() => Arc::clone(before),
            _ => Arc::clone(&self.wanted),
        }
    }

    /// The run has ended: the reading is corrected as it was in the run before of the same question. Returns what was decided about that run, or
    /// nothing if nothing of it holds again.
    pub(crate) fn carry(&mut self) -> Option<Arc<Triage>> {
        let (before, _) = self.offered.take().filter(|(_, carries)| *carries)?;
        let corrected = Triage { case: before.case.clone(), ..Triage::clone(&self.wanted) };
        // What can be made again stays so.
        let without = self.replace(Arc::new(corrected));
        self.undo.push(without);
        Some(before)
    }

    /// The run, or a revision of it, has ended.
    pub(crate) fn settle(&mut self, trace: Arc<Trace>) {
        if self.settled.is_none() {
            self.wanted = Arc::clone(&trace.triage);
        }
        self.settled = Some(trace);
    }

    /// Makes a decision; `false` if it changes nothing.
    pub(crate) fn decide(&mut self, change: impl FnOnce(&mut Triage)) -> bool {
        let mut triage = Triage::clone(&self.wanted);
        change(&mut triage);
        if triage == *self.wanted {
            return false;
        }
        if self.undo.len() == MOST {
            self.undo.remove(0);
        }
        let before = self.replace(Arc::new(triage));
        self.undo.push(before);
        self.redo.clear();
        true
    }

    /// Decides otherwise. If the question is read otherwise, its answer is about another case and is regenerated without being asked for.
    fn replace(&mut self, triage: Arc<Triage>) -> Arc<Triage> {
        self.reread |= triage.case != self.wanted.case;
        std::mem::replace(&mut self.wanted, triage)
    }

    /// Undoes the last decision; `false` if there is none.
    pub(crate) fn undo(&mut self) -> bool {
        let Some(before) = self.undo.pop() else { return false };
        let undone = self.replace(before);
        self.redo.push(undone);
        true
    }

    /// Redoes the decision that was undone last; `false` if there is none.
    pub(crate) fn redo(&mut self) -> bool {
        let Some(after) = self.redo.pop() else { return false };
        let before = self.replace(after);
        self.undo.push(before);
        true
    }

    /// The first stage that has to run again; `None` if the run is up to date with the decisions.
    pub(crate) fn due(&self) -> Option<Stage> {
        let settled = self.settled.as_ref()?;
        let changed = Triage::first_stage_changed(&settled.triage, &self.wanted);
        changed.or_else(|| self.reread.then_some(Stage::Read))
    }

    /// The running revision was stopped: its decisions are withdrawn and can be redone.
    pub(crate) fn give_up(&mut self) {
        self.reread = false;
        if let Some(settled) = &self.settled
            && settled.triage != self.wanted
        {
            let given_up = std::mem::replace(&mut self.wanted, Arc::clone(&settled.triage));
            self.redo.push(given_up);
            if self.undo.last() == Some(&self.wanted) {
                self.undo.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(triage: Triage) -> Arc<Trace> {
        let mut trace = Trace::default();
        trace.triage = Arc::new(triage);
        Arc::new(trace)
    }

    #[test]
    fn decisions_can_be_taken_back_and_made_again() {
        let mut decisions = Decisions::default();
        decisions.settle(settled(Triage::default()));
        assert!(decisions.decide(|t| t.k = Some(2)) && !decisions.decide(|t| t.k = Some(2)));
        assert!(decisions.decide(|t| t.top_k = Some(5)));
        assert_eq!(decisions.due(), Some(Stage::Search));
        assert!(decisions.undo() && decisions.wanted.top_k.is_none());
        assert!(decisions.redo() && decisions.wanted.top_k == Some(5));
        assert!(decisions.undo() && decisions.undo() && !decisions.undo());
        assert_eq!(decisions.due(), None, "back at what the run was");
        decisions.reread = true;
        assert_eq!(decisions.due(), Some(Stage::Read));
        assert!(decisions.redo());
        assert!(decisions.decide(|t| t.k = Some(1)) && !decisions.redo(), "a new decision ends the way forward");
    }

    #[test]
    fn a_corrected_case_is_answered_without_being_asked_for() {
        use crate::run::{CaseCorrection, FindingStatus};
        let mut decisions = Decisions::default();
        decisions.settle(settled(Triage::default()));
        assert!(decisions.decide(|t| t.correct(CaseCorrection::Status { item: "Cough".into(), status: FindingStatus::Absent })));
        assert_eq!((decisions.due(), decisions.reread), (Some(Stage::Link), true));
        decisions.settle(settled(Triage::clone(&decisions.wanted)));
        assert_eq!(decisions.due(), Some(Stage::Read));
        decisions.reread = false;
        assert!(decisions.undo() && decisions.wanted.case.is_empty() && decisions.reread);
    }

    #[test]
    fn decisions_about_the_run_before_are_made_again_by_redo() {
        let mut decisions = Decisions::default();
        decisions.settle(settled(Triage::default()));
        decisions.decide(|t| t.k = Some(2));
        decisions.offer(Arc::clone(&decisions.wanted), false);
        assert!(decisions.settled.is_none() && decisions.wanted.is_empty());
        decisions.settle(settled(Triage::default()));
        assert_eq!(decisions.due(), None, "nothing is decided by itself");
        assert!(decisions.redo() && decisions.wanted.k == Some(2) && decisions.due() == Some(Stage::Search));
        assert!(decisions.undo() && decisions.wanted.is_empty());
    }

    #[test]
    fn corrections_of_the_same_question_hold_again_and_the_other_decisions_by_redo() {
        use crate::run::CaseCorrection;
        let remove = CaseCorrection::Remove { item: "Cough".into() };
        for (same, others) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut decisions = Decisions::default();
            decisions.settle(settled(Triage::default()));
            decisions.decide(|t| t.correct(remove.clone()));
            if others {
                decisions.decide(|t| t.k = Some(2));
            }
            let before = decisions.to_offer();
            decisions.offer(Arc::clone(&before), same);
            assert_eq!(decisions.to_offer(), before, "asked once more before it ended");
            decisions.settle(settled(Triage::default()));
            assert_eq!(decisions.carry().is_some(), same);
            assert!(decisions.carry().is_none(), "once");
            assert_eq!((decisions.wanted.case.len(), decisions.wanted.k), (usize::from(same), None));
            assert_eq!(decisions.redo(), others || !same);
            if others || !same {
                assert_eq!(decisions.wanted, before);
                assert!(decisions.undo());
            }
            assert_eq!(decisions.undo(), same);
            assert!(decisions.wanted.is_empty() && decisions.to_offer().is_empty(), "what is removed does not come back");
        }
    }

    #[test]
    fn a_stopped_revision_leaves_what_was_settled() {
        let mut decisions = Decisions::default();
        decisions.settle(settled(Triage::default()));
        decisions.decide(|t| t.k = Some(5));
        decisions.give_up();
        assert_eq!((decisions.due(), decisions.undo()), (None, false));
        assert!(decisions.redo() && decisions.wanted.k == Some(5), "it can be asked for again");
    }
}
