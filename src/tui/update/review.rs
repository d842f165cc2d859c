//! The review: deciding about what is proposed to be learned.

use crate::dkg::{CheckNote, CheckOutcome, ProposalId, ProposalState};
use crate::feedback::DecisionResult;
use crate::text::{counted, sanitise_line};
use crate::tui::app::{App, Overlay, Weight};
use crate::tui::command::Teach;
use crate::tui::form::{Confirm, Form, Then};

/// Contradictions that a question names.
const NAMED: usize = 3;

impl App {
    /// Opens the review; where nothing can be recorded, what waits is shown all the same.
    pub(super) fn open_review(&mut self) {
        if self.learning.is_none() {
            self.can_teach();
            return;
        }
        self.search = None;
        self.overlay = Some(Overlay::Review);
        self.review.awaited = true;
        self.teach(Teach::Queue);
    }

    fn is_reviewing(&mut self) -> bool {
        let reviewing = matches!(self.overlay, Some(Overlay::Review));
        if !reviewing {
            self.say(Weight::Note, "This is for the review of what is proposed: open that first.");
        }
        reviewing && self.can_teach()
    }

    pub(super) fn mark_proposal(&mut self) {
        if self.is_reviewing() {
            self.review.mark();
        }
    }

    /// Decides about the selected proposal.
    pub(super) fn decide_selected(&mut self, accept: bool) {
        if !self.is_reviewing() {
            return;
        }
        let Some(state) = self.review.selected() else { return };
        let id = state.id;
        if let (true, Some(contradiction)) = (accept, contradiction(state)) {
            self.confirm = Some(Confirm {
                title: "Learn it against what is known?",
                text: vec![format!("To be learned: {}", sanitise_line(&state.proposal.triple.text())), contradiction],
                then: Then::Accept(vec![id]),
            });
            return;
        }
        self.carry_out_decision(accept, vec![id]);
    }

    /// Asks whether the marked proposals, or all that wait, are accepted or turned down.
    pub(super) fn decide_several(&mut self, accept: bool) {
        if !self.is_reviewing() {
            return;
        }
        let several = self.review.several();
        let ids: Vec<ProposalId> = several.iter().map(|state| state.id).collect();
        if ids.is_empty() {
            self.say(Weight::Note, "No proposal waits for a decision.");
            return;
        }
        let what = if self.review.marks() > 0 { "marked " } else { "waiting " };
        let what = counted(ids.len() as u64, &format!("{what}proposal"), &format!("{what}proposals"));
        let mut text = vec![if accept { format!("{what}: accept?") } else { format!("{what}: turn down?") }];
        if accept {
            let against: Vec<String> = several.iter().filter_map(|state| contradiction(state)).collect();
            if against.len() > NAMED {
                text.push(format!("{} of them contradict what is known, among them:", against.len()));
            }
            text.extend(against.into_iter().take(NAMED));
        }
        let then = if accept { Then::Accept(ids) } else { Then::Reject(ids) };
        self.confirm = Some(Confirm { title: if accept { "Accept" } else { "Turn down" }, text, then });
    }

    /// Takes proposals off the list at once, and has the decision recorded.
    pub(super) fn carry_out_decision(&mut self, accept: bool, ids: Vec<ProposalId>) {
        self.review.take(&ids);
        self.teach(if accept { Teach::Accept(ids) } else { Teach::Reject(ids) });
    }

    /// A decision was recorded, or could not be.
    pub(super) fn decided(&mut self, accepted: bool, proposals: &[ProposalId], result: Result<DecisionResult, String>) {
        match result {
            Ok(outcome) => {
                self.review.came_back(proposals, Some(outcome.record));
                let what = if accepted { "Accepted" } else { "Turned down" };
                let many = if proposals.len() == 1 {
                    String::new()
                } else {
                    format!(" {}", counted(proposals.len() as u64, "proposal", "proposals"))
                };
                self.say(Weight::Note, format!("{what}{many} (record {}).{}", outcome.record, followed(outcome)));
                self.reread_lists();
            }
            Err(reason) => {
                self.review.came_back(proposals, None);
                self.say(Weight::Error, format!("The decision was not recorded: {reason}."));
            }
        }
    }

    /// Opens the form for other words.
    pub(super) fn edit_proposal(&mut self) {
        if self.is_reviewing()
            && let Some(state) = self.review.selected()
        {
            self.form = Some(Form::edit(state));
        }
    }

    /// A proposal was worded anew, or could not be.
    pub(super) fn edited(&mut self, result: Result<(u64, CheckOutcome), String>) {
        match result {
            Ok((record, standing)) => {
                self.review.was_edited(record);
                let check =
                    CheckNote::of(&standing).map_or_else(|| "It is new, and waits for your decision".to_owned(), |note| note.line());
                self.say(Weight::Note, format!("Reworded (record {record}). {check}."));
                self.reread_lists();
            }
            Err(reason) => self.say(Weight::Error, format!("The new words were not recorded: {reason}.")),
        }
    }

    /// Takes back the last decision that was made here.
    pub(super) fn undo_decision(&mut self) {
        if !self.is_reviewing() {
            return;
        }
        match self.review.last_decision() {
            Some(record) => self.teach(Teach::Undo(record)),
            None => {
                let text = "Nothing was decided here that could be taken back; the list of what was learned (d) undoes any record.";
                self.say(Weight::Note, text);
            }
        }
    }

    /// A record was undone, or could not be.
    pub(super) fn undone(&mut self, record: u64, result: Result<DecisionResult, String>) {
        match result {
            Ok(outcome) => {
                self.review.was_undone(record);
                self.say(Weight::Note, format!("Record {record} is undone (by record {}).{}", outcome.record, followed(outcome)));
            }
            Err(reason) => self.say(Weight::Error, format!("Record {record} was not undone: {reason}.")),
        }
        self.reread_lists();
    }
}

/// What a proposal contradicts and why, in a sentence.
pub(crate) fn contradiction(state: &ProposalState) -> Option<String> {
    let CheckNote { lead, with, source, why: Some(why) } = CheckNote::of(&state.proposal.standing)? else { return None };
    Some(format!("{lead} “{with}”, which is {source}: {why}."))
}

/// What a record changed in what is learned.
fn followed(outcome: DecisionResult) -> String {
    let mut text = String::new();
    match outcome.learned {
        0 => {}
        1 => text.push_str(" 1 triple is learned, and the next question uses it."),
        count => text.push_str(&format!(" {count} triples are learned, and the next question uses them.")),
    }
    match outcome.unlearned {
        0 => {}
        1 => text.push_str(" 1 triple is learned no longer."),
        count => text.push_str(&format!(" {count} triples are learned no longer.")),
    }
    text
}
