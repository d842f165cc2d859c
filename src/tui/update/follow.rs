//! Following a run: its events change the trace, and the screen's places with it.

use std::sync::Arc;

use crate::run::{AnswerLine, AnswerPart, ChainKey, Event, EventKind, Outcome, Stage, StageState, Trace, UrgencyLevel};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::{App, ListPosition, RunState, Severity};
use crate::tui::effects::{Effect, Grammar};
use crate::words::words;

/// The condition that an answer puts first.
pub(super) fn first_condition(trace: &Trace) -> Option<String> {
    let mut lines = trace.answer.lines.iter();
    lines.find(|line| line.part == AnswerPart::Conditions && !line.entity.is_empty()).map(|line| line.entity.clone())
}

impl App {
    /// Takes in an event of a run. Events of a run that is not on the screen, or that was stopped, are dropped.
    pub fn on_event(&mut self, event: &Event) {
        let warnings = self.run.trace.warnings.len();
        let was_complete = self.run.trace.answer.refining;
        if !self.run.take_event(event, self.now) {
            return;
        }
        self.dirty = true;
        self.follow_stage(&event.what);
        match &event.what {
            EventKind::RunStarted { question, .. } => {
                self.run.marks_stale = true;
                if self.input.editor.is_blank() {
                    self.input.editor.set_text(question);
                }
            }
            EventKind::AnchorLinked { .. } => self.run.marks_stale = true,
            EventKind::CaseRead { .. } => self.evidence_changed(),
            EventKind::ChainsFound { .. } => self.chains_changed(),
            EventKind::ChainsAdded { .. } => {
                // The chains before them keep their numbers, so whatever is selected stays selected.
                self.run.marks_stale = true;
                self.selection.list.forget();
                self.selection.list.arrange(&self.run.trace.table, &self.run.trace.pruning);
                self.run.judge();
            }
            EventKind::ChainsPruned { .. } => {
                self.layout.drawing_stale = true;
                self.selection.list.arrange(&self.run.trace.table, &self.run.trace.pruning);
                self.run.judge();
                self.evidence_changed();
                match self.selection.chain {
                    // A kept chain that is no longer kept gives way to the one in its place.
                    Some(chain) if self.layout.focus == Pane::Kept && self.run.trace.kept_id(chain).is_none() => {
                        let last = self.run.trace.pruning.kept.len().saturating_sub(1);
                        self.select_kept(self.selection.kept.selected.min(last));
                    }
                    Some(chain) => self.select_chain(chain),
                    None => self.select_best(),
                }
            }
            EventKind::Revised { .. } => {
                self.run.marks_stale = true;
                self.run.judge();
            }
            EventKind::AnswerFinished { .. } => {
                if self.run.trace.answer.by_model {
                    let text = self.run.trace.answer.text.clone();
                    self.effects.push_back(Effect::Highlight { title: None, text, grammar: Grammar::Markdown });
                }
                self.run.highlighted.clear();
                self.layout.drawing_stale = true;
                self.evidence_changed();
                self.run.marks_stale = true;
                match self.selection.chain {
                    // Whoever is in the chains already keeps what is selected.
                    Some(chain) if self.layout.focus != Pane::Answer => self.select_chain(chain),
                    // Its lines stand where they stood; the model's come below.
                    _ if was_complete => {}
                    // An answer that was written again: whoever reads it stays at the line, or at the one in its place.
                    _ if self.run.decisions.settled.is_some() => {
                        let lines = self.answer_lines();
                        let at = self.selection.answer.selected;
                        self.select_answer_line(lines.iter().copied().find(|line| *line >= at).or(lines.last().copied()).unwrap_or(0));
                    }
                    _ => self.select_answer_line(self.listed_lines().first().copied().unwrap_or(0)),
                }
            }
            EventKind::RunFinished { outcome, .. } => {
                if let Outcome::Failed { message } = outcome {
                    self.say(Severity::Error, message.clone());
                }
                self.finished();
            }
            _ => {}
        }
        for warning in self.run.trace.warnings.get(warnings..).unwrap_or_default().to_vec() {
            self.say(Severity::Warning, warning);
        }
    }

    /// Answer or kept chains have changed, or facts were withdrawn.
    pub(super) fn evidence_changed(&mut self) {
        self.look_up_citations();
        self.run.outdated = self.run.withdrawn || self.run.trace.is_stale();
    }

    /// Other chains were found: the selected one stays selected if it is among them.
    fn chains_changed(&mut self) {
        self.run.marks_stale = true;
        self.selection.list.forget();
        self.selection.list.arrange(&self.run.trace.table, &self.run.trace.pruning);
        self.selection.range = None;
        self.run.judge();
        let before = self.run.decisions.settled.as_ref().zip(self.selection.chain);
        let key = before.and_then(|(settled, chain)| Some(ChainKey::of(&settled.table, settled.table.chains.get(chain as usize)?)));
        self.selection.chain = key.and_then(|key| self.find_chain(&key));
        if self.selection.chain.is_none() {
            self.selection.chains = ListPosition::default();
        }
    }

