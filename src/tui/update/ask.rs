//! Asking and stopping.

use crate::run::{EngineInfo, RunHandle, Trace};
use crate::text::sanitise;
use crate::tui::action::Pane;
use crate::tui::app::{App, Engine, ListAt, Run, Weight};
use crate::tui::command::Command;
use crate::tui::examples::EXAMPLES;
use crate::tui::verdicts::Verdicts;

impl App {
    pub(super) fn ask_editor(&mut self) {
        if self.editor.is_blank() {
            self.say(Weight::Note, "Nothing to ask yet: type a question first.");
            return;
        }
        let question = self.editor.text();
        self.ask(&question);
    }

    pub(super) fn ask_example(&mut self, number: u8) {
        if let Some(example) = usize::from(number).checked_sub(1).and_then(|at| EXAMPLES.get(at)) {
            self.editor.set_text(example.question);
            self.ask(example.question);
        }
    }

    fn ask(&mut self, question: &str) {
        match &self.engine {
            Engine::Failed(reason) => {
                let text = format!("Nothing can be asked: the graph could not be opened ({reason}).");
                self.say(Weight::Error, text);
                return;
            }
            Engine::Recording => {
                self.say(Weight::Note, "This is a recording. Start Catena without one to ask questions.");
                return;
            }
            Engine::Opening | Engine::Ready => {}
        }
        self.stop_run();
        self.run = None;
        self.trace = Trace::default();
        self.trace.question = sanitise(question).into_owned();
        self.forget_places();
        self.first_screen = false;
        self.overlay = None;
        self.zoomed = false;
        self.focus = Pane::Answer;
        self.messages.clear();
        self.editor.remember(question);
        self.commands.push_back(Command::Remember(question.to_owned()));
        if self.engine == Engine::Opening {
            self.waiting = Some(question.to_owned());
        } else {
            self.commands.push_back(Command::Ask(question.to_owned()));
        }
    }

    pub(super) fn forget_places(&mut self) {
        self.chain = None;
        self.explained = None;
        self.playing = None;
        self.tape = Vec::new();
        self.settled_tape = 0;
        self.range = None;
        self.search = None;
        self.list.forget();
        self.list.filter.clear();
        self.anchor_filter.clear();
        self.kept_filter.clear();
        self.decisions.forget();
        self.verdicts = Verdicts::default();
        self.picture_stale = true;
        self.cited.clear();
        self.highlighted.clear();
        self.heard = self.now;
        self.stale = false;
        for list in [&mut self.anchors, &mut self.chains, &mut self.kept, &mut self.answer] {
            *list = ListAt::default();
        }
        self.hypothesis_offset = 0;
        self.why_offset = 0;
        self.version += 1;
        self.marks_stale = true;
        self.dirty = true;
    }

    /// A run that was asked for begins in the background; which of the wishes for one.
    pub(crate) fn run_starts(&mut self, asked: u64) {
        self.starting = Some(asked);
    }

    /// The run that was asked for has begun.
    pub fn run_began(&mut self, handle: RunHandle) {
        self.starting = None;
        self.run = Some(Run { id: handle.id, cancel: handle.cancel, began: self.now, stopped: None });
        self.dirty = true;
    }

    /// Stops the run at once: whatever it still sends is not taken.
    pub(super) fn stop_run(&mut self) {
        self.dirty = true;
        let running = self.is_running();
        if self.starting.take().is_some() {
            self.say(Weight::Note, "Stopped before it began.");
        }
        if self.waiting.take().is_some() {
            self.say(Weight::Note, "Stopped before the graph was open.");
        }
        // A question that the loop has not passed on yet need not be passed on.
        self.commands.retain(|command| !matches!(command, Command::Ask(_)));
        if let Some(run) = self.run.as_mut().filter(|_| running) {
            run.cancel.cancel();
            run.stopped = Some(self.now);
            match self.decisions.settled.clone().filter(|settled| settled.id == self.trace.id) {
                // What a revision was to bring about is no longer wanted; the run stands as before.
                Some(settled) => {
                    self.decisions.give_up();
                    self.tape.truncate(self.settled_tape);
                    self.run = None;
                    self.show_trace(&settled);
                    self.say(Weight::Note, "Stopped. Everything is as it was before.");
                }
                None => self.say(Weight::Note, "Stopped. What had been found by then is shown."),
            }
        }
    }

    /// The engine is open, or could not be opened.
    pub fn engine_opened(&mut self, opened: Result<EngineInfo, String>) {
        self.dirty = true;
        match opened {
            Ok(info) => {
                for notice in &info.notices {
                    self.say(Weight::Warning, notice.clone());
                }
                self.info = Some(info);
                self.engine = Engine::Ready;
                if let Some(question) = self.waiting.take() {
                    self.commands.push_back(Command::Ask(question));
                }
            }
            Err(reason) => {
                self.waiting = None;
                self.first_screen = true;
                self.focus = Pane::Question;
                self.say(Weight::Error, format!("The graph could not be opened: {reason}."));
                self.engine = Engine::Failed(reason);
            }
        }
    }
}
