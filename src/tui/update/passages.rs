//! Passages of documents: listing them, opening the stored document, and deciding about them. A decision has the answer read again from what is left.

use super::scroll::ScrollStep;
use crate::run::{PassageId, QuotedPassage, StoredDocument, Triage};
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::effects::Effect;
use crate::tui::passage_sheet::{OpenDocument, PassageSheet};

impl App {
    /// Opens the list of passages, at the one that the selected line of the answer cites.
    pub(super) fn open_passages(&mut self) {
        if self.run.trace.passages.is_empty() {
            let why = if self.run.trace.id.is_empty() || self.is_running() {
                "There are no passages yet."
            } else {
                "This answer rests on the graph alone. `catena docs use` chooses documents whose passages answers cite."
            };
            self.say(Severity::Note, why);
            return;
        }
        let line = self.run.trace.answer.lines.get(self.selection.answer.selected);
        let cited = line.and_then(|line| line.passages.first()).map_or(0, |id| id.place());
        let mut sheet = PassageSheet::default();
        sheet.at.selected = cited;
        self.sheets.overlay = Some(Overlay::Passages(Box::new(sheet)));
    }

    /// Closes the document that is open over the list; `false` if none is.
    pub(super) fn close_document(&mut self) -> bool {
        match &mut self.sheets.overlay {
            Some(Overlay::Passages(sheet)) => sheet.open.take().is_some(),
            _ => false,
        }
    }

    fn selected_passage(&self) -> Option<(PassageId, QuotedPassage)> {
        let Some(Overlay::Passages(sheet)) = &self.sheets.overlay else { return None };
        let passage = self.run.trace.passages.get(sheet.at.selected)?;
        Some((PassageId::at(sheet.at.selected), passage.clone()))
    }

    /// Shows the stored document at the selected passage.
    pub(super) fn open_document(&mut self) {
        if self.close_document() {
            return;
        }
        let Some((_, passage)) = self.selected_passage() else { return };
        if !self.engine.is_ready() {
            self.say(Severity::Note, "Documents can be opened once the graph is open; a replay of a file has none.");
            return;
        }
        self.effects.push_back(Effect::OpenDocument(Box::new(passage)));
    }

    /// The stored document of a passage has arrived.
    pub(super) fn show_document(&mut self, passage: &QuotedPassage, document: Option<&StoredDocument>) {
        let Some(Overlay::Passages(sheet)) = &mut self.sheets.overlay else { return };
        sheet.open = document.and_then(|document| OpenDocument::at(document, passage));
        if sheet.open.is_none() {
            let why = "The document is not among those in use, or no longer holds this passage. The list shows the passage as it was.";
            self.say(Severity::Note, why);
        }
    }

    /// Copies the address of the selected passage's document; it is never opened.
    pub(super) fn copy_address(&mut self) {
        let Some((_, passage)) = self.selected_passage() else { return };
        let url = crate::text::sanitise_line(&passage.url);
        if url.is_empty() {
            self.say(Severity::Note, "The document has no address.");
            return;
        }
        self.effects.push_back(Effect::Copy(url));
        self.say(Severity::Note, "The document's address is copied.");
    }

    pub(super) fn pin_passage(&mut self) {
        let Some((id, passage)) = self.selected_passage() else { return };
        let key = passage.key();
        let pinned = self.run.decisions.wanted.pinned_passages.contains(&key);
        let said = if pinned { format!("{id} is no longer pinned.") } else { format!("{id} is pinned: the answer quotes it.") };
        self.decide(said, |triage: &mut Triage| if pinned { triage.forget_passage(&key) } else { triage.pin_passage(key) });
    }

    pub(super) fn reject_passage(&mut self) {
        let Some((id, passage)) = self.selected_passage() else { return };
        let key = passage.key();
        let rejected = self.run.decisions.wanted.rejected_passages.contains(&key);
        let said = if rejected { format!("{id} may be cited again.") } else { format!("{id} is rejected; the answer is made without it.") };
        self.decide(said, |triage: &mut Triage| if rejected { triage.forget_passage(&key) } else { triage.reject_passage(key) });
    }

    pub(super) fn restore_passage(&mut self) {
        let Some((id, passage)) = self.selected_passage() else { return };
        self.decide(format!("Your decision about {id} is cleared."), |triage: &mut Triage| triage.forget_passage(&passage.key()));
    }

    /// Scrolls the open document, or moves the selection; `false` if the list is not open.
    pub(super) fn scroll_passages(&mut self, step: ScrollStep) -> bool {
        let (rows, height) = (self.layout.frame.sheet_rows, self.layout.frame.sheet_height);
        let count = self.run.trace.passages.len();
        let Some(Overlay::Passages(sheet)) = &mut self.sheets.overlay else { return false };
        match &mut sheet.open {
            Some(open) => open.offset = Some(step.scrolled(open.offset.unwrap_or(0), rows, height)),
            // A passage takes several rows.
            None => sheet.at.selected = step.from(sheet.at.selected, count, (height / 3).max(1)),
        }
        true
    }
}
