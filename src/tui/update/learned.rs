//! The learned triples: browsing the records, and undoing one.

use crate::tui::app::{App, Overlay, Severity};
use crate::tui::effects::DkgRequest;
use crate::tui::form::{Confirm, ConfirmedAction};

impl App {
    pub(super) fn open_learned(&mut self) {
        if self.teaching.status.is_none() {
            self.can_teach();
            return;
        }
        self.selection.search = None;
        self.sheets.overlay = Some(Overlay::Learned);
        self.teaching.learned.awaited = true;
        self.teach(DkgRequest::Learned);
    }

    /// Asks whether to undo the selected record.
    pub(super) fn ask_to_undo_record(&mut self) {
        if !self.can_teach() {
            return;
        }
        let Some(record) = self.teaching.learned.selected() else { return };
        if record.void {
            let text = format!("Record {} is already undone. To restore it, undo the record that undid it.", record.record);
            self.say(Severity::Note, text);
            return;
        }
        let text = vec![
            format!("{}: {}", record.record, record.text),
            "A new record undoes it. Nothing is erased: undo the new record to restore this one.".to_owned(),
        ];
        self.sheets.confirm = Some(Confirm { title: "Undo this record?", text, then: ConfirmedAction::Undo(record.record) });
    }
}
