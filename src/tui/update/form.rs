//! What was typed to teach is sent off, and questions are answered.

use crossterm::event::KeyEvent;

use crate::dkg::Rating;
use crate::feedback::GivenRating;
use crate::tui::action::Action;
use crate::tui::app::{App, Weight};
use crate::tui::command::Teach;
use crate::tui::form::{Confirm, Form, Then, written};
use crate::tui::keymap::{Context, Press};

impl App {
    /// Takes what was typed.
    pub(super) fn take_form(&mut self) {
        let Some(form) = self.form.take() else { return };
        match form {
            Form::Rate { trace, rating, comment } => {
                let given = GivenRating { comment: comment.text().trim().to_owned(), ..GivenRating::plain(rating) };
                self.send_rating(trace, given);
            }
            Form::Gold { trace, editor } => {
                let gold = written(&editor.text());
                if gold.is_empty() {
                    self.say(Weight::Note, "Nothing is written yet: put the answer behind the headings, or in words of your own.");
                    self.form = Some(Form::Gold { trace, editor });
                    return;
                }
                self.send_rating(trace, GivenRating { gold, ..GivenRating::plain(Rating::Gold) });
            }
            Form::Edit(form) => match form.triple() {
                Err(field) => {
                    self.say(Weight::Note, format!("The {field} says nothing yet."));
                    self.form = Some(Form::Edit(form));
                }
                Ok(_) if form.is_unchanged() => self.say(Weight::Note, "It says what it said before; nothing was recorded."),
                Ok((triple, other_relation)) => {
                    self.teach(Teach::Edit { proposal: form.id, triple: Box::new(triple), other_relation });
                }
            },
        }
    }

    /// A key answers a question: the one for yes, or any other for no.
    pub(super) fn answer_question(&mut self, key: KeyEvent) {
        let Some(Confirm { then, .. }) = self.confirm.take() else { return };
        match self.keymap.press(&[], key, &[Context::Confirm]) {
            Press::Act(Action::Accept) => match then {
                Then::Accept(ids) => self.carry_out_decision(true, ids),
                Then::Reject(ids) => self.carry_out_decision(false, ids),
                Then::Undo(record) => self.teach(Teach::Undo(record)),
            },
            Press::Act(Action::Quit) => self.act(Action::Quit),
            _ => self.say(Weight::Note, "No: nothing was changed."),
        }
    }
}
