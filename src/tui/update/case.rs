//! The case: correcting how the question was read, and continuing it with a follow-up question.

use crate::run::CaseItemKind;
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::case_sheet::CaseSheet;
use crate::tui::keymap::Context;
use crate::tui::line_input::LineInput;
use crate::tui::picker::{Picker, PickerKind};
use crate::tui::update::follow::first_condition;

impl App {
    /// Opens the list of what was read.
    pub(super) fn open_case(&mut self) {
        if !self.can_decide() {
            return;
        }
        let Some(settled) = self.run.decisions.settled.clone() else { return };
        if settled.case.is_empty() {
            self.say(Severity::Note, "This run has no case to correct: how its question was read is not recorded.");
            return;
        }
        let sheet = CaseSheet::of(&settled, &self.run.decisions.wanted, &self.run.recorded);
        self.sheets.overlay = Some(Overlay::Case(Box::new(sheet)));
    }

    /// Looks up a finding, drug or condition for the list of what was read, or takes words about the case. What is marked there stays, and nothing is
    /// decided.
    pub(super) fn choose_case_item(&mut self) {
        self.open_case_entry(PickerKind::CaseItems);
    }

    /// Says the selected item in other words, such as another value of a result.
    pub(super) fn edit_case_row(&mut self) {
        self.open_case_entry(PickerKind::CaseWords);
    }

    /// Opens the line into which the case is corrected.
    fn open_case_entry(&mut self, offer: PickerKind) {
        if !matches!(self.sheets.overlay, Some(Overlay::Case(_))) {
            self.open_case();
        }
        match self.sheets.overlay.take() {
            Some(Overlay::Case(sheet)) => {
                let mut picker = Picker::new(offer, Vec::new());
                if offer == PickerKind::CaseWords {
                    let (instead_of, begins) = sheet.begin_words();
                    (picker.instead_of, picker.line) = (instead_of, LineInput::new(&begins));
                }
                picker.below = Some(sheet);
                self.sheets.overlay = Some(Overlay::Picker(Box::new(picker)));
                self.pick_changed();
            }
            other => self.sheets.overlay = other,
        }
    }

    /// Adds what was chosen to the list, which is there again.
    pub(super) fn add_case_item(&mut self, name: &str, kind: CaseItemKind, sheet: Option<Box<CaseSheet>>) {
        if let Some(mut sheet) = sheet {
            sheet.add(name, kind);
            self.sheets.overlay = Some(Overlay::Case(sheet));
        }
    }

    pub(super) fn turn_case_row(&mut self) {
        if self.explain_patient() {
            return;
        }
        if let Some(Overlay::Case(sheet)) = &mut self.sheets.overlay {
            sheet.turn();
        }
    }

    /// How the patient is changed, if that is the selected line.
    fn explain_patient(&mut self) -> bool {
        let is_patient = matches!(&self.sheets.overlay, Some(Overlay::Case(sheet)) if sheet.selected_kind() == Some(CaseItemKind::Patient));
        if is_patient {
            let key = self.input.keymap.key_of(Action::Edit, Context::Case);
            self.say(
                Severity::Note,
                format!("To correct details about the patient, press {key} and type them, such as “aged 34” or “20 weeks pregnant”."),
            );
        }
        is_patient
    }

    pub(super) fn mark_case_row(&mut self, present: bool) {
        if let Some(Overlay::Case(sheet)) = &mut self.sheets.overlay
            && !sheet.mark(present)
        {
            let key = self.input.keymap.key_of(Action::Mark, Context::Case);
            self.say(Severity::Note, format!("Only a finding or condition is present or absent. Press {key} to change another line."));
        }
    }

    pub(super) fn remove_case_row(&mut self) {
        if self.explain_patient() {
            return;
        }
        if let Some(Overlay::Case(sheet)) = &mut self.sheets.overlay
            && !sheet.remove()
        {
            let key = self.input.keymap.key_of(Action::Mark, Context::Case);
            self.say(Severity::Note, format!("Press {key} to ask this, or not to ask it."));
        }
    }

    /// Applies the corrections: the run goes on with the case as it is now.
    pub(super) fn apply_case(&mut self) {
        let Some(Overlay::Case(sheet)) = self.sheets.overlay.take() else { return };
        if sheet.is_changed() {
            let unread = self.drop_unread_words();
            self.decide("Corrected: Catena answers the question as you read it.", |triage| {
                unread.iter().for_each(|text| triage.forget_words(text));
                sheet.apply(triage);
            });
            // A question that is read otherwise has another answer, which is read from its beginning.
            self.layout.focus = Pane::Answer;
            self.selection.from_start = true;
            self.read_from_start();
        } else {
            self.say(Severity::Note, "Nothing is corrected.");
        }
    }

    /// The next question continues the case on the screen; or no longer.
    pub(super) fn begin_follow_up(&mut self) {
        if self.input.follows.is_some() {
            self.end_follow_up();
            return;
        }
        let why_not = if self.engine.is_recording() {
            Some("This is a recording. To ask questions, start Catena without it.")
        } else if self.run.trace.id.is_empty() {
            Some("There is no question to follow yet.")
        } else if self.run.trace.case.is_empty() {
            Some("This run has no case to continue. Ask a new question.")
        } else {
            None
        };
        if let Some(why_not) = why_not {
            self.say(Severity::Note, why_not);
            return;
        }
        self.input.follows = Some(self.run.trace.case_to_follow());
        self.input.led = first_condition(&self.run.trace);
        if self.input.editor.text() == self.run.trace.question {
            self.input.editor.set_text("");
        }
        self.input.asks_again = false;
        self.layout.zoomed = false;
        self.layout.presents_question = false;
        self.layout.focus = Pane::Question;
    }

    /// The next question stands alone again; `false` if it does anyway.
    pub(super) fn end_follow_up(&mut self) -> bool {
        let ended = self.input.follows.take().is_some();
        if ended {
            self.say(Severity::Note, "The next question stands alone; nothing is carried over.");
        }
        ended
    }

    /// Shows or folds what else the evidence holds.
    pub(super) fn unfold_answer(&mut self) {
        if self.run.trace.answer.more.is_empty() && self.folded_lines() == 0 {
            self.say(Severity::Note, "The answer has nothing folded.");
            return;
        }
        self.selection.unfolded = !self.selection.unfolded;
    }
}
