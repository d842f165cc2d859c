//! The review: deciding about proposals.

use crate::dkg::{CheckNote, CheckOutcome, ProposalId, ProposalState};
use crate::feedback::DecisionResult;
use crate::text::{counted, sanitise_line};
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::effects::DkgRequest;
use crate::tui::form::{Confirm, ConfirmedAction, TeachingForm};
use crate::tui::update::rate::found_by;
use crate::words::{Language, words};

/// Contradictions that a question names.
const NAMED: usize = 3;

impl App {
    /// Opens the review; where nothing can be recorded, what waits is shown all the same.
    pub(super) fn open_review(&mut self) {
        if self.teaching.status.is_none() {
            self.can_teach();
            return;
        }
        self.selection.search = None;
        self.sheets.overlay = Some(Overlay::Review);
        self.teaching.review.awaited = true;
        self.teaching.review.last = None;
        self.teach(DkgRequest::Queue);
    }

    fn is_reviewing(&mut self) -> bool {
        let reviewing = matches!(self.sheets.overlay, Some(Overlay::Review));
        if !reviewing {
            self.say(Severity::Note, "This works only in the review: open the review first.");
        }
        reviewing && self.can_teach()
    }

    pub(super) fn mark_proposal(&mut self) {
        if self.is_reviewing() {
            self.teaching.review.mark();
        }
    }

    /// Decides about the selected proposal.
    pub(super) fn decide_selected(&mut self, accept: bool) {
        if !self.is_reviewing() {
            return;
        }
        let Some(state) = self.teaching.review.selected() else { return };
        let id = state.id;
        if let (true, Some(contradiction)) = (accept, contradiction(state)) {
            self.sheets.confirm = Some(Confirm {
                title: "Learn it despite the contradiction?",
                text: vec![format!("Proposal: {}", sanitise_line(&state.proposal.triple.text())), contradiction],
                then: ConfirmedAction::Accept(vec![id]),
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
        let several = self.teaching.review.several();
        let ids: Vec<ProposalId> = several.iter().map(|state| state.id).collect();
        if ids.is_empty() {
            self.say(Severity::Note, "No proposal is pending.");
            return;
        }
        let what = if self.teaching.review.marks() > 0 { "marked " } else { "pending " };
        let what = counted(ids.len() as u64, &format!("{what}proposal"), &format!("{what}proposals"));
        let mut text = vec![if accept { format!("Accept {what}?") } else { format!("Reject {what}?") }];
        if accept {
            let against: Vec<String> = several.iter().filter_map(|state| contradiction(state)).collect();
            if against.len() > NAMED {
                text.push(format!("{} of them contradict what is known, for example:", against.len()));
            }
            text.extend(against.into_iter().take(NAMED));
        }
        let then = if accept { ConfirmedAction::Accept(ids) } else { ConfirmedAction::Reject(ids) };
        self.sheets.confirm = Some(Confirm { title: if accept { "Accept" } else { "Reject" }, text, then });
    }

    /// Takes proposals off the list at once, and has the decision recorded.
    pub(super) fn carry_out_decision(&mut self, accept: bool, ids: Vec<ProposalId>) {
        self.teaching.review.take(&ids);
        self.teaching.review.last = Some(accept);
        self.teach(if accept { DkgRequest::Accept(ids) } else { DkgRequest::Reject(ids) });
    }

    /// A decision was recorded, or could not be.
    pub(super) fn decided(&mut self, accepted: bool, proposals: &[ProposalId], result: Result<DecisionResult, String>) {
        match result {
            Ok(outcome) => {
                let about = match proposals {
                    [one] => self.teaching.review.stated(*one),
                    _ => None,
                };
                self.teaching.review.came_back(proposals, Some(outcome.record));
                let what = if accepted { "Accepted" } else { "Rejected" };
                let many = if proposals.len() == 1 {
                    String::new()
                } else {
                    format!(" {}", counted(proposals.len() as u64, "proposal", "proposals"))
                };
                self.say(Severity::Note, format!("{what}{many} (record {}).{}", outcome.record, followed(outcome, about, self.language)));
                self.reread_lists();
                if outcome.unlearned > 0 {
                    self.facts_withdrawn();
                }
            }
            Err(reason) => {
                self.teaching.review.came_back(proposals, None);
                self.say(Severity::Error, format!("The decision was not recorded: {reason}."));
            }
        }
    }

    /// Opens the form for other words.
    pub(super) fn edit_proposal(&mut self) {
        if self.is_reviewing()
            && let Some(state) = self.teaching.review.selected()
        {
            self.sheets.form = Some(TeachingForm::edit(state));
        }
    }

    /// A proposal was edited, or could not be.
    pub(super) fn edited(&mut self, result: Result<(u64, CheckOutcome), String>) {
        match result {
            Ok((record, standing)) => {
                self.teaching.review.was_edited(record);
                let check = CheckNote::of(&standing).map_or_else(|| "It is new and waits for your decision".to_owned(), |note| note.line());
                self.say(Severity::Note, format!("Edited (record {record}). {check}."));
                self.reread_lists();
            }
            Err(reason) => self.say(Severity::Error, format!("The edit was not recorded: {reason}.")),
        }
    }

    /// Takes back the last decision that was made here.
    pub(super) fn undo_decision(&mut self) {
        if !self.is_reviewing() {
            return;
        }
        match self.teaching.review.last_decision() {
            Some(record) => self.teach(DkgRequest::Undo(record)),
            None => {
                let text = "Nothing to undo here. To undo an older record, open the learned triples (d).";
                self.say(Severity::Note, text);
            }
        }
    }

    /// A record was undone, or could not be.
    pub(super) fn undone(&mut self, record: u64, result: Result<DecisionResult, String>) {
        match result {
            Ok(outcome) => {
                self.teaching.review.was_undone(record);
                self.teaching.review.last = None;
                self.say(
                    Severity::Note,
                    format!("Record {record} is undone (by record {}).{}", outcome.record, followed(outcome, None, self.language)),
                );
                if outcome.unlearned > 0 {
                    self.facts_withdrawn();
                }
            }
            Err(reason) => self.say(Severity::Error, format!("Record {record} was not undone: {reason}.")),
        }
        self.reread_lists();
    }
}

/// What a proposal contradicts and why, in a sentence.
pub(crate) fn contradiction(state: &ProposalState) -> Option<String> {
    let CheckNote { lead, with, source, why: Some(why) } = CheckNote::of(&state.proposal.standing)? else { return None };
    Some(format!("{lead} “{with}”, which is {source}: {why}."))
}

/// How a record changed the learned triples. `about`: the one that is learned.
fn followed(outcome: DecisionResult, about: Option<String>, l: Language) -> String {
    let mut text = String::new();
    match outcome.learned {
        0 => {}
        1 => {
            // What it does comes first: names are long, and the end may be cut off.
            text.push_str(&format!(" {}", found_by(l)));
            if let Some(triple) = about {
                text.push_str(&words!(l, " Learned: {triple}.", triple = triple));
            }
        }
        count => text.push_str(&format!(
            " {count} triples are learned. Catena now uses them for questions about what they name, if they fit better than other chains."
        )),
    }
    match outcome.unlearned {
        0 => {}
        1 => text.push_str(" 1 triple is no longer learned."),
        count => text.push_str(&format!(" {count} triples are no longer learned.")),
    }
    text
}
