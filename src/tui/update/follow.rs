//! Following a run: its events change the trace, and the screen's places with it.

use std::sync::Arc;

use crate::run::{ChainKey, Event, EventKind, Outcome, Stage, StageState, Trace};
use crate::tui::action::Pane;
use crate::tui::app::{App, Engine, ListAt, Weight};
use crate::tui::command::{Command, Grammar};
use crate::tui::verdicts::Verdicts;

impl App {
    /// Takes in an event of a run. Events of a run that is not on the screen, or that was stopped, are dropped.
    pub fn on_event(&mut self, event: &Event) {
        match &self.run {
            Some(run) if *run.id == *event.run && run.stopped.is_none() => {}
            _ => return,
        }
        let warnings = self.trace.warnings.len();
        self.trace.apply(event);
        self.heard = self.now;
        match &mut self.playing {
            Some(playing) => playing.at += 1,
            None if matches!(event.what, EventKind::RunStarted { .. }) => self.tape = vec![event.clone()],
            None => self.tape.push(event.clone()),
        }
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
            EventKind::ChainsFound { .. } => self.chains_changed(),
            EventKind::ChainsPruned { .. } => {
                self.picture_stale = true;
                self.list.arrange(&self.trace.table, &self.trace.pruning);
                self.verdicts = Verdicts::of(&self.trace, &self.trace.triage);
                self.evidence_changed();
                match self.chain {
                    Some(chain) => self.select_chain(chain),
                    None => self.select_best(),
                }
            }
            EventKind::Revised { .. } => {
                self.marks_stale = true;
                self.verdicts = Verdicts::of(&self.trace, &self.trace.triage);
            }
            EventKind::AnswerFinished { .. } => {
                if self.trace.answer.by_model {
                    let text = self.trace.answer.text.clone();
                    self.commands.push_back(Command::Highlight { title: None, text, grammar: Grammar::Markdown });
                }
                self.highlighted.clear();
                self.picture_stale = true;
                self.evidence_changed();
                self.marks_stale = true;
                match self.chain {
                    // Whoever is in the chains already keeps what is selected.
                    Some(chain) if self.focus != Pane::Answer => self.select_chain(chain),
                    _ => self.select_answer_line(0),
                }
            }
            EventKind::RunFinished { outcome, .. } => {
                if let Outcome::Failed { message } = outcome {
                    self.say(Weight::Error, message.clone());
                }
                self.finished();
            }
            _ => {}
        }
        for warning in self.trace.warnings.get(warnings..).unwrap_or_default().to_vec() {
            self.say(Weight::Warning, warning);
        }
    }

    /// Answer or kept chains have changed.
    fn evidence_changed(&mut self) {
        self.look_up_citations();
        self.stale = self.trace.is_stale();
    }

    /// Other chains were found: the selected one stays selected if it is among them.
    fn chains_changed(&mut self) {
        self.marks_stale = true;
        self.list.forget();
        self.list.arrange(&self.trace.table, &self.trace.pruning);
        self.range = None;
        self.verdicts = Verdicts::of(&self.trace, &self.trace.triage);
        let before = self.decisions.settled.as_ref().zip(self.chain);
        let key = before.and_then(|(settled, chain)| Some(ChainKey::of(&settled.table, settled.table.chains.get(chain as usize)?)));
        self.chain = key.and_then(|key| self.place_of(&key));
        if self.chain.is_none() {
            self.chains = ListAt::default();
        }
    }

    /// The run, or its revision, is over.
    fn finished(&mut self) {
        if self.playing.is_some_and(|playing| playing.is_over()) {
            self.playing = None;
        } else if self.playing.is_some() {
            return;
        }
        if self.trace.outcome == Some(Outcome::Cancelled) && self.decisions.settled.is_some() {
            return;
        }
        if matches!(self.trace.stage(Stage::Read), StageState::Done { .. }) && !self.stale {
            self.decisions.reread = false;
        }
        self.settle();
        // What was decided while the run went on, or a wish to read anew, is due now.
        if self.engine == Engine::Ready && self.decisions.due().is_some() {
            self.carry_on();
        }
    }

    /// From here the run can be triaged.
    pub(super) fn settle(&mut self) {
        let news = self.tape.get(self.settled_tape..).unwrap_or_default();
        if self.engine != Engine::Recording && !news.is_empty() {
            self.commands.push_back(Command::Record(news.to_vec()));
        }
        self.settled_tape = self.tape.len();
        self.decisions.settle(Arc::new(self.trace.clone()));
        self.explained = None;
        if let Some(chain) = self.chain {
            self.select_chain(chain);
        }
    }

    /// Shows another trace than the one that was followed.
    pub(super) fn show_trace(&mut self, trace: &Trace) {
        let key = self.chain.and_then(|chain| Some(ChainKey::of(&self.trace.table, self.trace.table.chains.get(chain as usize)?)));
        self.trace = trace.clone();
        self.highlighted.clear();
        if self.trace.answer.by_model {
            let text = self.trace.answer.text.clone();
            self.commands.push_back(Command::Highlight { title: None, text, grammar: Grammar::Markdown });
        }
        self.picture_stale = true;
        self.version += 1;
        self.marks_stale = true;
        self.dirty = true;
        self.explained = None;
        self.list.forget();
        self.list.arrange(&self.trace.table, &self.trace.pruning);
        self.verdicts = Verdicts::of(&self.trace, &self.trace.triage);
        self.evidence_changed();
        self.chain = key.and_then(|key| self.place_of(&key));
        match self.chain {
            Some(chain) => self.select_chain(chain),
            None => self.select_best(),
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
