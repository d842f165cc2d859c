//! Replaying a run: pausing, stepping, speed.

use std::sync::Arc;

use crate::run::Trace;
use crate::tui::app::{App, RunState, Severity};
use crate::tui::effects::Effect;
use crate::tui::playback::{Playback, PlaybackControl};

impl App {
    /// Plays the run on the screen again from its start.
    pub(super) fn play_again(&mut self) {
        if matches!(self.run.state, RunState::Running(_)) {
            self.say(Severity::Note, "The run is not finished yet; you can replay it when it is.");
            return;
        }
        if self.run.recorded.is_empty() {
            self.say(Severity::Note, "There is no run to replay.");
            return;
        }
        let recorded = Arc::new(self.run.recorded.clone());
        self.run.state = RunState::Replaying { playback: Playback::new(recorded.len()), run: None };
        self.show_trace(&Trace::default());
        self.effects.push_back(Effect::Play(recorded));
    }

    pub(super) fn play_pause(&mut self) {
        let Some(playback) = self.run.playback_mut() else { return };
        playback.paused = !playback.paused;
        let control = if playback.paused { PlaybackControl::Pause } else { PlaybackControl::Resume };
        self.effects.push_back(Effect::Playback(control));
    }

    pub(super) fn play_step(&mut self) {
        let Some(playback) = self.run.playback_mut() else { return };
        playback.paused = true;
        self.effects.push_back(Effect::Playback(PlaybackControl::Step));
    }

    pub(super) fn play_speed(&mut self, by: isize) {
        let Some(playback) = self.run.playback_mut() else { return };
        let speed = playback.change(by);
        self.effects.push_back(Effect::Playback(PlaybackControl::Speed(speed)));
    }

    /// Ends the replay and shows the whole run.
    pub(super) fn stop_playback(&mut self) {
        if let Some(active) = self.run.active() {
            active.cancel.cancel();
        }
        self.run.state = RunState::Settled { run: None };
        let whole = Trace::fold(&self.run.recorded);
        self.show_trace(&whole);
        self.settle();
    }
}
