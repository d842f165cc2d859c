//! What was learned: looking through its records, and undoing one.

use crate::tui::app::{App, Overlay, Weight};
use crate::tui::command::Teach;
use crate::tui::form::{Confirm, Then};

impl App {
    pub(super) fn open_lessons(&mut self) {
        if self.learning.is_none() {
            self.can_teach();
            return;
        }
        self.search = None;
        self.overlay = Some(Overlay::Lessons);
        self.lessons.awaited = true;
        self.teach(Teach::Lessons);
    }

    /// Asks whether what the selected record did is to be taken back.
    pub(super) fn ask_to_undo_record(&mut self) {
        if !self.can_teach() {
            return;
        }
        let Some(lesson) = self.lessons.selected() else { return };
        if lesson.void {
            let text = format!("Record {} is undone already; undo the record that undid it, and it holds again.", lesson.record);
            self.say(Weight::Note, text);
            return;
        }
        let text = vec![
            format!("{}: {}", lesson.record, lesson.text),
            "What it did is taken back by a new record; nothing is erased, and undoing that one brings it back.".to_owned(),
        ];
        self.confirm = Some(Confirm { title: "Undo this record?", text, then: Then::Undo(lesson.record) });
    }
}
