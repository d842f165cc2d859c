//! Asking and stopping.

use crate::run::{EngineInfo, RunHandle, Trace};
use crate::text::sanitise;
use crate::tui::action::Pane;
use crate::tui::app::{App, EngineState, RunState, Severity};
use crate::tui::effects::Effect;

impl App {
    pub(super) fn ask_editor(&mut self) {
        if self.input.editor.is_blank() {
            self.say(Severity::Note, "Nothing to ask yet: type a question first.");
            return;
        }
        let question = self.input.editor.text();
        // A lone digit on the first screen is the number of an example; no question is one digit.
        if let (true, Ok(number @ 1..=9)) = (self.shows_first_screen(), question.trim().parse::<u8>()) {
            self.ask_example(number);
            return;
        }
        self.ask(&question);
    }

    pub(super) fn ask_example(&mut self, number: u8) {
        self.input.follows = None;
        self.input.asks_again = false;
        let examples = self.engine.examples();
        // The numbers go on with the latest runs.
        if let Some(at) = usize::from(number).checked_sub(examples.len() + 1)
            && self.open_latest(at)
        {
            self.input.editor.set_text("");
            return;
        }
        if let Some(example) = usize::from(number).checked_sub(1).and_then(|at| examples.get(at)) {
            self.input.editor.set_text(&example.question);
            self.ask(&example.question);
        } else if examples.is_empty() {
            self.say(Severity::Note, "There is no example for this graph: it describes no condition.");
        } else {
            self.say(Severity::Note, format!("There is no example {number}: they are numbered 1 to {}.", examples.len()));
        }
    }

    fn ask(&mut self, question: &str) {
        self.end_tour();
        match &self.engine {
            EngineState::Failed(reason) => {
                let text = format!("You cannot ask anything: the graph could not be opened ({reason}).");
                self.say(Severity::Error, text);
                return;
            }
            EngineState::Recording => {
                self.say(Severity::Note, "This is a recording. To ask questions, start Catena without it.");
                return;
            }
            EngineState::Opening | EngineState::Ready(_) => {}
        }
        let follows = self.input.follows.take();
        let led = self.input.led.take().filter(|_| follows.is_some());
        self.stop_run();
        // Decisions are about one run; those about the same question can be made again.
        let same = sanitise(question).trim() == self.run.trace.question.trim() && follows == self.run.trace.follows;
        let again = std::mem::take(&mut self.input.asks_again) || question == self.run.trace.question;
        let decided = self.run.decisions.to_offer();
        self.run.state = RunState::Idle;
        self.run.trace = Trace::default();
        self.run.trace.question = sanitise(question).into_owned();
        self.forget_run();
        self.run.led_before = led;
        self.layout.first_screen = false;
        self.sheets.overlay = None;
        self.layout.zoomed = false;
        self.layout.focus = Pane::Answer;
        self.sheets.put_messages_away();
        if (again || same) && !decided.is_empty() {
            self.tell_left_behind(&decided, same);
            self.run.decisions.offer(decided, same);
        }
        self.tell_language();
        self.input.editor.remember(question);
        self.effects.push_back(Effect::Remember(question.to_owned()));
        if self.engine.is_opening() {
            self.run.state = RunState::Opening { question: question.to_owned(), follows, method: self.next_method };
        } else {
            self.effects.push_back(Effect::Ask { question: question.to_owned(), follows, method: self.next_method });
        }
    }

    /// Forgets the run on the screen, and everything that was selected in it.
    pub(super) fn forget_run(&mut self) {
        self.run.reset(self.now);
        self.selection.reset();
        self.layout.drawing_stale = true;
        self.dirty = true;
    }

    /// A run begins in the background; `request` is the number of the request for it.
    pub(crate) fn run_starts(&mut self, request: u64) {
        self.run.state = RunState::Starting { request };
    }

    /// The run that was asked for has begun.
    pub fn run_began(&mut self, handle: RunHandle) {
        self.run.begin(handle, self.now);
        self.layout.first_screen = false;
        self.dirty = true;
    }

    /// Stops the run at once: whatever it still sends is not taken.
    pub(super) fn stop_run(&mut self) {
        self.dirty = true;
        // A question that the loop has not passed on yet need not be passed on.
        self.effects.retain(|effect| !matches!(effect, Effect::Ask { .. }));
        let running = self.run.is_running();
        let active = match std::mem::take(&mut self.run.state) {
            RunState::Starting { .. } => return self.say(Severity::Note, "Stopped before it began."),
            RunState::Opening { .. } => return self.say(Severity::Note, "Stopped before the graph was open."),
            RunState::Running(active) => active,
            RunState::Replaying { run: Some(active), .. } if running => active,
            state => {
                self.run.state = state;
                return;
            }
        };
        active.cancel.cancel();
        match self.run.decisions.settled.clone().filter(|settled| settled.id == self.run.trace.id) {
            // The revision is no longer wanted; the run stands as before.
            Some(settled) => {
                self.run.decisions.give_up();
                self.run.recorded.truncate(self.run.settled_events);
                self.run.state = RunState::Settled { run: None };
                self.show_trace(&settled);
                self.say(Severity::Note, "Stopped. Everything is as it was before.");
            }
            None => {
                self.run.state = RunState::Stopped { after: self.now.saturating_sub(active.began) };
                self.say(Severity::Note, "Stopped. The screen shows what was found so far.");
            }
        }
    }

    /// The engine is open, or could not be opened.
    pub fn engine_opened(&mut self, opened: Result<EngineInfo, String>) {
        self.dirty = true;
        match opened {
            Ok(info) => {
                for notice in &info.notices {
                    self.say(Severity::Warning, notice.clone());
                }
                self.engine = EngineState::Ready(Box::new(info));
                self.announce_engine();
                if let RunState::Opening { question, follows, method } = &mut self.run.state {
                    let (question, follows) = (std::mem::take(question), follows.take());
                    self.effects.push_back(Effect::Ask { question, follows, method: *method });
                    self.run.state = RunState::Idle;
                }
            }
            Err(reason) => {
                if matches!(self.run.state, RunState::Opening { .. }) {
                    self.run.state = RunState::Idle;
                }
                self.layout.first_screen = true;
                self.layout.focus = Pane::Question;
                self.say(Severity::Error, format!("The graph could not be opened: {reason}."));
                self.engine = EngineState::Failed(reason);
            }
        }
    }
}
