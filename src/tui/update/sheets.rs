//! Opening and closing what lies over the panes; and what Esc ends, where nothing does.

use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::form::TeachingForm;
use crate::tui::keymap::Context;

impl App {
    /// Where the keys hold that the help explains first: on the sheet that it lies over, or in the panes.
    pub(crate) fn contexts_below_the_help(&self) -> Vec<Context> {
        match &self.sheets.below_help {
            Some(sheet) => vec![of_sheet(sheet)],
            None => self.contexts_below_the_sheet(),
        }
    }

    /// Opens a sheet, or closes it where it is open.
    pub(super) fn toggle(&mut self, overlay: Overlay, is_it: impl Fn(&Overlay) -> bool) {
        self.sheets.offset = 0;
        let open = self.sheets.overlay.take();
        if open.as_ref().is_some_and(is_it) {
            self.close_sheet(open);
            return;
        }
        // The help comes back to what it lay over, but for a list to choose from.
        let comes_back = !matches!(open, Some(Overlay::Picker(_)));
        self.sheets.below_help = open.filter(|_| comes_back && matches!(overlay, Overlay::Help));
        self.sheets.overlay = Some(overlay);
    }

    /// A sheet was closed: what it lay over is there again.
    pub(super) fn close_sheet(&mut self, closed: Option<Overlay>) {
        let below = self.sheets.below_help.take();
        self.sheets.overlay = match closed {
            Some(Overlay::Help) => below,
            Some(Overlay::Picker(picker)) => picker.below.map(Overlay::Case),
            _ => None,
        };
        self.sheets.offset = 0;
    }

    /// Esc: closes what is open, ends what was begun, goes back.
    pub(super) fn close_or_stop(&mut self) {
        if let Some(form) = self.sheets.form.take() {
            let writes = matches!(form, TeachingForm::SaveAs { .. });
            self.say(Severity::Note, if writes { "Cancelled; nothing was written." } else { "Cancelled; nothing was recorded." });
        } else if self.selection.search.is_some() {
            self.give_up_search();
        } else if self.close_document() {
            // The list below it stays.
        } else if self.sheets.overlay.is_some() {
            let closed = self.sheets.overlay.take();
            self.close_sheet(closed);
        } else if self.selection.range.take().is_some() {
        } else if self.run.playback().is_some() {
            self.stop_playback();
        } else if self.is_running() || !self.run.is_at_rest() {
            self.stop_run();
        } else if self.layout.zoomed {
            self.layout.zoomed = false;
        } else if self.forget_search() || (self.is_in_editor() && self.end_follow_up()) {
            // Either has done all that Esc is to do.
        } else if self.is_at_tour() {
            self.end_tour();
        } else if self.shows_first_screen() {
            // There is nowhere to go back to but the run that was asked before.
            if !self.run.trace.id.is_empty() {
                self.layout.first_screen = false;
                self.layout.focus = Pane::Answer;
            }
        } else if let Some(back) = self.layout.back.take() {
            self.go_back_to(back);
        } else if self.layout.focus == Pane::Question {
            self.layout.focus = Pane::Answer;
        } else if self.side_by_side.is_some() {
            self.show_side_by_side();
        }
    }
}

/// Where the keys of a sheet hold.
pub(super) fn of_sheet(sheet: &Overlay) -> Context {
    match sheet {
        Overlay::Picker(_) => Context::Entry,
        Overlay::Review => Context::Review,
        Overlay::Learned => Context::Learned,
        Overlay::Settings(_) => Context::Settings,
        Overlay::Case(_) => Context::Case,
        Overlay::Passages(_) => Context::Passages,
        Overlay::Help | Overlay::Messages | Overlay::Text(_) => Context::Overlay,
    }
}
