//! Replaying a run: pausing, stepping, speed.

use std::sync::Arc;

use crate::run::Trace;
use crate::tui::action::Action;
use crate::tui::app::{App, RunState, Severity};
use crate::tui::effects::Effect;
use crate::tui::keymap::Context;
use crate::tui::playback::{Playback, PlaybackControl};
use crate::tui::replay;
use crate::tui::screen_layout::ScreenLayout;
use crate::tui::update::triage::REPLAY_PLAYS;
use crate::words::words;

/// Seconds for each stage of a run that is played again.
const SECONDS_A_STAGE: f64 = 1.0;

impl App {
    /// Plays the run on the screen again from its start.
    pub(super) fn play_again(&mut self) {
        if self.restart_tour() {
            return;
        }
        self.play_from_start(self.layout.arrangement == ScreenLayout::Demo);
    }

    fn play_from_start(&mut self, paused: bool) {
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
        // At its own speed a run of a few milliseconds is over before anyone has looked.
        let pace = replay::is_too_fast(&recorded).then_some(SECONDS_A_STAGE);
        if let Some(playback) = self.run.playback_mut() {
            playback.paused = paused;
        }
        self.effects.push_back(Effect::Play { recording: recorded, pace, paused });
    }

    pub(super) fn play_pause(&mut self) {
        if self.tour.is_some() {
            let key = self.input.keymap.key_of(Action::StageStep, Context::Demo);
            self.sheets.passing = Some(words!(self.language, "Nothing is played in the tour; {key} goes to its next step.", key = key));
            return;
        }
        if self.run.playback().is_none() {
            self.play_from_start(false);
            return;
        }
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

    /// Plays to the end of the next stage that the demo shows.
    pub(super) fn play_stage(&mut self) {
        let Some(playback) = self.run.playback_mut() else { return };
        playback.paused = true;
        self.effects.push_back(Effect::Playback(PlaybackControl::Stage));
    }

    pub(super) fn play_speed(&mut self, by: isize) {
        let Some(playback) = self.run.playback_mut() else { return };
        let speed = playback.change(by);
        self.effects.push_back(Effect::Playback(PlaybackControl::Speed(speed)));
    }

    /// Takes back what was said of a replay that is over.
    pub(super) fn forget_that_it_plays(&mut self) {
        self.sheets.messages.retain(|message| message.text != REPLAY_PLAYS);
    }

    /// Ends the replay and shows the whole run.
    pub(super) fn stop_playback(&mut self) {
        if let Some(active) = self.run.active() {
            active.cancel.cancel();
        }
        self.run.state = RunState::Settled { run: None };
        self.forget_that_it_plays();
        let whole = Trace::fold(&self.run.recorded);
        self.show_trace(&whole);
        self.settle();
    }
}
