//! Two runs side by side: from question to question, into one of the runs and back.

use super::scroll::ScrollStep;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::keymap::Context;
use crate::tui::picker::{Picker, PickerChoice, PickerItem, PickerKind};

impl App {
    /// Whether an action does not apply to two runs side by side; says so.
    pub(super) fn is_barred(&mut self, action: Action) -> bool {
        use Action::{
            Down, First, FocusNext, FocusPrevious, Help, Last, Messages, NextLanguage, NextPair, NextTheme, OpenFirst, OpenSecond,
            PageDown, PageUp, Pairs, Palette, PreviousPair, Quit, SideBySide, Stop, Up,
        };
        if !self.is_side_by_side() || self.sheets.overlay.is_some() {
            return false;
        }
        match action {
            SideBySide | Down | First | Help | Last | Messages | NextLanguage | NextPair | NextTheme | OpenFirst | OpenSecond
            | PageDown | PageUp | Pairs | Palette | PreviousPair | Quit | Up => false,
            // There is nothing to close.
            Stop => true,
            FocusNext | FocusPrevious => {
                self.go_to_other_run();
                true
            }
            Action::Focus(pane) => {
                self.open_side(0);
                self.layout.focus = pane;
                true
            }
            _ => {
                let [first, second] = [OpenFirst, OpenSecond].map(|action| self.input.keymap.key_of(action, Context::SideBySide));
                self.say(Severity::Note, format!("This works in a single run. Open one of the two first: {first} or {second}."));
                true
            }
        }
    }

    /// Goes this many questions on or back. Where one run is in the panes, the same method's run of the other question is shown.
    pub(super) fn step_pair(&mut self, by: isize) {
        let Some(runs) = &self.side_by_side else { return self.say_no_pairs() };
        let (at, in_panes, opened) = (runs.at(), runs.in_panes, runs.opened);
        match at.checked_add_signed(by).filter(|to| *to < runs.pairs().len()) {
            Some(to) => {
                let (focus, zoomed) = (self.layout.focus, self.layout.zoomed);
                self.go_to_pair(to);
                if let Some((_, side)) = opened.filter(|_| in_panes) {
                    self.open_side(side);
                    (self.layout.focus, self.layout.zoomed) = (focus, zoomed);
                }
            }
            None => self.say(Severity::Note, if by < 0 { "This is the first question." } else { "This is the last question." }),
        }
    }

    /// Shows both runs of a question.
    pub(super) fn go_to_pair(&mut self, at: usize) {
        if self.side_by_side.as_mut().is_some_and(|runs| runs.go_to(at)) {
            self.show_side_by_side();
        }
    }

    /// Opens a run in the panes. For another question, selection and filters are reset.
    pub(super) fn open_side(&mut self, side: usize) {
        let Some(runs) = &mut self.side_by_side else { return self.say_no_pairs() };
        let place = (runs.at(), side);
        let events = runs.pair().events(side).to_vec();
        if events.is_empty() {
            let text = format!("The run of {} was not recorded.", runs.pair().names[side % 2]);
            self.say(Severity::Note, text);
            return;
        }
        let before = runs.opened.replace(place);
        let from_panes = std::mem::replace(&mut runs.in_panes, true);
        if before == Some(place) {
            return;
        }
        let (focus, zoomed) = (self.layout.focus, self.layout.zoomed);
        self.end_playback();
        // Of the other run of the same question, what was looked at stays as far as it is there.
        if before.map(|(at, _)| at) != Some(place.0) {
            self.forget_run();
        }
        self.open_run(events);
        if from_panes {
            (self.layout.focus, self.layout.zoomed) = (focus, zoomed);
        }
    }

    /// Changes to the other run of the question in the panes.
    pub(super) fn open_other(&mut self) {
        match self.side_by_side.as_ref().map(|runs| runs.opened) {
            Some(Some((_, side))) => self.open_side(1 - side.min(1)),
            Some(None) => self.open_side(0),
            None => self.say_no_pairs(),
        }
    }

    /// Goes back to both runs.
    pub(super) fn show_side_by_side(&mut self) {
        if self.side_by_side.is_none() {
            return self.say_no_pairs();
        }
        self.end_playback();
        self.selection.search = None;
        self.selection.range = None;
        self.sheets.overlay = None;
        if let Some(runs) = &mut self.side_by_side {
            runs.in_panes = false;
        }
        self.dirty = true;
    }

    /// Lists all questions, the one that is looked at selected.
    pub(super) fn choose_pair(&mut self) {
        let Some(runs) = &self.side_by_side else { return self.say_no_pairs() };
        let item = |(number, pair): (usize, &crate::tui::RunPair)| PickerItem {
            label: pair.title.clone(),
            detail: pair.question().to_owned(),
            aside: pair.shares.join("  "),
            choice: PickerChoice::RunPair(number),
        };
        let mut picker = Picker::new(PickerKind::Pairs, runs.pairs().iter().enumerate().map(item).collect());
        picker.at.selected = runs.at();
        self.sheets.overlay = Some(Overlay::Picker(Box::new(picker)));
    }

    pub(super) fn scroll_side_by_side(&mut self, step: ScrollStep) {
        self.dirty = true;
        let (rows, height) = (self.layout.frame.side_by_side.rows, self.layout.frame.side_by_side.height);
        if let Some(runs) = &mut self.side_by_side {
            runs.offset = step.scrolled(runs.offset, rows, height);
        }
    }

    /// Scrolls to the run that is not at the top, where one stands under the other.
    fn go_to_other_run(&mut self) {
        let memory = &self.layout.frame.side_by_side;
        let (Some(runs), Some(second)) = (&mut self.side_by_side, memory.second) else { return };
        let lowest = memory.rows.saturating_sub(memory.height);
        runs.offset = if runs.offset < second.min(lowest) { second.min(lowest) } else { 0 };
        self.dirty = true;
    }

    fn end_playback(&mut self) {
        if self.run.playback().is_some() {
            self.stop_playback();
        }
    }

    fn say_no_pairs(&mut self) {
        self.say(Severity::Note, "There are no two runs to show side by side here; `catena eval` opens them with --open.");
    }
}
