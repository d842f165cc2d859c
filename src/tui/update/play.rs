//! Playing a run again.

use std::sync::Arc;

use crate::run::Trace;
use crate::tui::app::{App, Weight};
use crate::tui::command::Command;
use crate::tui::playback::{Pace, Playing};

impl App {
    /// Plays the run on the screen again from its start.
    pub(super) fn play_again(&mut self) {
        if self.is_running() && self.playing.is_none() {
            self.say(Weight::Note, "The run is not over yet; it can be played again when it is.");
            return;
        }
        if self.tape.is_empty() {
            self.say(Weight::Note, "There is no run to play again.");
            return;
        }
        let tape = Arc::new(self.tape.clone());
        self.show_trace(&Trace::default());
        self.playing = Some(Playing::new(tape.len()));
        self.commands.push_back(Command::Play(tape));
    }

    pub(super) fn play_pause(&mut self) {
        let Some(playing) = &mut self.playing else { return };
        playing.halted = !playing.halted;
        let pace = if playing.halted { Pace::Halt } else { Pace::Go };
        self.commands.push_back(Command::Pace(pace));
    }

    pub(super) fn play_step(&mut self) {
        let Some(playing) = &mut self.playing else { return };
        playing.halted = true;
        self.commands.push_back(Command::Pace(Pace::Step));
    }

    pub(super) fn play_speed(&mut self, by: isize) {
        let Some(playing) = &mut self.playing else { return };
        let speed = playing.change(by);
        self.commands.push_back(Command::Pace(Pace::Speed(speed)));
    }

    /// Ends what is played: the whole run is shown.
    pub(super) fn stop_playing(&mut self) {
        self.playing = None;
        if let Some(run) = &self.run {
            run.cancel.cancel();
        }
        self.run = None;
        let whole = Trace::fold(&self.tape);
        self.show_trace(&whole);
        self.settle();
    }
}
