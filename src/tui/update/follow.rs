//! Following a run: its events change the trace, and the screen's places with it.

use crate::pipeline::{Event, EventKind, Outcome};
use crate::tui::action::Pane;
use crate::tui::app::{App, Weight};

impl App {
    /// Takes in an event of a run. Events of a run that is not on the screen, or that was stopped, are dropped.
    pub fn on_event(&mut self, event: &Event) {
        match &self.run {
            Some(run) if *run.id == *event.run && run.stopped.is_none() => {}
            _ => return,
        }
        let warnings = self.trace.warnings.len();
        self.trace.apply(event);
        self.version += 1;
        self.dirty = true;
        match &event.what {
            EventKind::RunStarted { question, .. } => {
                self.marks_stale = true;
                if self.editor.is_blank() {
                    self.editor.set_text(question);
                }
            }
            EventKind::AnchorLinked { .. } => self.marks_stale = true,
            EventKind::ChainsFound { .. } => {
                self.marks_stale = true;
                self.chain = None;
                self.chains = Default::default();
            }
            EventKind::ChainsPruned { .. } => self.select_best(),
            EventKind::AnswerFinished { .. } => {
                self.marks_stale = true;
                match self.chain {
                    // Whoever is in the chains already keeps what is selected.
                    Some(chain) if self.focus != Pane::Answer => self.select_chain(chain),
                    _ => self.select_answer_line(0),
                }
            }
            EventKind::RunFinished { outcome: Outcome::Failed { message }, .. } => self.say(Weight::Error, message.clone()),
            _ => {}
        }
        for warning in self.trace.warnings.get(warnings..).unwrap_or_default().to_vec() {
            self.say(Weight::Warning, warning);
        }
    }

    /// Something in the background broke, and the run on the screen will not end by itself.
    pub fn on_background_failure(&mut self, message: &str) {
        self.say(Weight::Error, format!("An internal error: {message}."));
        if let Some(run) = self.run.as_mut().filter(|run| run.stopped.is_none()) {
            run.cancel.cancel();
            run.stopped = Some(self.now);
            if self.trace.outcome.is_none() {
                self.trace.outcome = Some(Outcome::Failed { message: message.to_owned() });
                self.version += 1;
            }
        }
    }
}
