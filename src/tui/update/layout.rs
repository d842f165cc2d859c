//! The layouts and the language of the screen, and the stages of the demo.

use crate::config::LanguageChoice;
use crate::run::{EventKind, Stage};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Severity};
use crate::tui::effects::Effect;
use crate::tui::keymap::Context;
use crate::tui::screen_layout::ScreenLayout;
use crate::tui::tour::Tour;
use crate::words::{Language, words};

/// The stages of the demo, in the order in which they are told.
pub(crate) const DEMO_STAGES: [Pane; 8] =
    [Pane::Question, Pane::Hypothesis, Pane::Anchors, Pane::Chains, Pane::Kept, Pane::Answer, Pane::Why, Pane::Graph];

impl App {
    /// Changes to the next layout, and remembers it.
    pub(super) fn next_layout(&mut self) {
        if self.end_tour() {
            return;
        }
        let next = self.layout.arrangement.next();
        self.layout.arrangement = next;
        self.layout.zoomed = false;
        self.layout.presents_question = false;
        if self.is_demo() && !self.run.trace.id.is_empty() {
            // A demo begins at the beginning, and what was done before is no part of it.
            self.sheets.put_messages_away();
            self.show_stage(Pane::Question);
        } else if !self.shows_first_screen() && !self.run.trace.id.is_empty() {
            self.layout.focus = Pane::Answer;
        }
        if !self.is_demo() {
            self.tour = None;
        }
        // The answer is seen from its beginning, as far as what is selected stays in sight.
        self.selection.answer.offset = 0;
        self.sheets.passing = Some(format!("Layout: {}", next.described()));
        self.effects.push_back(Effect::RememberLayout(next));
    }

    /// Switches between English and Chinese; from now on the language no longer follows the question. Answers keep that of theirs.
    pub(super) fn next_language(&mut self) {
        self.look.language = match self.language {
            Language::English => LanguageChoice::Chinese,
            Language::Chinese => LanguageChoice::English,
        };
        self.find_language();
        let key = self.input.keymap.key_of(Action::NextLanguage, Context::Anywhere);
        let mut said = words!(self.language, "The screen is now in English. Press {key} for Chinese.", key = key);
        // Half of a mixed screen looks like a fault.
        let asked = &self.run.trace.question;
        if !asked.is_empty() && Language::of(LanguageChoice::Auto, asked) != self.language {
            said.push_str(words!(self.language, " The answer stays in the language of its question."));
        }
        self.run.version += 1;
        self.say(Severity::Note, said);
    }

    /// Says that the language of the screen follows that of the question, where it has just changed with it.
    pub(super) fn tell_language(&mut self) {
        self.find_language();
        if self.look.language == LanguageChoice::Auto && self.language != self.look.asked_in {
            let key = self.input.keymap.key_of(Action::NextLanguage, Context::Anywhere);
            let said = words!(self.language, "The screen is in the language of the question; {key} changes it.", key = key);
            self.sheets.passing = Some(said);
        }
        self.look.asked_in = self.language;
    }

    /// Begins the tour: the recording as it stands at its end, a step at a time.
    pub(crate) fn begin_tour(&mut self) {
        self.stop_playback();
        self.tour = Some(Tour::default());
        self.layout.arrangement = ScreenLayout::Demo;
        self.step_tour(0);
    }

    /// What a key does in a run of one's own, where the tour names it.
    pub(super) fn said_in_tour(&self, key: &str) -> Option<String> {
        let tour = self.tour.filter(|_| self.sheets.overlay.is_none() && self.sheets.form.is_none() && self.selection.search.is_none())?;
        tour.would_do(key, &self.input.keymap, self.language)
    }

    /// Goes back to the first step of the tour; `false` if there is none.
    pub(super) fn restart_tour(&mut self) -> bool {
        self.tour = self.tour.map(|_| Tour::default());
        self.step_tour(0)
    }

    /// So many steps on in the tour; `false` if there is none.
    fn step_tour(&mut self, by: isize) -> bool {
        let Some(tour) = self.tour else { return false };
        let tour = tour.step(by);
        self.tour = Some(tour);
        self.show_stage(tour.pane());
        true
    }

    /// Shows a stage of the demo.
    pub(super) fn show_stage(&mut self, pane: Pane) {
        self.layout.focus = pane;
        self.layout.presents_question = pane == Pane::Question;
        // Whoever is shown the answer wants to see how it begins, not where its reader was.
        if pane == Pane::Answer {
            self.read_from_start();
        }
        // What is explained there is a line of the answer, by a chain that it cites.
        if pane == Pane::Why && self.cited_by_line().is_empty() {
            let cites = |line: &usize| self.run.trace.answer.lines.get(*line).is_some_and(|line| !line.citations.is_empty());
            if let Some(line) = self.listed_lines().into_iter().find(cites) {
                self.select_answer_line(line);
            }
        }
    }

    /// The stage `step` places on in the demo; it ends at both ends.
    pub(super) fn step_stage(&mut self, step: isize) {
        if self.step_tour(step) {
            return;
        }
        let at = DEMO_STAGES.iter().position(|pane| *pane == self.layout.focus).unwrap_or(0);
        let to = at.saturating_add_signed(step).min(DEMO_STAGES.len() - 1);
        if to == at && step > 0 {
            let key = |action, context| self.input.keymap.key_of(action, context);
            let (back, layout) = (key(Action::StagePrevious, Context::Demo), key(Action::NextLayout, Context::Panes));
            let said = words!(
                self.language,
                "This is the last stage. {back} shows the previous stage; {layout} ends the demo.",
                back = back,
                layout = layout
            );
            self.sheets.passing = Some(said);
        }
        self.show_stage(DEMO_STAGES[to]);
    }

    /// One step on: of the recording while one is played, else of the stages.
    pub(super) fn step_demo(&mut self) {
        if self.run.playback().is_some() {
            self.play_stage();
        } else {
            self.step_stage(1);
        }
    }

    /// While a recording is played, the demo shows the stage that is over.
    pub(super) fn follow_stage(&mut self, what: &EventKind) {
        if !self.is_demo() || self.run.playback().is_none() {
            return;
        }
        match what {
            EventKind::RunStarted { .. } => self.show_stage(Pane::Question),
            EventKind::StageFinished { stage, .. } => self.show_stage(match stage {
                Stage::Hypothesis => Pane::Hypothesis,
                Stage::Recognise | Stage::Link => Pane::Anchors,
                Stage::Search => Pane::Chains,
                Stage::Prune => Pane::Kept,
                Stage::Read => Pane::Answer,
            }),
            _ => {}
        }
    }
}
