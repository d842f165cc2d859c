//! Sends the forms that teach, and answers yes-or-no questions.

use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;

use crate::dkg::Rating;
use crate::feedback::GivenRating;
use crate::tui::action::Action;
use crate::tui::app::{App, Severity};
use crate::tui::effects::{DkgRequest, Effect};
use crate::tui::form::{Confirm, ConfirmedAction, TeachingForm, written};
use crate::tui::keymap::{Context, Press};

impl App {
    /// Takes what was typed.
    pub(super) fn take_form(&mut self) {
        let Some(form) = self.sheets.form.take() else { return };
        match form {
            TeachingForm::Rate { trace, rating, comment } => {
                let given = GivenRating { comment: comment.text().trim().to_owned(), ..GivenRating::plain(rating) };
                self.send_rating(trace, given);
            }
            TeachingForm::Gold { trace, editor } => {
                let gold = written(&editor.text());
                if gold.is_empty() {
                    self.say(Severity::Note, "Nothing is written yet: fill in the headings, or write in your own words.");
                    self.sheets.form = Some(TeachingForm::Gold { trace, editor });
                    return;
                }
                self.send_rating(trace, GivenRating { gold, ..GivenRating::plain(Rating::Gold) });
            }
            TeachingForm::Check(editor) => {
                let text = editor.text();
                if text.trim().is_empty() {
                    self.say(Severity::Note, "Nothing is written yet: paste or type a text.");
                    self.sheets.form = Some(TeachingForm::Check(editor));
                    return;
                }
                self.check_text(text);
            }
            TeachingForm::Teach(mut form) => {
                if form.go_on() {
                    self.teach(DkgRequest::Teach(form.fact()));
                } else {
                    self.sheets.form = Some(TeachingForm::Teach(form));
                }
            }
            TeachingForm::SaveAs { trace, format, path } => {
                let typed = path.text().trim().to_owned();
                if typed.is_empty() {
                    self.say(Severity::Note, "Type the name of a file, or press Esc.");
                    self.sheets.form = Some(TeachingForm::SaveAs { trace, format, path });
                    return;
                }
                self.effects.push_back(Effect::Export { trace, format, path: self.report_path(&typed) });
            }
            TeachingForm::Edit(form) => match form.triple() {
                Err(field) => {
                    self.say(Severity::Note, format!("The {field} is empty."));
                    self.sheets.form = Some(TeachingForm::Edit(form));
                }
                Ok(_) if form.is_unchanged() => self.say(Severity::Note, "No changes to save."),
                Ok((triple, other_relation)) => {
                    self.teach(DkgRequest::Edit { proposal: form.id, triple: Box::new(triple), other_relation });
                }
            },
        }
    }

    /// Where a report is written: a path from the folder in which Catena was started; `~` is the home folder.
    pub(crate) fn report_path(&self, typed: &str) -> PathBuf {
        match (typed.strip_prefix("~/"), std::env::var_os("HOME")) {
            (Some(rest), Some(home)) => Path::new(&home).join(rest),
            _ => self.reports.join(typed),
        }
    }

    /// A key answers a question: the one for yes, or any other for no.
    pub(super) fn answer_question(&mut self, key: KeyEvent) {
        let Some(Confirm { then, .. }) = self.sheets.confirm.take() else { return };
        match self.input.keymap.press(&[], key, &[Context::Confirm]) {
            Press::Act(Action::Accept) => match then {
                ConfirmedAction::Accept(ids) => self.carry_out_decision(true, ids),
                ConfirmedAction::Reject(ids) => self.carry_out_decision(false, ids),
                ConfirmedAction::Undo(record) => self.teach(DkgRequest::Undo(record)),
            },
            Press::Act(Action::Quit) => self.act(Action::Quit),
            _ => self.say(Severity::Note, "No: nothing has changed."),
        }
    }
}
