//! The tour inside the program: it begins from the list of actions, and leads back to what was on the screen before. And leaving Catena.

use crate::tui::action::Pane;
use crate::tui::app::{App, Severity};
use crate::tui::tour::{BeforeTour, recording};
use crate::words::words;

/// Why nothing is decided, taught or rated in the tour.
pub(super) const NOTHING_CHANGES: &str = "Nothing changes in the tour. Leave it first: it leads back to your own run.";

impl App {
    /// Begins the tour on its recorded run; what is on the screen comes back at its end.
    pub(super) fn start_tour(&mut self) {
        if self.restart_tour() {
            return;
        }
        if self.engine.is_recording() {
            self.say(Severity::Note, "Only a recording is open here. To take the tour, leave it and run “catena tour”.");
            return;
        }
        if !self.run.is_at_rest() {
            self.say(Severity::Note, "The run is not finished yet; you can take the tour when it is.");
            return;
        }
        let events = match recording() {
            Ok(events) => events,
            Err(error) => return self.say(Severity::Warning, format!("The tour could not be opened: {error}.")),
        };
        let before = BeforeTour {
            run: std::mem::take(&mut self.run),
            selection: std::mem::take(&mut self.selection),
            arrangement: self.layout.arrangement,
            focus: self.layout.focus,
            first_screen: self.layout.first_screen,
            question: self.input.editor.text(),
            follows: self.input.follows.take(),
        };
        let version = before.run.version;
        self.before_tour = Some(Box::new(before));
        self.sheets.overlay = None;
        self.open_run(events);
        // Texts that were made from the other run are made again.
        self.run.version = self.run.version.wrapping_add(version).wrapping_add(1);
        self.sheets.put_messages_away();
        self.begin_tour();
    }

    /// Ends the tour that was begun inside the program: what was on the screen before is there again. `false` if there is none.
    pub(super) fn end_tour(&mut self) -> bool {
        let Some(before) = self.before_tour.take() else { return false };
        let version = self.run.version.wrapping_add(1);
        self.tour = None;
        self.run = before.run;
        self.run.version = version.max(self.run.version.wrapping_add(1));
        self.run.marks_stale = true;
        self.selection = before.selection;
        self.input.follows = before.follows;
        self.input.editor.set_text(&before.question);
        self.layout.arrangement = before.arrangement;
        self.layout.focus = before.focus;
        self.layout.first_screen = before.first_screen;
        self.layout.presents_question = false;
        self.layout.zoomed = false;
        self.layout.back = None;
        self.layout.drawing_stale = true;
        self.find_language();
        self.sheets.passing = Some(words!(self.language, "The tour is over.").to_owned());
        self.dirty = true;
        true
    }

    /// Leaves the tour, else Catena; warns once if a rating would be lost.
    pub(super) fn leave(&mut self) {
        if self.end_tour() {
            return;
        }
        if !self.teaching.ratings.is_empty() && !std::mem::replace(&mut self.teaching.warned_of_loss, true) {
            self.say(Severity::Warning, "Catena is still recording a rating. Press again to leave without it.");
            return;
        }
        self.stop_run();
        self.quit = true;
    }

    /// Whether Esc ends the tour: nothing is open in it, and it is not in the editor.
    pub(super) fn is_at_tour(&self) -> bool {
        self.before_tour.is_some() && self.layout.back.is_none() && !(self.layout.focus == Pane::Question && self.is_in_editor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tour::Tour;
    use crate::tui::{ScreenLayout, TuiOptions};

    #[test]
    fn the_tour_leads_back_to_what_was_there_before() {
        let mut app = App::new(&TuiOptions::default()).expect("the built-in keymap is sound");
        app.input.editor.set_text("half a question");
        app.start_tour();
        assert_eq!((app.tour, app.layout.arrangement), (Some(Tour::default()), ScreenLayout::Demo));
        assert!(!app.run.trace.answer.lines.is_empty() && !app.shows_first_screen());
        // Nothing can be decided or rated in it.
        assert!(!app.can_decide() && !app.can_teach());
        app.leave();
        assert!(app.tour.is_none() && app.run.trace.answer.lines.is_empty() && app.shows_first_screen() && !app.quit);
        assert_eq!(app.input.editor.text(), "half a question");
        app.leave();
        assert!(app.quit);
    }
}