    /// The run, or its revision, is over.
    fn finished(&mut self) {
        if let RunState::Replaying { playback, run } = &mut self.run.state {
            if !playback.is_over() {
                return;
            }
            self.run.state = RunState::Settled { run: run.take() };
            self.run.replay_ended = Some(self.now);
            self.forget_that_it_plays();
        }
        if self.run.trace.outcome == Some(Outcome::Cancelled) && self.run.decisions.settled.is_some() {
            return;
        }
        if self.run.was_answered_anew() {
            self.run.withdrawn = false;
            self.evidence_changed();
        }
        if matches!(self.run.trace.stage(Stage::Read), StageState::Done { .. }) && !self.run.outdated {
            self.run.decisions.reread = false;
        }
        self.settle();
        self.carry_corrections();
        // What the doctor decided during the run, or a wish to regenerate the answer, is due now.
        if self.engine.is_ready() && self.run.decisions.due().is_some() {
            self.carry_on();
        }
    }

    /// From here the run can be triaged.
    pub(super) fn settle(&mut self) {
        let news = self.run.recorded.get(self.run.settled_events..).unwrap_or_default();
        if !self.engine.is_recording() && !news.is_empty() {
            self.effects.push_back(Effect::Record(news.to_vec()));
        }
        self.run.settled_events = self.run.recorded.len();
        self.say_rejected();
        self.say_lost_warnings();
        self.say_other_leader();
        self.run.sameness = self.sameness();
        self.run.decisions.settle(Arc::new(self.run.trace.clone()));
        self.run.explanation = None;
        self.run.find_left_out();
        let (alarm, place) = (self.selection.alarm, self.selection.answer);
        if let Some(chain) = self.selection.chain {
            self.select_chain(chain);
            self.read_on_at(place);
        }
        if std::mem::take(&mut self.selection.from_start) {
            self.read_from_start();
        } else if alarm {
            self.select_alarm();
        }
    }

    /// Says, at the end of a run that follows another, that another condition comes first now.
    fn say_other_leader(&mut self) {
        if self.run.decisions.settled.is_some() {
            return;
        }
        let Some((before, now)) = self.run.led_before.clone().zip(first_condition(&self.run.trace)) else { return };
        if before != now {
            let said = words!(
                self.language,
                "After this follow-up, {now} comes first; before it, {before} did.",
                now = sanitise_line(&now),
                before = sanitise_line(&before)
            );
            self.say(Severity::Note, said);
        }
    }

    /// Says which warnings a decision about chains took out of the answer: nobody is to miss that they are gone.
    fn say_lost_warnings(&mut self) {
        let Some(before) = self.run.decisions.settled.clone() else { return };
        let now = &self.run.trace;
        if !matches!(now.outcome, Some(Outcome::Answered))
            || before.id != now.id
            || before.triage == now.triage
            || before.triage.case != now.triage.case
        {
            return;
        }
        let rank = |trace: &Trace| match trace.urgency.level {
            Some(UrgencyLevel::Emergency) => 2,
            Some(UrgencyLevel::Urgent) => 1,
            _ => 0,
        };
        if rank(now) < rank(&before) {
            let alarm = sanitise_line(before.urgency.text.as_deref().unwrap_or_default());
            self.say(Severity::Warning, format!("Your decision removed or lowered the alarm: {alarm}"));
            return;
        }
        let warns = |line: &&AnswerLine| line.part == AnswerPart::Safety;
        let stays = |line: &&AnswerLine| !now.answer.lines.iter().any(|other| other.part == line.part && other.text == line.text);
        let lost: Vec<String> = before.answer.lines.iter().filter(warns).filter(stays).map(|line| sanitise_line(&line.text)).collect();
        if let Some(first) = lost.first() {
            let more = if lost.len() > 1 { format!(" (and {} more)", lost.len() - 1) } else { String::new() };
            self.say(Severity::Warning, format!("Your decision removed a warning from the answer{more}: {first}"));
        }
    }

    /// Shows another trace than the one that was followed.
    pub(super) fn show_trace(&mut self, trace: &Trace) {
        let key = self
            .selection
            .chain
            .and_then(|chain| Some(ChainKey::of(&self.run.trace.table, self.run.trace.table.chains.get(chain as usize)?)));
        self.run.trace = trace.clone();
        self.run.follow_outcome();
        self.run.highlighted.clear();
        if self.run.trace.answer.by_model {
            let text = self.run.trace.answer.text.clone();
            self.effects.push_back(Effect::Highlight { title: None, text, grammar: Grammar::Markdown });
        }
        self.layout.drawing_stale = true;
        self.run.version += 1;
        self.run.marks_stale = true;
        self.dirty = true;
        self.run.explanation = None;
        self.selection.list.forget();
        self.selection.list.arrange(&self.run.trace.table, &self.run.trace.pruning);
        self.run.judge();
        self.evidence_changed();
        self.selection.chain = key.and_then(|key| self.find_chain(&key));
        match self.selection.chain {
            Some(chain) => self.select_chain(chain),
            None => self.select_best(),
        }
    }

    /// Something in the background broke, and the run on the screen will not end by itself.
    pub fn on_background_failure(&mut self, message: &str) {
        self.say(Severity::Error, format!("An internal error: {message}."));
        let Some(active) = self.run.active() else { return };
        active.cancel.cancel();
        if self.run.trace.outcome.is_none() {
            self.run.trace.outcome = Some(Outcome::Failed { message: message.to_owned() });
            self.run.version += 1;
        }
        match &mut self.run.state {
            RunState::Replaying { run, .. } => *run = None,
            state => *state = RunState::Settled { run: None },
        }
    }
}
