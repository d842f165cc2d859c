//! Two runs beside each other: from question to question, into one of the runs and back.

use super::scroll::Step;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay, Weight};
use crate::tui::keymap::Context;
use crate::tui::picker::{Choice, Item, Offer, Picker};

impl App {
    /// Whether an action is not for the screen with two runs on it: those of the panes are about one run. Says so.
    pub(super) fn is_barred(&mut self, action: Action) -> bool {
        use Action::{
            Beside, Down, First, FocusNext, FocusPrevious, Help, Last, Messages, NextPair, NextTheme, OpenFirst, OpenSecond, PageDown,
            PageUp, Pairs, Palette, PreviousPair, Quit, Stop, Up,
        };
        if !self.is_beside() || self.overlay.is_some() {
            return false;
        }
        match action {
            Beside | Down | First | Help | Last | Messages | NextPair | NextTheme | OpenFirst | OpenSecond | PageDown | PageUp | Pairs
            | Palette | PreviousPair | Quit | Up => false,
            // There is nothing to close.
            Stop => true,
            FocusNext | FocusPrevious => {
                self.go_to_other_run();
                true
            }
            Action::Focus(pane) => {
                self.open_side(0);
                self.focus = pane;
                true
            }
            _ => {
                let [first, second] = [OpenFirst, OpenSecond].map(|action| self.keymap.key_of(action, Context::Beside));
                self.say(Weight::Note, format!("That is done in one run. Open one of the two first: {first} or {second}."));
                true
            }
        }
    }

    /// Goes on or back by so many questions. Where one run is in the panes, the same method's of the other question follows.
    pub(super) fn step_pair(&mut self, by: isize) {
        let Some(beside) = &self.beside else { return self.say_no_pairs() };
        let (at, in_panes, opened) = (beside.at(), beside.in_panes, beside.opened);
        match at.checked_add_signed(by).filter(|to| *to < beside.pairs().len()) {
            Some(to) => {
                let (focus, zoomed) = (self.focus, self.zoomed);
                self.go_to_pair(to);
                if let Some((_, side)) = opened.filter(|_| in_panes) {
                    self.open_side(side);
                    (self.focus, self.zoomed) = (focus, zoomed);
                }
            }
            None => self.say(Weight::Note, if by < 0 { "This is the first question." } else { "This is the last question." }),
        }
    }

    /// Shows both runs of a question.
    pub(super) fn go_to_pair(&mut self, at: usize) {
        if self.beside.as_mut().is_some_and(|beside| beside.go_to(at)) {
            self.show_beside();
        }
    }

    /// Opens a run in the panes. Of another question than the one before, places and filters begin anew.
    pub(super) fn open_side(&mut self, side: usize) {
        let Some(beside) = &mut self.beside else { return self.say_no_pairs() };
        let place = (beside.at(), side);
        let events = beside.pair().events(side).to_vec();
        if events.is_empty() {
            let text = format!("Nothing was recorded of the run of {}.", beside.pair().names[side % 2]);
            self.say(Weight::Note, text);
            return;
        }
        let before = beside.opened.replace(place);
        let from_panes = std::mem::replace(&mut beside.in_panes, true);
        if before == Some(place) {
            return;
        }
        let (focus, zoomed) = (self.focus, self.zoomed);
        self.end_playing();
        // Of the other run of the same question, what was looked at stays as far as it is there.
        if before.map(|(at, _)| at) != Some(place.0) {
            self.forget_places();
        }
        self.open_run(events);
        if from_panes {
            (self.focus, self.zoomed) = (focus, zoomed);
        }
    }

    /// Changes to the other run of the question in the panes.
    pub(super) fn open_other(&mut self) {
        match self.beside.as_ref().map(|beside| beside.opened) {
            Some(Some((_, side))) => self.open_side(1 - side.min(1)),
            Some(None) => self.open_side(0),
            None => self.say_no_pairs(),
        }
    }

    /// Goes back to both runs.
    pub(super) fn show_beside(&mut self) {
        if self.beside.is_none() {
            return self.say_no_pairs();
        }
        self.end_playing();
        self.search = None;
        self.range = None;
        self.overlay = None;
        if let Some(beside) = &mut self.beside {
            beside.in_panes = false;
        }
        self.dirty = true;
    }

    /// Lists all questions, the one that is looked at selected.
    pub(super) fn choose_pair(&mut self) {
        let Some(beside) = &self.beside else { return self.say_no_pairs() };
        let item = |(number, pair): (usize, &crate::tui::Pair)| Item {
            label: pair.title.clone(),
            detail: pair.question().to_owned(),
            aside: pair.shares.join("  "),
            choice: Choice::Pair(number),
        };
        let mut picker = Picker::new(Offer::Pairs, beside.pairs().iter().enumerate().map(item).collect());
        picker.at.selected = beside.at();
        self.overlay = Some(Overlay::Picker(Box::new(picker)));
    }

    pub(super) fn scroll_beside(&mut self, step: Step) {
        self.dirty = true;
        let (rows, height) = (self.memory.beside.rows, self.memory.beside.height);
        if let Some(beside) = &mut self.beside {
            beside.offset = step.scrolled(beside.offset, rows, height);
        }
    }

    /// Scrolls to the run that is not at the top, where one stands under the other.
    fn go_to_other_run(&mut self) {
        let memory = &self.memory.beside;
        let (Some(beside), Some(second)) = (&mut self.beside, memory.second) else { return };
        let lowest = memory.rows.saturating_sub(memory.height);
        beside.offset = if beside.offset < second.min(lowest) { second.min(lowest) } else { 0 };
        self.dirty = true;
    }

    fn end_playing(&mut self) {
        if self.playing.is_some() {
            self.stop_playing();
        }
    }

    fn say_no_pairs(&mut self) {
        self.say(Weight::Note, "There are no two runs to look at beside each other here; `catena eval` opens them with --open.");
    }
}
